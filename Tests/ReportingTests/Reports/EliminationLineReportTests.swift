import AlcoholKinetics
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting

@Suite struct EliminationLineReportTests {
  /// With one degree of freedom and this level, intervals reach one standard error to either side:
  /// Student's t is tan(pi / 4).
  private static let half = EliminationLineOptions(level: 0.5)

  /// 38 g in 80 kg at once. The limb is 0.7, 0.4 and 0.4 g/kg at 2, 3 and 4 h.
  private func series(
    _ id: String = "man", occasion: String? = "fed", weight: Kilograms? = 80
  ) -> Series {
    Series(
      subject: Subject(id: id, weight: weight), occasion: occasion,
      drinks: [Drink(time: 0, ethanol: .mass(38))],
      readings: zip([1, 2, 3, 4, 5], [0.9, 0.7, 0.4, 0.4, 0]).map { time, value in
        Reading(time: Hours(time), value: value, unit: .bloodGramsPerKilogram)
      })
  }

  private func fit(
    _ series: Series, _ options: EliminationLineOptions = half
  ) throws -> EliminationLineFit {
    EliminationLineFit(
      series: series, result: .success(try EliminationLine.fit(series, options: options)))
  }

  private func failed(_ failure: SeriesFailure, _ id: String = "man") -> EliminationLineFit {
    EliminationLineFit(series: series(id), result: .failure(failure))
  }

  private func report(
    _ fits: [EliminationLineFit], _ options: EliminationLineOptions = half
  ) -> Report {
    .eliminationLine(fits, options: options, provenance: Sample.provenance)
  }

  private func row(_ fit: EliminationLineFit) throws -> [String: String] {
    try #require(try CSVText.rows(report([fit]).rendered(as: .csv)).first)
  }

  /// Slope -0.15, residuals 0.05, -0.1 and 0.05: RSS 0.015 and Sxx 2. The standard error of beta is
  /// sqrt(0.015 / 2), that of C0 = 0.95 sqrt(0.015 (1/3 + 9/2)); r is 38 / (80 C0).
  @Test func fillsEveryColumn() throws {
    let expected = [
      "subject": "man", "occasion": "fed", "status": "ok", "reason": "", "n": "3",
      "limb_from_min": "120", "limb_to_min": "240", "beta60_g_per_kg_h": "0.15",
      "beta_se": "0.086602540378443865", "beta_low": "0.063397459621556135",
      "beta_high": "0.236602540378443865", "c0_g_per_kg": "0.95", "c0_se": "0.26925824035672520",
      "c0_low": "0.68074175964327480", "c0_high": "1.2192582403567252", "r_observed": "0.5",
      "r_low": "0.38958112750669341", "r_high": "0.69776827008366804",
      "residual_sd": "0.12247448713915890", "r_squared": "0.75",
      "warnings": "W_LIMB_FEW_READINGS",
    ]
    #expect(try row(fit(series())).columns(unlike: expected) == [])
  }

  /// At a higher level C0 may be zero, and r anything.
  @Test func rWithoutUpperEndIsLeftOpen() throws {
    let options = EliminationLineOptions(level: 0.95)
    let fit = try fit(series(), options)
    let row = try row(fit)
    #expect(row["status"] == "undetermined")
    #expect(row["r_observed"] != "" && row["r_low"] != "" && row["r_high"] == "")
    #expect(row["warnings"] == "W_LIMB_FEW_READINGS;W_BETA_UNCERTAIN")
    #expect(report([fit], options).rendered(as: .table).contains(" to ?"))
  }

  @Test func rIsEmptyWithoutWeight() throws {
    let row = try row(fit(series(weight: nil)))
    #expect(row["status"] == "ok")
    #expect(["r_observed", "r_low", "r_high"].allSatisfy { row[$0] == "" })
    #expect(row["c0_g_per_kg"] != "")
  }

  @Test(arguments: FailureCase.all)
  func failedLineStatesReason(_ expected: FailureCase) throws {
    let row = try row(failed(expected.failure))
    let reason = try #require(row["reason"])
    #expect(row["status"] == "failed")
    #expect(reason.hasPrefix("\(expected.code): ") && reason.contains(expected.says))
    #expect(row.filledColumns == ["occasion", "reason", "status", "subject"])
  }

  @Test func notesWarningsAndFailuresOnce() throws {
    let fits = [
      try fit(series("1")), failed(.limbNotFalling, "2"), try fit(series("3")),
      failed(.limbTooShort(found: 1, needed: 3), "4"),
    ]
    let notes = report(fits).notes
    #expect(notes.count == 3)
    #expect(notes[0].hasPrefix("W_LIMB_FEW_READINGS: ") && notes[0].hasSuffix(" [1/fed, 3/fed]"))
    #expect(notes[1].hasPrefix("E_LIMB_NOT_FALLING: ") && notes[1].hasSuffix(" [2/fed]"))
    #expect(notes[2].hasPrefix("E_LIMB_TOO_SHORT: ") && notes[2].hasSuffix(" [4/fed]"))
  }

  @Test func roundsForPeople() throws {
    let fits = [try fit(series("1", occasion: nil)), failed(.limbNotFalling, "2")]
    let lines = report(fits).rendered(as: .table).split(separator: "\n")
      .drop { !$0.hasPrefix("subject") }.prefix(4)
    #expect(
      lines.joined(separator: "\n") == """
        subject  occ.  status  n  limb min  beta60  interval          C0  interval         r  interval
        -------  ----  ------  -  --------  ------  --------------  ----  ------------  ----  ------------
        1        -     ok      3  120-240    0.150  0.063 to 0.237  0.95  0.68 to 1.22  0.50  0.39 to 0.70
        2        fed   failed  -  -              -  -                  -  -                -  -
        """)
  }

  @Test func introductionDefinesTheLimb() {
    let options = EliminationLineOptions(limbAfter: 2, limbAbove: 0.25, level: 0.9)
    let introduction = report([], options).introduction.joined(separator: " ")
    #expect(introduction.contains("120 min after the last drink"))
    #expect(introduction.contains("0.25 g/kg"))
    #expect(introduction.contains("0.9"))
  }

  @Test func rowsKeepTheOrderOfSeries() throws {
    let fits = try (1...20).map { index in
      index % 3 == 0 ? failed(.limbNotFalling, "\(index)") : try fit(series("\(index)"))
    }
    let rows = try CSVText.rows(report(fits).rendered(as: .csv))
    #expect(rows.map { $0["subject"] } == (1...20).map(String.init))
    #expect(rows.map { $0["status"] == "failed" } == (1...20).map { $0 % 3 == 0 })
  }

  @Test func linesFitATerminal() throws {
    let text = report([try fit(series())]).rendered(as: .table)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }
}

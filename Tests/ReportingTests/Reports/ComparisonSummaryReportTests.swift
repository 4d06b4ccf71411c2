import AlcoholKinetics
import Estimation
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing
import Validation

@testable import Reporting

@Suite struct ComparisonSummaryReportTests {
  /// Two methods that say the same, and one that says less.
  private static let methods = [
    KnownCurve.half, ConstantMethod(name: "twin", r: 0.5), ConstantMethod(name: "low", r: 2),
  ]

  /// People whose readings are all the same, so that every replicate is, too.
  private static func equal(_ count: Int) -> [Series] {
    (1...count).map { KnownCurve.series("\($0)") }
  }

  /// People who differ.
  private static let different = (1...6).map { index in
    KnownCurve.series("\(index)", readings: [0.6, 0.5, 0.4, 0].map { $0 * Double(index) / 4 })
  }

  private func report(
    _ series: [Series] = equal(8), by methods: [ConstantMethod] = methods, bySex: Bool = false,
    level: Double = 0.9, pairsFirst: Bool = false
  ) throws -> Report {
    let summary = ComparisonSummary(
      of: try KnownCurve.comparisons(series, by: methods),
      bootstrap: Bootstrap(seed: 1, replicates: 100, level: level), bySex: bySex)
    var report = Report.comparisonSummary(
      summary, options: PredictionOptions(parameters: KnownCurve.parameters, methods: methods),
      level: level, pairsFirst: pairsFirst, provenance: Sample.provenance)
    report.isDetailed = true
    return report
  }

  private func rows(_ report: Report) throws -> [[String: String]] {
    try CSVText.rows(report.rendered(as: .csv))
  }

  /// The rows of a section in JSON.
  private func rows(_ section: String, of report: Report) throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: Data(report.rendered(as: .json).utf8))
    let document = try #require(json as? [String: Any])
    return try #require(document[section] as? [[String: Any]])
  }

  // MARK: - Methods

  /// Errors are -3/8 and three times 1/4 for each of 8 people, who do not differ: squared deviations
  /// from 3/32 add up to 8 * 75/256 over 24. The limits of agreement are 1.96 standard deviations from it.
  @Test func fillsEveryColumnOfMethods() throws {
    let row = try #require(try rows(report()).first)
    let expected = [
      "quantity": "concentration", "unit": "g/kg", "sex": "all", "r_factor": "half",
      "method": "half",
      "ranked": "yes",
      "subjects": "8", "n": "32", "interval": "bootstrap", "bias": "0.09375", "bias_low": "0.09375",
      "bias_high": "0.09375",
      "mae": "0.28125", "mae_low": "0.28125", "mae_high": "0.28125",
      "rmse": "0.28641098093473999", "rmse_low": "0.28641098093473999",
      "rmse_high": "0.28641098093473999", "median": "0.25", "loa_low": "-0.51875",
      "loa_high": "0.70625",
    ].merging(Self.ofTimes.map { ($0, "") }) { $1 }
    #expect(row.columns(unlike: expected) == [])
  }

  /// Columns that only times to sobriety have.
  private static let ofTimes = ["between", "at_least", "at_most", "unknown"]

  @Test func namesQuantitiesWithTheirUnits() throws {
    let rows = try rows(report())
    let quantities = ["concentration", "peak", "sobriety"].flatMap { [$0, $0, $0] }
    #expect(rows.map { $0["quantity"] } == quantities)
    #expect(
      rows.map { $0["unit"] } == quantities.map { $0 == "sobriety" ? "min" : "g/kg" })
    #expect(rows.map { $0["r_factor"] } == (1...3).flatMap { _ in ["half", "twin", "low"] })
    let sobriety = try #require(rows.first { $0["quantity"] == "sobriety" })
    #expect(sobriety["n"] == "8")
    // One error fits the limits of all, so that nothing is estimated.
    #expect(sobriety["bias"] == "" && sobriety["between"] == "8")
  }

  @Test func intervalsContainTheirEstimates() throws {
    for row in try rows(report(Self.different)) where row["quantity"] != "sobriety" {
      for name in ["bias", "mae", "rmse"] {
        let ends = try ["_low", "", "_high"].map { end in
          try #require(row[name + end].flatMap { Double($0) }, "\(name)\(end)")
        }
        #expect(ends[0] < ends[1] && ends[1] < ends[2], "\(name) of \(row)")
      }
    }
  }

  /// A single person leaves nothing to draw from, and a single error no spread.
  @Test func unknownIntervalsAreEmpty() throws {
    let rows = try rows(report(Self.equal(1)))
    let intervals = ["bias", "mae", "rmse"].flatMap { ["\($0)_low", "\($0)_high"] }
    #expect(rows.allSatisfy { row in intervals.allSatisfy { row[$0] == "" } })
    #expect(rows.allSatisfy { $0["loa_low"] == "" && $0["loa_high"] == "" })
    #expect(rows[3]["n"] == "1")
  }

  // MARK: - Pairs

  /// Mean absolute errors are 9/32 and, with D = 1/4 and predictions 1/8 and zero, 15/32. All 8
  /// people say so: Wilcoxon's p is 2 / 2^8, and there are nine pairs to correct for.
  @Test func fillsEveryColumnOfPairs() throws {
    let rows = try rows(report(pairsFirst: true))
    let expected = [
      "quantity": "concentration", "unit": "g/kg", "sex": "all", "r_factor_a": "half",
      "r_factor_b": "low", "method_a": "half", "method_b": "low", "subjects": "8",
      "mae_difference": "-0.1875",
      "interval": "bootstrap", "difference_low": "-0.1875", "difference_high": "-0.1875",
      "detectable": "0", "wilcoxon_p": "0.0078125", "holm_p": "0.0703125",
      "least_holm_p": "0.0703125",
      "left_out_difference": "", "least_difference": "", "largest_difference": "",
      "worst_holm_p": "",
      "verdict": "not-examined", "better": "",
    ]
    #expect(rows[1].columns(unlike: expected) == [])
    #expect(
      rows.prefix(3).map { "\($0["r_factor_a"] ?? "") \($0["r_factor_b"] ?? "")" }
        == ["half twin", "half low", "twin low"])
  }

  /// Differences that are all zero give neither a test nor a winner.
  @Test func equalMethodsHaveNoTest() throws {
    let row = try #require(try rows(report(pairsFirst: true)).first)
    #expect(row["r_factor_b"] == "twin")
    #expect(row["mae_difference"] == "0.0")
    #expect(row["wilcoxon_p"] == "" && row["holm_p"] == "" && row["better"] == "")
  }

  @Test func eitherMethodMayHaveTheLargerError() throws {
    let methods = Array(Self.methods.dropFirst().reversed())
    let row = try #require(try rows(report(by: methods, pairsFirst: true)).first)
    #expect(row["r_factor_a"] == "low" && row["r_factor_b"] == "twin")
    #expect(row["mae_difference"] == "0.1875")
    #expect(row["difference_low"] == "0.1875")
  }

  // MARK: - Rankings

  /// The ranks of everybody are 1.5, 1.5 and 3: chi-squared is 12 * 64 * 1.5 over 8 * 12 - 24 for the
  /// ties, 16, and its p with 2 degrees of freedom e^-8.
  @Test func fillsEveryColumnOfRankings() throws {
    let rankings = try rows("rankings", of: report())
    let quantities = rankings.compactMap { $0["quantity"] as? String }
    #expect(quantities == ["concentration", "peak", "sobriety"])
    let ranking = try #require(rankings.first)
    #expect(ranking["sex"] as? String == "all")
    #expect(ranking["subjects"] as? Int == 8)
    #expect(ranking["mean_ranks"] as? String == "half 1.50, twin 1.50, low 3.00")
    #expect((ranking["friedman_chi2"] as? Double).map { abs($0 - 16) < 1e-9 } == true)
    #expect(ranking["df"] as? Int == 2)
    #expect((ranking["friedman_p"] as? Double).map { abs($0 / exp(-8) - 1) < 1e-9 } == true)
  }

  @Test func twoMethodsAreNotRanked() throws {
    let rankings = try rows("rankings", of: report(by: Array(Self.methods.dropFirst())))
    #expect(rankings.isEmpty)
  }

  // MARK: - The verdict

  /// Without trying other k_a and beta nobody is called better.
  @Test func notesCountDifferencesWithoutWinner() throws {
    let notes = try report().notes
    #expect(notes.count == 2)
    #expect(notes[0] == "No method was shown to be better than another.")
    #expect(
      notes[1].hasPrefix(
        "6 of 9 pairs differ with these kinetic parameters (p < 0.1 after correction)"))
  }

  /// Methods of which one is far off, with the k_a and beta that the curves have and others near.
  @Test func notesNameWinners() throws {
    let methods = [KnownCurve.half, ConstantMethod(name: "far", r: 20)]
    let options = PredictionOptions(parameters: KnownCurve.parameters, methods: methods)
    let study = Study(name: "study", series: Self.equal(12))
    let comparisons = try Scorer(options).scores(of: study)
    let naming = try NamingBasis(
      of: study, comparisons, options: options,
      range: KineticRange(ka: 1e3...1e4, beta: 0.2...0.26))
    let summary = ComparisonSummary(
      of: comparisons, naming: naming, bootstrap: Bootstrap(seed: 1, replicates: 100))
    let report = Report.comparisonSummary(
      summary, options: options, level: 0.95, pairsFirst: true, provenance: Sample.provenance)
    let notes = report.notes.joined(separator: " ")
    #expect(notes.contains("at k_a 1000 and 10000 /h with beta 0.2 and 0.26 g/kg/h"))
    #expect(notes.contains("left-out"))
    #expect(try rows(report).allSatisfy { $0["verdict"] != "not-examined" })
  }

  /// Five people can at best have a p of 2 / 2^5, and there are nine comparisons to correct for.
  @Test func notesNameNoWinnerWithoutProof() throws {
    let report = try report(Self.equal(5), level: 0.95, pairsFirst: true)
    #expect(try rows(report).allSatisfy { $0["better"] == "" })
    #expect(report.notes[0].hasPrefix("No method was shown to be better than another"))
    #expect(Self.methods.allSatisfy { !report.notes[0].contains($0.name) })
    #expect(
      report.notes[1]
        == "With 5 subjects and 9 comparisons, no difference can reach p < 0.05 after "
        + "correction; at least 9 are needed.")
  }

  @Test func emptyComparisonHasNoWinner() throws {
    let report = try report([])
    #expect(try rows(report).isEmpty)
    #expect(report.notes[0].hasPrefix("No method was shown to be better than another"))
  }

  // MARK: - Who is compared

  @Test func rankingsStateLeftOutSubjects() throws {
    let men = ConstantMethod(name: "men", r: 0.7, isForMenOnly: true)
    let women = (1...3).map { KnownCurve.series("w\($0)", sex: .female) }
    let report = try report(Self.different + women, by: Self.methods + [men])
    let rankings = try rows("rankings", of: report).filter { $0["quantity"] as? String == "peak" }
    #expect(rankings.compactMap { $0["subjects"] as? Int } == [9, 6])
    #expect(rankings.compactMap { $0["subjects_with_errors"] as? Int } == [9, 9])
    #expect(rankings.first?["undefined"] is NSNull)
    #expect(rankings.last?["undefined"] as? String == "men: female")
    let rows = try rows("methods", of: report).filter { $0["quantity"] as? String == "peak" }
    #expect(rows.map { $0["ranked"] as? String } == ["yes", "yes", "yes", "no"])
    #expect(
      report.notes.contains {
        $0.hasPrefix("men is not ranked: it has ") && $0.hasSuffix("(6 of 9 people).")
      })
    #expect(report.notes.contains { $0.hasPrefix("men has no formula for women: ") })
    #expect(report.rendered(as: .table).contains("peak      6/9"))
  }

  /// One of three is not sober at the last reading, at 4 h; the prediction for r = 2 never leaves
  /// zero for any of them after 2 h.
  @Test func sobrietyRowsCountKinds() throws {
    let report = try report(
      [
        KnownCurve.series("1"), KnownCurve.series("2"),
        KnownCurve.series("3", readings: [1, 0.5, 0.25]),
      ],
      by: [KnownCurve.half, Self.methods[2]])
    let counts = try rows("sobriety", of: report)
    #expect(counts.compactMap { $0["between"] as? Int } == [2, 2])
    #expect(counts.compactMap { $0["at_least"] as? Int } == [1, 1])
    let methods = try rows("methods", of: report).filter { $0["quantity"] as? String == "sobriety" }
    #expect(methods.compactMap { $0["n"] as? Int } == [3, 3])
    #expect(methods.compactMap { $0["at_least"] as? Int } == [1, 1])
    let note = try #require(report.notes.first { $0.hasPrefix("Times to sobriety") })
    #expect(note.contains("of 3 series: 2 known between two readings, 1 with a lower limit"))
  }

  // MARK: - Layout

  @Test func csvHasTheFirstTable() throws {
    let last = ["sobriety", "error_tests", "pooled_errors"]
    #expect(try report().sections.map(\.name) == ["methods", "rankings", "pairs"] + last)
    #expect(
      try report(pairsFirst: true).sections.map(\.name) == [
        "pairs", "rankings", "methods",
      ] + last)
  }

  @Test func splitsBySex() throws {
    let women = (1...3).map { KnownCurve.series("w\($0)", sex: .female) }
    let report = try report(Self.equal(2) + women, bySex: true)
    let rows = try rows(report).filter { $0["quantity"] == "peak" && $0["r_factor"] == "low" }
    #expect(rows.map { $0["sex"] } == ["all", "male", "female"])
    #expect(rows.map { $0["subjects"] } == ["5", "2", "3"])
    let rankings = try self.rows("rankings", of: report)
    #expect(rankings.compactMap { $0["subjects"] as? Int } == [5, 5, 5, 2, 2, 2, 3, 3, 3])
    #expect(report.rendered(as: .table).contains("quantity  sex     method"))
  }

  /// People read value and interval as one, and no column that says the same in every row.
  @Test func roundsForPeople() throws {
    let report = try report(Self.equal(2), by: [KnownCurve.half, Self.methods[2]])
    let lines = report.rendered(as: .table).split(separator: "\n")
      .drop { !$0.hasPrefix("quantity") }
    #expect(
      lines.prefix(4).joined(separator: "\n") == """
        quantity  method  n  bias                  MAE                RMSE  LoA
        --------  ------  -  --------------------  -----------------  ----  --------------
        conc.     half    8  0.09 [0.09, 0.09]     0.28 [0.28, 0.28]  0.29  [-0.52, 0.71]
        conc.     low     8  -0.47 [-0.47, -0.47]  0.47 [0.47, 0.47]  0.63  [-1.41, 0.48]
        """)
    #expect(
      lines.drop { !$0.contains("first") }.prefix(3).joined(separator: "\n") == """
        quantity  first  second  subjects  MAE first - second       Wilcoxon p  Holm p  better
        --------  -----  ------  --------  -----------------------  ----------  ------  -------
        conc.     half   low            2  -0.188 [-0.188, -0.188]        0.50     1.0  too few
        """)
  }

  @Test func introductionStatesTheLevel() throws {
    #expect(try report(level: 0.9).introduction.joined().contains("90 % intervals over subjects"))
    #expect(
      try report(level: 0.995).introduction.joined().contains("99.5 % intervals over subjects"))
  }

  /// The five that are compared unless others are asked for.
  @Test(arguments: [true, false])
  func linesFitATerminal(bySex: Bool) throws {
    let methods = ["widmark", "watson", "forrest", "seidl", "ulrich"].enumerated().map {
      ConstantMethod(name: $1, r: RFactor(0.5 + 0.05 * Double($0)))
    }
    let women = (7...9).map { KnownCurve.series("\($0)", sex: .female) }
    let text = try report(Self.different + women, by: methods, bySex: bySex)
      .rendered(as: .table)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }
}

import AlcoholKinetics
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting
@testable import Validation

@Suite struct FitSummaryReportTests {
  private func fit(
    _ subject: String, occasion: String? = nil, ka: Double, isIdentifiable: Bool? = true,
    isAtBound: Bool = false, isConverged: Bool = true, warnings: [FitWarning] = []
  ) -> StudyFit {
    let estimates: [FitParameter: ParameterEstimate] = [
      .ka: KnownFit.estimate(ka, isIdentifiable: isIdentifiable, isAtBound: isAtBound),
      .lag: KnownFit.estimate(0.25, isIdentifiable: true),
    ]
    return StudyFit(
      series: Sample.series(of: subject, occasion: occasion), rFactor: "watson",
      result: .success(
        KnownFit.fit(estimates: estimates, isConverged: isConverged, warnings: warnings)))
  }

  private func rows(_ fits: [StudyFit]) throws -> [[String: String]] {
    let report = Report.fitSummary(fits, options: FitOptions(), provenance: Sample.provenance)
    return try CSVText.rows(report.rendered(as: .csv))
  }

  /// a counts by the mean of the logarithms of 2 and 4; b and c by what they have: 3, 8 and 1. Their
  /// logarithms are 1.5, 3 and 0 times that of 2, so that the mean is 1.5 times it, and so is the SD.
  @Test func fillsEveryColumn() throws {
    let failed = StudyFit(
      series: Sample.series(of: "f"), rFactor: "watson", result: .failure(.nothingMeasured))
    let fits = [
      fit("a", occasion: "1", ka: 2), fit("a", occasion: "2", ka: 4), fit("b", ka: 8),
      fit("c", ka: 1, isIdentifiable: nil), fit("d", ka: 97, isIdentifiable: false),
      fit("e", ka: 1000, isAtBound: true), fit("g", ka: 50, isConverged: false), failed,
    ]
    let rows = try rows(fits)
    let expected = [
      "parameter": "ka", "unit": "1/h", "subjects": "5", "exact": "3", "at_least": "0",
      "at_most": "0", "between": "0", "unknown": "2", "series": "6", "undetermined": "2",
      "failed": "2", "median_at_least": "", "median_at_most": "",
    ]
    #expect(rows[0].filter { expected[$0.key] != nil }.columns(unlike: expected) == [])
    let unit = log(2.0)
    let deviation = 1.5 * unit
    // Student's quantile with 2 degrees of freedom; chi squared has 0.0506 and 7.378 at 2.5 and 97.5 %.
    let margin = 4.302652729749464 * deviation / 3.0.squareRoot()
    let numbers = [
      "typical": exp(1.5 * unit), "typical_low": exp(1.5 * unit - margin),
      "typical_high": exp(1.5 * unit + margin), "log_sd": deviation,
      "log_sd_low": deviation * (2 / 7.377758908227871).squareRoot(),
      "log_sd_high": deviation * (2 / 0.05063561596857975).squareRoot(),
      "mean": exp(1.5 * unit + deviation * deviation / 2),
      "cv_pct": 100 * expm1(deviation * deviation).squareRoot(), "median": 8.0.squareRoot(),
      "min": 1, "max": 8,
    ]
    for (column, number) in numbers {
      let found = try #require(rows[0][column].flatMap { Double($0) }, "\(column)")
      #expect(abs(found / number - 1) < 1e-9, "\(column): \(found), \(number)")
    }
    // Times are in min; all lags are the same, so that there is no spread to estimate.
    #expect(rows[1]["parameter"] == "lag" && rows[1]["unit"] == "min")
    #expect(rows[1]["median"] == "15.0" && rows[1]["typical"] == "")
    #expect(rows.count == 2)
  }

  /// Series with only a limit are counted as such and named.
  @Test func fitsWithOnlyALimitAreCounted() throws {
    let limited = { (subject: String, low: Double?, high: Double?) -> StudyFit in
      StudyFit(
        series: Sample.series(of: subject), rFactor: "watson",
        result: .success(
          KnownFit.fit(estimates: [
            .ka: KnownFit.estimate(
              100, error: nil, low, high, isIdentifiable: low != nil && high != nil, isAtBound: true
            )
          ])))
    }
    let fits = [
      fit("a", ka: 2), fit("b", ka: 3), fit("c", ka: 4), limited("d", 5, nil), limited("e", nil, 1),
      limited("f", 2, 9), limited("g", nil, nil),
    ]
    let row = try #require(try rows(fits).first)
    let counts = ["subjects", "exact", "at_least", "at_most", "between", "unknown"].map { row[$0] }
    #expect(counts == ["7", "3", "1", "1", "1", "1"])
    let report = Report.fitSummary(fits, options: FitOptions(), provenance: Sample.provenance)
    #expect(report.notes.contains { $0.contains("about whom nothing is known: k_a 1") })
    let text = report.rendered(as: .table)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(text.contains("exact  >  <  ><  ?  typical"))

    let fast = [fit("a", ka: 2), limited("d", 5, nil), limited("e", 6, nil), limited("f", 7, nil)]
    let most = try #require(try rows(fast).first)
    #expect(most["median"] == "")
    let beyond = try #require(most["median_at_least"].flatMap { Double($0) })
    #expect(abs(beyond - 7) < 1e-12)
    #expect(
      Report.fitSummary(fast, options: FitOptions(), provenance: Sample.provenance)
        .rendered(as: .table).contains("> 7.00"))
  }

  /// Implausible fits are not averaged, but counted apart and named.
  @Test func implausibleFitsAreListedApart() throws {
    let sound = [fit("a", ka: 2), fit("b", ka: 3), fit("c", ka: 4)]
    let odd = [fit("d", ka: 90, warnings: [.kaRange]), fit("a", ka: 80, warnings: [.rRange])]
    let (alone, row) = (try rows(sound)[0], try rows(sound + odd)[0])
    #expect(alone["implausible"] == "0" && row["implausible"] == "2")
    for column in ["subjects", "exact", "series", "typical", "mean", "median", "max"] {
      #expect(row[column] == alone[column], "\(column)")
    }
    let report = Report.fitSummary(
      sound + odd, options: FitOptions(), provenance: Sample.provenance)
    let note = try #require(report.notes.first { $0.hasPrefix("Not summed up") })
    #expect(note.contains("2 of 5 series (d") && note.contains("; a") && note.contains("k_a "))
    #expect(report.rendered(as: .table).contains("without 2 implausible series"))
    #expect(
      !Report.fitSummary(sound, options: FitOptions(), provenance: Sample.provenance).notes
        .contains { $0.contains("implausible") })
  }

  @Test func undeterminedFitsLeaveSummaryEmpty() throws {
    let row = try #require(try rows([fit("a", ka: 2, isIdentifiable: false)]).first)
    #expect(row["subjects"] == "1" && row["undetermined"] == "1" && row["unknown"] == "1")
    #expect(
      ["mean", "sd", "typical", "cv_pct", "median", "min", "max"].allSatisfy { row[$0] == "" })
    let one = try #require(try rows([fit("a", ka: 2)]).first)
    #expect(one["median"] == "2.0" && one["sd"] == "" && one["typical"] == "")
  }

  @Test func tableExplainsItsCounts() throws {
    let report = Report.fitSummary(
      [fit("a", ka: 2), fit("b", ka: 3)], options: FitOptions(), provenance: Sample.provenance)
    let text = report.rendered(as: .table)
    #expect(text.contains("of whom only a lower or upper limit is known"))
    #expect(text.contains("k_a"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  /// Made-up fits, summed up by SciPy (Tests/Tools/fit_summary.py). Its optimiser comes to 1e-7 of the
  /// maximum, its second derivatives are differences good to 1e-5.
  @Test func fitSummaryAgreesWithSciPy() throws {
    let table = try PackageFolder.expectations("fit-summary-fits")
    let expected = try PackageFolder.expectations("fit-summary")
    #expect(expected.count == 3)
    for row in expected {
      let parameter = try #require(row["parameter"].flatMap(FitParameter.init))
      let fits = table.map { fit(in: $0, parameter) }
      let summary = try #require(ParameterSummary.summaries(of: fits).first)
      let counts = CensoredValue.Kind.allCases.map { kind in
        (kind.rawValue.replacing("-", with: "_"), summary.count(kind))
      }
      for (name, count) in counts + [("series", summary.series), ("failed", summary.failed)] {
        #expect(row[name] == "\(count)", "\(name) of \(row)")
      }
      guard case .value(let median) = summary.median else {
        Issue.record("no median of \(parameter)")
        continue
      }
      let numbers: [(String, Double?, within: Double)] = [
        ("typical", summary.typical, 1e-6), ("log_sd", summary.logDeviation, 1e-6),
        ("typical_low", summary.typicalInterval?.low, 1e-5),
        ("typical_high", summary.typicalInterval?.high, 1e-5),
        ("log_sd_low", summary.logDeviationInterval?.low, 1e-5),
        ("log_sd_high", summary.logDeviationInterval?.high, 1e-5), ("median", median, 1e-9),
        ("min", summary.range?.low, 1e-12), ("max", summary.range?.high, 1e-12),
      ]
      for (name, found, tolerance) in numbers {
        let wanted = try #require(row[name].flatMap { Double($0) })
        let found = try #require(found)
        #expect(abs(found / wanted - 1) <= tolerance, "\(name) of \(row): \(found)")
      }
    }
  }

  private func fit(in row: [String: String], _ parameter: FitParameter) -> StudyFit {
    let number = { (column: String) in row[column].flatMap { Double($0) } }
    let name = parameter.rawValue
    let estimate = KnownFit.estimate(
      number(parameter.columnName) ?? .nan, error: nil, number("\(name)_low"),
      number("\(name)_high"),
      isIdentifiable: row["\(name)_identifiable"] == "yes")
    return StudyFit(
      series: Sample.series(of: row["subject"] ?? "", occasion: row["occasion"]),
      rFactor: "estimated",
      result: .success(
        KnownFit.fit(estimates: [parameter: estimate], isConverged: row["status"] == "ok")))
  }
}

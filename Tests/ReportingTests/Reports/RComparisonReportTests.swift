import AlcoholKinetics
import Statistics
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting
@testable import Validation

@Suite struct RComparisonReportTests {
  private let bootstrap = Bootstrap(seed: 7, replicates: 100, level: 0.9)

  private let study = EstimateStudy(
    name: "study",
    subjects: [
      SubjectEstimate(
        subject: Sample.man, ethanol: 64, c0: 1.25, c0BreathMgPerL: 0.5),
      SubjectEstimate(subject: Subject(id: "woman", sex: .female), givenR: 0.5),
      SubjectEstimate(subject: Subject(id: "bare", sex: .male)),
    ])

  private let methods: [any RFactorMethod] = [Widmark(), Ulrich()]

  private func report(hasRatio: Bool = true) -> Report {
    let comparisons = RComparison.comparisons(of: study, by: methods)
    return .rComparison(
      comparisons,
      summaries: RComparisonSummary.summaries(
        of: comparisons, bySex: true, bootstrap: bootstrap),
      ratio: hasRatio ? Statistics.Sample(BloodBreathRatio.ratios(of: study).map(\.value)) : nil,
      by: methods, bootstrap: bootstrap, provenance: Sample.provenance)
  }

  private func summary(pairsFirst: Bool = false) -> Report {
    .rSummary(
      of: RComparison.comparisons(of: study, by: methods), bySex: true,
      ratio: Statistics.Sample(BloodBreathRatio.ratios(of: study).map(\.value)), by: methods,
      pairsFirst: pairsFirst, bootstrap: bootstrap, provenance: Sample.provenance)
  }

  @Test func summariesHaveNoRowsOfSubjects() {
    #expect(
      report().sections.map(\.name) == ["r_comparisons", "r_summary", "blood_breath_ratio"])
    let names = ["r_summary", "rankings", "pairs", "blood_breath_ratio"]
    #expect(summary().sections.map(\.name) == names)
    let pairsFirst = ["pairs", "rankings", "r_summary", "blood_breath_ratio"]
    #expect(summary(pairsFirst: true).sections.map(\.name) == pairsFirst)
  }

  /// Widmark's error for the man is 0.04, Ulrich's 0.715 - 0.3696 + 0.396 - 0.64.
  @Test func comparesMethodsInPairs() throws {
    let rows = try CSVText.rows(summary(pairsFirst: true).rendered(as: .csv))
    let row = try #require(rows.first)
    let expected = [
      "quantity": "r", "unit": "kg/kg", "sex": "all", "r_factor_a": "widmark",
      "r_factor_b": "ulrich", "subjects": "1",
    ]
    #expect(expected.allSatisfy { row[$0.key] == $0.value }, "\(row)")
    let difference = try #require(row["mae_difference"].flatMap { Double($0) })
    #expect(abs(difference - (0.04 - 0.1014)) < 1e-12)
    #expect(
      summary().notes.contains {
        $0.hasPrefix("Not in the ranking, as ulrich cannot be used for them")
      })
    #expect(summary().notes.contains { $0.hasPrefix("E_MEASURE_MISSING") })
    #expect(!summary().notes.contains { $0.hasPrefix("N_R_NOT_DEFINED") })
  }

  @Test func csvHasARowPerSubjectAndMethod() throws {
    let rows = try CSVText.rows(report().rendered(as: .csv))
    #expect(rows.map { $0["subject"] } == ["man", "man", "woman", "woman", "bare", "bare"])
    #expect(
      rows.map { $0["status"] } == ["ok", "ok", "ok", "not-applicable", "failed", "failed"])
    #expect(rows[0]["r_observed"] == "0.64")
    #expect(rows[0]["r_method"] == "0.68")
    #expect(rows[0]["r_error"].flatMap(Double.init).map { abs($0 - 0.04) < 1e-15 } == true)
    #expect(rows[3]["r_observed"] == "0.5")
    #expect(rows[3]["reason"]?.hasPrefix("N_R_NOT_DEFINED: ") == true)
    #expect(rows[4]["reason"]?.hasPrefix("E_MEASURE_MISSING: ") == true)
    #expect(rows[4]["r_method"] == "0.68")
  }

  @Test func csvHasTheFirstTable() throws {
    let rows = try CSVText.rows(summary().rendered(as: .csv))
    let methods = ["widmark", "widmark", "widmark", "ulrich", "ulrich", "ulrich"]
    #expect(rows.map { $0["r_factor"] } == methods)
    #expect(rows.map { $0["sex"] } == ["all", "male", "female", "all", "male", "female"])
    #expect(rows.map { $0["n"] } == ["2", "1", "1", "1", "1", "0"])
    #expect(rows[0]["r_bias_low"] != "")
    #expect(rows[1]["r_bias_low"] == "")
    #expect(rows[5]["r_bias"] == "")
    // Widmark's errors are 0.04 and 0.05.
    #expect(rows[0]["r_median"].flatMap { Double($0) }.map { abs($0 - 0.045) < 1e-12 } == true)
    let reach = 1.96 * 0.01 / 2.0.squareRoot()
    let low = rows[0]["r_loa_low"].flatMap { Double($0) }
    #expect(low.map { abs($0 - 0.045 + reach) < 1e-12 } == true)
    #expect(rows[1]["r_loa_low"] == "" && rows[5]["r_loa_high"] == "")
  }

  @Test func introductionStatesMethodAndFactors() {
    let introduction = report().introduction.joined(separator: " ")
    #expect(introduction.contains("90 % interval over subjects"))
    #expect(introduction.contains("100 replicates, seed 7"))
    #expect(introduction.contains("1.055 kg/L"))
    let notes = report().notes
    #expect(notes.count == 2)
    #expect(notes.first?.hasSuffix("[woman]") == true)
  }

  @Test func studyWithoutBreathHasNoRatio() {
    let report = report(hasRatio: false)
    #expect(!report.introduction.joined().contains("breath"))
    #expect(report.sections.last?.table.rows.isEmpty == true)
    #expect(!report.rendered(as: .table).contains("blood:breath"))
  }

  @Test func linesFitATerminal() {
    for report in [report(), summary(), summary(pairsFirst: true)] {
      let lines = report.rendered(as: .table).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 100 })
    }
  }
}

import AlcoholKinetics
import StudyData
import TestSupport
import Testing

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

  private func report(summaryFirst: Bool = false, hasRatio: Bool = true) -> Report {
    let comparisons = RComparison.comparisons(of: study, by: [Widmark(), Ulrich()])
    return .rComparison(
      comparisons,
      summaries: RComparisonSummary.summaries(
        of: comparisons, bySex: true, bootstrap: bootstrap),
      ratio: hasRatio ? BloodBreathSpread(of: BloodBreathRatio.ratios(of: study)) : nil,
      summaryFirst: summaryFirst, bootstrap: bootstrap, provenance: Sample.provenance)
  }

  @Test func rowsOrSummaryComeFirst() {
    let names = ["r_comparisons", "r_summary", "blood_breath_ratio"]
    #expect(report().sections.map(\.name) == names)
    let summaryFirst = [names[1], names[2], names[0]]
    #expect(report(summaryFirst: true).sections.map(\.name) == summaryFirst)
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
    #expect(rows[3]["reason"]?.hasPrefix("E_R_NOT_DEFINED: ") == true)
    #expect(rows[4]["reason"]?.hasPrefix("E_ESTIMATE_MISSING: ") == true)
    #expect(rows[4]["r_method"] == "0.68")
  }

  @Test func csvHasTheSummaryIfThatComesFirst() throws {
    let rows = try CSVText.rows(report(summaryFirst: true).rendered(as: .csv))
    let methods = ["widmark", "widmark", "widmark", "ulrich", "ulrich", "ulrich"]
    #expect(rows.map { $0["r_factor"] } == methods)
    #expect(rows.map { $0["sex"] } == ["all", "male", "female", "all", "male", "female"])
    #expect(rows.map { $0["n"] } == ["2", "1", "1", "1", "1", "0"])
    #expect(rows[0]["r_bias_low"] != "")
    #expect(rows[1]["r_bias_low"] == "")
    #expect(rows[5]["r_bias"] == "")
  }

  @Test func peopleAreToldHowItWasMade() {
    let introduction = report().introduction.joined(separator: " ")
    #expect(introduction.contains("90 % bootstrap interval"))
    #expect(introduction.contains("100 replicates, seed 7"))
    #expect(introduction.contains("1.055 kg/L"))
    let notes = report().notes
    #expect(notes.count == 2)
    #expect(notes.first?.hasSuffix("[woman]") == true)
  }

  @Test func withoutBreathThereIsNoRatio() {
    let report = report(hasRatio: false)
    #expect(!report.introduction.joined().contains("breath"))
    #expect(report.sections.last?.table.rows.isEmpty == true)
    #expect(!report.rendered(as: .table).contains("blood:breath"))
  }

  @Test(arguments: [true, false])
  func linesFitATerminal(summaryFirst: Bool) {
    let lines = report(summaryFirst: summaryFirst).rendered(as: .table).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 100 })
  }
}

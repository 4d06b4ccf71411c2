import AlcoholKinetics
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Reporting

@Suite struct CheckEstimatesReportTests {
  private func report(
    _ subjects: [SubjectEstimate], title: String? = nil, diagnostics: [Diagnostic] = []
  ) -> Report {
    .check(
      EstimateStudy(name: "study", title: title, subjects: subjects, diagnostics: diagnostics),
      provenance: Sample.provenance)
  }

  private func row(_ estimate: SubjectEstimate) throws -> [String: String] {
    try #require(try CSVText.rows(report([estimate]).rendered(as: .csv)).first)
  }

  @Test func fillsEveryColumn() throws {
    let row = try row(
      SubjectEstimate(
        subject: Sample.man, ethanol: 64, c0: 1.25, beta60: 0.15, c0BreathMgPerL: 0.5,
        diagnostics: [Sample.finding, Sample.warning, Sample.warning]))
    let expected = [
      "subject": "man", "sex": "male", "age_y": "30", "height_cm": "180", "weight_kg": "80",
      "ethanol_g": "64", "c0_g_per_kg": "1.25", "beta60_g_per_kg_h": "0.15",
      "c0_breath_mg_per_l": "0.5", "r_observed": "0.64", "errors": "1", "warnings": "2",
    ]
    #expect(row.columns(unlike: expected) == [])
  }

  @Test func unknownValuesAreEmpty() throws {
    let row = try row(SubjectEstimate(subject: Subject(id: "x")))
    #expect(row.filledColumns == ["errors", "subject", "warnings"])
  }

  @Test func statesAnRThatWasGiven() throws {
    let row = try row(SubjectEstimate(subject: Subject(id: "x"), givenR: 0.7))
    #expect(row["r_observed"] == "0.7")
  }

  @Test func introducesTheStudy() {
    let subjects = ["a", "b"].map { SubjectEstimate(subject: Subject(id: $0)) }
    #expect(report(subjects).introduction[0] == "study")
    #expect(report(subjects, title: "A Title").introduction[0] == "A Title")
    #expect(report(subjects).introduction[1].hasPrefix("subjects: 2;"))
  }

  @Test func findingsAreWrittenLikeCompilerMessages() {
    let subject = SubjectEstimate(subject: Sample.man, diagnostics: [Sample.finding])
    #expect(
      report([subject], diagnostics: [Sample.warning]).notes == [
        "study/drinks.csv:2: warning W_TIME_ORDER: the time is early; check it",
        "study/readings.csv:7:3: error E_RANGE: the reading is below zero; leave it out",
        "errors: 1, warnings: 1",
      ])
    #expect(report([]).notes == ["errors: 0, warnings: 0"])
  }
}

import AlcoholKinetics
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Reporting

@Suite struct CheckReportTests {
  private func report(_ study: Study) -> Report {
    .check(study, provenance: Sample.provenance)
  }

  private func row(_ series: Series) throws -> [String: String] {
    let csv = report(Sample.study([series])).rendered(as: .csv)
    return try #require(try CSVText.rows(csv).first)
  }

  @Test func fillsEveryColumn() throws {
    let row = try row(
      Sample.series(occasion: "fed", diagnostics: [Sample.finding, Sample.warning, Sample.warning]))
    let expected = [
      "subject": "man", "occasion": "fed", "sex": "male", "age_y": "30.0", "height_cm": "180.0",
      "weight_kg": "80.0", "drinks": "2", "readings": "4", "excluded": "1", "first_min": "30.0",
      "last_min": "240.0", "max_g_per_kg": "0.8", "errors": "1", "warnings": "2",
    ]
    #expect(row.filter { $0.key != "ethanol_g" } == expected)
    let ethanol = try #require(row["ethanol_g"].flatMap(Double.init))
    #expect(abs(ethanol - (20 + 500 * 0.05 * 0.789)) < 1e-12)
  }

  @Test func unknownValuesAreEmpty() throws {
    let drink = Drink(time: 0, ethanol: .perBodyWeight(0.5))
    let row = try row(Series(subject: Subject(id: "x"), drinks: [drink], readings: []))
    let filled = row.filter { !$0.value.isEmpty }
    #expect(
      filled == [
        "subject": "x", "drinks": "1", "readings": "0", "excluded": "0", "errors": "0",
        "warnings": "0",
      ])
  }

  @Test func convertsReadingsWithTheGivenFactors() throws {
    var provenance = Sample.provenance
    provenance.factors.bloodDensityKgPerL = 1
    provenance.factors.bloodBreathRatio = 4000
    let csv = Report.check(Sample.study(), provenance: provenance).rendered(as: .csv)
    #expect(try CSVText.rows(csv).first?["max_g_per_kg"] == "1.0")
  }

  @Test func introducesTheStudy() {
    let series = [
      Sample.series(of: "a", occasion: "1"), Sample.series(of: "a", occasion: "2"),
      Sample.series(of: "b"),
    ]
    let counts = "subjects: 2, series: 3, drinks: 6, readings: 12"
    #expect(report(Sample.study(series)).introduction == ["study", counts])
    #expect(report(Sample.study(series, title: "A Title")).introduction == ["A Title", counts])
  }

  @Test func introductionDescribesTheInstrument() {
    var study = Sample.study()
    study.instrument = Instrument(
      name: "Lion", resolution: 0.01, relativeAccuracy: 0.1, limitOfDetection: 0.05,
      mouthAlcoholWindow: 0.25)
    #expect(
      report(study).introduction[1]
        == "instrument: Lion, resolution 0.01, accuracy 10 %, limit of detection 0.05, "
        + "mouth-alcohol window 15 min after a drink")
    study.instrument = Instrument(resolution: 0.001)
    #expect(report(study).introduction[1] == "instrument: resolution 0.001")
    study.instrument = Instrument()
    #expect(report(study).introduction.count == 2)
  }

  @Test func listsFindingsInJSON() throws {
    let study = Sample.study([Sample.series(diagnostics: [Sample.finding, Sample.warning])])
    let json = report(study).rendered(as: .json)
    let lines = json.split(separator: "\n").filter { $0.contains("\"severity\"") }
    #expect(lines.count == 2)
    #expect(
      lines.first?.trimmingPrefix(while: { $0 == " " }) == """
        {"severity": "error", "code": "E_RANGE", "file": "study/readings.csv", \
        "line": 7, "column": 3, "message": "the reading is below zero", "remedy": "leave it out"},
        """)
    #expect(lines.last?.contains(#""line": 2, "column": null"#) == true)
  }

  @Test func findingsAreWrittenLikeCompilerMessages() {
    let study = Sample.study([Sample.series(diagnostics: [Sample.finding, Sample.warning])])
    #expect(
      report(study).notes == [
        "study/readings.csv:7:3: error E_RANGE: the reading is below zero; leave it out",
        "study/drinks.csv:2: warning W_TIME_ORDER: the time is early; check it",
        "errors: 1, warnings: 1",
      ])
    #expect(report(Sample.study()).notes == ["errors: 0, warnings: 0"])
  }

  @Test func reportsAStudyThatCannotBeRead() throws {
    let error = StudyError(kind: .badData, diagnostics: [Sample.finding, Sample.warning])
    let report = Report.check(error, provenance: Sample.provenance)
    let rows = try CSVText.rows(report.rendered(as: .csv))
    #expect(rows.map { $0["code"] } == ["E_RANGE", "W_TIME_ORDER"])
    #expect(rows.map { $0["line"] } == ["7", "2"])
    #expect(rows.map { $0["column"] } == ["3", ""])
    #expect(report.rendered(as: .table).hasSuffix("errors: 1, warnings: 1\n"))
    #expect(report.rendered(as: .json).contains(#""findings": ["#))
  }
}

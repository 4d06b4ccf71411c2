import AlcoholKinetics
import Certification
import Estimation
import Foundation
import StudyData
import TestSupport
import Testing
import Validation

@testable import Reporting

/// How far reports and the program can be relied on, in the words of a page.
@Suite struct CredibilityTests {
  private static let provenance = Provenance(
    version: "0", command: "report", options: [], inputs: [], factors: ConversionFactors())

  private static func markdown(_ study: StudyEvaluation) throws -> Substring {
    let checks = try StudyVerification(
      of: study.series.map(\.fit), in: study.study, options: study.fitOptions, jobs: 2)
    let page = Page.report(on: study, checks: checks, provenance: provenance, shown: 0)
      .markdown(picturesIn: "")
    let start = try #require(page.range(of: "<summary>Credibility</summary>")).lowerBound
    return page[start...]
  }

  private static func evaluation(
    _ names: [String], _ change: (inout Study, inout PredictionOptions) -> Void = { _, _ in }
  ) throws -> StudyEvaluation {
    var study = try SmallEvaluation.study(names)
    var options = PredictionOptions(threshold: 0.1)
    change(&study, &options)
    return try StudyEvaluation(
      of: study, fitOptions: FitOptions(fixed: [.r: 0.65]), predictionOptions: options,
      bootstrap: Bootstrap(seed: 1, replicates: 50))
  }

  @Test func aReportHasAllParts() throws {
    let page = try Self.markdown(try SmallEvaluation.evaluation(["ann", "bob"]))
    let parts = [
      "Question of interest", "Context of use", "Model influence", "Verification", "Validation",
      "Gaps",
    ]
    let places = parts.compactMap { page.range(of: "### \($0)")?.lowerBound }
    #expect(places.count == parts.count && places == places.sorted())
    #expect(page.contains("54 of 54 solved"))
    #expect(page.contains("24 readings of 2 series"))
    #expect(page.contains("0 of 2 minima higher or missed"))
    #expect(page.contains("2 men, 0 women, ages 30 years, weights 80 kg"))
    #expect(page.contains("| watson | 2 | "))
    #expect(!page.contains("not met"))
  }

  @Test func gapsAreThoseOfTheStudy() throws {
    let page = try Self.markdown(try SmallEvaluation.evaluation(["ann", "bob"]))
    #expect(page.contains("Only 2 subjects"))
    #expect(page.contains("No women"))
    #expect(!page.contains("No men"))
    #expect(page.contains("The instrument is not stated"))
    #expect(!page.contains("Breath was measured"))
    let breath = try Self.markdown(
      try Self.evaluation((1...8).map { "p\($0)" }) { study, _ in
        study.instrument = Instrument(resolution: 0.01)
        for index in study.series.indices {
          study.series[index].subject.sex = index < 4 ? .female : .male
          study.series[index].subject.food = .fasted
          study.series[index].readings = study.series[index].readings.map { reading in
            Reading(time: reading.time, value: reading.value / 2.1, unit: .breathMilligramsPerLitre)
          }
        }
      })
    for gap in ["Only", "No women", "No men", "The instrument is not stated", "had eaten"] {
      #expect(!breath.contains(gap), "\(gap)")
    }
    #expect(breath.contains("Breath was measured: the blood:breath ratio of 2100"))
  }

  /// What was fitted to the readings is not validated by them.
  @Test func fittedPredictionsAreNoValidation() throws {
    let page = try Self.markdown(
      try Self.evaluation(["ann", "bob"]) { _, options in options.parameters = .fitted(starts: 1) })
    #expect(page.contains("Nothing was predicted"))
    #expect(page.contains("this is not a validation"))
    #expect(!page.contains("| watson |"))
  }

  /// A series without fit is a gap, and no curve of it is compared.
  @Test func seriesThatCannotBeFittedAreTold() throws {
    let page = try Self.markdown(
      try Self.evaluation(["ann", "bob"]) { study, _ in study.series[0].readings = [] })
    #expect(page.contains("1 failed"))
    #expect(page.contains("12 readings of 1 series"))
  }

  @Test func theProgramHasAPage() throws {
    var study = try SmallEvaluation.study(["ann", "bob", "cy"])
    study.title = "<script>alert(1)</script>"
    let evidence = try ToolEvidence([study], people: 3, golden: [], jobs: 2)
    let page = Page.credibility(evidence, provenance: Self.provenance)
    #expect(page.html.hasPrefix("<!DOCTYPE html>"))
    #expect(!page.html.contains("<script"))
    let text = page.markdown(picturesIn: "")
    for part in [
      "# Credibility of Promille 0", "3 subjects with 36 readings",
      "| sampled well | beta | 3 | ",
      "Held-out people", "With 3 made-up people of each design",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    let bare = Page.credibility(
      try ToolEvidence([], people: 0, golden: [], jobs: 1), provenance: Self.provenance)
    #expect(bare.markdown(picturesIn: "").contains("Without measured people"))
  }
}

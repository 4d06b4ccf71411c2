import AlcoholKinetics
import Certification
import Foundation
import GSL
import Statistics
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting
@testable import StudyData
@testable import StudyFiles
@testable import Validation

/// Results are values that can be kept as JSON and had back as they were.
@Suite struct ResultCodingTests {
  private static let study = Result { try StudyReader.read(PackageFolder.dataset("nacar-2021")) }

  private let study: Study

  init() throws { study = try Self.study.get() }

  /// Expects a value back that is the same, and that is written in the same way.
  private func expectBack<Value: Codable & Equatable>(
    _ value: Value, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let data = try JSONEncoder.forResults.encode(value)
    let back = try JSONDecoder.forResults.decode(Value.self, from: data)
    #expect(back == value, sourceLocation: sourceLocation)
    #expect(try JSONEncoder.forResults.encode(back) == data, sourceLocation: sourceLocation)
  }

  @Test func fitsSurviveCoding() throws {
    let fits = try StudyFit.fits(
      of: study, options: FitOptions(estimate: [.ka, .beta, .r], starts: StartDesign(count: 2)),
      jobs: 2)
    try expectBack(fits)
    try expectBack(StudyDiagnostics(of: fits))
    try expectBack(StudyDiagnostics(of: fits).warnings)
    try expectBack(ParameterSummary.summaries(of: fits, level: 0.95))
    // Values go by the names of their parameters.
    let data = try JSONEncoder.forResults.encode(fits[0])
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let result = try #require((json["result"] as? [String: Any])?["success"] as? [String: Any])
    #expect(result["model"] as? String == "widmark")
    let estimates = try #require(result["estimates"] as? [String: Any])
    #expect(Set(estimates.keys) == ["ka", "beta", "r"])
    #expect(Set(try #require(result["values"] as? [String: Any]).keys).isSuperset(of: ["lag"]))
  }

  @Test func otherModelsAndFailuresSurviveCoding() throws {
    let options = FitOptions(starts: StartDesign(count: 1), interval: nil)
    try expectBack(try ModelSelection.selections(of: study, options: options, jobs: 2))
    let fits = try StudyFit.fits(
      of: study, options: FitOptions(rFactor: Ulrich(), starts: StartDesign(count: 1)))
    #expect(fits.contains(where: \.hasFailed) && !fits.allSatisfy(\.hasFailed))
    try expectBack(fits)
    try expectBack(EliminationLineFit.fits(of: study, options: EliminationLineOptions()))
  }

  @Test func comparisonsSurviveCoding() throws {
    let comparisons = try Scorer(PredictionOptions()).scores(of: study)
    #expect(comparisons.contains { $0.curveStatus == .notApplicable })
    try expectBack(comparisons)
    let summary = ComparisonSummary(
      of: comparisons, bootstrap: Bootstrap(seed: 1, replicates: 50), bySex: true)
    try expectBack(summary.methods)
    try expectBack(summary.rankings)
    try expectBack(summary.pairs)
    try expectBack(summary.sobriety)
    try expectBack(summary.diagnostics)
    try expectBack(summary)
    try expectBack(try Scorer(scoresCurves: false).scores(of: study))
  }

  @Test func estimatesSurviveCoding() throws {
    let subjects = ["man", "other"].map { name in
      SubjectEstimate(
        subject: Subject(id: name, sex: .male, age: 30, height: 1.8, weight: 80), ethanol: 64,
        c0: 1.25, c0BreathMgPerL: 0.5)
    }
    let study = EstimateStudy(name: "study", subjects: subjects)
    let comparisons = RComparison.comparisons(of: study, by: RFactorMethods.all())
    try expectBack(comparisons)
    try expectBack(
      RComparisonSummary.summaries(
        of: comparisons, bootstrap: Bootstrap(seed: 1, replicates: 50)))
    try expectBack(Statistics.Sample(BloodBreathRatio.ratios(of: study).map(\.value)))
  }

  @Test func checksSurviveCoding() throws {
    try expectBack(try NISTCertification())
    try expectBack(Machine.current)
    let golden = GoldenResult(
      file: "a.csv", command: ["fit"], location: StudyData.SourceLocation(file: "manifest.json"),
      key: ["subject"], columns: nil, truth: nil, rules: [])
    let comparison = TableComparison(
      of: ResultTable(columns: ["subject", "x"], rows: [["1", "2"]]),
      with: ResultTable(columns: ["subject", "x"], rows: [["1", "3"]]), key: ["subject"], rules: [])
    try expectBack([
      GoldenOutcome(golden, .compared(comparison)), GoldenOutcome(golden, .absent("no")),
    ])
  }

  @Test func provenanceSurvivesCoding() throws {
    var provenance = Sample.provenance
    provenance.options += [
      .init(name: "z", value: .number(0.1)),
      .init(name: "a", value: [.null, true, 3, "x\"y"]),
      .init(name: "o", value: ["a": 1, "b": .number(.infinity)]),
    ]
    let data = try JSONEncoder.forResults.encode(provenance)
    let back = try JSONDecoder.forResults.decode(Provenance.self, from: data)
    #expect(back.json.line == provenance.json.line)
  }

  /// JSON knows no such numbers; results hold some, and keep them.
  @Test func nonFiniteNumbersSurviveCoding() throws {
    let limits = [-Double.infinity, .infinity, 1e-300, -0.0].map { Hours($0) }
    try expectBack(limits)
    try expectBack(Interval(low: -.infinity, high: .infinity))
    try expectBack(FitWarning.notIdentifiable(.ka, low: -.infinity, high: nil))
    let data = try JSONEncoder.forResults.encode([Double.nan, .infinity])
    #expect(String(decoding: data, as: UTF8.self) == #"["nan","inf"]"#)
    #expect(try JSONDecoder.forResults.decode([Double].self, from: data)[0].isNaN)
    #expect(throws: (any Error).self) { try JSONEncoder().encode(limits) }
  }

  @Test func refusesInvalidResults() {
    for (text, type) in [
      ("\"widmark2\"", EliminationModel.self as any Decodable.Type), ("\"kb\"", FitParameter.self),
      ("{\"success\": 1, \"status\": \"?\"}", StudyFit.self), ("{}", CodedResult<Double>.self),
      ("{\"kb\": 1}", ParameterValues.self), ("\"Nobody\"", NISTProblem.self),
    ] {
      #expect(throws: (any Error).self, "\(text)") {
        try JSONDecoder.forResults.decode(type, from: Data(text.utf8))
      }
    }
  }
}

import AlcoholKinetics
import Estimation
import Foundation
import Testing
import Validation

@Suite struct PredictionOptionsCodingTests {
  private static func encoded(_ options: PredictionOptions) throws -> String {
    String(decoding: try JSONEncoder.forResults.encode(options), as: UTF8.self)
  }

  @Test(arguments: [
    PredictionOptions(),
    PredictionOptions(
      parameters: .given([.ka: 5, .lag: 0.1]), typical: .fed,
      methods: [Widmark(), Watson(bloodWater: .perLitre), GivenRFactor(0.7)], models: ["app"],
      threshold: 0.1, factors: ConversionFactors(bloodBreathRatio: 2000)),
    PredictionOptions(parameters: .leftOut(starts: 3), model: .michaelisMenten, engine: .gsl),
  ])
  func optionsSurviveCoding(_ options: PredictionOptions) throws {
    let text = try Self.encoded(options)
    let decoded = try JSONDecoder.forResults.decode(PredictionOptions.self, from: Data(text.utf8))
    #expect(try Self.encoded(decoded) == text)
    #expect(decoded.names == options.names && decoded.threshold == options.threshold)
    #expect(decoded.typical == options.typical && decoded.factors == options.factors)
  }

  /// Men and women have different beta: only values that everybody shares are encoded.
  @Test func onlyCommonTypicalValuesAreEncoded() throws {
    let fasted = try Self.encoded(PredictionOptions(typical: .fasted))
    #expect(
      fasted.contains(#""ka_per_h":5.522"#) && fasted.contains(#""predict_with":["lag=3.41"]"#))
    #expect(fasted.contains(#""beta_g_per_kg_h":null"#))
    let thesis = try Self.encoded(PredictionOptions(typical: .nacar2021))
    #expect(thesis.contains(#""beta_g_per_kg_h":0.15"#))
    #expect(try Self.encoded(PredictionOptions()).contains(#""ka_per_h":null"#))
  }

  @Test func impossibleOptionsAreRefused() {
    #expect(throws: Never.self) { try PredictionOptions(models: ["app"]).check() }
    for options in [
      PredictionOptions(parameters: .given([.km: 0.05])), PredictionOptions(models: ["a", "a"]),
      PredictionOptions(models: ["watson"]),
    ] {
      #expect(throws: SeriesFailure.self) { try options.check() }
    }
  }

  @Test func startsAreUnusedWithoutFits() {
    #expect(PredictionOptions().unused(given: ["starts"]).flatMap(\.names) == ["starts"])
    let fitted = PredictionOptions(parameters: .fitted(starts: 2))
    #expect(fitted.unused(given: ["starts"]).isEmpty)
  }
}

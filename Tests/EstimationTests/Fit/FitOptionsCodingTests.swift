import AlcoholKinetics
import Foundation
import Testing

@testable import Estimation

/// Options are coded under the names, and in the units, in which people state them.
@Suite struct FitOptionsCodingTests {
  private static let all = [
    FitOptions(),
    FitOptions(
      model: .michaelisMenten, estimate: [.vmax, .km, .r], fixed: [.ka: 9, .lag: 7.0 / 60],
      bounds: [.vmax: 0.05...0.6],
      selection: ReadingSelection(
        censoring: .drop, limitOfDetection: 0.01, mouthAlcoholWindow: Hours(minutes: 7)),
      error: .combined(ObservationModel(sd: 0.01, cv: 0.05)),
      starts: StartDesign(count: 3, sequence: .halton, seed: .max), engine: .gsl,
      interval: IntervalOptions(kind: .parametricBootstrap, level: 0.9, replicates: 100, seed: 7),
      correlation: .exponential(time: Hours(minutes: 24)),
      factors: ConversionFactors(bloodBreathRatio: 2300), typical: .nacar2021,
      derived: DerivedOptions([.peak, .auc, .timeToThreshold], threshold: 0.2),
      errorSource: .subject),
    FitOptions(
      rFactor: Watson(bloodWater: BloodWater(content: 0.7582938388625592)),
      error: .proportional(cv: nil),
      loss: .huber, lossTuning: 2, interval: nil, standardErrors: .robust, typical: .fed),
    FitOptions(rFactor: GivenRFactor(RFactor(0.6875))),
    FitOptions(rFactor: ColumnRFactor("r_dexa")),
  ]

  private static func encoded(_ options: FitOptions) throws -> String {
    String(decoding: try JSONEncoder.forResults.encode(options), as: UTF8.self)
  }

  @Test(arguments: all.indices)
  func optionsSurviveCoding(_ index: Int) throws {
    let text = try Self.encoded(Self.all[index])
    let decoded = try JSONDecoder.forResults.decode(FitOptions.self, from: Data(text.utf8))
    #expect(try Self.encoded(decoded) == text)
    let options = Self.all[index]
    #expect(decoded.fixed == options.fixed && decoded.bounds == options.bounds)
    #expect(decoded.selection == options.selection && decoded.error == options.error)
    #expect(decoded.correlation == options.correlation && decoded.starts == options.starts)
    #expect(decoded.interval == options.interval && decoded.derived == options.derived)
    #expect(decoded.rFactor.name == options.rFactor.name && decoded.typical == options.typical)
    #expect(decoded.factors == options.factors && decoded.standardErrors == options.standardErrors)
  }

  @Test func emptyObjectDecodesToDefaults() throws {
    let decoded = try JSONDecoder.forResults.decode(FitOptions.self, from: Data("{}".utf8))
    #expect(try Self.encoded(decoded) == Self.encoded(FitOptions()))
  }

  @Test func membersHavePublishedNamesAndUnits() throws {
    let text = try Self.encoded(Self.all[1])
    for member in [
      #""exclude_after_drink_min":7"#, #""fix":["ka=9","lag=7"]"#, #""bound":["vmax=0.05:0.6"]"#,
      #""correlation":"exponential:24""#, #""error":"combined:0.01,0.05""#,
      #""derived":"peak,auc""#, #""threshold_g_per_kg":0.2"#, #""preset":"nacar-2021""#,
      #""blood_breath_ratio":2300"#, #""estimate":"r,vmax,km""#,
      #""start_seed":18446744073709551615"#,
    ] {
      #expect(text.contains(member), "\(member) in \(text)")
    }
    #expect(try Self.encoded(Self.all[0]).contains(#""food":"by subject""#))
  }

  @Test(arguments: [
    #"{"fix": ["ka"]}"#, #"{"fix": ["ka=-1"]}"#, #"{"bound": ["ka=5:1"]}"#,
    #"{"error": "additive:0"}"#,
    #"{"error": "combined:1"}"#, #"{"correlation": "exponential:x"}"#, #"{"r_factor": "nobody"}"#,
    #"{"estimate": "ka,k_a"}"#, #"{"derived": "peak,peak"}"#, #"{"model": "none"}"#,
  ])
  func invalidTextsAreRefused(_ text: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder.forResults.decode(FitOptions.self, from: Data(text.utf8))
    }
  }

  @Test(arguments: [
    "additive", "additive:0.02", "proportional", "proportional:0.05", "combined",
    "combined:0.01,0.05",
    "instrument",
  ])
  func errorModelTextsAreParsedBack(_ text: String) throws {
    #expect(try ErrorModel(parsing: text).text == text)
  }

  // MARK: Without effect

  private static func unused(_ options: FitOptions, _ given: Set<String>) -> [String] {
    options.unused(given: given).flatMap(\.names)
  }

  @Test func onlyGivenOptionsAreReportedUnused() {
    #expect(Self.unused(FitOptions(), []) == [])
    #expect(Self.unused(FitOptions(), ["seed", "level"]) == ["seed"])
    #expect(Self.unused(FitOptions(interval: nil), ["seed", "level"]).contains("level"))
  }

  @Test func optionsWithoutEffectAreReported() {
    let oneStart = FitOptions(starts: StartDesign(count: 1))
    #expect(Self.unused(oneStart, ["start_seed"]) == ["start_seed"])
    #expect(Self.unused(FitOptions(), ["start_seed"]) == [])
    let ofR = FitOptions(estimate: [.ka, .beta, .r])
    #expect(Self.unused(ofR, ["r_factor", "preset"]) == ["r_factor", "preset"])
    #expect(Self.unused(FitOptions(estimate: [.beta]), ["r_factor", "food"]) == [])
    #expect(Self.unused(FitOptions(error: .combined(nil)), ["error_from"]) == [])
    #expect(Self.unused(FitOptions(), ["error_from"]) == ["error_from"])
    let faceValue = FitOptions(selection: ReadingSelection(censoring: .none))
    #expect(Self.unused(faceValue, ["lod"]) == ["lod"])
  }
}

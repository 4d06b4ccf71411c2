import AlcoholKinetics
import Estimation
import Foundation
import Testing

@testable import Population

@Suite struct PopulationOptionsTests {
  private static func options(
    _ change: (inout PopulationOptions) throws -> Void
  ) rethrows -> PopulationOptions {
    var options = PopulationOptions()
    try change(&options)
    return options
  }

  @Test func optionsSurviveCoding() throws {
    let options = try Self.options {
      $0.random = NameList([.kinetic(.beta), .clearance])
      $0.covariate = [try CovariateList(parsing: "beta=sex,weight_kg:exponential")]
      $0.fix = [try StatedValue(parsing: "lag=3")]
      $0.fixOmega = [try StatedVariance(parsing: "ka=0.09")]
      $0.bound = [try StatedRange(parsing: "ka=0.5:30")]
      $0.studyLevel = try StudyLevel(parsing: "all")
      $0.rFactor = try CovariateMethods(parsing: "none,watson")
    }
    let text = try JSONEncoder.forResults.encode(options)
    let decoded = try JSONDecoder.forResults.decode(PopulationOptions.self, from: text)
    #expect(try JSONEncoder.forResults.encode(decoded) == text)
    let words = String(decoding: text, as: UTF8.self)
    #expect(words.contains(#""fix":["lag=3"]"#) && words.contains(#""fix_omega":["ka=0.09"]"#))
    #expect(words.contains(#""random":"beta,cl""#) && words.contains(#""study_level":"all""#))
  }

  @Test func modelFollowsOptions() throws {
    let usual = try PopulationOptions().model(by: nil)
    #expect(usual.random == PopulationModel().random && usual.fixed.isEmpty)
    let held = try Self.options { $0.fix = [try StatedValue(parsing: "ka=3")] }.model(by: nil)
    #expect(held.fixed == [.ka: 3] && !held.random.contains(.kinetic(.ka)))
    let about = try Self.options {
      $0.fix = [try StatedValue(parsing: "ka=3")]
      $0.fixOmega = [try StatedVariance(parsing: "ka=0.09")]
    }.model(by: nil)
    #expect(about.fixedTypical == [.kinetic(.ka): 3] && about.random.contains(.kinetic(.ka)))
    #expect(about.fixedVariances == [.kinetic(.ka): 0.09])
    #expect(throws: Problem.self) {
      try Self.options { $0.fix = [try StatedValue(parsing: "cl=0.1")] }.model(by: nil)
    }
  }

  @Test func impossibleOptionsAreRefused() throws {
    #expect(throws: Never.self) { try PopulationOptions().check() }
    let value = try StatedValue<PopulationParameter>(parsing: "ka=3")
    let refused: [PopulationOptions] = [
      Self.options { $0.nodes = 0 }, Self.options { $0.starts = 101 },
      Self.options { $0.replicates = 5 }, Self.options { $0.censor = .oneSided },
      Self.options { $0.initial = [value, value] }, Self.options { $0.studyColumn = "lab" },
      try Self.options { $0.fix = [try StatedValue(parsing: "cl=0.1")] },
    ]
    for options in refused {
      #expect(throws: Problem.self) { try options.check() }
    }
  }

  @Test func optionsWithoutEffectAreReported() throws {
    #expect(
      PopulationOptions().unused(given: ["nodes", "replicates", "blood_water", "seed"])
        .flatMap(\.names) == ["nodes", "blood_water", "replicates"])
    let quadrature = Self.options { $0.method = .quadrature }
    #expect(quadrature.unused(given: ["nodes"]).isEmpty)
    let single = try Self.options { $0.random = try NameList(parsing: "beta") }
    #expect(single.unused(given: ["covariance"]).count == 1)
  }
}

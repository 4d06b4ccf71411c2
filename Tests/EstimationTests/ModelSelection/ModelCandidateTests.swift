import AlcoholKinetics
import Testing

@testable import Estimation

@Suite struct ModelCandidateTests {
  private func candidate(_ name: String) throws -> ModelCandidate {
    try #require(ModelCandidate.all.first { $0.name == name })
  }

  @Test func candidatesAreAllModelsWithAndWithoutLag() {
    #expect(
      ModelCandidate.all.map(\.name) == [
        "widmark", "widmark-lag", "michaelis-menten", "michaelis-menten-lag", "first-order",
        "first-order-lag",
      ])
  }

  @Test(arguments: [
    ("widmark", [FitParameter.ka, .beta]), ("widmark-lag", [.ka, .beta, .lag]),
    ("michaelis-menten", [.ka, .vmax, .km]), ("michaelis-menten-lag", [.ka, .vmax, .km, .lag]),
  ])
  func candidatesEstimateTheirModelsParameters(_ name: String, _ expected: [FitParameter]) throws {
    let candidate = try candidate(name)
    #expect(candidate.options(from: FitOptions()).estimate == Set(expected))
    let base = FitOptions(estimate: [.ka, .beta, .r, .gain])
    #expect(candidate.options(from: base).estimate == Set(expected + [.r, .gain]))
  }

  /// Fixed values and bounds apply to the candidates whose model has the parameter.
  @Test func candidatesKeepOtherOptions() throws {
    let base = FitOptions(
      fixed: [.ka: 18], bounds: [.beta: 0.05...0.5, .km: 0.01...1],
      error: .proportional(cv: 0.1), starts: StartDesign(count: 3))
    let widmark = try candidate("widmark").options(from: base)
    #expect(widmark.estimate == [.beta])
    #expect(widmark.fixed == [.ka: 18])
    #expect(widmark.bounds == [.beta: 0.05...0.5])
    let menten = try candidate("michaelis-menten").options(from: base)
    #expect(menten.estimate == [.vmax, .km])
    #expect(menten.bounds == [.km: 0.01...1])
    for options in [widmark, menten] {
      #expect(options.error == .proportional(cv: 0.1))
      #expect(options.starts.count == 3)
      #expect(options.interval == nil)
    }
  }
}

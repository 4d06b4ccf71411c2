import RealModule
import TestSupport
import Testing

@testable import AlcoholKinetics

/// Parameters far outside of what bodies do: no failure, no hang, no impossible value.
@Suite struct MichaelisMentenExtremeTests {
  @Test(arguments: [1e-300, 1e-12, 1e-4, 1, 1e4, 1e300])
  func extremeKmGivesFiniteConcentrations(km: Double) throws {
    for ka in [1e-12, 1, 1e12] {
      for vmax in [1e-12, 0.2, 1e12] {
        try expectAnswers(ka: ka, vmax: vmax, km: km)
      }
    }
  }

  @Test(arguments: 1...12)
  func randomExtremesGiveFiniteConcentrations(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try expectAnswers(
      ka: random.logUniform(1e-6...1e6), vmax: random.logUniform(1e-6...1e6),
      km: random.logUniform(1e-9...1e6))
  }

  private func expectAnswers(ka: Double, vmax: Double, km: Double) throws {
    let regimen = Regimen([
      try Dose(start: 0, amount: 0.5), try Dose(start: 1, duration: 1, amount: 0.2),
    ])
    let parameters = try MichaelisMentenParameters(
      ka: PerHour(ka), vmax: GramsPerKilogramHour(vmax), km: GramsPerKilogram(km), r: 0.7)
    var walk = CurveWalk(regimen, parameters)
    for time in [0.01, 0.5, 1.5, 3, 8, 1000] {
      walk.advance(toHours: time)
      let value = walk.concentration
      #expect(
        !walk.hasFailed && value >= 0 && value < 1.000_001, "k_a \(ka) V_max \(vmax) K_m \(km)")
      #expect(walk.sensitivities.byKa.isFinite && walk.sensitivities.byKm.isFinite)
    }
    // Where the times or the concentrations leave the range of numbers, the curve says so.
    let curve = MichaelisMentenTrajectory(regimen, parameters)
    #expect(curve.hasFailed == curve.concentration(at: 3).value.isNaN)
    #expect(!curve.hasFailed || km < 1e-12 || km > 1e12)
  }

  @Test func dosesBeyondTheRangeOfNumbersAreReported() throws {
    let regimen = Regimen([try Dose(start: 0, amount: 1e300)])
    let parameters = try MichaelisMentenParameters(ka: 2, vmax: 0.2, km: 0.05, r: 1e-10)
    var walk = CurveWalk(regimen, parameters)
    walk.advance(toHours: 1)
    #expect(walk.hasFailed)
    #expect(walk.concentration.isNaN && walk.sensitivities.byKa.isNaN)
    let curve = MichaelisMentenTrajectory(regimen, parameters)
    #expect(curve.hasFailed && curve.peak == nil && curve.timeToThreshold(0.1) == nil)
    #expect(curve.concentration(at: 1).value.isNaN)
  }

  /// The curve falls for longer than there are numbers for hours: the integration of its last stretch must give up.
  @Test func aCurveWithoutEndIsReported() throws {
    let regimen = Regimen([try Dose(start: 0, amount: 0.5)])
    let curve = MichaelisMentenTrajectory(
      regimen, try MichaelisMentenParameters(ka: 1e-300, vmax: 1e-300, km: 1e60, r: 0.7))
    #expect(curve.hasFailed && curve.concentration(at: 1).value.isNaN)
  }

  @Test func impossibleParametersAreRefused() {
    func parameters(
      ka: PerHour = 2, vmax: GramsPerKilogramHour = 0.2, km: GramsPerKilogram = 0.05,
      r: RFactor = 0.7, lag: Hours = 0, absorbedFraction: Double = 1
    ) throws(Problem) -> MichaelisMentenParameters {
      try MichaelisMentenParameters(
        ka: ka, vmax: vmax, km: km, r: r, lag: lag, absorbedFraction: absorbedFraction)
    }
    #expect(throws: Never.self) { try parameters() }
    #expect(throws: Problem.self) { try parameters(ka: 0) }
    #expect(throws: Problem.self) { try parameters(vmax: -1) }
    #expect(throws: Problem.self) { try parameters(km: 0) }
    #expect(throws: Problem.self) { try parameters(km: GramsPerKilogram(.infinity)) }
    #expect(throws: Problem.self) { try parameters(r: RFactor(.nan)) }
    #expect(throws: Problem.self) { try parameters(lag: -0.1) }
    #expect(throws: Problem.self) { try parameters(absorbedFraction: 1.01) }
  }
}

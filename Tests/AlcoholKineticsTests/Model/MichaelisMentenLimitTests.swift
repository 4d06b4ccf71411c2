import CGSL
import RealModule
import Testing

@testable import AlcoholKinetics

/// The limits of Michaelis-Menten elimination, and its solutions in closed form.
@Suite struct MichaelisMentenLimitTests {
  static let evening = Result {
    Regimen([
      try Dose(start: 0, amount: 0.5), try Dose(start: 1, duration: 1, amount: 0.2),
    ])
  }

  /// With K_m far below c elimination is of zero order; the difference is of the first order in K_m.
  @Test func aSmallKmTendsToZeroOrder() throws {
    let regimen = try Self.evening.get()
    let zeroOrder = Trajectory(regimen, try KineticParameters(ka: 3, beta: 0.2, r: 0.7))
    let sober = try #require(zeroOrder.timeToThreshold(0))
    for km in [1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-13] {
      let parameters = try MichaelisMentenParameters(
        ka: 3, vmax: 0.2, km: GramsPerKilogram(km), r: 0.7)
      var walk = CurveWalk(regimen, parameters)
      for time in stride(from: 0.1, to: sober.value - 0.1, by: 0.3) {
        walk.advance(toHours: time)
        let difference = walk.concentration - zeroOrder.concentration(at: Hours(time)).value
        // V_max less the rate is V_max K_m / (K_m + c), and c passes each level twice.
        #expect(difference > -1e-12 && difference < 20 * km + 1e-12, "K_m \(km) at \(time) h")
      }
      walk.advance(toHours: sober.value + 1)
      #expect(walk.concentration < 3 * km, "K_m \(km)")
    }
  }

  @Test func derivativesTendToZeroOrderForSmallKm() throws {
    let regimen = try Self.evening.get()
    let zeroOrder = CurveWalk(regimen, try KineticParameters(ka: 3, beta: 0.2, r: 0.7))
    let parameters = try MichaelisMentenParameters(ka: 3, vmax: 0.2, km: 1e-8, r: 0.7)
    var walk = CurveWalk(regimen, parameters)
    for time in stride(from: 0.1, to: 4, by: 0.3) {
      walk.advance(toHours: time)
      let expected = zeroOrder.sensitivities(at: Hours(time))
      #expect(abs(walk.sensitivities.byKa - expected.byKa) < 1e-5)
      #expect(abs(walk.sensitivities.byVmax - expected.byBeta) < 1e-5)
      #expect(abs(walk.sensitivities.byDoseScale - expected.byDoseScale) < 1e-5)
      #expect(abs(walk.sensitivities.byLag - expected.byLag) < 1e-5)
    }
  }

  /// With K_m far above c elimination is of first order: one bolus gives Bateman's function (1910).
  @Test(arguments: [0.1, 1.0, 30.0])
  func aLargeKmTendsToBateman(ka: Double) throws {
    let ke = 0.4
    let s = 0.5 / 0.7
    let parameters = try MichaelisMentenParameters(
      ka: PerHour(ka), vmax: GramsPerKilogramHour(ke * 1e11), km: 1e11, r: 0.7)
    var walk = CurveWalk(Regimen([try Dose(start: 0, amount: 0.5)]), parameters)
    for time in stride(from: 0.05, to: 24, by: 0.7) {
      walk.advance(toHours: time)
      let slow = Double.exp(-ke * time)
      let fast = Double.exp(-ka * time)
      let expected = s * ka / (ka - ke) * (slow - fast)
      #expect(abs(walk.concentration - expected) <= 1e-9 * expected, "at \(time)")
      // d/dk of the same, and d/dV_max = (d/dk_e) / K_m.
      let byKa = s / (ka - ke) * (ka * time * fast - ke / (ka - ke) * (slow - fast))
      #expect(abs(walk.sensitivities.byKa - byKa) <= 1e-8 * abs(byKa) + 1e-12, "at \(time)")
      let byKe = s * ka / (ka - ke) * ((slow - fast) / (ka - ke) - time * slow)
      let byVmax = walk.sensitivities.byVmax * 1e11
      #expect(abs(byVmax - byKe) <= 1e-8 * abs(byKe), "at \(time)")
    }
  }

  /// Without absorption c + K_m ln c falls at the rate V_max, so that
  /// c(t) = K_m W0(c/K_m e^((c - V_max t)/K_m)) with Lambert's function (Schnell, Mendoza 1997).
  @Test(arguments: [0.02, 0.1, 1.0])
  func anEmptyGutLeavesLambertsFunction(km: Double) throws {
    let parameters = try MichaelisMentenParameters(
      ka: 1000, vmax: 0.2, km: GramsPerKilogram(km), r: 0.7)
    var walk = CurveWalk(Regimen([try Dose(start: 0, amount: 0.5)]), parameters)
    walk.advance(toHours: 0.1)
    let start = walk.concentration
    for time in stride(from: 0.5, to: 8, by: 0.7) {
      walk.advance(toHours: time)
      let argument = start / km * .exp((start - 0.2 * (time - 0.1)) / km)
      let expected = km * gsl_sf_lambert_W0(argument)
      #expect(abs(walk.concentration - expected) <= 2e-9 * expected + 1e-15, "at \(time)")
    }
  }

  /// Without elimination the blood holds the absorbed dose. With so small a V_max all steps here are shorter than the
  /// shortest that is integrated and are crossed by backward Euler.
  @Test func concentrationEqualsAbsorptionWithoutElimination() throws {
    let s = 0.5 / 0.7
    let parameters = try MichaelisMentenParameters(ka: 2, vmax: 1e-14, km: 0.05, r: 0.7)
    var walk = CurveWalk(Regimen([try Dose(start: 0, amount: 0.5)]), parameters)
    for time in stride(from: 0.03, to: 3, by: 0.03) {
      walk.advance(toHours: time)
      #expect(abs(walk.concentration + s * .expMinusOne(-2 * time)) <= 1e-13, "at \(time)")
      #expect(abs(walk.sensitivities.byKa - s * time * .exp(-2 * time)) <= 1e-13, "at \(time)")
    }
    // dc/dV_max is minus the integral of c / (K_m + c), which is below 1 and here mostly near it.
    #expect(walk.sensitivities.byVmax < -2.4 && walk.sensitivities.byVmax > -3)
  }
}

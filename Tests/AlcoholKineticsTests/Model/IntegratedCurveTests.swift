import AlcoholKinetics
import Testing

/// Curves in closed form are those of their differential equations, integrated by GSL.
@Suite struct IntegratedCurveTests {
  /// An infusion straight into the blood, with a lag, that first fills and then empties it.
  @Test(
    arguments: [
      (.widmark, [.ka: 3, .beta: 0.15, .r: 0.7, .lag: 0.25]),
      (.michaelisMenten, [.ka: 3, .vmax: 0.2, .km: 0.05, .r: 0.7, .lag: 0.25]),
      (.firstOrder, [.ka: 3, .ke: 0.5, .r: 0.7, .lag: 0.25]),
    ] as [(EliminationModel, [FitParameter: Double])])
  func infusionsAreIntegrated(
    model: EliminationModel, values: [FitParameter: Double]
  ) throws {
    let regimen = Regimen([
      try Dose(start: 0, duration: 2, amount: 0.5, route: .intravenous),
      try Dose(start: 6, amount: 0.1, route: .intravenous),
    ])
    let parameters = try ModelParameters(model, values)
    let times = (0..<80).map { Hours(Double($0) * 0.1 + 0.05) }
    let curve = try parameters.curve(of: regimen)
    let integrated = try #require(IntegratedCurve(regimen, parameters)).concentrations(at: times)
    for (time, value) in zip(times, integrated) {
      #expect(abs(curve.concentration(at: time).value - value) <= 1e-9, "at \(time)")
    }
  }

  /// A curve beside equations that are not its own is seen.
  @Test func aDifferentBetaGivesADifferentCurve() throws {
    let regimen = Regimen([try Dose(start: 0, amount: 0.6)])
    let parameters = try KineticParameters(ka: 4, beta: 0.15, r: 0.7)
    let other = IntegratedCurve(
      regimen, scale: 1 / 0.7, ka: 4, lag: 0, .constant(0.15 * (1 + 1e-8)))
    let apart = abs(
      Trajectory(regimen, parameters).concentration(at: 3).value
        - (try other.concentrations(at: [3])[0]))
    #expect(apart > 1e-9 && apart < 1e-8)
  }
}

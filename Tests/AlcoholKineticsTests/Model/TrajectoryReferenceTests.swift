import AlcoholKinetics
import Testing

/// The closed form against a numerical integration of the differential equations.
@Suite struct TrajectoryReferenceTests {
  @Test(arguments: 1...40)
  func trajectoriesAgreeWithOdeiv2(seed: Int) throws {
    let random = try RandomCase(seed: UInt64(seed))
    let times = random.times(count: 40)
    let integrated = try IntegratedCurve(random.regimen, random.parameters)
      .concentrations(at: times)
    let curve = random.trajectory
    for (time, expected) in zip(times, integrated) {
      #expect(abs(curve.concentration(at: time).value - expected) <= 1e-9, "\(random) at \(time)")
    }
  }

  /// A slow drink whose input first loses against elimination and then wins: the blood empties and
  /// fills again under one constant input.
  @Test func trajectoryAgreesWhereBloodEmptiesAndRefillsDuringADrink() throws {
    let regimen = Regimen([
      try Dose(start: 0, amount: 0.2),
      try Dose(start: 2.35, duration: 6, amount: 0.84),
    ])
    let parameters = try KineticParameters(ka: 5, beta: 0.12, r: 0.7)
    let curve = Trajectory(regimen, parameters)
    let crossings = curve.crossings(of: 0)
    #expect(crossings.map(\.isFalling) == [false, true, false, true])
    let times = (1...100).map { Hours(Double($0) * 0.1) }
    let integrated = try IntegratedCurve(regimen, parameters).concentrations(at: times)
    for (time, expected) in zip(times, integrated) {
      #expect(abs(curve.concentration(at: time).value - expected) <= 1e-9, "at \(time)")
    }
  }
}

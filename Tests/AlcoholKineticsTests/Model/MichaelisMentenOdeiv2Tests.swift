import AlcoholKinetics
import Testing

/// The walk and the trajectory against an explicit integration by GSL.
@Suite struct MichaelisMentenOdeiv2Tests {
  @Test(arguments: 1...10)
  func michaelisMentenCurvesAgreeWithOdeiv2(seed: Int) throws {
    let random = try MichaelisMentenCase(seed: UInt64(seed))
    let times = random.times()
    let expected = try IntegratedCurve(random).concentrations(at: times)
    let curve = MichaelisMentenTrajectory(random.regimen, random.parameters)
    for (index, walked) in random.concentrations(at: times).enumerated() {
      let allowed = 1e-9 * expected[index] + 1e-14
      #expect(abs(walked - expected[index]) <= allowed, "\(random) at \(times[index])")
      let value = curve.concentration(at: times[index]).value
      #expect(abs(value - expected[index]) <= allowed, "\(random) at \(times[index])")
    }
  }
}

import AlcoholKinetics
import CGSL
import RealModule
import TestSupport
import Testing

@Suite struct TimeToThresholdTests {
  @Test(arguments: 1...300)
  func concentrationAtTimeToThresholdEqualsThreshold(seed: Int) throws {
    let random = try RandomCase(seed: UInt64(seed))
    let curve = random.trajectory
    guard let peak = curve.peak?.concentration else { return }
    for share in [0.001, 0.1, 0.3, 0.5, 0.9, 0.999_999] {
      let threshold = peak * share
      let time = try #require(curve.timeToThreshold(threshold))
      #expect(abs((curve.concentration(at: time) - threshold).value) <= 1e-12)
      for crossing in curve.crossings(of: threshold) {
        #expect(abs((curve.concentration(at: crossing.time) - threshold).value) <= 1e-12)
      }
      for later in stride(from: 1e-6, through: 20, by: 0.37) {
        #expect(curve.concentration(at: time + Hours(later)) <= threshold)
      }
    }
  }

  /// Time since the dose at which one bolus of s g/kg falls to a level, by Lambert's W0.
  private func closedForm(s: Double, ka: Double, beta: Double, level: Double) -> Double {
    let a = s - level
    let w = gsl_sf_lambert_W0(-(ka * s / beta) * .exp(-ka * a / beta))
    return a / beta + w / ka
  }

  @Test func timeAgreesWithLambertsFunction() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let ka = random.logUniform(0.3...60)
      let beta = random.logUniform(0.05...0.4)
      let amount = random.logUniform(0.05...1)
      let parameters = try KineticParameters(
        ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: 0.5)
      let curve = Trajectory(
        Regimen([try Dose(start: 0, amount: GramsPerKilogram(amount))]), parameters)
      guard let peak = curve.peak?.concentration.value else { continue }
      let level = peak * random.uniform(0...0.95)
      let time = try #require(curve.timeToThreshold(GramsPerKilogram(level))).value
      let expected = closedForm(s: amount / 0.5, ka: ka, beta: beta, level: level)
      #expect(time.isApproximatelyEqual(to: expected, relativeTolerance: 1e-10))
    }
  }

  @Test func timeIsNilWhereThresholdIsNeverExceeded() throws {
    let parameters = try KineticParameters(ka: 5, beta: 0.15, r: 0.7)
    let curve = Trajectory(Regimen([try Dose(start: 0, amount: 0.2)]), parameters)
    #expect(curve.timeToThreshold(0.5) == nil)
    #expect(curve.crossings(of: 0.5).isEmpty)
    #expect(Trajectory(Regimen([]), parameters).timeToThreshold(0) == nil)
    #expect(Trajectory(Regimen([]), parameters).peak == nil)
  }

  @Test func timeIsNilWhereAbsorptionNeverExceedsElimination() throws {
    // k g = 0.01 x 0.1 / 0.7 < beta: everything is eliminated as it arrives.
    let parameters = try KineticParameters(ka: 0.01, beta: 0.15, r: 0.7)
    let curve = Trajectory(Regimen([try Dose(start: 0, amount: 0.1)]), parameters)
    #expect(curve.timeToThreshold(0) == nil)
    #expect(curve.peak == nil)
    #expect(curve.massBalance(at: 1000).eliminated.value > 0.999 * 0.1 / 0.7)
  }

  /// (c + g - L) / beta overflows here.
  @Test func timeIsFoundForTinyBeta() throws {
    let parameters = try KineticParameters(
      ka: 5, beta: GramsPerKilogramHour(.leastNormalMagnitude), r: 0.7)
    let curve = Trajectory(Regimen([try Dose(start: 0, amount: 0.2)]), parameters)
    #expect(curve.timeToThreshold(0).map { $0 > 1e300 } ?? false)
  }

  @Test func timeIsThatOfTheLastFall() throws {
    let parameters = try KineticParameters(ka: 10, beta: 0.15, r: 0.7)
    let regimen = Regimen([
      try Dose(start: 0, amount: 0.1), try Dose(start: 5, amount: 0.1),
    ])
    let curve = Trajectory(regimen, parameters)
    #expect(curve.crossings(of: 0).map(\.isFalling) == [false, true, false, true])
    let sober = try #require(curve.timeToThreshold(0))
    let alone = try #require(
      Trajectory(Regimen([try Dose(start: 0, amount: 0.1)]), parameters).timeToThreshold(0))
    #expect(abs((sober - alone).value - 5) < 1e-9)
  }

  @Test func peakIsWhereAbsorptionEqualsElimination() throws {
    // One bolus: k s e^(-k t) = beta.
    let parameters = try KineticParameters(ka: 6, beta: 0.2, r: 0.5)
    let curve = Trajectory(Regimen([try Dose(start: 2, amount: 0.4)]), parameters)
    let peak = try #require(curve.peak)
    #expect(abs(peak.time.value - 2 - .log(6 * 0.8 / 0.2) / 6) < 1e-14)
    for offset in [-0.01, 0.01] {
      #expect(curve.concentration(at: peak.time + Hours(offset)) < peak.concentration)
    }
  }

  @Test(arguments: 1...200)
  func peakIsNoLowerThanAnyPoint(seed: Int) throws {
    let random = try RandomCase(seed: UInt64(seed))
    let height = random.trajectory.peak?.concentration ?? 0
    for time in random.times(count: 400) {
      #expect(random.trajectory.concentration(at: time) <= height + 1e-15)
    }
  }
}

import AlcoholKinetics
import RealModule
import Testing

/// Peak, thresholds and values of a whole curve.
@Suite struct MichaelisMentenTrajectoryTests {
  @Test(arguments: 1...8)
  func concentrationAtTimeToThresholdEqualsThreshold(seed: UInt64) throws {
    let random = try MichaelisMentenCase(seed: seed)
    let curve = MichaelisMentenTrajectory(random.regimen, random.parameters)
    let peak = try #require(curve.peak)
    #expect(!curve.hasFailed)
    #expect(abs((curve.concentration(at: peak.time) - peak.concentration).value) < 1e-12)
    for share in [1e-6, 0.01, 0.5, 0.999_999] {
      let threshold = peak.concentration * share
      let time = try #require(curve.timeToThreshold(threshold))
      let found = curve.concentration(at: time).value
      #expect(abs(found / threshold.value - 1) < 1e-8, "\(random), \(share)")
      for later in [0.01, 0.3, 2, 9] {
        #expect(curve.concentration(at: time + Hours(later)) <= threshold, "\(random), \(share)")
      }
    }
  }

  @Test(arguments: 1...8)
  func noPointIsAboveThePeak(seed: UInt64) throws {
    let random = try MichaelisMentenCase(seed: seed)
    let peak = try #require(
      MichaelisMentenTrajectory(random.regimen, random.parameters).peak?.concentration.value)
    let highest = random.concentrations(at: random.times(count: 60)).max() ?? 0
    #expect(highest <= peak * (1 + 1e-9), "\(random)")
  }

  /// After an absorption that is all but instant, t = (c - L + K_m ln(c/L)) / V_max.
  @Test func timeToThresholdMatchesIntegratedMichaelisMentenEquation() throws {
    let regimen = Regimen([try Dose(start: 2, amount: 0.5)])
    let parameters = try MichaelisMentenParameters(ka: 2e3, vmax: 0.2, km: 0.05, r: 0.7)
    let curve = MichaelisMentenTrajectory(regimen, parameters)
    let start = curve.concentration(at: 2.1).value
    for level in [0.6, 0.2, 0.01, 1e-6] {
      let time = try #require(curve.timeToThreshold(GramsPerKilogram(level))).value
      let expected = (start - level + 0.05 * .log(start / level)) / 0.2 + 2.1
      #expect(abs(time - expected) <= 1e-8, "\(level)")
    }
  }

  @Test func thePeakIsWhereAbsorptionEqualsElimination() throws {
    let parameters = try MichaelisMentenParameters(ka: 2, vmax: 0.2, km: 0.05, r: 0.5)
    let curve = MichaelisMentenTrajectory(
      Regimen([try Dose(start: 1, amount: 0.4)]), parameters)
    let peak = try #require(curve.peak)
    let absorption = 2 * 0.8 * Double.exp(-2 * (peak.time.value - 1))
    let blood = peak.concentration.value
    #expect(abs(absorption - 0.2 * blood / (0.05 + blood)) < 1e-9)
  }

  @Test func timeToThresholdIsNilForZeroAndThresholdsAbovePeak() throws {
    let parameters = try MichaelisMentenParameters(ka: 2, vmax: 0.2, km: 0.05, r: 0.5)
    let curve = MichaelisMentenTrajectory(
      Regimen([try Dose(start: 1, amount: 0.4)]), parameters)
    #expect(curve.timeToThreshold(0) == nil)
    #expect(curve.timeToThreshold(-1) == nil)
    #expect(curve.timeToThreshold(GramsPerKilogram(.nan)) == nil)
    #expect(curve.timeToThreshold(0.81) == nil)
    #expect(curve.concentration(at: 0.99) == 0)
    #expect(curve.concentration(at: 30) > 0)
    let empty = MichaelisMentenTrajectory(Regimen([]), parameters)
    #expect(empty.peak == nil && empty.timeToThreshold(0.1) == nil)
    #expect(empty.concentration(at: 3) == 0 && !empty.hasFailed)
  }

  /// One drink after the first is over: the later fall counts.
  @Test func timeToThresholdIsThatOfTheLastFall() throws {
    let parameters = try MichaelisMentenParameters(ka: 6, vmax: 0.2, km: 0.02, r: 0.7)
    let one = try Dose(start: 0, amount: 0.2)
    let both = Regimen([one, try Dose(start: 5, duration: 1, amount: 0.2)])
    let first = try #require(
      MichaelisMentenTrajectory(Regimen([one]), parameters).timeToThreshold(0.05))
    let last = try #require(
      MichaelisMentenTrajectory(both, parameters).timeToThreshold(0.05))
    #expect(first < 2 && last > 6)
  }
}

import Testing

@testable import AlcoholKinetics

/// The analytic derivatives against central differences.
@Suite struct SensitivityTests {
  /// Differences of the fourth order with a relative step of 1e-4 are good to about 1e-11 of the
  /// largest derivative; 1e-8 leaves room for the smallest concentrations.
  static let tolerance = 1e-8

  @Test(arguments: 1...300)
  func sensitivitiesAgreeWithCentralDifferences(seed: Int) throws {
    let random = try RandomCase(seed: UInt64(seed))
    for time in random.times(count: 25) where try random.isSmooth(at: time) {
      let exact = CurveWalk(random.regimen, random.parameters).sensitivities(at: time)
      let parameters = random.parameters
      try expect(exact.byKa, around: parameters.ka.value) {
        try random.value(at: time, random.parameters(ka: $0))
      }
      try expect(exact.byBeta, around: parameters.beta.value) {
        try random.value(at: time, random.parameters(beta: $0))
      }
      // A factor f on all doses is r / f.
      try expect(exact.byDoseScale, around: 1) {
        try random.value(at: time, random.parameters(r: parameters.r.value / $0))
      }
      // A later lag is an earlier clock, which also works at lag 0.
      try expect(exact.byLag, around: 0, scale: 0.1) {
        try random.value(at: time - Hours($0), parameters)
      }
    }
  }

  /// The curve without the stop at zero is smooth but at drinks, and its derivatives go on there.
  @Test(arguments: 1...100)
  func sensitivitiesContinueWithoutTheStopAtZero(seed: Int) throws {
    let random = try RandomCase(seed: UInt64(seed))
    let parameters = random.parameters
    func sample(_ time: Hours, _ parameters: KineticParameters) -> CurveSample {
      var walk = UnstoppedWalk(random.regimen, parameters)
      return walk.sample(atHours: time.value)
    }
    for time in random.times(count: 10) where try random.isSmooth(at: time) {
      let exact = sample(time, parameters)
      #expect(exact.concentration <= random.trajectory.concentration(at: time).value + 1e-12)
      try expect(exact.byKa, around: parameters.ka.value) {
        sample(time, try random.parameters(ka: $0)).concentration
      }
      try expect(exact.byBeta, around: parameters.beta.value) {
        sample(time, try random.parameters(beta: $0)).concentration
      }
      try expect(exact.byDoseScale, around: 1) {
        sample(time, try random.parameters(r: parameters.r.value / $0)).concentration
      }
      try expect(exact.byLag, around: 0, scale: 0.1) {
        sample(time - Hours($0), parameters).concentration
      }
    }
  }

  @Test func sensitivitiesVanishAtZeroConcentration() throws {
    let regimen = Regimen([try Dose(start: 0, amount: 0.1)])
    let curve = CurveWalk(regimen, try KineticParameters(ka: 5, beta: 0.2, r: 0.7))
    let after = curve.sensitivities(at: 10)
    #expect(after.byKa == 0 && after.byBeta == 0 && after.byDoseScale == 0 && after.byLag == 0)
  }

  @Test func sensitivitiesRestartAfterTheClamp() throws {
    // The blood empties long before the second drink: only the second matters then.
    let parameters = try KineticParameters(ka: 5, beta: 0.2, r: 0.7)
    let second = try Dose(start: 8, amount: 0.4)
    let both = CurveWalk(Regimen([try Dose(start: 0, amount: 0.1), second]), parameters)
    let alone = CurveWalk(Regimen([second]), parameters)
    let left = both.sensitivities(at: 9)
    let right = alone.sensitivities(at: 9)
    #expect(abs(left.byKa - right.byKa) < 1e-12)
    #expect(abs(left.byBeta - right.byBeta) < 1e-12)
    #expect(abs(left.byDoseScale - right.byDoseScale) < 1e-12)
  }

  private func expect(
    _ exact: Double, around center: Double, scale: Double? = nil,
    _ function: (Double) throws -> Double
  ) throws {
    let h = (scale ?? center) * 1e-4
    let near = try function(center + h) - function(center - h)
    let far = try function(center + 2 * h) - function(center - 2 * h)
    let numeric = (8 * near - far) / (12 * h)
    #expect(abs(exact - numeric) <= Self.tolerance * max(1, abs(numeric)))
  }
}

extension RandomCase {
  fileprivate func value(at time: Hours, _ parameters: KineticParameters) throws -> Double {
    Trajectory(regimen, parameters).concentration(at: time).value
  }

  /// Whether no kink of the curve (a change of input, blood emptying or filling) comes so close to
  /// the time that a difference quotient would reach across it.
  fileprivate func isSmooth(at time: Hours) throws -> Bool {
    let margin = 0.01
    let edges = regimen.doses.flatMap { dose in
      [dose.start + parameters.lag, dose.start + dose.duration + parameters.lag]
    }
    let switches = trajectory.crossings(of: 0).map(\.time)
    return (edges + switches).allSatisfy { abs(($0 - time).value) > margin }
  }
}

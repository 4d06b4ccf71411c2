import Testing

@testable import AlcoholKinetics

/// The derivatives that ride along against central differences.
@Suite struct MichaelisMentenSensitivityTests {
  /// Differences of the fourth order with a relative step of 1e-2 are good to about 1e-7; a smaller
  /// step would divide errors of the curve that 1e-9 allows by less.
  static let tolerance = 1e-6

  @Test(arguments: 1...4)
  func sensitivitiesAgreeWithCentralDifferences(seed: Int) throws {
    let random = try MichaelisMentenCase(seed: UInt64(seed))
    let parameters = random.parameters
    let times = random.times(count: 8)
    let byKa = try differences(random, times, around: parameters.ka.value) {
      try random.parameters(ka: $0)
    }
    let byVmax = try differences(random, times, around: parameters.vmax.value) {
      try random.parameters(vmax: $0)
    }
    let byKm = try differences(random, times, around: parameters.km.value) {
      try random.parameters(km: $0)
    }
    // A factor f on all doses is r / f.
    let byScale = try differences(random, times, around: 1) {
      try random.parameters(r: parameters.r.value / $0)
    }
    var walk = CurveWalk(random.regimen, parameters)
    for (index, time) in times.enumerated() {
      walk.advance(toHours: time.value)
      let exact = walk.sensitivities
      let actual = [
        exact.byKa * parameters.ka.value, exact.byVmax * parameters.vmax.value,
        exact.byKm * parameters.km.value, exact.byDoseScale,
      ]
      let expected = [byKa[index], byVmax[index], byKm[index], byScale[index]]
      for (left, right) in zip(actual, expected) {
        #expect(abs(left - right) <= Self.tolerance * max(1, abs(right)), "\(random) at \(time)")
      }
    }
  }

  @Test(arguments: 1...4)
  func lagSensitivityIsTheNegativeSlope(seed: Int) throws {
    let random = try MichaelisMentenCase(seed: UInt64(seed))
    let step = 1e-3
    for time in random.times(count: 8) where random.isSmooth(at: time, margin: 3 * step) {
      let around = [2.0, 1, -1, -2].map { time + Hours($0 * step) }.reversed()
      let values = random.concentrations(at: Array(around))
      let slope = (8 * (values[2] - values[1]) - (values[3] - values[0])) / (12 * step)
      var walk = CurveWalk(random.regimen, random.parameters)
      walk.advance(toHours: time.value)
      #expect(abs(walk.sensitivities.byLag + slope) <= 1e-6 * max(1, abs(slope)), "\(random)")
    }
  }

  @Test func sensitivitiesHaveExpectedSigns() throws {
    for seed in 1...6 {
      let random = try MichaelisMentenCase(seed: UInt64(seed))
      var walk = CurveWalk(random.regimen, random.parameters)
      for time in random.times() {
        walk.advance(toHours: time.value)
        #expect(walk.sensitivities.byVmax <= 0)
        #expect(walk.sensitivities.byKm >= 0)
        #expect(walk.sensitivities.byDoseScale >= 0)
      }
    }
  }

  /// Derivatives by the logarithm of a parameter at all times.
  private func differences(
    _ random: MichaelisMentenCase, _ times: [Hours], around center: Double,
    _ parameters: (Double) throws -> MichaelisMentenParameters
  ) throws -> [Double] {
    let step = 1e-2
    let values = try [-2.0, -1, 1, 2].map {
      random.concentrations(at: times, try parameters(center * (1 + $0 * step)))
    }
    return times.indices.map { index in
      let near = values[2][index] - values[1][index]
      let far = values[3][index] - values[0][index]
      return (8 * near - far) / (12 * step)
    }
  }
}

extension MichaelisMentenCase {
  /// Whether no change of input is so close that a difference quotient would reach across it.
  fileprivate func isSmooth(at time: Hours, margin: Double) -> Bool {
    edges.allSatisfy { abs($0 - time.value) > margin }
  }
}

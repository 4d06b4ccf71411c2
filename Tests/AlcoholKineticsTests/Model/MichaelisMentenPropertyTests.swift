import Testing

@testable import AlcoholKinetics

/// Properties of Michaelis-Menten curves for random regimens and parameters.
@Suite struct MichaelisMentenPropertyTests {
  static let cases = Result { try (1...10).map { try MichaelisMentenCase(seed: $0) } }

  @Test func concentrationStaysBetweenZeroAndTheAbsorbedDose() throws {
    for random in try Self.cases.get() {
      for (time, value) in zip(random.times(), random.concentrations(at: random.times())) {
        let available = random.taken(by: time) - random.gut(at: time)
        #expect(value >= 0 && value <= available * (1 + 1e-9) + 1e-13, "\(random) at \(time)")
      }
    }
  }

  /// Ethanol in the gut, in the blood and eliminated adds up to the dose; the eliminated part is the integral of V_max
  /// c / (K_m + c), here by Gauss's rule with five nodes on a fine grid.
  @Test(arguments: 1...2)
  func massIsConserved(seed: UInt64) throws {
    let random = try MichaelisMentenCase(seed: seed)
    let parameters = random.parameters
    let end = 12.0
    let grid = (0...480).map { Double($0) * end / 480 }
    let stops = Set(random.edges.filter { $0 < end } + grid).sorted()
    var walk = CurveWalk(random.regimen, parameters)
    var eliminated = 0.0
    for (start, stop) in zip(stops, stops.dropFirst()) {
      for (node, weight) in Self.gauss {
        walk.advance(toHours: start + (stop - start) * node)
        let blood = walk.concentration
        eliminated +=
          (stop - start) * weight * parameters.vmax.value * blood / (parameters.km.value + blood)
      }
      walk.advance(toHours: stop)
    }
    let found = random.gut(at: Hours(end)) + walk.concentration + eliminated
    #expect(abs(found - random.taken(by: Hours(end))) <= 1e-8, "\(random)")
  }

  /// Nodes and weights on [0, 1].
  private static let gauss = [
    (0.046_910_077_030_668, 0.118_463_442_528_095), (0.230_765_344_947_158, 0.239_314_335_249_683),
    (0.5, 0.284_444_444_444_444), (0.769_234_655_052_842, 0.239_314_335_249_683),
    (0.953_089_922_969_332, 0.118_463_442_528_095),
  ]

  @Test func fasterEliminationLowersTheCurve() throws {
    for random in try Self.cases.get() {
      let times = random.times()
      let faster = try random.parameters(vmax: random.parameters.vmax.value * 1.1)
      let slower = try random.parameters(km: random.parameters.km.value * 1.1)
      let plain = random.concentrations(at: times)
      let fasterCurve = random.concentrations(at: times, faster)
      let slowerCurve = random.concentrations(at: times, slower)
      for index in times.indices {
        #expect(
          fasterCurve[index] <= plain[index] * (1 + 1e-9) + 1e-15, "\(random) at \(times[index])")
        #expect(
          slowerCurve[index] >= plain[index] * (1 - 1e-9) - 1e-15, "\(random) at \(times[index])")
      }
    }
  }

  /// Readings cut the steps elsewhere; the curve must not notice.
  @Test func evaluationTimesDoNotChangeTheCurve() throws {
    for random in try Self.cases.get() {
      let times = random.times()
      let seldom = random.concentrations(at: times.filter { $0 == times.last || $0 == times[9] })
      let often = random.concentrations(at: times)
      for (left, right) in zip(seldom, [often[9], often[19]]) {
        #expect(abs(left - right) <= 1e-9 * right + 1e-14, "\(random)")
      }
    }
  }

  @Test func splittingADrinkKeepsTheCurve() throws {
    for random in try Self.cases.get() {
      let halves = try random.regimen.doses.flatMap { dose in
        try [0.3, 0.7].map { share in
          try Dose(start: dose.start, duration: dose.duration, amount: dose.amount * share)
        }
      }
      var split = CurveWalk(Regimen(halves), random.parameters)
      for (time, whole) in zip(random.times(), random.concentrations(at: random.times())) {
        split.advance(toHours: time.value)
        #expect(abs(split.concentration - whole) <= 1e-9 * whole + 1e-14, "\(random) at \(time)")
      }
    }
  }

  @Test func lagShiftsTheCurve() throws {
    let random = try MichaelisMentenCase(seed: 3)
    let times = random.times()
    let lagged = random.concentrations(
      at: times, try random.parameters(lag: random.parameters.lag.value + 0.5))
    let earlier = random.concentrations(at: times.map { $0 - 0.5 })
    for (left, right) in zip(lagged, earlier) {
      #expect(abs(left - right) <= 1e-9 * right + 1e-14)
    }
  }

  @Test func concentrationIsZeroWithoutDose() throws {
    let parameters = try MichaelisMentenParameters(ka: 2, vmax: 0.2, km: 0.05, r: 0.7)
    for regimen in [Regimen([]), Regimen([try Dose(start: 1, amount: 0)])] {
      var walk = CurveWalk(regimen, parameters)
      walk.advance(toHours: 3)
      #expect(walk.concentration == 0 && !walk.hasFailed)
      #expect(walk.sensitivities.byKa == 0 && walk.sensitivities.byLag == 0)
    }
  }
}

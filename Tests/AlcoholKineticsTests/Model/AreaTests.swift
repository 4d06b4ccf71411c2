import AlcoholKinetics
import CGSL
import Testing

/// The area under the curve against GSL's adaptive quadrature and against mass balance.
@Suite struct AreaTests {
  /// QUADPACK's QAG between two times, cut where the curve has a kink.
  private func quadrature(_ drinking: RandomCase, from start: Double, to end: Double) -> Double {
    let curve = drinking.trajectory
    let lag = drinking.parameters.lag.value
    let kinks =
      drinking.regimen.doses.flatMap { dose in
        [dose.start.value + lag, (dose.start + dose.duration).value + lag]
      } + curve.crossings(of: 0).map(\.time.value)
    let cuts = [start] + Set(kinks).filter { $0 > start && $0 < end }.sorted() + [end]
    return zip(cuts, cuts.dropFirst()).reduce(0) { $0 + integral(curve, $1.0, $1.1) }
  }

  private func integral(_ curve: Trajectory, _ start: Double, _ end: Double) -> Double {
    var curve = curve
    return withUnsafeMutablePointer(to: &curve) { pointer in
      var integrand = gsl_function(
        function: { time, context in
          context?.assumingMemoryBound(to: Trajectory.self).pointee
            .concentration(at: Hours(time)).value ?? .nan
        }, params: pointer)
      let workspace = gsl_integration_workspace_alloc(200)
      defer { gsl_integration_workspace_free(workspace) }
      var result = 0.0
      var error = 0.0
      gsl_integration_qag(
        &integrand, start, end, 1e-12, 1e-11, 200, Int32(GSL_INTEG_GAUSS61), workspace, &result,
        &error)
      return result
    }
  }

  @Test(arguments: 1...60)
  func areaAgreesWithQuadrature(seed: Int) throws {
    let drinking = try RandomCase(seed: UInt64(seed))
    let curve = drinking.trajectory
    let sober = (curve.timeToThreshold(0) ?? 3).value
    for (start, end) in [(-1, sober + 1), (0.3 * sober, 0.7 * sober), (0.5, 0.5 + 1e-6)] {
      let expected = quadrature(drinking, from: start, to: end)
      let found = curve.area(from: Hours(start), to: Hours(end)).value
      #expect(abs(found - expected) <= 1e-10, "\(drinking) from \(start) to \(end)")
    }
    #expect(abs((curve.area() - curve.area(from: -1, to: Hours(sober + 1))).value) <= 1e-13)
  }

  /// While the blood is not empty, beta times the time is eliminated, so that one bolus has the area (c + g) T - beta
  /// T^2 / 2 - (g / k)(1 - e^(-k T)) until sober at T.
  @Test func areaOfABolusMatchesClosedForm() throws {
    let parameters = try KineticParameters(ka: 18, beta: 0.15, r: 0.5)
    let curve = Trajectory(Regimen([try Dose(start: 2, amount: 0.4)]), parameters)
    let duration = try #require(curve.timeToThreshold(0)).value - 2
    let expected = 0.8 * duration - 0.075 * duration * duration - 0.8 / 18
    #expect(abs(curve.area().value - expected) < 1e-14)
  }

  @Test func areaAddsUpFromPieces() throws {
    for drinking in try RandomCase.cases(100) {
      let curve = drinking.trajectory
      let cuts = drinking.times(count: 30)
      let pieces = zip(cuts, cuts.dropFirst()).reduce(0.0) { sum, cut in
        sum + curve.area(from: cut.0, to: cut.1).value
      }
      let whole = curve.area(from: cuts[0], to: cuts[29]).value
      #expect(abs(pieces - whole) <= 1e-12 * max(1, whole), "\(drinking)")
    }
  }

  /// A short time is where 1 - e^(-x) - x has no digits left.
  @Test func areaKeepsPrecisionOverShortTimes() throws {
    let parameters = try KineticParameters(ka: 3, beta: 0.15, r: 0.5)
    let curve = Trajectory(Regimen([try Dose(start: 0, amount: 0.4)]), parameters)
    for time in [1e-3, 1e-5, 1e-7] {
      // c = (k g - beta) t - k^2 g t^2 / 2 + k^3 g t^3 / 6 - ...
      let series =
        2.25 * time * time / 2 - 7.2 * time * time * time / 6
        + 21.6 * time * time * time * time / 24
      #expect(abs(curve.area(to: Hours(time)).value / series - 1) < 1e-8)
    }
  }

  @Test func areaIsZeroWithoutAlcohol() throws {
    let parameters = try KineticParameters(ka: 5, beta: 0.15, r: 0.7)
    #expect(Trajectory(Regimen([]), parameters).area() == 0)
    let curve = Trajectory(Regimen([try Dose(start: 0, amount: 0.2)]), parameters)
    #expect(curve.area(from: 3, to: 1) == 0)
    #expect(curve.area(from: -5, to: 0) == 0)
    #expect(curve.area(from: 100) == 0)
  }

  @Test func areaIsFiniteForTinyBeta() throws {
    let parameters = try KineticParameters(
      ka: 5, beta: GramsPerKilogramHour(1e-150), r: 0.7)
    let curve = Trajectory(Regimen([try Dose(start: 0, amount: 0.2)]), parameters)
    let triangle = (0.2 / 0.7) * (0.2 / 0.7) / 1e-150 / 2
    #expect(abs(curve.area().value / triangle - 1) < 1e-12)
  }
}

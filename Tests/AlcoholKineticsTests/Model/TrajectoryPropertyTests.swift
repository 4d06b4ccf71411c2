import RealModule
import Testing

@testable import AlcoholKinetics

/// Properties of trajectories for random regimens and parameters.
@Suite struct TrajectoryPropertyTests {
  static let cases = Result { try RandomCase.cases(400) }

  @Test func concentrationIsNeverNegative() throws {
    for random in try Self.cases.get() {
      let curve = random.trajectory
      for time in random.times() {
        #expect(curve.concentration(at: time) >= 0, "\(random) at \(time)")
      }
    }
  }

  @Test func massIsConserved() throws {
    for random in try Self.cases.get() {
      let curve = random.trajectory
      let scale = random.parameters.absorbedFraction / random.parameters.r.value
      for time in random.times() {
        let balance = curve.massBalance(at: time)
        let taken = random.regimen.taken(by: time - random.parameters.lag) * scale
        let found = (balance.gut + balance.blood + balance.eliminated).value
        #expect(abs(found - taken) <= 1e-12 * taken, "\(random) at \(time)")
      }
    }
  }

  @Test func eliminatedNeverExceedsAbsorbedAndNeverFalls() throws {
    for random in try Self.cases.get() {
      let curve = random.trajectory
      var before = 0.0
      for time in random.times() {
        let balance = curve.massBalance(at: time)
        #expect(balance.eliminated <= balance.absorbed)
        #expect(balance.eliminated.value >= before - 1e-14, "\(random) at \(time)")
        #expect(balance.gut >= 0)
        before = balance.eliminated.value
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
      let split = Trajectory(Regimen(halves), random.parameters)
      let whole = random.trajectory
      for time in random.times() {
        let difference = split.concentration(at: time) - whole.concentration(at: time)
        #expect(abs(difference.value) <= 1e-13, "\(random) at \(time)")
      }
    }
  }

  @Test func aWalkAndATrajectoryAgree() throws {
    for random in try Self.cases.get() {
      let curve = random.trajectory
      var walk = CurveWalk(random.regimen, random.parameters)
      for time in random.times() {
        walk.advance(toHours: time.value)
        let expected = curve.concentration(at: time).value
        #expect(abs(walk.concentration - expected) <= 1e-13, "\(random) at \(time)")
        let segment = curve.segments.last { $0.start <= time.value }
        let byKa = segment.map { $0.state(after: time.value - $0.start).bloodByKa } ?? 0
        let difference = walk.sensitivities.byKa - byKa
        #expect(abs(difference) <= 1e-12, "\(random) at \(time)")
      }
    }
  }

  @Test func theCurveIsEmptyBeforeTheFirstDrinkAndAfterSobriety() throws {
    for random in try Self.cases.get() {
      let curve = random.trajectory
      #expect(curve.concentration(at: Hours(-1)) == 0)
      let sober = curve.timeToThreshold(0) ?? 0
      #expect(curve.concentration(at: sober + 1e-9) == 0)
      #expect(curve.concentration(at: sober + 1000) == 0)
    }
  }

  @Test func aShortDrinkTendsToABolus() throws {
    let parameters = try KineticParameters(ka: 4, beta: 0.15, r: 0.7)
    let bolus = Trajectory(Regimen([try Dose(start: 0, amount: 0.6)]), parameters)
    let reference = bolus.concentration(at: 1).value
    var previous = Double.infinity
    for exponent in 1...12 {
      let duration = Hours(Double.pow(10, -exponent))
      let regimen = Regimen([try Dose(start: 0, duration: duration, amount: 0.6)])
      let difference = abs(
        Trajectory(regimen, parameters).concentration(at: 1).value - reference)
      // To first order, spreading a drink over d delays it by d / 2.
      #expect(difference <= max(1e-14, 0.2 * duration.value))
      #expect(difference <= max(1e-14, previous / 5))
      previous = difference
    }
    let instant = Regimen([try Dose(start: 1, duration: 1e-17, amount: 0.6)])
    let shifted = Trajectory(instant, parameters).concentration(at: 2).value
    #expect(abs(shifted - reference) < 1e-15)
  }

  @Test func fastAbsorptionTendsToWidmarksLine() throws {
    let regimen = Regimen([try Dose(start: 0, amount: 0.6)])
    for time in stride(from: 0.5, through: 5, by: 0.5) {
      let line = max(0, 0.6 / 0.68 - 0.15 * time)
      for ka in [100.0, 1e3, 1e6, 1e12] {
        let parameters = try KineticParameters(ka: PerHour(ka), beta: 0.15, r: 0.68)
        let concentration = Trajectory(regimen, parameters).concentration(at: Hours(time)).value
        #expect(abs(concentration - line) <= 0.6 / 0.68 * .exp(-ka * time) + 1e-15)
      }
    }
  }

  @Test func fasterEliminationNeverRaisesTheCurve() throws {
    for random in try Self.cases.get() {
      let faster = Trajectory(
        random.regimen, try random.parameters(beta: random.parameters.beta.value * 1.1))
      for time in random.times() {
        let gap = faster.concentration(at: time) - random.trajectory.concentration(at: time)
        #expect(gap.value <= 1e-15)
      }
    }
  }
}

extension Regimen {
  /// Ethanol per kg of body weight taken by a time, in g/kg.
  fileprivate func taken(by time: Hours) -> Double {
    doses.reduce(0) { sum, dose in
      let elapsed = (time - dose.start).value
      guard elapsed >= 0 else { return sum }
      let share = dose.duration == 0 ? 1 : min(1, elapsed / dose.duration.value)
      return sum + dose.amount.value * share
    }
  }
}

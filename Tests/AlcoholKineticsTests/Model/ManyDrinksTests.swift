import Foundation
import RealModule
import TestSupport
import Testing

@testable import AlcoholKinetics

/// Regimens of many drinks: as accurate as those of few, and no more work per drink.
@Suite struct ManyDrinksTests {
  /// A drink every 24 minutes, every third of them over some time.
  private static func regimen(of count: Int) throws -> Regimen {
    Regimen(
      try (0..<count).map { index in
        try Dose(
          start: Hours(0.4 * Double(index)), duration: Hours(index % 3 == 0 ? 0.55 : 0),
          amount: GramsPerKilogram(0.03 + 0.01 * Double(index % 4)))
      })
  }

  private static func michaelisMenten(of count: Int) throws -> MichaelisMentenCase {
    MichaelisMentenCase(
      try regimen(of: count),
      try MichaelisMentenParameters(ka: 4, vmax: 0.22, km: 0.06, r: 0.65, lag: 0.1))
  }

  private static func times(over count: Int) -> [Hours] {
    (1...20).map { Hours(0.4 * Double(count) * (Double($0) + 0.123) / 20) }
  }

  /// The accuracy that is promised, 1e-9 g/kg, where some g/kg are in the blood.
  @Test func manyDrinksAgreeWithOdeiv2() throws {
    let many = try Self.michaelisMenten(of: 300)
    let times = Self.times(over: 300)
    let expected = try IntegratedCurve(many).concentrations(at: times)
    for (actual, expected) in zip(many.concentrations(at: times), expected) {
      #expect(abs(actual - expected) <= 1e-9 * max(1, expected))
    }
  }

  /// Differences of the fourth order with a step of 5e-3 in the logarithm are good to about 3e-7 here,
  /// where derivatives grow with the number of drinks; with twice the step to sixteen times as much.
  @Test func sensitivitiesAgreeWithCentralDifferences() throws {
    let many = try Self.michaelisMenten(of: 100)
    let times = Self.times(over: 100)
    let given = many.parameters
    let curves = try [-2.0, -1, 1, 2].map { step in
      let factor = Double.exp(step * 5e-3)
      return [
        many.concentrations(at: times, try many.parameters(ka: given.ka.value * factor)),
        many.concentrations(at: times, try many.parameters(vmax: given.vmax.value * factor)),
        many.concentrations(at: times, try many.parameters(km: given.km.value * factor)),
      ]
    }
    var walk = CurveWalk(many.regimen, given)
    for (index, time) in times.enumerated() {
      walk.advance(toHours: time.value)
      let exact = walk.sensitivities
      let actual = [
        exact.byKa * given.ka.value, exact.byVmax * given.vmax.value, exact.byKm * given.km.value,
      ]
      for (parameter, actual) in actual.enumerated() {
        let value = curves.map { $0[parameter][index] }
        let expected = (8 * (value[2] - value[1]) - (value[3] - value[0])) / (12 * 5e-3)
        #expect(abs(actual - expected) <= 2e-6 * max(1, abs(expected)), "\(parameter) at \(time)")
      }
    }
  }

  /// Ten times as many drinks may take thirty times as long on a busy machine, but not the hundred
  /// of work that grows with the square.
  @Test func workGrowsWithTheNumberOfDrinks() throws {
    let few = try Self.secondsOfMichaelisMenten(of: 60)
    let many = try Self.secondsOfMichaelisMenten(of: 600)
    #expect(many < 30 * few, "\(few) s and \(many) s")
  }

  /// The work grows in proportion for the curve without the stop at zero, too, which bands in pictures need at each
  /// point.
  @Test func workOfTheCurveWithoutTheStopGrowsWithTheNumberOfDrinks() throws {
    let few = try Self.secondsOfUnstopped(of: 1000)
    let many = try Self.secondsOfUnstopped(of: 10_000)
    #expect(many < 30 * few, "\(few) s and \(many) s")
  }

  private static func secondsOfMichaelisMenten(of count: Int) throws -> Double {
    let many = try michaelisMenten(of: count)
    let times = times(over: count)
    return seconds { _ = many.concentrations(at: times) }
  }

  private static func secondsOfUnstopped(of count: Int) throws -> Double {
    let regimen = try regimen(of: count)
    let parameters = try KineticParameters(ka: 4, beta: 0.15, r: 0.65)
    return seconds {
      var walk = UnstoppedWalk(regimen, parameters)
      for index in 0..<count { _ = walk.sample(atHours: 0.4 * Double(index) + 0.2) }
    }
  }

  /// The processor time of this thread, without waiting; the best of three runs, since the first is cold.
  private static func seconds(_ body: () -> Void) -> Double {
    let runs = (0..<3).map { _ in
      let start = threadSeconds
      body()
      return threadSeconds - start
    }
    return runs.min() ?? 0
  }
}

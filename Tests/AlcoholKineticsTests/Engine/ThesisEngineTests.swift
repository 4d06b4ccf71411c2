import AlcoholKinetics
import TestSupport
import Testing

/// The thesis' per-minute recurrence against the exact curve.
@Suite struct ThesisEngineTests {
  static let drinks: [ThesisEngine.MinuteDrink] = [
    .init(minute: 0, ethanol: 17.358), .init(minute: 55, ethanol: 6.312),
  ]

  private func exactCurve(_ drinks: [ThesisEngine.MinuteDrink]) throws -> Trajectory {
    let regimen = try Regimen(
      drinks.map { Drink(time: Hours(minutes: Double($0.minute)), ethanol: .mass($0.ethanol)) },
      bodyWeight: 76)
    return Trajectory(regimen, try KineticParameters(ka: 18, beta: 0.15, r: 0.68))
  }

  /// On whole minutes the recurrence is the exact solution: between drinks the curve is concave,
  /// so that the clamp at a minute's end is the exact clamp. What is left is rounding.
  @Test func curveMatchesExactSolutionOnWholeMinutes() throws {
    let engine = try ThesisEngine(r: 0.68, weight: 76)
    let curve = try exactCurve(Self.drinks)
    for (minute, value) in engine.concentrations(of: Self.drinks, minutes: 400).enumerated() {
      let exact = curve.concentration(at: Hours(minutes: Double(minute)))
      #expect(abs((value - exact).value) < 1e-14)
    }
  }

  @Test func curveMatchesExactSolutionOverAWeek() throws {
    var random = SeededGenerator(seed: 3)
    let drinks = (0..<20).map { _ in
      ThesisEngine.MinuteDrink(
        minute: .random(in: 0..<(7 * 1440), using: &random), ethanol: Grams(random.uniform(5...40)))
    }
    let engine = try ThesisEngine(r: 0.68, weight: 76)
    let curve = try exactCurve(drinks)
    let grid = engine.concentrations(of: drinks, minutes: 8 * 1440)
    for (minute, value) in grid.enumerated() {
      let exact = curve.concentration(at: Hours(minutes: Double(minute)))
      #expect(abs((value - exact).value) < 1e-12)
    }
  }

  /// Read off the grid, sobriety comes up to a minute late.
  @Test func findsSobrietyLateByLessThanAMinute() throws {
    let engine = try ThesisEngine(r: 0.68, weight: 76)
    let grid = engine.concentrations(of: Self.drinks, minutes: 600)
    let lastAbove = try #require(grid.lastIndex { $0 > 0 })
    let exact = try #require(try exactCurve(Self.drinks).timeToThreshold(0)).minutes
    let late = Double(lastAbove + 1) - exact
    #expect(late >= 0 && late < 1)
  }

  @Test func answersWithOneConcentrationPerMinute() throws {
    let engine = try ThesisEngine(r: 0.68, weight: 76)
    #expect(engine.concentrations(of: Self.drinks, minutes: 0).isEmpty)
    #expect(engine.concentrations(of: Self.drinks, minutes: -5).isEmpty)
    #expect(engine.concentrations(of: [], minutes: 3) == [0, 0, 0])
    #expect(engine.concentrations(of: Self.drinks, minutes: 1) == [0])
  }

  @Test func leavesOutDrinksOutsideTheGrid() throws {
    let engine = try ThesisEngine(r: 0.68, weight: 76)
    let outside = [
      ThesisEngine.MinuteDrink(minute: -1, ethanol: 10),
      ThesisEngine.MinuteDrink(minute: .max, ethanol: 10),
    ]
    #expect(engine.concentrations(of: outside, minutes: 5) == [0, 0, 0, 0, 0])
  }

  @Test func refusesImpossibleValues() {
    #expect(throws: Problem.self) { try ThesisEngine(r: 0, weight: 76) }
    #expect(throws: Problem.self) { try ThesisEngine(ka: -1, r: 0.7, weight: 76) }
    #expect(throws: Problem.self) { try ThesisEngine(beta: 0, r: 0.7, weight: 76) }
  }
}

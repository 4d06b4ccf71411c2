import AlcoholKinetics
import TestSupport
import Testing

/// The fast path against the plain ones.
@Suite struct CurveEngineTests {
  private func expect(
    _ regimen: Regimen, _ parameters: KineticParameters, on grid: TimeGrid,
    within tolerance: Double = 1e-12, _ comment: Comment = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = CurveEngine(grid).concentrations(of: regimen, parameters)
    let curve = Trajectory(regimen, parameters)
    var worst = 0.0
    for (index, value) in found.enumerated() {
      worst = max(worst, abs(value - curve.concentration(at: grid.time(index)).value))
    }
    #expect(worst <= tolerance, comment, sourceLocation: sourceLocation)
    #expect(found.allSatisfy { $0 >= 0 }, comment, sourceLocation: sourceLocation)
    #expect(found.count == grid.count, sourceLocation: sourceLocation)
  }

  @Test(arguments: [0.3, 1, 6, 18, 60, 1000])
  func curveMatchesThesisEngineOverAWeek(ka: Double) throws {
    var random = SeededGenerator(seed: 3)
    let drinks = (0..<20).map { _ in
      ThesisEngine.MinuteDrink(
        minute: .random(in: 0..<(7 * 1440), using: &random), ethanol: Grams(random.uniform(5...40)))
    }
    let thesis = try ThesisEngine(ka: PerHour(ka), r: 0.68, weight: 76)
      .concentrations(of: drinks, minutes: 7 * 1440)
    let found = CurveEngine(try TimeGrid(count: 7 * 1440)).concentrations(
      of: try Regimen(
        drinks.map { Drink(time: Hours(minutes: Double($0.minute)), ethanol: .mass($0.ethanol)) },
        bodyWeight: 76),
      try KineticParameters(ka: PerHour(ka), beta: 0.15, r: 0.68))
    #expect(zip(found, thesis).allSatisfy { abs($0 - $1.value) < 1e-12 })
    #expect(found.count == thesis.count)
  }

  @Test func curveMatchesExactSolutionForRandomDrinks() throws {
    var random = SeededGenerator(seed: 5)
    for drinking in try RandomCase.cases(300) {
      let grid = try TimeGrid(
        start: Hours(random.uniform(-1...2)), everyMinutes: random.logUniform(0.1...30),
        count: .random(in: 0...700, using: &random))
      expect(drinking.regimen, drinking.parameters, on: grid, "\(drinking)")
    }
  }

  @Test func curveMatchesExactSolutionForDrinksBetweenPoints() throws {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<50 {
      let regimen = Regimen(
        try (0..<30).map { _ in
          try Dose(start: Hours(random.uniform(0...3)), amount: GramsPerKilogram(0.02))
        })
      let parameters = try KineticParameters(
        ka: PerHour(random.logUniform(0.2...60)), beta: 0.15, r: 0.7)
      expect(regimen, parameters, on: try TimeGrid(everyMinutes: 10, count: 60))
    }
  }

  /// The blood empties and fills again under one slow drink.
  @Test func curveMatchesExactSolutionWhereBloodEmptiesDuringADrink() throws {
    let regimen = Regimen([
      try Dose(start: 0, amount: 0.2), try Dose(start: 2.35, duration: 6, amount: 0.84),
    ])
    let parameters = try KineticParameters(ka: 5, beta: 0.12, r: 0.7)
    expect(regimen, parameters, on: try TimeGrid(count: 1440))
  }

  @Test func curveKeepsPrecisionOverAYear() throws {
    let regimen = Regimen([try Dose(start: 0, amount: 0.9), try Dose(start: 4000, amount: 0.9)])
    for beta in [0.15, 1e-4] {
      let parameters = try KineticParameters(ka: 2, beta: GramsPerKilogramHour(beta), r: 0.7)
      expect(regimen, parameters, on: try TimeGrid(count: 365 * 1440))
    }
  }

  /// Parameters that no body has, where one or the other shortcut would lose digits.
  @Test func curveMatchesExactSolutionForExtremeParameters() throws {
    let regimen = Regimen([
      try Dose(start: 0, duration: 0.5, amount: 0.4), try Dose(start: 1, amount: 0.3),
    ])
    let grid = try TimeGrid(start: -1, count: 600)
    for ka in [1e-300, 1e-9, 1e-4, 1e3, 1e9, 1e300] {
      for beta in [Double.leastNormalMagnitude, 1e-12, 0.15, 1e6] {
        let parameters = try KineticParameters(
          ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: 0.7)
        expect(regimen, parameters, on: grid, "ka \(ka), beta \(beta)")
      }
    }
  }

  @Test func curveIsZeroWithoutDrinks() throws {
    let parameters = try KineticParameters(ka: 5, beta: 0.15, r: 0.7)
    let engine = CurveEngine(try TimeGrid(count: 300))
    let nothing = engine.concentrations(of: Regimen([]), parameters)
    #expect(nothing == [Double](repeating: 0, count: 300))
    let later = Regimen([try Dose(start: 1e12, amount: 1)])
    #expect(engine.concentrations(of: later, parameters).allSatisfy { $0 == 0 })
  }

  @Test(arguments: 0...40)
  func writesOnlyTheGridsPoints(room: Int) throws {
    let regimen = Regimen([try Dose(start: 0, amount: 0.5), try Dose(start: 0.2, amount: 0.1)])
    let parameters = try KineticParameters(ka: 5, beta: 0.15, r: 0.7)
    let engine = CurveEngine(try TimeGrid(count: 30))
    let whole = engine.concentrations(of: regimen, parameters)
    var memory = [Double](repeating: -1, count: 50)
    memory.withUnsafeMutableBufferPointer { all in
      engine.write(regimen, parameters, to: UnsafeMutableBufferPointer(rebasing: all[..<room]))
    }
    let written = min(room, 30)
    #expect(zip(memory, whole).prefix(written).allSatisfy { abs($0 - $1) < 1e-15 })
    #expect(memory[written...].allSatisfy { $0 == -1 })
  }
}

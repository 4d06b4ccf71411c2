import AlcoholKinetics

extension BenchmarkWork {
  /// One curve with a point a minute, twenty drinks a week, against the thesis' recurrence.
  ///
  /// The recurrence stops adding a drink up when all of it is absorbed, so that its speed depends on
  /// k_a; the thesis uses 18 /h.
  static func oneCurve(days: Int, ka: PerHour) throws(KineticsError) -> Self {
    let minutes = days * 1440
    let drinks = weekOfDrinking(minutes: minutes)
    let thesis = try ThesisEngine(ka: ka, r: 0.68, weight: 76)
    let engine = CurveEngine(try TimeGrid(count: minutes))
    let parameters = try KineticParameters(ka: ka, beta: thesis.beta, r: 0.68)
    let regimen = try Regimen(
      drinks.map { drink in
        Drink(time: Hours(minutes: Double(drink.minute)), ethanol: .mass(drink.ethanol))
      }, bodyWeight: 76)
    return Self(
      Task(name: "one_curve_ka\(Int(ka.value))", count: minutes) {
        engine.concentrations(of: regimen, parameters).last ?? 0
      },
      unit: "minutes",
      reference: Task(name: "thesis_engine", count: minutes) {
        thesis.concentrations(of: drinks, minutes: minutes).last?.value ?? 0
      }, target: .ratio(150))
  }

  private static func weekOfDrinking(minutes: Int) -> [ThesisEngine.MinuteDrink] {
    var spread = GoldenSpread(start: 0)
    return (0..<max(1, minutes / 504)).map { _ in
      ThesisEngine.MinuteDrink(
        minute: Int(spread.next(0...Double(minutes))), ethanol: Grams(spread.next(5...40)))
    }
  }
}

import AlcoholKinetics

extension BenchmarkWork {
  /// A day's curves of a cohort by all methods into one buffer, against clearing it by memset and
  /// against storing one number everywhere.
  ///
  /// memset may use instructions that computed values cannot; the second reference is the cost of plain
  /// stores.
  static func manyCurves(_ name: String, subjects: Int) throws(Problem) -> [Self] {
    let grid = try TimeGrid(count: 1440)
    let cohort = try BenchmarkCohort(subjects: subjects)
    let curves = Memory(try CurveBuffer(grid: grid, curveCount: cohort.curveCount))
    let plain = Memory([Double](repeating: 0, count: grid.count * cohort.curveCount))
    let count = plain.content.count
    let fill = { (name: String) in
      Task(name: name, count: count) {
        curves.content.fill(cohort.input)
        return curves.content.values.last ?? 0
      }
    }
    let clear = Task(name: "memset", count: count) {
      plain.content.withUnsafeMutableBytes { bytes in
        _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
      }
      return plain.content.last ?? 0
    }
    let store = Task(name: "store_constant", count: count) {
      plain.content.withUnsafeMutableBufferPointer { $0.update(repeating: 0.1) }
      return plain.content.last ?? 0
    }
    return [
      Self(fill(name), unit: "minutes", reference: clear, target: .ratio(0.8)),
      Self(fill(name), unit: "minutes", reference: store),
    ]
  }

  /// Memory reused from run to run.
  private final class Memory<Content> {
    var content: Content

    init(_ content: Content) {
      self.content = content
    }
  }
}

extension BenchmarkWork {
  /// One curve with a point a minute, twenty drinks a week, against the thesis' recurrence.
  ///
  /// The recurrence stops adding a drink up when all of it is absorbed, so that its speed depends on
  /// k_a; the thesis uses 18 /h.
  static func oneCurve(days: Int, ka: PerHour) throws(Problem) -> Self {
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

extension BenchmarkWork {
  /// When each curve of a cohort falls below 0.2 g/kg for good, from finished segments.
  static func timeToThreshold(subjects: Int) throws(Problem) -> Self {
    try landmark("time_to_threshold", subjects, target: .rate(12e6)) { curve in
      curve.timeToThreshold(0.2)?.value ?? 0
    }
  }

  /// When each subject of a cohort is sober, segments included.
  static func timeToSobriety(subjects: Int) throws(Problem) -> Self {
    let cohort = try BenchmarkCohort(subjects: subjects)
    return Self(
      Task(name: "sobriety_with_segments", count: cohort.curveCount) {
        (0..<cohort.curveCount).reduce(0) { sum, curve in
          let (regimen, parameters) = cohort.input(of: curve)
          return sum + (Trajectory(regimen, parameters).timeToThreshold(0)?.value ?? 0)
        }
      }, unit: "times")
  }

  /// The peak of each curve of a cohort, from finished segments.
  static func peak(subjects: Int) throws(Problem) -> Self {
    try landmark("peak", subjects) { $0.peak?.concentration.value ?? 0 }
  }

  /// The area under each curve of a cohort, from finished segments.
  static func area(subjects: Int) throws(Problem) -> Self {
    try landmark("area", subjects) { $0.area().value }
  }

  private static func landmark(
    _ name: String, _ subjects: Int, target: BenchmarkTarget? = nil,
    _ value: @escaping (Trajectory) -> Double
  ) throws(Problem) -> Self {
    let cohort = try BenchmarkCohort(subjects: subjects)
    let curves = (0..<cohort.curveCount).map { curve in
      let (regimen, parameters) = cohort.input(of: curve)
      return Trajectory(regimen, parameters)
    }
    return Self(
      Task(name: name, count: curves.count) { curves.reduce(0) { $0 + value($1) } },
      unit: "curves", target: target)
  }
}

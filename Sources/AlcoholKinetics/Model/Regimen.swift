/// All doses of one series: the input of the model.
///
/// A regimen does not depend on the model's parameters, so one serves every evaluation of a fit.
public struct Regimen: Codable, Hashable, Sendable {
  /// The doses, in order of their start.
  public let doses: [Dose]

  /// Whether some doses are intravenous.
  public let hasIntravenous: Bool

  /// The changes of the input, in order of time.
  let changes: [InputChange]

  /// Makes a regimen of doses, sorted by start.
  public init(_ doses: [Dose]) {
    let isInOrder = zip(doses, doses.dropFirst()).allSatisfy { $0.start <= $1.start }
    self.doses = isInOrder ? doses : doses.sorted { $0.start < $1.start }
    hasIntravenous = doses.contains { $0.route == .intravenous }
    changes = Self.changes(of: self.doses)
  }

  /// Turns drinks into doses per kg of body weight.
  ///
  /// - Throws: ``Problem`` as ``Dose/init(_:bodyWeight:)``.
  public init(_ drinks: [Drink], bodyWeight: Kilograms?) throws(Problem) {
    var doses: [Dose] = []
    doses.reserveCapacity(drinks.count)
    for drink in drinks {
      doses.append(try Dose(drink, bodyWeight: bodyWeight))
    }
    self.init(doses)
  }

  /// A copy with transformed start times.
  package func moved(_ time: (Hours) -> Hours) -> Regimen {
    Regimen(doses.map { $0.starting(at: time($0.start)) })
  }

  /// The start of the first dose; nil if there is none.
  public var start: Hours? { doses.first?.start }

  /// Whether there are doses and all are intravenous, so that nothing is absorbed.
  public var isIntravenous: Bool {
    !doses.isEmpty && doses.allSatisfy { $0.route == .intravenous }
  }

  /// Ethanol per kg of body weight in all doses together.
  public var total: GramsPerKilogram {
    doses.reduce(0) { $0 + $1.amount }
  }

  /// The changes of the input on a clock delayed by the lag, so that drinks act when they are taken. Intravenous doses have
  /// no lag and are earlier by it on this clock.
  ///
  /// It allocates only if there are intravenous doses and a lag.
  func changes(lag: Double) -> [InputChange] {
    hasIntravenous && lag != 0 ? Self.changes(of: doses, lag: lag) : changes
  }

  private static func changes(of doses: [Dose], lag: Double = 0) -> [InputChange] {
    var edges: [Edge] = []
    edges.reserveCapacity(2 * doses.count)
    for dose in doses { Edge.append(of: dose, lag: lag, to: &edges) }
    if zip(edges, edges.dropFirst()).contains(where: { $0.time > $1.time }) {
      edges.sort { $0.time < $1.time }
    }

    var changes: [InputChange] = []
    changes.reserveCapacity(edges.count)
    var gut = RunningInput()
    var blood = RunningInput()
    for edge in edges {
      var change = InputChange(time: edge.time)
      if let last = changes.last, last.time == edge.time { change = changes.removeLast() }
      if edge.isIntravenous {
        blood.add(edge)
        change.bloodBolus += edge.bolus
      } else {
        gut.add(edge)
        change.bolus += edge.bolus
      }
      change.rate = gut.rate
      change.bloodRate = blood.rate
      changes.append(change)
    }
    return changes
  }
}

/// A change of the input: boluses, and the rates from then on.
package struct InputChange: Codable, Hashable, Sendable {
  /// Time in h.
  let time: Double
  /// Added to the gut at once, in g per kg of body weight.
  var bolus = 0.0
  /// Rate of input into the gut from here to the next change, in g per kg of body weight and h.
  var rate = 0.0
  /// Added to the blood at once, in g per kg of body weight.
  var bloodBolus = 0.0
  /// Rate of input into the blood from here to the next change, in g per kg of body weight and h.
  var bloodRate = 0.0
}

/// One end of a dose.
private struct Edge {
  let time: Double
  var bolus = 0.0
  var rateChange = 0.0
  let isIntravenous: Bool

  static func append(of dose: Dose, lag: Double, to edges: inout [Edge]) {
    let isIntravenous = dose.route == .intravenous
    let start = isIntravenous ? dose.start.value - lag : dose.start.value
    let end = start + dose.duration.value
    // A duration too short to move the clock is a bolus; its rate would be infinite.
    guard end > start else {
      edges.append(Edge(time: start, bolus: dose.amount.value, isIntravenous: isIntravenous))
      return
    }
    let rate = dose.amount.value / (end - start)
    edges.append(Edge(time: start, rateChange: rate, isIntravenous: isIntravenous))
    edges.append(Edge(time: end, rateChange: -rate, isIntravenous: isIntravenous))
  }
}

/// The sum of the rates of all doses under way.
private struct RunningInput {
  private(set) var rate = 0.0
  private var dosesUnderWay = 0

  mutating func add(_ edge: Edge) {
    guard edge.rateChange != 0 else { return }
    dosesUnderWay += edge.rateChange > 0 ? 1 : -1
    // Floating-point sums do not cancel exactly, and a rate left above zero by rounding would be an endless
    // input.
    rate = dosesUnderWay == 0 ? 0 : max(0, rate + edge.rateChange)
  }
}

/// A dose of ethanol per kg of body weight, the input of a model.
public struct Dose: Codable, Hashable, Sendable {
  /// The start of the intake.
  public let start: Hours
  /// The duration of the intake, at a constant rate; 0 for a bolus.
  public let duration: Hours
  /// Ethanol per kg of body weight.
  public let amount: GramsPerKilogram
  /// The route into the blood.
  public let route: Route

  /// Checks and keeps a dose.
  ///
  /// - Throws: ``Problem`` for a time that is not finite or a
  ///   duration or amount that is negative or not finite.
  public init(
    start: Hours, duration: Hours = 0, amount: GramsPerKilogram, route: Route = .oral
  ) throws(Problem) {
    self.start = try start.checked("time of a dose", "finite") { _ in true }
    self.duration = try duration.checked("duration of a dose", "0 or more") { $0 >= 0 }
    self.amount = try amount.checked("ethanol per kg of body weight", "0 or more") { $0 >= 0 }
    self.route = route
  }

  /// A copy at another start, which must be finite.
  func starting(at start: Hours) -> Dose { Dose(copying: self, start) }

  private init(copying dose: Dose, _ start: Hours) {
    self.start = start
    duration = dose.duration
    amount = dose.amount
    route = dose.route
  }

  /// The dose in a drink, for a body of that weight.
  ///
  /// - Throws: ``Problem`` if the drink's ethanol is a mass and the weight is
  ///   nil, otherwise as `init(start:duration:amount:)`.
  public init(_ drink: Drink, bodyWeight: Kilograms?) throws(Problem) {
    guard let amount = drink.ethanol.perKilogram(ofBodyWeight: bodyWeight) else {
      throw .weightMissing
    }
    try self.init(
      start: drink.time, duration: drink.duration, amount: amount, route: drink.route)
  }
}

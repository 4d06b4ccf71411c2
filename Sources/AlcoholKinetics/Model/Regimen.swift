/// All doses of one series: the input of the model.
///
/// A regimen does not depend on the model's parameters, so that one serves every evaluation of a
/// fit.
public struct Regimen: Codable, Hashable, Sendable {
  /// The doses, in order of their start.
  public let doses: [Dose]

  /// Whether some doses go straight into the blood.
  public let hasIntravenous: Bool

  /// What happens to the input at each time at which it changes, in order of time.
  let changes: [InputChange]

  /// Puts doses in order.
  public init(_ doses: [Dose]) {
    let isInOrder = zip(doses, doses.dropFirst()).allSatisfy { $0.start <= $1.start }
    self.doses = isInOrder ? doses : doses.sorted { $0.start < $1.start }
    hasIntravenous = doses.contains { $0.route == .intravenous }
    changes = Self.changes(of: self.doses)
  }

  /// Turns drinks into doses per kg of body weight.
  ///
  /// - Throws: ``KineticsError`` as ``Dose/init(_:bodyWeight:)``.
  public init(_ drinks: [Drink], bodyWeight: Kilograms?) throws(KineticsError) {
    var doses: [Dose] = []
    doses.reserveCapacity(drinks.count)
    for drink in drinks {
      doses.append(try Dose(drink, bodyWeight: bodyWeight))
    }
    self.init(doses)
  }

  /// The same doses at other times.
  package func moved(_ time: (Hours) -> Hours) -> Regimen {
    Regimen(doses.map { $0.starting(at: time($0.start)) })
  }

  /// When the first dose begins, or nil if there is none.
  public var start: Hours? { doses.first?.start }

  /// Whether there are doses and all go straight into the blood, so that nothing is absorbed.
  public var isIntravenous: Bool {
    !doses.isEmpty && doses.allSatisfy { $0.route == .intravenous }
  }

  /// Ethanol per kg of body weight in all doses together.
  public var total: GramsPerKilogram {
    doses.reduce(0) { $0 + $1.amount }
  }

  /// The changes of the input on a clock that is behind by the lag, on which drinks act when they are
  /// taken. Doses into the blood, which do not wait, act earlier there by the lag.
  ///
  /// Nothing is allocated unless there are such doses and a lag.
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
    var (gut, blood) = (RunningInput(), RunningInput())
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

/// A time at which the input changes: what is added at once, and the rates from then on.
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
    // Sums of floating-point numbers do not cancel exactly, and a rate that stays a rounding error
    // above zero would be an input without end.
    rate = dosesUnderWay == 0 ? 0 : max(0, rate + edge.rateChange)
  }
}

/// Ethanol taken, per kg of body weight, as the model sees it.
public struct Dose: Codable, Hashable, Sendable {
  /// When the intake began.
  public let start: Hours
  /// How long it lasted, at a constant rate; 0 for a bolus.
  public let duration: Hours
  /// Ethanol per kg of body weight.
  public let amount: GramsPerKilogram
  /// Which way it takes into the blood.
  public let route: Route

  /// Checks and keeps a dose.
  ///
  /// - Throws: ``KineticsError/outOfRange(name:value:allowed:)`` for a time that is not finite or a
  ///   duration or amount that is negative or not finite.
  public init(
    start: Hours, duration: Hours = 0, amount: GramsPerKilogram, route: Route = .oral
  ) throws(KineticsError) {
    self.start = try start.checked("time of a dose", "finite") { _ in true }
    self.duration = try duration.checked("duration of a dose", "0 or more") { $0 >= 0 }
    self.amount = try amount.checked("ethanol per kg of body weight", "0 or more") { $0 >= 0 }
    self.route = route
  }

  /// The same at another time, which must be finite.
  func starting(at start: Hours) -> Dose { Dose(copying: self, start) }

  private init(copying dose: Dose, _ start: Hours) {
    (self.start, duration, amount, route) = (start, dose.duration, dose.amount, dose.route)
  }

  /// The dose in a drink, for a body of that weight.
  ///
  /// - Throws: ``KineticsError/weightMissing`` if the drink's ethanol is a mass and the weight is
  ///   nil, otherwise as `init(start:duration:amount:)`.
  public init(_ drink: Drink, bodyWeight: Kilograms?) throws(KineticsError) {
    guard let amount = drink.ethanol.perKilogram(ofBodyWeight: bodyWeight) else {
      throw .weightMissing
    }
    try self.init(
      start: drink.time, duration: drink.duration, amount: amount, route: drink.route)
  }
}

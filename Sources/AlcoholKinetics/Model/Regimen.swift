/// All doses of one series: the input of the model.
///
/// A regimen does not depend on the model's parameters, so that one serves every evaluation of a
/// fit.
public struct Regimen: Hashable, Sendable {
  /// The doses, in order of their start.
  public let doses: [Dose]

  /// What happens to the input at each time at which it changes, in order of time.
  let changes: [InputChange]

  /// Puts doses in order.
  public init(_ doses: [Dose]) {
    self.doses = doses.sorted { $0.start < $1.start }
    changes = Self.changes(of: self.doses)
  }

  /// Turns drinks into doses per kg of body weight.
  ///
  /// - Throws: ``KineticsError`` as ``Dose/init(_:bodyWeight:)``.
  public init(_ drinks: [Drink], bodyWeight: Kilograms?) throws(KineticsError) {
    var doses: [Dose] = []
    for drink in drinks {
      doses.append(try Dose(drink, bodyWeight: bodyWeight))
    }
    self.init(doses)
  }

  /// When the first dose begins, or nil if there is none.
  public var start: Hours? { doses.first?.start }

  /// Ethanol per kg of body weight in all doses together.
  public var total: GramsPerKilogram {
    doses.reduce(0) { $0 + $1.amount }
  }

  private static func changes(of doses: [Dose]) -> [InputChange] {
    var edges: [Edge] = []
    for dose in doses {
      edges.append(contentsOf: Edge.edges(of: dose))
    }
    edges.sort { $0.time < $1.time }

    var changes: [InputChange] = []
    var running = RunningInput()
    for edge in edges {
      running.add(edge)
      if let last = changes.last, last.time == edge.time {
        changes[changes.count - 1] = InputChange(
          time: edge.time, bolus: last.bolus + edge.bolus, rate: running.rate)
      } else {
        changes.append(InputChange(time: edge.time, bolus: edge.bolus, rate: running.rate))
      }
    }
    return changes
  }
}

/// A time at which the input changes: what is added at once, and the rate from then on.
struct InputChange: Hashable, Sendable {
  /// Time in h.
  let time: Double
  /// Added to the gut at once, in g per kg of body weight.
  let bolus: Double
  /// Rate of input from here to the next change, in g per kg of body weight and h.
  let rate: Double
}

/// One end of a dose.
private struct Edge {
  let time: Double
  let bolus: Double
  let rateChange: Double

  static func edges(of dose: Dose) -> [Edge] {
    let start = dose.start.value
    let end = start + dose.duration.value
    // A duration too short to move the clock is a bolus; its rate would be infinite.
    guard end > start else {
      return [Edge(time: start, bolus: dose.amount.value, rateChange: 0)]
    }
    let rate = dose.amount.value / (end - start)
    return [
      Edge(time: start, bolus: 0, rateChange: rate),
      Edge(time: end, bolus: 0, rateChange: -rate),
    ]
  }
}

/// The sum of the rates of all drinks under way.
private struct RunningInput {
  private(set) var rate = 0.0
  private var drinksUnderWay = 0

  mutating func add(_ edge: Edge) {
    guard edge.rateChange != 0 else { return }
    drinksUnderWay += edge.rateChange > 0 ? 1 : -1
    // Sums of floating-point numbers do not cancel exactly, and a rate that stays a rounding error
    // above zero would be an input without end.
    rate = drinksUnderWay == 0 ? 0 : max(0, rate + edge.rateChange)
  }
}

/// The blood-alcohol curve of one regimen under Michaelis-Menten elimination.
///
/// With this model the blood is never exactly empty once absorption has begun: elimination slows down
/// with the remainder. There is no time to sobriety, only one to a positive threshold.
///
/// The curve is integrated once and kept as a list of nodes; a value between two nodes is one more
/// step from the first of them.
package struct MichaelisMentenTrajectory: BloodCurve {
  /// The parameters of the curve.
  package let parameters: MichaelisMentenParameters
  /// Whether the integration exceeded the allowed number of steps, or overflowed.
  package let hasFailed: Bool

  private let nodes: [MichaelisMentenNode]

  /// Computes the curve.
  package init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    self.parameters = parameters
    let builder = MichaelisMentenNodeBuilder(regimen, parameters)
    nodes = builder.nodes
    hasFailed = builder.hasFailed
  }

  /// Blood concentration at a time; 0 before the first dose, NaN if the curve has failed.
  package func concentration(at time: Hours) -> GramsPerKilogram {
    guard !hasFailed else { return GramsPerKilogram(.nan) }
    guard let node = nodes.last(from: time, \.time) else { return 0 }
    let solution = node.solution.advanced(by: time.value - node.time)
    return GramsPerKilogram(solution.hasFailed ? .nan : solution.state.blood)
  }

  /// The highest concentration and the first time at which it is reached; nil if the blood is always
  /// empty or the curve has failed.
  package var peak: Peak? {
    guard !hasFailed, let highest = nodes.max(by: { $0.blood < $1.blood }), highest.blood > 0
    else { return nil }
    return Peak(time: Hours(highest.time), concentration: GramsPerKilogram(highest.blood))
  }

  /// The time from which on the concentration stays at or below a threshold.
  ///
  /// It is on the regimen's clock: subtract ``Regimen/start`` for the time since the first drink.
  ///
  /// - Parameter threshold: A positive concentration; 0 is never reached.
  /// - Returns: nil if the threshold is never exceeded, is not positive or out of reach, or if the
  ///   curve has failed.
  package func timeToThreshold(_ threshold: GramsPerKilogram) -> Hours? {
    let level = threshold.value
    guard !hasFailed, level > 0, let index = nodes.lastIndex(where: { $0.blood > level }) else {
      return nil
    }
    let isLast = index + 1 == nodes.count
    let limit = isLast ? .infinity : nodes[index + 1].time - nodes[index].time
    return nodes[index].fall(to: level, within: limit).map { Hours($0) }
  }
}

/// A point of a curve from which it can be continued.
struct MichaelisMentenNode: Sendable {
  /// Time on the regimen's clock, in h.
  let time: Double
  /// The solution there.
  let solution: MichaelisMentenKinetics

  /// Blood concentration, in g/kg.
  var blood: Double { solution.state.blood }

  /// The time at which the concentration, above a level at the node, has fallen to it.
  ///
  /// - Parameter limit: The length of the search in h, within which the concentration must not rise.
  /// - Returns: nil if a thousand steps do not reach the level, as with the smallest rates.
  func fall(to level: Double, within limit: Double) -> Double? {
    var before = solution
    var elapsed = 0.0
    for _ in 0..<1000 {
      guard elapsed < limit else { break }
      var after = before
      let tau = after.step(within: limit - elapsed)
      guard !after.hasFailed else { return nil }
      if after.state.blood <= level {
        return time + elapsed + before.firstTime(within: tau) { $0.state.blood <= level }
      }
      before = after
      elapsed += tau
    }
    return limit.isFinite ? time + limit : nil
  }
}

extension MichaelisMentenKinetics {
  /// By bisection, the first time within a step from which on something holds.
  func firstTime(within tau: Double, where holds: (Self) -> Bool) -> Double {
    var low = 0.0
    var high = tau
    while true {
      let middle = low + (high - low) / 2
      guard middle > low, middle < high else { return high }
      if holds(advanced(by: middle)) { high = middle } else { low = middle }
    }
  }
}

/// Integrates the curve of a regimen and keeps it as nodes between which the concentration only rises
/// or only falls.
struct MichaelisMentenNodeBuilder {
  /// Steps that are allowed from one change of the input to the next.
  private static let maximumSteps = 10_000

  private(set) var nodes: [MichaelisMentenNode] = []
  /// Whether the integration exceeded the allowed number of steps, or overflowed.
  private(set) var hasFailed = false

  private var solution: MichaelisMentenKinetics
  private var time = 0.0

  /// Integrates a curve to where a millionth of the concentration after the last change of the input is
  /// left; from there on it can be continued.
  init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    solution = MichaelisMentenKinetics(parameters)
    let changes = regimen.changes(lag: parameters.lag.value)
    for index in changes.indices where !hasFailed {
      let duration = changes.end(index) - changes[index].time
      time = changes[index].time + parameters.lag.value
      solution.change(changes[index], for: duration)
      hasFailed = solution.hasFailed
      appendNode()
      append(for: duration)
    }
  }

  private mutating func append(for duration: Double) {
    var left = duration
    let end = solution.total * 1e-6
    var steps = 0
    while !hasFailed, left.isFinite ? left > 0 : solution.total > end {
      let start = solution
      let tau = solution.step(within: left)
      steps += 1
      guard !solution.hasFailed, steps <= Self.maximumSteps else {
        hasFailed = true
        return
      }
      if (start.slope > 0) != (solution.slope > 0) {
        let isRising = solution.slope > 0
        appendNode(start, after: start.firstTime(within: tau) { ($0.slope > 0) == isRising })
      }
      left -= tau
      time += tau
      appendNode()
    }
  }

  private mutating func appendNode() {
    nodes.append(MichaelisMentenNode(time: time, solution: solution))
  }

  /// Appends the point `tau` hours after a solution at the present time.
  private mutating func appendNode(_ start: MichaelisMentenKinetics, after tau: Double) {
    nodes.append(MichaelisMentenNode(time: time + tau, solution: start.advanced(by: tau)))
  }
}

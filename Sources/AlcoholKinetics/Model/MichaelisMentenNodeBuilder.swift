/// Integrates the curve of a regimen and keeps it as nodes between which the concentration only rises
/// or only falls.
struct MichaelisMentenNodeBuilder {
  /// Steps that are allowed from one change of the input to the next.
  private static let maximumSteps = 10_000

  private(set) var nodes: [MichaelisMentenNode] = []
  /// Whether the steps allowed did not suffice, or the doses are beyond the range of numbers.
  private(set) var hasFailed = false

  private var solution: MichaelisMentenSolution
  private var time = 0.0

  /// Integrates a curve to where a millionth of what was there after the last change of the input is
  /// left; from there on it can be continued.
  init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    solution = MichaelisMentenSolution(parameters)
    let dose = parameters.concentrationPerDose
    for (index, change) in regimen.changes.enumerated() where !hasFailed {
      let isLast = index + 1 == regimen.changes.count
      let duration = isLast ? .infinity : regimen.changes[index + 1].time - change.time
      time = change.time + parameters.lag.value
      solution.change(
        bolus: change.bolus * dose, inputRate: change.rate * dose, duration: duration)
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
  private mutating func appendNode(_ start: MichaelisMentenSolution, after tau: Double) {
    nodes.append(MichaelisMentenNode(time: time + tau, solution: start.advanced(by: tau)))
  }
}

/// Integrates the curve of a regimen and keeps it as nodes between which the concentration only rises
/// or only falls.
struct MichaelisMentenNodeBuilder {
  private var nodes: [MichaelisMentenNode] = []
  private var solution: MichaelisMentenSolution
  private var time = 0.0

  /// The nodes of a curve, to where a millionth of what was there after the last change of the input
  /// is left; from there on they can be continued.
  static func nodes(
    of regimen: Regimen, _ parameters: MichaelisMentenParameters
  ) -> [MichaelisMentenNode] {
    var builder = MichaelisMentenNodeBuilder(solution: MichaelisMentenSolution(parameters))
    let dose = parameters.concentrationPerDose
    for (index, change) in regimen.changes.enumerated() {
      let isLast = index + 1 == regimen.changes.count
      let duration = isLast ? .infinity : regimen.changes[index + 1].time - change.time
      builder.time = change.time + parameters.lag.value
      builder.solution.change(
        bolus: change.bolus * dose, inputRate: change.rate * dose, duration: duration)
      builder.appendNode()
      builder.append(for: duration)
    }
    return builder.nodes
  }

  private init(solution: MichaelisMentenSolution) {
    self.solution = solution
  }

  private mutating func append(for duration: Double) {
    var left = duration
    let end = solution.total * 1e-6
    while left.isFinite ? left > 0 : solution.total > end {
      let start = solution
      let tau = solution.step(within: left)
      guard !solution.hasFailed else { return }
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

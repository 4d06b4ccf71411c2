/// The blood-alcohol curve of one regimen under Michaelis-Menten elimination.
///
/// With this model the blood is never exactly empty once absorption has begun: elimination slows down
/// with what is left. There is no time to sobriety, only one to a positive threshold.
///
/// The curve is integrated once and kept as a list of nodes; a value between two nodes is one more
/// step from the first of them.
public struct MichaelisMentenTrajectory: Sendable {
  /// The parameters of the curve.
  public let parameters: MichaelisMentenParameters
  /// Whether the steps allowed did not suffice, or the doses are beyond the range of numbers.
  public let hasFailed: Bool

  private let nodes: [MichaelisMentenNode]

  /// Computes the curve.
  public init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    self.parameters = parameters
    let builder = MichaelisMentenNodeBuilder(regimen, parameters)
    nodes = builder.nodes
    hasFailed = builder.hasFailed
  }

  /// Blood concentration at a time; 0 before the first dose, NaN if the curve has failed.
  public func concentration(at time: Hours) -> GramsPerKilogram {
    guard !hasFailed else { return GramsPerKilogram(.nan) }
    guard let node = node(at: time) else { return 0 }
    let solution = node.solution.advanced(by: time.value - node.time)
    return GramsPerKilogram(solution.hasFailed ? .nan : solution.state.blood)
  }

  /// The highest concentration and the first time at which it is reached; nil if the blood is always
  /// empty or the curve has failed.
  public var peak: Peak? {
    guard !hasFailed, let highest = nodes.max(by: { $0.blood < $1.blood }), highest.blood > 0
    else { return nil }
    return Peak(time: Hours(highest.time), concentration: GramsPerKilogram(highest.blood))
  }

  /// The time from which on the concentration stays at or below a threshold.
  ///
  /// The same clock as the regimen's: subtract ``Regimen/start`` for a span since the first drink.
  ///
  /// - Parameter threshold: A positive concentration; 0 is never reached.
  /// - Returns: nil if the threshold is never exceeded, is not positive or out of reach, or if the
  ///   curve has failed.
  public func timeToThreshold(_ threshold: GramsPerKilogram) -> Hours? {
    let level = threshold.value
    guard !hasFailed, level > 0, let index = nodes.lastIndex(where: { $0.blood > level }) else {
      return nil
    }
    let isLast = index + 1 == nodes.count
    let limit = isLast ? .infinity : nodes[index + 1].time - nodes[index].time
    return nodes[index].fall(to: level, within: limit).map { Hours($0) }
  }

  /// The last node at or before a time.
  private func node(at time: Hours) -> MichaelisMentenNode? {
    var low = 0
    var high = nodes.count
    while low < high {
      let middle = (low + high) / 2
      if nodes[middle].time <= time.value { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? nodes[low - 1] : nil
  }
}

/// A point of a curve from which it can be continued.
struct MichaelisMentenNode: Sendable {
  /// Time on the regimen's clock, in h.
  let time: Double
  /// The solution there.
  let solution: MichaelisMentenSolution

  /// Blood concentration, in g/kg.
  var blood: Double { solution.state.blood }

  /// When the concentration, which is above a level here, has fallen to it.
  ///
  /// - Parameter limit: How far to look, in h; it must not rise again up to there.
  /// - Returns: nil if a thousand steps do not get there, as with the smallest rates.
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

extension MichaelisMentenSolution {
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

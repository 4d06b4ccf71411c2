/// A crossing of a level by the curve.
public struct Crossing: Hashable, Sendable {
  /// When.
  public let time: Hours
  /// Whether the concentration falls there.
  public let isFalling: Bool
}

extension Segment {
  /// Times after the start at which the concentration crosses a level, in order.
  ///
  /// A curve that only touches the level does not cross it.
  func crossings(of level: Double) -> [(tau: Double, isFalling: Bool)] {
    guard !isClamped else { return [] }
    return monotonePieces(to: level).compactMap { piece in
      let isFalling = piece.startValue > level && piece.endValue <= level
      let isRising = piece.startValue <= level && piece.endValue > level
      guard isFalling || isRising else { return nil }
      let tau = solve(level, in: piece.start...piece.end, isFalling: isFalling)
      return (tau, isFalling)
    }
  }

  /// A stretch on which the concentration only rises or only falls.
  private struct MonotonePiece {
    let start: Double
    let end: Double
    let startValue: Double
    let endValue: Double
  }

  private func monotonePieces(to level: Double) -> [MonotonePiece] {
    // Without end and input, the concentration has fallen to the level by (c + g - level) / beta at
    // the latest: by then all that is above it can have been eliminated.
    let cleared = min((state.blood + state.gut - level) / beta, .greatestFiniteMagnitude)
    let latest = max(turningTime ?? 0, cleared)
    let end = duration.isFinite ? duration : latest
    guard let turn = turningTime else {
      return [MonotonePiece(start: 0, end: end, startValue: state.blood, endValue: endBlood)]
    }
    let turnValue = unclamped(after: turn).blood
    return [
      MonotonePiece(start: 0, end: turn, startValue: state.blood, endValue: turnValue),
      MonotonePiece(start: turn, end: end, startValue: turnValue, endValue: endBlood),
    ]
  }

  private func unclamped(after tau: Double) -> (blood: Double, gut: Double) {
    state.unclamped(after: tau, inputRate: inputRate, ka: ka, beta: beta)
  }

  /// Solves c(tau) = level on a stretch that holds exactly one solution.
  ///
  /// Newton's method, kept inside a shrinking bracket. Where c is concave, started from the end at
  /// which c is below the level, it converges monotonically.
  private func solve(_ level: Double, in range: ClosedRange<Double>, isFalling: Bool) -> Double {
    var low = range.lowerBound
    var high = range.upperBound
    var tau = isFalling ? high : low
    // Bisection alone would need about 60 halvings and 1100 for denormals; Newton takes 3 to 8.
    for _ in 0..<1100 {
      let point = unclamped(after: tau)
      let excess = point.blood - level
      if excess == 0 { return tau }
      if (excess > 0) == isFalling { low = tau } else { high = tau }
      let newton = tau - excess / (ka * point.gut - beta)
      let next = newton > low && newton < high ? newton : low + (high - low) / 2
      if abs(next - tau) <= tau.ulp || next == low || next == high { return next }
      tau = next
    }
    return tau
  }
}

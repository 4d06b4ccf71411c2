import RealModule

/// A crossing of a level by the curve.
public struct Crossing: Hashable, Sendable {
  /// When.
  public let time: Hours
  /// Whether the concentration falls there.
  public let isFalling: Bool
}

extension Segment {
  /// Time after the start at which the concentration falls to a level, if it does.
  ///
  /// A curve that only touches the level does not cross it, and there is at most one such time: a
  /// segment has at most one turn.
  func fall(to level: Double) -> Double? {
    guard !isClamped else { return nil }
    if state.blood > level, !isConvex {
      return endBlood <= level ? solve(level, in: 0...end(below: level), isFalling: true) : nil
    }
    guard state.blood > level else {
      guard !isConvex, endBlood <= level, let turn = turningTime, point(at: turn).value > level
      else { return nil }
      return solve(level, in: turn...end(below: level), isFalling: true)
    }
    let turn = turningTime
    let lowest = turn.map { point(at: $0).value } ?? endBlood
    guard lowest <= level else { return nil }
    return solve(level, in: 0...(turn ?? end(below: level)), isFalling: true)
  }

  /// Time after the start at which the concentration rises above a level, if it does.
  func rise(above level: Double) -> Double? {
    guard !isClamped else { return nil }
    let turn = turningTime
    guard isConvex, let turn else {
      let highest = turn.map { point(at: $0).value } ?? endBlood
      guard state.blood <= level, highest > level else { return nil }
      return solve(level, in: 0...(turn ?? duration), isFalling: false)
    }
    guard point(at: turn).value <= level, endBlood > level else { return nil }
    return solve(level, in: turn...duration, isFalling: false)
  }

  /// The highest point between the ends, if there is one.
  var top: (tau: Double, value: Double)? {
    guard !isConvex, let turn = turningTime else { return nil }
    return (turn, point(at: turn).value)
  }

  /// Whether absorption speeds up, so that the turn, if any, is a minimum.
  private var isConvex: Bool { inputRate > ka * state.gut }

  /// A time at which the concentration is below a level for good.
  private func end(below level: Double) -> Double {
    guard inputRate == 0 else { return duration }
    // Without input, the concentration has fallen to the level by (c + g - level) / beta at the
    // latest: by then all that is above it can have been eliminated.
    return min(duration, (state.blood + state.gut - level) / beta, .greatestFiniteMagnitude)
  }

  /// The curve at one time, not clamped: its value, slope and curvature.
  private struct Point {
    let value: Double
    let slope: Double
    let curvature: Double
  }

  private func point(at tau: Double) -> Point {
    let x = ka * tau
    // exp is half the price of expm1, and as exact where little is left.
    let gone = x > 1 ? 1 - .exp(-x) : -Double.expMinusOne(-x)
    let steady = inputRate > 0 ? inputRate / ka : 0
    let gut = state.gut * (1 - gone) + steady * gone
    return Point(
      value: state.blood + (state.gut * gone + steady * (x - gone) - beta * tau),
      slope: ka * gut - beta, curvature: ka * (inputRate - ka * gut))
  }

  /// Solves c(tau) = level on a stretch that holds exactly one solution.
  ///
  /// Newton's method, kept inside a shrinking bracket. Started from the end at which a concave curve
  /// is below the level, or a convex one above, it converges monotonically. A step d leaves an error
  /// of d^2 c'' / (2 c') with c'' from somewhere on the way, where it is at most e times that at its
  /// beginning if k d < 1; so the last step need not be tried.
  private func solve(_ level: Double, in range: ClosedRange<Double>, isFalling: Bool) -> Double {
    var low = range.lowerBound
    var high = range.upperBound
    var tau = isFalling != isConvex ? high : low
    // Bisection alone would need about 60 halvings and 1100 for denormals; Newton takes 1 to 8.
    for _ in 0..<1100 {
      let point = point(at: tau)
      let excess = point.value - level
      if excess == 0 { return tau }
      if (excess > 0) == isFalling { low = tau } else { high = tau }
      let newton = tau - excess / point.slope
      guard newton > low, newton < high else {
        let middle = low + (high - low) / 2
        if middle == low || middle == high { return middle }
        tau = middle
        continue
      }
      let step = abs(newton - tau)
      let error = step * step * abs(point.curvature / point.slope) * 1.4
      if error <= newton.ulp, ka * step < 1 { return newton }
      tau = newton
    }
    return tau
  }
}

import RealModule

/// A stretch of the curve with constant input, on which the blood is either never or always empty.
struct Segment: Hashable, Sendable {
  /// The start, in h.
  let start: Double
  /// The duration, in h; infinite for the last segment.
  let duration: Double
  /// Blood concentration at the end, in g/kg. It is stored, so that a segment ends exactly where the next one
  /// starts, and no crossing is lost or found twice by rounding.
  let endBlood: Double
  /// State at the start.
  let state: Compartments
  /// Input into the gut, in g per kg of blood and h.
  let inputRate: Double
  /// Whether the blood is empty throughout, because less is absorbed than could be eliminated.
  let isClamped: Bool
  /// The amount eliminated by the start, in g per kg of blood.
  let eliminatedBefore: Double

  let ka: Double
  /// The elimination rate beta minus the infusion rate, in g/kg/h; it may be negative.
  let net: Double
  /// The infusion rate into the blood, in g/kg/h.
  let bloodRate: Double

  /// State at `tau` hours after the start.
  func state(after tau: Double) -> Compartments {
    var state = self.state
    state.advance(by: tau, inputRate: inputRate, ka: ka, beta: net)
    if isClamped {
      // Where k g is all but equal to beta, rounding could leave a trace.
      state.emptyBlood()
    }
    return state
  }

  /// Eliminated by `tau` hours after the start, in g per kg of blood.
  func eliminated(after tau: Double) -> Double {
    guard isClamped else { return eliminatedBefore + (net + bloodRate) * tau }
    let absorbed = state.gut + inputRate * tau - self.state(after: tau).gut
    return eliminatedBefore + (absorbed + bloodRate * tau)
  }

  /// Time after the start at which the concentration turns, if it does within the segment.
  var turningTime: Double? {
    guard !isClamped,
      let turn = state.turn(inputRate: inputRate, ka: ka, beta: net),
      turn < duration
    else { return nil }
    return turn
  }
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
    guard inputRate == 0, net > 0 else { return duration }
    // Without input, the concentration has fallen to the level by (c + g - level) / net at the
    // latest: by then all that is above it can have been eliminated.
    return min(duration, (state.blood + state.gut - level) / net, .greatestFiniteMagnitude)
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
      value: state.blood + (state.gut * gone + steady * (x - gone) - net * tau),
      slope: ka * gut - net, curvature: ka * (inputRate - ka * gut))
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

extension Segment {
  /// The area under the curve between two times after the start, in g/kg h.
  ///
  /// Anew from the first of the two times, c(tau) = c + g (1 - e^(-x)) + R tau - (R/k)(1 - e^(-x)) -
  /// net tau with x = k tau is integrated to
  ///
  ///     tau (c + g x p2(x) + R tau x p3(x) - net tau / 2)
  ///
  /// where p2(x) = (x - 1 + e^(-x)) / x^2 and p3(x) = (1/2 - p2(x)) / x.
  func area(from first: Double, to last: Double) -> Double {
    guard !isClamped else { return 0 }
    let state = state(after: first)
    let tau = last - first
    let x = ka * tau
    let (p2, p3) = Self.remainders(x)
    let mean = state.blood + state.gut * x * p2 + inputRate * tau * x * p3 - net * tau / 2
    // Where the curve is all but zero, rounding could leave a trace below.
    return max(0, tau * mean)
  }

  /// p2 and p3: the remainder of e^(-x) after the first two and three terms of its series.
  private static func remainders(_ x: Double) -> (p2: Double, p3: Double) {
    guard x < 1 else {
      let p2 = (x - 1 + .exp(-x)) / x / x
      return (p2, (0.5 - p2) / x)
    }
    // p3 = 1/3! - x/4! + x^2/5! ...; 16 terms are exact for x up to 1, where the closed form loses
    // digits.
    var p3 = 0.0
    for term in stride(from: 18.0, through: 3, by: -1) {
      p3 = (1 - x * p3) / term
    }
    p3 /= 2
    return (0.5 - x * p3, p3)
  }
}

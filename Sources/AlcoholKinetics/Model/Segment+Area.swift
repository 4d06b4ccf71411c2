import RealModule

extension Segment {
  /// The area under the curve between two times after the start, in g/kg h.
  ///
  /// Anew from the first of the two times, c(tau) = c + g (1 - e^(-x)) + R tau - (R/k)(1 - e^(-x)) -
  /// beta tau with x = k tau is integrated to
  ///
  ///     tau (c + g x p2(x) + R tau x p3(x) - beta tau / 2)
  ///
  /// where p2(x) = (x - 1 + e^(-x)) / x^2 and p3(x) = (1/2 - p2(x)) / x.
  func area(from first: Double, to last: Double) -> Double {
    guard !isClamped else { return 0 }
    let state = state(after: first)
    let tau = last - first
    let x = ka * tau
    let (p2, p3) = Self.remainders(x)
    let mean = state.blood + state.gut * x * p2 + inputRate * tau * x * p3 - beta * tau / 2
    // Where the curve is all but zero, rounding could leave a trace below.
    return max(0, tau * mean)
  }

  /// p2 and p3: what is left of e^(-x) behind the first two and three terms of its series.
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

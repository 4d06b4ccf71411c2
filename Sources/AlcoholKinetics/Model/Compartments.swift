import RealModule

// Numerical goals, in order:
// 1. Mass is conserved and no value is negative, whatever the parameters.
// 2. The error of a concentration is within a few ulps of the amount absorbed from boluses, however slow
//    or fast the absorption, or of the amount drunk during a drink: there x - (1 - e^(-x)), x = k tau,
//    loses digits for small x.
// 3. One exponential per step.

/// Ethanol in blood and gut at one instant, with the derivatives that a fit needs.
///
/// The model (Widmark's zero-order elimination with first-order absorption) between two changes of
/// input, at time tau after the first, with input rate R into the gut:
///
///     g(tau) = g e^(-k tau) + (R/k)(1 - e^(-k tau))
///     c(tau) = max(0, c + g (1 - e^(-k tau)) + R tau - (R/k)(1 - e^(-k tau)) - beta tau)
///
/// Once at zero, c stays there until the absorption rate k g exceeds beta again. Gut and blood are
/// both in g per kg of blood. The derivatives are computed in the same pass.
///
/// With an infusion into the blood, beta stands for beta minus the infusion rate, which may be negative.
struct Compartments: Hashable, Sendable {
  /// Blood concentration c.
  var blood = 0.0
  /// Gut content g.
  var gut = 0.0
  /// dc/dk.
  var bloodByKa = 0.0
  /// dg/dk.
  var gutByKa = 0.0
  /// dc/dbeta, which is minus the time since c last left zero; g does not depend on beta.
  var bloodByBeta = 0.0

  /// Advances by `tau` hours, 0 or more, under a constant input rate.
  ///
  /// No root is needed. Where k g falls, c is concave: if it is negative at the end, it has crossed zero
  /// and stayed there. Where k g rises through beta (during a drink), c has its minimum, and if that is
  /// negative, c leaves zero there; so the step is split at that time.
  mutating func advance(by tau: Double, inputRate: Double, ka: Double, beta: Double) {
    guard inputRate > 0 else {
      advance(by: tau, absorbing: Self.absorbed(in: tau, ka: ka), beta: beta)
      return
    }
    let turn = inputRate > beta ? self.turn(inputRate: inputRate, ka: ka, beta: beta) : nil
    let first = turn.map { $0 < tau ? $0 : tau } ?? tau
    updateBlood(fill(first, inputRate, ka), first, beta)
    let left = tau - first
    if left > 0 { updateBlood(fill(left, inputRate, ka), left, beta) }
  }

  /// The time until the absorption rate k g equals beta; nil if it never does.
  ///
  /// At that time c has its maximum (k g falling) or minimum (k g rising).
  func turn(inputRate: Double, ka: Double, beta: Double) -> Double? {
    let ratio = (ka * gut - inputRate) / (beta - inputRate)
    guard ratio > 1 else { return nil }
    let time = .log(ratio) / ka
    return time.isFinite ? time : nil
  }

  /// Blood and gut after `tau` hours if the blood concentration could become negative.
  func unclamped(
    after tau: Double, inputRate: Double, ka: Double, beta: Double
  ) -> (blood: Double, gut: Double) {
    var state = self
    let absorbed =
      inputRate > 0
      ? state.fill(tau, inputRate, ka) : state.drain(tau, Self.absorbed(in: tau, ka: ka))
    return (blood + (absorbed.amount - beta * tau), state.gut)
  }

  /// Advances by `tau` hours without input; `gone` is the absorbed fraction of the gut content.
  @inline(__always)
  mutating func advance(by tau: Double, absorbing gone: Double, beta: Double) {
    updateBlood(drain(tau, gone), tau, beta)
  }

  /// The amount absorbed from gut to blood, and its derivative by k.
  private struct Absorbed {
    let amount: Double
    let byKa: Double
  }

  /// The fraction of the gut content that is absorbed in `tau` hours, 1 - e^(-k tau), without loss of digits for the small
  /// exponents of slow absorption.
  @inline(__always)
  static func absorbed(in tau: Double, ka: Double) -> Double {
    -Double.expMinusOne(-ka * tau)
  }

  /// Empties the gut for `tau` hours without input.
  @inline(__always)
  private mutating func drain(_ tau: Double, _ gone: Double) -> Absorbed {
    let kept = 1 - gone
    let absorbed = Absorbed(amount: gut * gone, byKa: gutByKa * gone + gut * tau * kept)
    gutByKa = (gutByKa - tau * gut) * kept
    gut *= kept
    return absorbed
  }

  /// Empties the gut for `tau` hours with input.
  @inline(__always)
  private mutating func fill(_ tau: Double, _ inputRate: Double, _ ka: Double) -> Absorbed {
    let x = ka * tau
    let gone = Self.absorbed(in: tau, ka: ka)
    let kept = 1 - gone
    let steady = inputRate / ka
    let absorbed = Absorbed(
      amount: gut * gone + steady * (x - gone),
      byKa: gutByKa * gone + gut * tau * kept + steady * (tau * gone - (x - gone) / ka))
    gutByKa = (gutByKa - tau * gut) * kept + steady * (tau * kept - gone / ka)
    gut = gut * kept + steady * gone
    return absorbed
  }

  /// Adds the absorbed amount to the blood and subtracts the amount eliminated in `tau` hours.
  @inline(__always)
  private mutating func updateBlood(_ absorbed: Absorbed, _ tau: Double, _ beta: Double) {
    blood += absorbed.amount - beta * tau
    // NaN, after overflow with huge doses, is not above zero either and ends here.
    guard blood > 0 else { return emptyBlood() }
    bloodByKa += absorbed.byKa
    bloodByBeta -= tau
  }

  /// Sets c to zero, where it does not depend on any parameter.
  mutating func emptyBlood() {
    blood = 0
    bloodByKa = 0
    bloodByBeta = 0
  }
}

/// The mass balance of the ethanol taken so far, in g per kg of blood.
///
/// The three parts add up to the amount taken, times F / r.
package struct MassBalance: Hashable, Sendable {
  /// Not yet absorbed.
  package let gut: GramsPerKilogram
  /// In the blood.
  package let blood: GramsPerKilogram
  /// Eliminated.
  package let eliminated: GramsPerKilogram

  /// Absorbed so far: in the blood or eliminated.
  package var absorbed: GramsPerKilogram { blood + eliminated }

  static let nothing = MassBalance(gut: 0, blood: 0, eliminated: 0)
}

import RealModule

// Numerical goals, in order:
// 1. Mass is conserved and no value is negative, whatever the parameters.
// 2. Error of every concentration within a few ulps of what has been absorbed from boluses, however
//    slow or fast the absorption, and of what was drunk while a drink is under way: there x - (1 -
//    e^(-x)), x = k tau, loses digits as x becomes small.
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
/// both in g per kg of blood. The derivatives are carried along in the same pass.
///
/// Ethanol that flows into the blood itself at a rate below beta, or above, is eliminated less: all below
/// holds with beta less that rate, which may be negative, in the place of beta.
struct Compartments<Number: KineticNumber>: Hashable, Sendable {
  /// Blood concentration c.
  var blood = Number.zero
  /// Gut content g.
  var gut = Number.zero
  /// dc/dk.
  var bloodByKa = Number.zero
  /// dg/dk.
  var gutByKa = Number.zero
  /// dc/dbeta, which is minus the time since c last left zero; g does not depend on beta.
  var bloodByBeta = Number.zero

  /// Advances by `tau` hours, 0 or more, under a constant input rate.
  ///
  /// No root is looked for. Where k g falls, c is concave: if it is negative at the end, it has
  /// crossed zero and stayed there. Where k g rises through beta (a drink under way), c has its
  /// minimum, and if that is negative, c leaves zero just there; so the step is cut at that time.
  mutating func advance(by tau: Number, inputRate: Number, ka: Number, beta: Number) {
    guard Number.isAnywhere(inputRate.isAbove(.zero)) else {
      advance(by: tau, absorbing: Self.absorbed(in: tau, ka: ka), beta: beta)
      return
    }
    let isRising = inputRate.isAbove(beta)
    guard Number.isAnywhere(isRising) else {
      settle(fill(tau, inputRate, ka), tau, beta)
      return
    }
    let turn = turningTime(inputRate: inputRate, ka: ka, beta: beta)
    let first = turn.orLess(tau).kept(where: isRising, else: tau)
    settle(fill(first, inputRate, ka), first, beta)
    let left = tau - first
    guard Number.isAnywhere(left.isAbove(.zero)) else { return }
    settle(fill(left, inputRate, ka), left, beta)
  }

  /// Time until the absorption rate k g equals beta; infinite if it never does from here on.
  ///
  /// There c has its maximum (k g falling) or minimum (k g rising).
  func turningTime(inputRate: Number, ka: Number, beta: Number) -> Number {
    let ratio = (ka * gut - inputRate) / (beta - inputRate)
    let never = Number(everywhere: .infinity)
    let isAhead = ratio.isAbove(Number(everywhere: 1))
    // The logarithm of an infinite ratio is infinite, which is never as well.
    return (Number.log(ratio.kept(where: isAhead, else: never)) / ka)
  }

  /// What blood and gut would be after `tau` hours if blood could go below zero.
  func unclamped(
    after tau: Number, inputRate: Number, ka: Number, beta: Number
  ) -> (blood: Number, gut: Number) {
    var state = self
    let absorbed =
      Number.isAnywhere(inputRate.isAbove(.zero))
      ? state.fill(tau, inputRate, ka) : state.drain(tau, Self.absorbed(in: tau, ka: ka))
    return (blood + (absorbed.amount - beta * tau), state.gut)
  }

  /// Advances by `tau` hours without input, in which this part of what is in the gut is absorbed.
  @inline(__always)
  mutating func advance(by tau: Number, absorbing gone: Number, beta: Number) {
    settle(drain(tau, gone), tau, beta)
  }

  /// What has gone from gut to blood, and its derivative by k.
  private struct Absorbed {
    let amount: Number
    let byKa: Number
  }

  /// The part of what is in the gut that is absorbed in `tau` hours, 1 - e^(-k tau). Written so, it would
  /// lose all digits where the exponent is small: fits of slow absorption go there.
  @inline(__always)
  static func absorbed(in tau: Number, ka: Number) -> Number {
    -Number.expMinusOne(-ka * tau)
  }

  /// Empties the gut for `tau` hours without input.
  @inline(__always)
  private mutating func drain(_ tau: Number, _ gone: Number) -> Absorbed {
    let kept = Number(everywhere: 1) - gone
    let absorbed = Absorbed(amount: gut * gone, byKa: gutByKa * gone + gut * tau * kept)
    gutByKa = (gutByKa - tau * gut) * kept
    gut *= kept
    return absorbed
  }

  /// Empties the gut for `tau` hours while input goes on.
  @inline(__always)
  private mutating func fill(_ tau: Number, _ inputRate: Number, _ ka: Number) -> Absorbed {
    let x = ka * tau
    let gone = Self.absorbed(in: tau, ka: ka)
    let kept = Number(everywhere: 1) - gone
    let steady = inputRate / ka
    let absorbed = Absorbed(
      amount: gut * gone + steady * (x - gone),
      byKa: gutByKa * gone + gut * tau * kept + steady * (tau * gone - (x - gone) / ka))
    gutByKa = (gutByKa - tau * gut) * kept + steady * (tau * kept - gone / ka)
    gut = gut * kept + steady * gone
    return absorbed
  }

  /// Moves what was absorbed into the blood and takes out what was eliminated meanwhile. At zero, blood
  /// no longer depends on any parameter.
  @inline(__always)
  private mutating func settle(_ absorbed: Absorbed, _ tau: Number, _ beta: Number) {
    blood += absorbed.amount - beta * tau
    // A NaN, as of doses so large that a product overflows, is not above zero either and ends here: the
    // curve then says nothing.
    let isLeft = blood.isAbove(.zero)
    blood = blood.kept(where: isLeft, else: .zero)
    bloodByKa = (bloodByKa + absorbed.byKa).kept(where: isLeft, else: .zero)
    bloodByBeta = (bloodByBeta - tau).kept(where: isLeft, else: .zero)
  }

  /// Puts c to zero, where it no longer depends on any parameter.
  mutating func emptyBlood() {
    blood = .zero
    bloodByKa = .zero
    bloodByBeta = .zero
  }
}

/// Ethanol in the blood and gut of one person.
typealias CompartmentState = Compartments<Double>

extension CompartmentState {
  /// Time until the absorption rate equals beta, or nil if it never does from here on.
  func turn(inputRate: Double, ka: Double, beta: Double) -> Double? {
    let time = turningTime(inputRate: inputRate, ka: ka, beta: beta)
    return time.isFinite ? time : nil
  }
}

/// Where the ethanol taken so far is, each part as g per kg of blood.
///
/// The three add up to what was taken, times F / r.
public struct MassBalance: Hashable, Sendable {
  /// Not yet absorbed.
  public let gut: GramsPerKilogram
  /// In the blood.
  public let blood: GramsPerKilogram
  /// Eliminated.
  public let eliminated: GramsPerKilogram

  /// Absorbed so far: what is in the blood and what has left it.
  public var absorbed: GramsPerKilogram { blood + eliminated }

  static let nothing = MassBalance(gut: 0, blood: 0, eliminated: 0)
}

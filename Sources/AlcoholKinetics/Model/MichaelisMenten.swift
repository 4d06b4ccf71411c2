import RealModule

// Numerical goals, in order:
// 1. Whatever the parameters, an answer or a reported failure after a bounded number of steps.
// 2. No concentration is negative, and mass is conserved to the error of the next goal.
// 3. Errors of a concentration below 1e-9 of it, and of its derivative by the logarithm of a
//    parameter below 1e-9 of that or 1e-12 of the concentration, whichever is more; where less than
//    1e-8 of what was taken is left, below 1e-15 of what was taken.
// 4. Few steps, and one from reading to reading where the curve is smooth.

/// The parameters of the one-compartment model with Michaelis-Menten elimination for one person.
public struct MichaelisMentenParameters: Hashable, Sendable {
  /// First-order absorption rate constant k_a; positive.
  public let ka: PerHour
  /// Elimination rate V_max that the blood tends to at high concentrations; positive.
  public let vmax: GramsPerKilogramHour
  /// Concentration K_m at which elimination runs at half of V_max; positive.
  public let km: GramsPerKilogram
  /// Distribution factor r; positive.
  public let r: RFactor
  /// Time between drinking and the start of absorption; not negative.
  public let lag: Hours
  /// Fraction F of the dose that reaches the blood; above 0, at most 1.
  public let absorbedFraction: Double

  /// Checks and keeps the parameters.
  ///
  /// - Throws: ``Problem`` for a value that is not finite or
  ///   outside the range stated at its property.
  public init(
    ka: PerHour,
    vmax: GramsPerKilogramHour,
    km: GramsPerKilogram,
    r: RFactor,
    lag: Hours = 0,
    absorbedFraction: Double = 1
  ) throws(Problem) {
    self.ka = try ka.checked("k_a")
    self.vmax = try vmax.checked("V_max")
    self.km = try km.checked("K_m")
    self.r = try r.checked("r")
    self.lag = try lag.checked("lag", "0 or more") { $0 >= 0 }
    self.absorbedFraction = try absorbedFraction.checked(
      "absorbed fraction", "above 0 and at most 1"
    ) { $0 > 0 && $0 <= 1 }
  }

  /// Blood concentration that 1 g of ethanol per kg of body weight amounts to, F / r.
  var concentrationPerDose: Double { absorbedFraction / r.value }
}

extension MichaelisMentenParameters {
  /// The values of this model among those of a model; the parameters that this one has.
  init(_ values: ParameterValues) throws(Problem) {
    try self.init(
      ka: PerHour(values[known: .ka]), vmax: GramsPerKilogramHour(values[known: .vmax]),
      km: GramsPerKilogram(values[known: .km]), r: RFactor(values[known: .r]),
      lag: Hours(values[known: .lag]))
  }
}

// MARK: - As a model

extension FitParameter {
  /// The largest rate of elimination V_max, in g/kg/h.
  public static let vmax = FitParameter(position: 5)
  /// The concentration K_m at which elimination has half that rate, in g/kg.
  public static let km = FitParameter(position: 6)
}

extension EliminationModel {
  /// Elimination at the rate V_max c / (K_m + c) (Michaelis & Menten 1913; for ethanol Lundquist &
  /// Wolthers 1958).
  public static let michaelisMenten = EliminationModel(MichaelisMentenKinetics.self)
}

/// Michaelis-Menten elimination after first-order absorption: the state of gut and blood with derivatives, and its numerical
/// integration.
///
///     g' = R - k g
///     c' = k g + S - V_max c / (K_m + c)
///
/// Gut and blood are both in g per kg of blood. g is known in closed form, c is integrated.
struct MichaelisMentenKinetics: EliminationKinetics {
  static let name = "michaelis-menten"
  static let title = "Michaelis-Menten elimination"
  static let rate = "at the rate V_max c / (K_m + c)"
  static let ownParameters: [FitParameter.Traits] = [
    FitParameter.Traits(
      parameter: .vmax, name: "vmax", symbol: "V_max", unit: "g/kg/h",
      columnName: "vmax_g_per_kg_h", bounds: 1e-3...10, startRange: 0.08...0.5, typicalValue: 0.2),
    FitParameter.Traits(
      parameter: .km, name: "km", symbol: "K_m", unit: "g/kg", columnName: "km_g_per_kg",
      bounds: 1e-3...5, startRange: 0.01...0.5, typicalValue: 0.05),
  ]

  static func eliminationRate(at concentration: Double, _ values: ParameterValues) -> Double {
    values[known: .vmax] * concentration / (values[known: .km] + concentration)
  }
  /// At K_m 0.
  static let hasWidmarkAsLimit = true
  static let isIntegrated = true

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(Problem) -> any BloodCurve {
    MichaelisMentenTrajectory(regimen, try MichaelisMentenParameters(values))
  }

  let ka: Double
  let elimination: MichaelisMentenElimination
  /// Concentration per dose into the gut, F / r.
  private let perDose: Double
  /// Concentration per dose into the blood, 1 / r.
  private let perBloodDose: Double

  private(set) var state = MichaelisMentenState()
  private(set) var gut = GutContent()
  /// Input rate R into the gut.
  private(set) var inputRate = 0.0
  /// Input rate S into the blood.
  private(set) var bloodRate = 0.0
  /// Whether the integration exceeded the allowed number of steps.
  private(set) var hasFailed = false

  /// Ethanol in gut and blood and still to come from the drinks under way when the input last
  /// changed.
  private var scale = 0.0
  /// The longest allowed next step, in h.
  private var stepLimit = Double.infinity

  /// The allowed number of steps from one reading or change of input to the next.
  private static let maximumSteps = 1000

  init(_ parameters: MichaelisMentenParameters) {
    ka = parameters.ka.value
    elimination = MichaelisMentenElimination(
      vmax: parameters.vmax.value, km: parameters.km.value)
    perDose = parameters.concentrationPerDose
    perBloodDose = 1 / parameters.r.value
  }

  init(_ values: ParameterValues) {
    ka = values[known: .ka]
    elimination = MichaelisMentenElimination(vmax: values[known: .vmax], km: values[known: .km])
    perDose = 1 / values[known: .r]
    perBloodDose = perDose
  }

  mutating func change(_ input: InputChange, for duration: Double) {
    gut.content += input.bolus * perDose
    state.values[0] += input.bloodBolus * perBloodDose
    inputRate = input.rate * perDose
    bloodRate = input.bloodRate * perBloodDose
    let rate = inputRate + bloodRate
    scale = state.blood + gut.content + (rate > 0 ? rate * duration : 0)
    stepLimit = 1 / ka
    hasFailed = hasFailed || !scale.isFinite
  }

  /// NaN if it has failed.
  var sample: CurveSample {
    let state = hasFailed ? .failed : state
    return CurveSample(
      state.blood, byKa: state.byKa,
      // c is homogeneous of degree 1 in (doses, V_max, K_m): c is the sum of each of them times the
      // derivative by it (Euler).
      byDoseScale: state.blood - elimination.vmax * state.byVmax - elimination.km * state.byKm,
      // A lag moves the whole curve to the right: dc/dlag = -dc/dt.
      byLag: -slope, byOwn: (state.byVmax, state.byKm))
  }

  /// Ethanol in gut and blood.
  var total: Double { gut.content + state.blood }

  /// dc/dt.
  var slope: Double { ka * gut.content + bloodRate - elimination.rate(at: state.blood) }

  /// The derivatives by time of c, dc/dk, dc/dV_max and dc/dK_m.
  var slopes: SIMD4<Double> {
    let sum = elimination.km + state.blood
    let share = state.blood / sum
    let damping = elimination.slope(at: state.blood)
    return SIMD4(
      slope,
      gut.content + ka * gut.byKa - damping * state.byKa,
      -share - damping * state.byVmax,
      elimination.vmax * (share / sum) - damping * state.byKm)
  }

  /// The amount that enters the blood in `tau` hours, given the gut content at their end.
  func supply(leaving gut: GutContent, after tau: Double) -> Double {
    max(0, self.gut.content + inputRate * tau - gut.content) + bloodRate * tau
  }

  /// The concentration below which errors are relative to this one.
  var floor: Double { max(1e-8 * scale, .leastNormalMagnitude) }

  /// The solution `tau` hours later.
  func advanced(by tau: Double) -> Self {
    var solution = self
    solution.advance(by: tau)
    return solution
  }

  mutating func advance(by tau: Double) {
    var left = tau
    var steps = 0
    while left > 0, !hasFailed {
      left -= step(within: left)
      steps += 1
      hasFailed = hasFailed || steps > Self.maximumSteps
    }
  }

  /// Advances by one step of at most `left` hours, and returns its length.
  ///
  /// A rejected step is repeated with at most half the length, down to one that is always accepted.
  mutating func step(within left: Double) -> Double {
    var tau = length(within: left)
    while tau > shortestStep {
      var step = MichaelisMentenStep(from: self, tau: tau)
      guard step.converge() else {
        tau /= 8
        continue
      }
      let (end, error) = step.finish()
      // The error estimate is of sixth order in the length.
      let factor = min(4, max(0.1, 0.9 * .pow(error, -1.0 / 6)))
      if error <= 1 {
        state = end
        gut = step.gut
        stepLimit = max(tau == left ? stepLimit : 0, tau * factor)
        return tau
      }
      tau *= min(0.5, factor)
    }
    advanceByBackwardEuler(tau)
    return tau
  }

  /// The length of the next step: all of `left`, half of it, or the longest allowed; always finite.
  private func length(within left: Double) -> Double {
    let limit = min(stepLimit, .greatestFiniteMagnitude)
    if left <= limit { return left }
    return left / 2 < limit ? left / 2 : limit
  }

  /// The length of a step in which less is eliminated than the rounding error.
  private var shortestStep: Double { 1e-15 * scale / elimination.vmax }

  /// Advances by a backward Euler step, which conserves mass and cannot be rejected. It is so short that the error of
  /// elimination within it is negligible, however stiff the curve.
  private mutating func advanceByBackwardEuler(_ tau: Double) {
    let next = gut.after(tau, inputRate: inputRate, ka: ka)
    let supply = supply(leaving: next, after: tau)
    let end = elimination.left(of: state.blood + supply, after: tau)
    let sum = elimination.km + end
    let share = end / sum
    let sources = SIMD4(
      0, gut.byKa - next.byKa, -tau * share, tau * elimination.vmax * (share / sum))
    var values = (state.values + sources) / (1 + tau * elimination.slope(at: end))
    values[0] = end
    state.values = values
    gut = next
    stepLimit = 4 * max(tau, shortestStep)
    hasFailed = hasFailed || !end.isFinite
  }
}

/// Elimination at the rate V_max c / (K_m + c), in g/kg/h (Michaelis, Menten 1913).
struct MichaelisMentenElimination: Hashable, Sendable {
  let vmax: Double
  let km: Double

  /// The rate at a concentration.
  func rate(at blood: Double) -> Double {
    vmax * (blood / (km + blood))
  }

  /// The derivative of the rate by the concentration, V_max K_m / (K_m + c)^2.
  func slope(at blood: Double) -> Double {
    let sum = km + blood
    return (vmax / sum) * (km / sum)
  }

  /// The remainder of an amount after one backward Euler step: the positive root c of
  ///
  ///     c + tau V_max c / (K_m + c) = amount
  ///
  /// It is no more than the amount and, however long the step, not negative.
  func left(of amount: Double, after tau: Double) -> Double {
    let half = (km + vmax * tau - amount) / 2
    let product = km * amount
    let root = (half * half + product).squareRoot()
    return half > 0 ? product / (half + root) : root - half
  }
}

/// Gut content g, in g per kg of blood, and its derivative by k.
struct GutContent: Hashable, Sendable {
  var content = 0.0
  var byKa = 0.0

  /// The gut `tau` hours later, under a constant input rate R:
  ///
  ///     g(tau) = g e^(-k tau) + (R/k)(1 - e^(-k tau))
  func after(_ tau: Double, inputRate: Double, ka: Double) -> Self {
    after(tau, gone: -Double.expMinusOne(-ka * tau), inputRate: inputRate, ka: ka)
  }

  /// The gut `tau` hours later, with `gone`, 1 - e^(-k tau), computed already.
  func after(_ tau: Double, gone: Double, inputRate: Double, ka: Double) -> Self {
    let kept = 1 - gone
    let emptied = Self(content: content * kept, byKa: (byKa - tau * content) * kept)
    guard inputRate > 0 else { return emptied }
    let steady = inputRate / ka
    return Self(
      content: emptied.content + steady * gone,
      byKa: emptied.byKa + steady * (tau * kept - gone / ka))
  }
}

/// The blood concentration with its derivatives: c, dc/dk, dc/dV_max and dc/dK_m.
struct MichaelisMentenState: Hashable, Sendable {
  /// The four in the order above.
  var values = SIMD4<Double>.zero

  /// Blood concentration c.
  var blood: Double { values[0] }
  /// dc/dk.
  var byKa: Double { values[1] }
  /// dc/dV_max.
  var byVmax: Double { values[2] }
  /// dc/dK_m.
  var byKm: Double { values[3] }

  /// The state after a failure: NaN.
  static let failed = MichaelisMentenState(values: SIMD4(repeating: .nan))
}

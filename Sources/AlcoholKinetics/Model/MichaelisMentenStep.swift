/// One step of the method Radau IIA of order 9 for c' = k g - V_max c / (K_m + c).
///
/// The values at the five stages are found by Newton's method with the exact Jacobian, a diagonal
/// plus a constant matrix. The derivatives of c by k, V_max and K_m obey linear equations with the
/// same matrix, so that they are those of the step itself.
struct MichaelisMentenStep {
  /// The relative tolerance of the error estimate: 1e-9 raised to (s + 1) / (2 s)
  /// and divided by 20, since with s = 5 stages the error itself is of order 2 s and its estimate of
  /// order s + 1 (after Hairer, Wanner 1999).
  static let tolerance = 2e-7

  /// The relative tolerance in the stiff limit, where error and estimate are of the same order.
  static let stiffTolerance = 2e-9

  /// The real eigenvalue of the weights of the derivative.
  static let eigenvalue = 6.286_704_751_729_276_6

  /// Gut content at the end of the step.
  let gut: GutContent

  private let start: MichaelisMentenKinetics
  /// Length of the step, in h.
  private let tau: Double
  /// The input into the blood at the stages, k g + S, and its derivative by k.
  private var supply = SIMD8<Double>.zero
  private var supplyByKa = SIMD8<Double>.zero
  /// Blood concentration at the stages.
  private var blood = SIMD8<Double>.zero

  /// Prepares a step of `tau` hours. The gut, which does not depend on the blood, is exact.
  init(from start: MichaelisMentenKinetics, tau: Double) {
    self.start = start
    self.tau = tau
    let ka = start.ka
    var gut = start.gut
    for stage in 0..<5 {
      let elapsed = MichaelisMentenStages.nodes[stage] * tau
      gut = start.gut.after(elapsed, inputRate: start.inputRate, ka: ka)
      supply[stage] = ka * gut.content + start.bloodRate
      supplyByKa[stage] = gut.content + ka * gut.byKa
      // Backward Euler is never negative and right in every limit: Newton's method starts close.
      blood[stage] = start.elimination.left(
        of: start.state.blood + start.supply(leaving: gut, after: elapsed), after: elapsed)
    }
    self.gut = gut
  }

  /// Finds the blood concentration at the stages.
  ///
  /// - Returns: Whether Newton's method converged to a concentration that is not negative.
  mutating func converge() -> Bool {
    let elimination = start.elimination
    let fixed = tau * supply + MichaelisMentenStages.startWeights * start.state.blood
    for _ in 0..<8 {
      let sum = elimination.km + blood
      let inverse = 1 / sum
      let share = blood * inverse
      // Linearized at c, the rate of elimination at c + d is J (c + d) + V_max c^2 / (K_m + c)^2.
      var stages = MichaelisMentenStages(
        diagonal: diagonal(inverse), fixed - (tau * elimination.vmax) * share * share)
      stages.solve()
      let change = stages.solution(0) - blood
      blood += change
      guard all((elimination.km + blood) .> 0) else { return false }
      // The next change is at most change^2 / (K_m + c).
      let close = pointwiseMax(blood, .zero) + start.floor
      if all(change * change .<= 1e-13 * sum * close) { return blood[4] >= 0 }
    }
    return false
  }

  /// The state at the end of a converged step, and its error estimate relative to the tolerance.
  func finish() -> (state: MichaelisMentenState, error: Double) {
    let inverse = 1 / (start.elimination.km + blood)
    let share = blood * inverse
    let before = MichaelisMentenStages.startWeights
    let values = start.state.values
    var stages = MichaelisMentenStages(
      diagonal: diagonal(inverse),
      tau * supplyByKa + before * values[1],
      before * values[2] - tau * share,
      before * values[3] + (tau * start.elimination.vmax) * (share * inverse))
    stages.solve()
    let byKa = stages.solution(0)
    let byVmax = stages.solution(1)
    let byKm = stages.solution(2)

    let slopes = MichaelisMentenStages.slopeWeights
    let polynomialSlope =
      MichaelisMentenStages.startSlopeWeight * values
      + SIMD4(
        (slopes * blood).sum(), (slopes * byKa).sum(), (slopes * byVmax).sum(),
        (slopes * byKm).sum())
    let state = MichaelisMentenState(values: SIMD4(blood[4], byKa[4], byVmax[4], byKm[4]))
    return (state, error(of: tau * start.slopes - polynomialSlope, end: state))
  }

  /// h J at the stages, from 1 / (K_m + c).
  private func diagonal(_ inverse: SIMD8<Double>) -> SIMD8<Double> {
    (tau * start.elimination.vmax * inverse) * (start.elimination.km * inverse)
  }

  /// The defect of the collocation polynomial at the start of the step, relative to the tolerance (the error
  /// estimate of Hairer, Wanner 1999).
  private func error(of defect: SIMD4<Double>, end: MichaelisMentenState) -> Double {
    let elimination = start.elimination
    let damping = tau * elimination.slope(at: start.state.blood)
    let stiffness = max(damping, tau * elimination.slope(at: end.blood))
    let parameters = SIMD4(1, start.ka, elimination.vmax, elimination.km)
    let size = pointwiseMax(
      (start.state.values * parameters).magnitudes, (end.values * parameters).magnitudes)
    let tolerance =
      Self.stiffTolerance + Self.tolerance / ((1 + stiffness) * (1 + stiffness))
    let allowed = tolerance * (size + 1e-3 * size[0] + start.floor)
    return ((defect * parameters).magnitudes / ((Self.eigenvalue + damping) * allowed)).max()
  }
}

extension SIMD where Scalar == Double {
  /// The numbers without their signs.
  fileprivate var magnitudes: Self { pointwiseMax(self, -self) }
}

/// Five linear equations for the values of a function at the stages of a step, with up to three
/// right-hand sides.
///
/// The function is a polynomial through its value at the start of the step and those at the stages
/// of the method Radau IIA of order 9 (Ehle 1969; Hairer, Wanner 1999). With the weights D of its
/// derivative and the diagonal J of a Jacobian, the equations are
///
///     (D + h J) y = right-hand side
struct MichaelisMentenStages {
  /// The nodes of the stages within a step: the zeros of the fourth derivative of x^4 (x - 1)^5.
  static var nodes: SIMD8<Double> {
    SIMD8(
      0.057_104_196_114_517_682, 0.276_843_013_638_123_828, 0.583_590_432_368_916_820,
      0.860_240_135_656_219_448, 1, 0, 0, 0)
  }

  /// The weights of the value at the start in the right-hand side of each stage: those in the derivative,
  /// negated.
  static var startWeights: SIMD8<Double> {
    SIMD8(
      11.038_679_241_208_964, -3.583_068_522_501_074_6, 2.344_171_557_903_860_9,
      -2.282_635_500_205_714_4, 5, 0, 0, 0)
  }

  /// The weights of the stages in the derivative at the start of the step, times h.
  static var slopeWeights: SIMD8<Double> {
    SIMD8(
      27.780_933_944_064_637, -3.641_478_498_049_213_2, 1.252_547_721_169_118_7,
      -0.592_003_167_184_542_87, 0.2, 0, 0, 0)
  }

  /// The weight of the value at the start in that derivative.
  static let startSlopeWeight = -25.0

  /// Five rows of numbers.
  typealias Rows = (SIMD8<Double>, SIMD8<Double>, SIMD8<Double>, SIMD8<Double>, SIMD8<Double>)

  /// The weights D of the stages, row by row; computed, so that they are constants where they are used.
  static var weights: Rows {
    (
      SIMD8(
        8.755_923_977_938_361_7, 2.891_942_615_380_117_4, -0.875_186_396_200_265_03,
        0.399_705_207_939_965_48, -0.133_706_163_849_215_84, 0, 0, 0),
      SIMD8(
        -7.161_380_720_145_387_0, 1.806_077_724_083_644_4, 2.363_797_176_068_608_4,
        -0.865_900_780_283_134_52, 0.274_338_077_775_194_2, 0, 0, 0),
      SIMD8(
        4.122_165_246_243_373_8, -4.496_017_125_813_394_7, 0.856_765_245_397_177_61,
        2.518_320_949_211_064_4, -0.657_062_757_134_360_11, 0, 0, 0),
      SIMD8(
        -3.878_663_219_724_010_3, 3.393_151_918_064_954_2, -5.188_340_906_407_186_9,
        0.581_233_052_580_816_36, 2.809_983_655_279_712_3, 0, 0, 0),
      SIMD8(
        8.412_424_223_594_288_7, -6.970_256_116_656_661_0, 8.777_114_204_150_473_2,
        -18.219_282_311_088_101, 13, 0, 0, 0)
    )
  }

  private var first: SIMD8<Double>
  private var second: SIMD8<Double>
  private var third: SIMD8<Double>
  private var fourth: SIMD8<Double>
  private var fifth: SIMD8<Double>

  /// Sets up the equations.
  init(
    diagonal: SIMD8<Double>, _ sideA: SIMD8<Double>, _ sideB: SIMD8<Double> = .zero,
    _ sideC: SIMD8<Double> = .zero
  ) {
    func row(_ index: Int, _ weights: SIMD8<Double>) -> SIMD8<Double> {
      var row = SIMD8(
        weights[0], weights[1], weights[2], weights[3], weights[4], sideA[index], sideB[index],
        sideC[index])
      row[index] += diagonal[index]
      return row
    }
    let weights = Self.weights
    first = row(0, weights.0)
    second = row(1, weights.1)
    third = row(2, weights.2)
    fourth = row(3, weights.3)
    fifth = row(4, weights.4)
  }

  /// Solves the equations by Gauss-Jordan elimination.
  ///
  /// Pivoting is not needed: with its rows scaled, D is positive definite (Hairer, Wanner 1996,
  /// IV.14), so that with J >= 0 no pivot is zero.
  mutating func solve() {
    first /= first[0]
    second -= second[0] * first
    third -= third[0] * first
    fourth -= fourth[0] * first
    fifth -= fifth[0] * first

    second /= second[1]
    first -= first[1] * second
    third -= third[1] * second
    fourth -= fourth[1] * second
    fifth -= fifth[1] * second

    third /= third[2]
    first -= first[2] * third
    second -= second[2] * third
    fourth -= fourth[2] * third
    fifth -= fifth[2] * third

    fourth /= fourth[3]
    first -= first[3] * fourth
    second -= second[3] * fourth
    third -= third[3] * fourth
    fifth -= fifth[3] * fourth

    fifth /= fifth[4]
    first -= first[4] * fifth
    second -= second[4] * fifth
    third -= third[4] * fifth
    fourth -= fourth[4] * fifth
  }

  /// The solution for a right-hand side, 0 to 2: the function's values at the stages.
  func solution(_ side: Int) -> SIMD8<Double> {
    let lane = 5 + side
    return SIMD8(first[lane], second[lane], third[lane], fourth[lane], fifth[lane], 0, 0, 0)
  }
}

/// One step of the method Radau IIA of order 9 for c' = k g - V_max c / (K_m + c).
///
/// The values at the five stages are found by Newton's method with the exact Jacobian, a diagonal
/// plus a constant matrix. The derivatives of c by k, V_max and K_m obey linear equations with the
/// same matrix, so that they are those of the step itself.
struct MichaelisMentenStep {
  /// What the estimate of the error may be, relative to the values: 1e-9 raised to (s + 1) / (2 s)
  /// and divided by 20, since with s = 5 stages the error itself is of order 2 s and its estimate of
  /// order s + 1 (after Hairer, Wanner 1999).
  private static let tolerance = 2e-7

  /// What it may be where the equation is stiff and both are of the same order.
  private static let stiffTolerance = 2e-9

  /// The real eigenvalue of the weights of the derivative.
  private static let eigenvalue = 6.286_704_751_729_276_6

  /// Gut content at the end of the step.
  let gut: MichaelisMentenGut

  private let start: MichaelisMentenSolution
  /// Length of the step, in h.
  private let tau: Double
  /// Absorption rate k g at the stages, and its derivative by k.
  private var absorption = SIMD8<Double>.zero
  private var absorptionByKa = SIMD8<Double>.zero
  /// Blood concentration at the stages.
  private var blood = SIMD8<Double>.zero

  /// Prepares a step of `tau` hours. The gut, which does not depend on the blood, is exact.
  init(from start: MichaelisMentenSolution, tau: Double) {
    self.start = start
    self.tau = tau
    let ka = start.ka
    var gut = start.gut
    for stage in 0..<5 {
      let elapsed = MichaelisMentenStages.nodes[stage] * tau
      gut = start.gut.after(elapsed, inputRate: start.inputRate, ka: ka)
      absorption[stage] = ka * gut.content
      absorptionByKa[stage] = gut.content + ka * gut.byKa
      // Backward Euler is never negative and right in every limit: Newton's method starts close.
      blood[stage] = start.elimination.left(
        of: start.state.blood + start.absorbed(leaving: gut, after: elapsed), after: elapsed)
    }
    self.gut = gut
  }

  /// Finds the blood concentration at the stages.
  ///
  /// - Returns: Whether Newton's method converged to a concentration that is not negative.
  mutating func converge() -> Bool {
    let elimination = start.elimination
    let fixed = tau * absorption + MichaelisMentenStages.startWeights * start.state.blood
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

  /// The state at the end of a step that has converged, and an estimate of its error in units of
  /// what is allowed.
  func finish() -> (state: MichaelisMentenState, error: Double) {
    let inverse = 1 / (start.elimination.km + blood)
    let share = blood * inverse
    let before = MichaelisMentenStages.startWeights
    let values = start.state.values
    var stages = MichaelisMentenStages(
      diagonal: diagonal(inverse),
      tau * absorptionByKa + before * values[1],
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

  /// How far the polynomial through the stages misses the differential equation at the start of
  /// the step, in units of what is allowed (the estimate of Hairer, Wanner 1999).
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

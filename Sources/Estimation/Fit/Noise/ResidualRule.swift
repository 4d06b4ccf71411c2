import AlcoholKinetics

/// Turns predictions into residuals whose squares sum to the objective.
///
/// A residual is predicted minus measured, in standard deviations. With a robust loss it becomes plus or minus
/// c sqrt(rho), whose square is c^2 rho. The residual of a reading below its limit L is sqrt(-2 ln Phi((L - f)/sigma)),
/// whose square is its contribution to the deviance (M3). Gauss-Newton steps thus work for all of them.
struct ResidualRule {
  /// The factor of a row of the Jacobian of predictions.
  enum Slope {
    /// The slope of the residual: for the solver.
    case residual
    /// The square root of the curvature of the deviance, in expectation for a loss: for the covariance.
    case information
    /// 1: derivatives of the predictions themselves.
    case prediction
  }

  /// Measured concentrations, or limits of detection, in g/kg.
  let levels: UnsafePointer<Double>
  let areCensored: UnsafePointer<Bool>
  /// The reciprocals of the standard deviations, in kg/g.
  let precisions: UnsafePointer<Double>
  let loss: Loss
  let tuning: Double
  /// True if a censored reading contributes by its likelihood instead of a one-sided residual.
  let hasLikelihood: Bool
  /// True if all residuals are predicted minus measured, in standard deviations.
  let isPlain: Bool

  /// Returns the residual of a reading and its derivative by the prediction.
  @inline(__always)
  func terms(of prediction: Double, at index: Int) -> (residual: Double, slope: Double) {
    let precision = precisions[index]
    let standardised = (prediction - levels[index]) * precision
    guard areCensored[index] || loss != .linear else { return (standardised, precision) }
    return terms(standardised, precision, isCensored: areCensored[index])
  }

  /// The residual and slope of a censored reading, or with a loss. Kept out of line, since nearly all fits need only the
  /// plain residual.
  @inline(never)
  private func terms(
    _ standardised: Double, _ precision: Double, isCensored: Bool
  ) -> (residual: Double, slope: Double) {
    if isCensored {
      if hasLikelihood {
        return (BelowLimit.residual(standardised), BelowLimit.slope(standardised) * precision)
      }
      // One-sided censoring: a prediction below the limit agrees with the reading.
      guard standardised > 0 else { return (0, 0) }
    }
    guard loss != .linear else { return (standardised, precision) }
    return (lossResidual(standardised), lossSlope(standardised) * precision)
  }

  /// Returns the factor of a row of the Jacobian of predictions.
  func slope(_ slope: Slope, of prediction: Double, at index: Int) -> Double {
    switch slope {
    case .prediction: return 1
    case .residual: return terms(of: prediction, at: index).slope
    case .information:
      let precision = precisions[index]
      guard areCensored[index] else { return precision }
      let standardised = (prediction - levels[index]) * precision
      guard hasLikelihood else { return standardised > 0 ? precision : 0 }
      return BelowLimit.information(standardised).squareRoot() * precision
    }
  }

  private func lossResidual(_ u: Double) -> Double {
    guard loss != .linear else { return u }
    let z = (u / tuning) * (u / tuning)
    let size = tuning * loss.cost(z).squareRoot()
    return u < 0 ? -size : size
  }

  private func lossSlope(_ u: Double) -> Double {
    let z = (u / tuning) * (u / tuning)
    let size = tuning * loss.cost(z).squareRoot()
    // Near zero every loss is the square.
    return size > 0 ? loss.weight(z) * abs(u) / size : 1
  }
}

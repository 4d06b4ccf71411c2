import AlcoholKinetics

/// Turns predictions into residuals whose squares add up to what a fit minimises.
///
/// A residual is predicted minus measured, in standard deviations. A loss is taken into it: the
/// residual becomes plus or minus c sqrt(rho), whose square is c^2 rho. So is a censored likelihood:
/// the residual of a reading below its limit L is sqrt(-2 ln Phi((L - f)/sigma)), whose square is
/// what the reading adds to the deviance. That way Gauss-Newton steps serve all of them.
struct ResidualRule {
  /// What a row of the Jacobian is multiplied with.
  enum Slope {
    /// The slope of the residual: for the solver.
    case residual
    /// The square root of the curvature of the deviance, expected of a loss: for the covariance.
    case information
    /// None: derivatives of the predictions themselves.
    case prediction
  }

  /// Measured concentrations, or limits of detection, in g/kg.
  let levels: UnsafePointer<Double>
  let areCensored: UnsafePointer<Bool>
  /// The reciprocals of the standard deviations, in kg/g.
  let precisions: UnsafePointer<Double>
  let loss: Loss
  let tuning: Double
  /// Whether a censored reading counts by its likelihood instead of on one side.
  let hasLikelihood: Bool
  /// Whether all residuals are predicted minus measured, in standard deviations.
  let isPlain: Bool

  /// The residual of a reading, and its slope by the prediction.
  @inline(__always)
  func terms(of prediction: Double, at index: Int) -> (residual: Double, slope: Double) {
    let precision = precisions[index]
    let standardised = (prediction - levels[index]) * precision
    guard areCensored[index] || loss != .linear else { return (standardised, precision) }
    return terms(standardised, precision, isCensored: areCensored[index])
  }

  /// Those of a reading below its limit, or with a loss: apart from the plain residual, which is what nearly all
  /// fits ask for.
  @inline(never)
  private func terms(
    _ standardised: Double, _ precision: Double, isCensored: Bool
  ) -> (residual: Double, slope: Double) {
    if isCensored {
      if hasLikelihood {
        return (BelowLimit.residual(standardised), BelowLimit.slope(standardised) * precision)
      }
      // On one side alone, a reading below its limit says nothing of a prediction that is, too.
      guard standardised > 0 else { return (0, 0) }
    }
    guard loss != .linear else { return (standardised, precision) }
    return (lossResidual(standardised), lossSlope(standardised) * precision)
  }

  /// What a row of the Jacobian is multiplied with.
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

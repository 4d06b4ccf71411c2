import AlcoholKinetics
public import GSL

/// Something about a fit or a prediction that its reader should know before believing it.
public enum FitWarning: Hashable, Sendable {
  /// Readings above the largest concentration that the whole dose could give, dose / (r x weight).
  case aboveDose
  /// k_a outside 0.5-30 /h.
  case kaRange
  /// beta outside 0.09-0.29 g/L/h, where 95 % of people are (Jones & Andersson 1996).
  case betaRange
  /// r outside 0.4-0.9.
  case rRange
  /// r outside the range that the authors of its method published.
  case rPublishedRange
  /// The search for the minimum ended before it converged.
  case notConverged(LeastSquaresExit)

  /// The stable code of the warning.
  public var code: String {
    switch self {
    case .aboveDose: "W_ABOVE_DOSE"
    case .kaRange: "W_KA_RANGE"
    case .betaRange: "W_BETA_RANGE"
    case .rRange: "W_R_RANGE"
    case .rPublishedRange: "W_R_PUBLISHED_RANGE"
    case .notConverged: "W_NOT_CONVERGED"
    }
  }
}

extension FitWarning: CustomStringConvertible {
  /// What was found and what it may mean.
  public var description: String {
    switch self {
    case .aboveDose:
      "some readings are above what everything drunk could give, which no concentration can be; "
        + "check dose and unit, mouth alcohol, and whether the instrument can be trusted"
    case .kaRange:
      "k_a is outside 0.5-30 /h; the absorption phase may not have been sampled"
    case .betaRange:
      "beta is outside 0.09-0.29 g/L/h; the elimination limb may be too short"
    case .rRange:
      "r is outside 0.4-0.9; check dose, weight and the unit of the readings"
    case .rPublishedRange:
      "r is outside the range that the method's authors published; the formula may not hold here"
    case .notConverged(let exit):
      "the best start ended with \(exit.rawValue), not in a minimum; try more starts"
    }
  }
}

extension FitWarning {
  /// Looks a fit over.
  static func warnings(
    about parameters: KineticParameters,
    _ exit: LeastSquaresExit,
    readingsAboveDose: Int,
    _ factors: ConversionFactors
  ) -> [FitWarning] {
    var warnings: [FitWarning] = []
    if readingsAboveDose > 0 { warnings.append(.aboveDose) }
    if !PlausibleRange.ka.contains(parameters.ka.value) { warnings.append(.kaRange) }
    let betaPerLitre = parameters.beta.value * factors.bloodDensityKgPerL
    if !PlausibleRange.betaPerLitre.contains(betaPerLitre) { warnings.append(.betaRange) }
    if !PlausibleRange.r.contains(parameters.r.value) { warnings.append(.rRange) }
    if !exit.isConverged { warnings.append(.notConverged(exit)) }
    return warnings
  }
}

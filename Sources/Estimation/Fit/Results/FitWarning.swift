public import AlcoholKinetics
import RealModule

/// A warning about a fit or a prediction.
public enum FitWarning: Codable, Hashable, Sendable {
  /// Readings above the largest concentration that the whole dose could give, dose / (r x weight).
  case aboveDose
  /// All doses are intravenous, so that k_a and lag, which were to be estimated, are not.
  case nothingAbsorbed
  /// k_a outside 0.5-30 /h.
  case kaRange
  /// beta outside 0.09-0.29 g/L/h, where 95 % of people are (Jones & Andersson 1996).
  case betaRange
  /// r outside 0.4-0.9.
  case rRange
  /// r outside the range that the authors of its method published.
  case rPublishedRange
  /// The search for the minimum ended before it converged.
  case notConverged(DescentExit)
  /// A parameter hit its search limit.
  case atBound(FitParameter)
  /// The data do not limit a parameter on at least one side; the limits that they do set.
  case notIdentifiable(FitParameter, low: Double?, high: Double?)
  /// The prior determines a parameter more than the readings do; the posterior's SD over the prior's.
  case priorDominated(FitParameter, ratio: Double)
  /// The subject is outside the data that the prior was estimated from; in which respects.
  case outsidePrior(String)
  /// Other values, outside the interval of the reported solution, fit equally well.
  case equalMinimum([FitParameter: Double])
  /// Only one of several starts found the best minimum: there may be a better one.
  case singleStart
  /// Fewer than three degrees of freedom; their number. With none the error cannot be estimated.
  case degreesOfFreedom(Int)
  /// Fewer than three quantified readings after the highest and the last drink.
  case limbShort
  /// The iterative reweighting of standard deviations did not converge.
  case notSettled
  /// Readings at or before the first drink that are clearly above zero, and when.
  case beforeDrinking([Hours])
  /// Readings that are clearly above zero where the fitted curve is zero, and when.
  case curveAtZero([Hours])
  /// Readings more than 3 standard errors off the curve, and when.
  case outlyingReadings([Hours])
  /// Residuals that come in runs, or are far from normal, as hardly ever by chance (p < 0.001).
  case residualsNotRandom
  /// The interval of the time to zero depends on an estimated SD at zero.
  case zeroInterval
  /// Several fitted readings of zero without a limit of detection.
  case zerosAsRead

  /// The stable code of the warning.
  public var code: String {
    switch self {
    case .aboveDose: "W_ABOVE_DOSE"
    case .nothingAbsorbed: "W_NOTHING_ABSORBED"
    case .kaRange: "W_KA_RANGE"
    case .betaRange: "W_BETA_RANGE"
    case .rRange: "W_R_RANGE"
    case .rPublishedRange: "W_R_PUBLISHED_RANGE"
    case .notConverged: "W_NOT_CONVERGED"
    case .atBound: "W_AT_BOUND"
    case .notIdentifiable: "W_NOT_IDENTIFIABLE"
    case .priorDominated: "W_PRIOR_DOMINATED"
    case .outsidePrior: "W_PRIOR_OUTSIDE"
    case .equalMinimum: "W_EQUAL_MINIMUM"
    case .singleStart: "W_SINGLE_START"
    case .degreesOfFreedom: "W_DEGREES_OF_FREEDOM"
    case .limbShort: "W_LIMB_SHORT"
    case .notSettled: "W_NOT_SETTLED"
    case .beforeDrinking: "W_BEFORE_DRINKING"
    case .curveAtZero: "W_CURVE_AT_ZERO"
    case .outlyingReadings: "W_OUTLYING_READING"
    case .residualsNotRandom: "W_RESIDUALS_NOT_RANDOM"
    case .zeroInterval: "W_ZERO_INTERVAL"
    case .zerosAsRead: "W_ZEROS_AS_READ"
    }
  }
}

extension FitWarning: CustomStringConvertible {
  /// The message: the finding and its possible cause.
  public var description: String {
    switch self {
    case .aboveDose:
      "some readings are above the highest concentration that the dose can give; check dose, unit and "
        + "mouth alcohol, and whether the instrument can be trusted"
    case .nothingAbsorbed:
      "all doses are intravenous, so the readings contain no information about absorption; k_a and lag "
        + "were not estimated"
    case .kaRange:
      "k_a is outside 0.5-30 /h; the absorption phase may not have been sampled"
    case .betaRange:
      "beta is outside 0.085-0.275 g/kg/h (0.09-0.29 g/L/h); the elimination limb may be too short"
    case .rRange:
      "r is outside 0.4-0.9; check dose, weight and the unit of the readings"
    case .rPublishedRange:
      "r is outside the range that the method's authors published; the formula may not apply here"
    case .notConverged(let exit):
      "the best start ended with \(exit.rawValue), not at a minimum; try more starts"
    case .atBound(let parameter):
      "\(parameter.symbol) hit its search limit. Treat it as undetermined; the other intervals are "
        + "conditional on it"
    case .notIdentifiable(let parameter, let low, let high):
      "the readings do not determine \(parameter.symbol): "
        + Self.remainder(of: parameter, low: low, high: high)
    case .outsidePrior(let reasons):
      "beyond the people that the prior was made from: \(reasons). Its intervals are a guess here"
    case .priorDominated(let parameter, let ratio):
      "\(parameter.symbol) is prior-dominated: the readings left \((100 * ratio).rounded(digits: 3)) % of the "
        + "prior's standard deviation of ln \(parameter.symbol)"
    case .equalMinimum(let values):
      "other values fit as well: \(Self.inWords(values)); the intervals span both. If one is impossible, say so with "
        + "--bound, as r=0.4:0.9"
    case .singleStart:
      "only one start found the best minimum; there may be a better one, so try more starts"
    case .degreesOfFreedom(let spare) where spare > 0:
      "only \(spare == 1 ? "one reading" : "two readings") more than parameters, so the size of errors is hardly known: 95 % "
        + "intervals hold in \(spare == 1 ? "84-87" : "93") % of simulated fits; estimate fewer parameters, or add a --prior"
    case .degreesOfFreedom:
      "there are as many parameters as readings, so no standard errors or intervals; estimate fewer "
        + "parameters"
    case .limbShort:
      "fewer than three readings follow the highest one and the last drink; beta is only weakly "
        + "determined"
    case .notSettled:
      "the standard deviations and the predictions did not settle together; try another error model"
    case .beforeDrinking:
      "a reading is clearly above zero before any alcohol could have reached the blood; it was left "
        + "out. Add what was drunk earlier, or check clock and instrument"
    case .curveAtZero:
      "a reading is clearly above zero where the fitted curve is zero; check for a missing drink or a "
        + "wrong time, and do not trust the curve's time to sobriety"
    case .outlyingReadings:
      "a reading is more than 3 standard errors off the curve; check it, and compare with a robust "
        + "loss"
    case .residualsNotRandom:
      "residuals come in runs or are far from normal (p < 0.001), so the intervals are too narrow: where errors come "
        + "in runs, 95 % intervals hold in about 75 % of simulated fits; look at the residuals, and try another model or "
        + "--correlation exponential"
    case .zeroInterval:
      "the interval of the time to zero is too narrow: with --error combined 95 % intervals hold it in 91 % of "
        + "simulated fits; state the error next to zero if it is known"
    case .zerosAsRead:
      "several readings are 0 and no limit of detection is known, so that intervals are too narrow: 95 % "
        + "intervals hold in 90 % of simulated fits; state the instrument's limit with --lod"
    }
  }
}

extension FitWarning {
  /// The readings that it is about, by their times; none where it is about the fit as a whole.
  public var times: [Hours] {
    switch self {
    case .beforeDrinking(let times), .curveAtZero(let times), .outlyingReadings(let times): times
    default: []
    }
  }

  /// Formats values for messages: `k_a 2 /h, r 2.8`.
  package static func inWords(_ values: [FitParameter: Double]) -> String {
    values.sorted { $0.key < $1.key }.map { parameter, value in
      "\(parameter.symbol) \(value.rounded(digits: 3))\(parameter.unit.isEmpty ? "" : " \(parameter.unit)")"
    }.joined(separator: ", ")
  }

  /// Describes the known limit of a parameter that is not determined.
  private static func remainder(of parameter: FitParameter, low: Double?, high: Double?) -> String {
    let unit = parameter.unit.isEmpty ? "" : " \(parameter.unit)"
    switch (low, high) {
    case (let low?, nil): return "at least \(low.rounded(digits: 3))\(unit), with no upper limit"
    case (nil, let high?): return "at most \(high.rounded(digits: 3))\(unit), with no lower limit"
    default: return "any value is possible"
    }
  }
}

extension Double {
  /// The number to so many significant digits, as text.
  package func rounded(digits: Int) -> String {
    guard self > 0, isFinite else { return description }
    let scale = Double.pow(10, Double(digits - 1) - Double.log10(self).rounded(.down))
    return ((self * scale).rounded() / scale).description
  }
}

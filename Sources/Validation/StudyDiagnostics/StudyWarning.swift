import AlcoholKinetics
package import Estimation
import RealModule

/// A warning about all fits of a study together.
package enum StudyWarning: Codable, Hashable, Sendable {
  /// Residuals of neighbouring readings are correlated, so that fits model it without having been told to.
  case correlationModelled(PooledAutocorrelation, StudyErrorModel)
  /// Residuals of neighbouring readings are more, or less, correlated than those of independent errors.
  case correlatedErrors(PooledAutocorrelation)
  /// The errors of some subjects are larger than those of others.
  case errorsDiffer(ErrorSpread)
  /// Curves are systematically too low or too high at some times.
  case trendOverTime(PooledTrend)
  /// Curves are systematically too low or too high at some concentrations.
  case trendOverConcentration(PooledTrend)
  /// Another model fits the series together significantly better.
  case betterModel(ModelEvidence)

  package var code: String {
    switch self {
    case .correlationModelled: "W_STUDY_EXPONENTIAL"
    case .correlatedErrors: "W_STUDY_CORRELATED"
    case .errorsDiffer: "W_STUDY_ERRORS_DIFFER"
    case .trendOverTime: "W_STUDY_TREND_TIME"
    case .trendOverConcentration: "W_STUDY_TREND_CONCENTRATION"
    case .betterModel: "W_STUDY_MODEL"
    }
  }
}

extension StudyWarning: CustomStringConvertible {
  /// The finding, its consequence for the intervals, and the remedy.
  package var description: String {
    switch self {
    case .correlationModelled(let correlation, let error):
      let minutes = (60 * (error.correlationTime?.value ?? 0)).rounded()
      let white = (100 * (error.nugget?.value ?? 0)).rounded()
      return finding(correlation)
        + "All fits allow for it: errors are exponentially correlated, with tau \(Int(minutes)) min and a white share "
        + "of \(Int(white)) % of the variance. 95 % intervals that took errors as independent would hold in about 75 %."
    case .correlatedErrors(let correlation):
      let text = finding(correlation)
      guard correlation.lagOne > correlation.expected else {
        return text
          + "They alternate in sign; check for readings that were averaged or entered twice."
      }
      return text
        + "Intervals that ignore this are too narrow: 95 % intervals hold in about 75 % of simulated fits. Check the "
        + "model; then use correlated errors, or robust standard errors with Wald intervals."
    case .errorsDiffer(let spread):
      return
        "The errors of people are not of one size (p < 0.001): two thirds lie within a factor of "
        + "\(two(.exp(spread.logSD))) of the study's. With one error model for all, intervals of people with "
        + "larger errors are too narrow, and those of others too wide. Estimate the errors of each subject."
    case .trendOverTime(let trend):
      return "Curves deviate systematically over time"
        + location(of: trend, Self.minutes)
        + "The model has the wrong shape, and the intervals do not account for this. Compare models."
    case .trendOverConcentration(let trend):
      return "Curves deviate systematically over concentration"
        + location(of: trend, Self.predictions)
        + "The model has the wrong shape, and the intervals do not account for this. Compare models."
    case .betterModel(let evidence):
      return
        "\(evidence.candidate.title) fits the study better than Widmark's model: -2 ln L falls by "
        + "\(evidence.fall.fixed(1)) for \(evidence.series) extra parameters (\(evidence.expected.fixed(1)) "
        + "expected if Widmark's model were right; p \(evidence.pValue < 0.001 ? "< 0.001" : two(evidence.pValue))). "
        + "Intervals of Widmark's model do not account for this. Use the better model."
    }
  }

  private func finding(_ correlation: PooledAutocorrelation) -> String {
    "Residuals of neighbouring readings are correlated: \(two(correlation.lagOne)) "
      + "(95 % \(two(correlation.interval.low)) to \(two(correlation.interval.high))), "
      + "\(two(correlation.expected)) expected for independent errors, \(correlation.series) series. "
  }

  private func location(
    of trend: PooledTrend, _ name: (Double, Double?) -> String
  ) -> String {
    guard let worst = trend.worst else { return ". " }
    let side = worst.mean > 0 ? "above" : "below"
    return ": at \(name(worst.low, worst.high)), readings are on average "
      + "\(two(abs(worst.mean))) residual SDs \(side) the curve (\(trend.series) series). "
  }

  /// A range of time since the first drink in h, in words.
  static func minutes(_ low: Double, _ high: Double?) -> String {
    let whole = { (hours: Double) in String(Int((60 * hours).rounded())) }
    return high.map { "\(whole(low))-\(whole($0)) min after the first drink" }
      ?? "\(whole(low)) min after the first drink and later"
  }

  /// A range of predicted concentrations in g/kg, in words.
  static func predictions(_ low: Double, _ high: Double?) -> String {
    high.map { "predictions of \(low)-\($0) g/kg" } ?? "predictions above \(low) g/kg"
  }

  private func two(_ value: Double) -> String { value.fixed(2) }
}

extension Double {
  /// The number with one or two decimals.
  func fixed(_ digits: Int) -> String {
    let scale = digits == 1 ? 10.0 : 100
    let rounded = (abs(self) * scale).rounded()
    guard rounded < 1e15 else { return "\(self)" }
    let (whole, part) = Int(rounded).quotientAndRemainder(dividingBy: Int(scale))
    let fraction = digits == 2 && part < 10 ? "0\(part)" : "\(part)"
    return (self < 0 && rounded > 0 ? "-" : "") + "\(whole).\(fraction)"
  }
}

public import AlcoholKinetics
public import Estimation
public import StudyData

/// All that is known of one series: its fit, its curves, and what each method predicts.
public struct SeriesEvaluation: Sendable {
  /// A curve that one r-factor method predicts.
  public struct PredictedCurve: Sendable {
    /// The method.
    public let rFactor: String
    /// The concentrations at ``SeriesEvaluation/times``.
    public let concentrations: [GramsPerKilogram]
  }

  /// The series and its fit.
  public let fit: StudyFit
  /// The times of the curves, on the clock of the series, from the first drink or reading on.
  public let times: [Hours]
  /// The fitted curve with its band; empty without a fit.
  public let fitted: [CurvePoint]
  /// What each method predicts, those that have no formula for the subject left out.
  public let predicted: [PredictedCurve]
  /// How each method's prediction agrees with the readings.
  public let comparisons: [Comparison]

  /// The profiles of the estimated parameters; empty without a fit.
  public var profiles: [ParameterProfile] { (try? fit.result.get())?.profiles ?? [] }

  /// The series.
  public var series: Series { fit.series }
}

/// How one of several models fits a series.
public struct CandidateFit: Sendable {
  /// The model.
  public let candidate: ModelCandidate
  /// Its fit, without intervals, or the reason why there is none.
  public let result: Result<SeriesFit, SeriesFailure>
  /// AICc less the lowest of all candidates; nil where there is no AICc of a minimum.
  public let difference: Double?
  /// The part of the evidence that speaks for this model rather than the other candidates (Burnham &
  /// Anderson 2002); nil where there is no AICc of a minimum.
  public let weight: Double?

  /// Whether there is no fit.
  public var hasFailed: Bool {
    if case .failure = result { true } else { false }
  }

  /// Number k of estimated parameters, deviance, AICc and BIC; nil where there is no likelihood.
  public var criteria: InformationCriteria? { (try? result.get())?.criteria }
}

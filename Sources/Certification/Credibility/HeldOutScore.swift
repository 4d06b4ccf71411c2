public import Estimation
public import StudyData
public import Validation

/// How one method predicts people who had no part in the prediction: k_a and beta are the median of all other
/// subjects' fits.
public struct HeldOutScore: Codable, Hashable, Sendable {
  public let study: String
  /// Concentrations: errors over all subjects, in g/kg.
  public let concentrations: MethodSummary
  /// Times to sobriety: errors over all subjects, in min; nil where nothing is known of any time.
  public let sobriety: SobrietySummary?
  /// How many times to sobriety are known between two readings and predicted with a 90 % interval.
  public let intervals: Int
  /// How many of those intervals agree with the readings.
  public let held: Int

  /// Predicts everybody from all others, by every method that is defined for somebody.
  ///
  /// - Throws: ``/Estimation/SeriesFailure`` if the predictions cannot be prepared.
  public static func all(of study: Study, jobs: Int) throws(SeriesFailure) -> [HeldOutScore] {
    let options = PredictionOptions(parameters: .leftOut(starts: StartDesign.defaultCount))
    let comparisons = try Comparison.comparisons(of: study, options: options, jobs: jobs)
    let summary = ComparisonSummary(of: comparisons, bootstrap: Bootstrap())
    return summary.methods.filter { $0.sex == nil && $0.quantity == .concentration }.map { method in
      let agreements = comparisons.filter { $0.rFactor == method.rFactor }
        .compactMap(\.sobriety.agreesWithInterval)
      return HeldOutScore(
        study: study.title ?? study.name, concentrations: method,
        sobriety: summary.sobriety.first { $0.sex == nil && $0.rFactor == method.rFactor },
        intervals: agreements.count, held: agreements.count(where: \.self))
    }
  }
}

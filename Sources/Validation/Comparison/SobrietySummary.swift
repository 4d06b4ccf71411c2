public import AlcoholKinetics
import Estimation
import StudyData

/// Errors of one method in the time to sobriety over all subjects, or those of one sex.
///
/// Censored series count, too. A series whose last reading is still above the threshold has no time
/// to sobriety, but a prediction before that reading is too early by at least the time between
/// them: leaving such series out would favour methods that predict too early, and using the last
/// reading as the time would favour them more.
public struct SobrietySummary: Codable, Hashable, Sendable {
  public let method: String
  /// Whether its predictions were computed elsewhere.
  public let isGiven: Bool
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// Whether it is ranked: on the series that every ranked method predicts for.
  public let isRanked: Bool
  /// The number of subjects with predictions.
  public let subjects: Int
  /// The number of them with some knowledge of the time, on one occasion at least.
  public let knownSubjects: Int
  /// The number of series with predictions.
  public let series: Int
  /// The number of those series by kind of knowledge of the time.
  public let counts: [MeasuredSobriety.Knowledge: Int]
  /// The number of series measured above the threshold but predicted never to be.
  public let predictedNeverAbove: Int
  /// The number of series predicted above the threshold, but not measured so at a first reading
  /// within an hour of the first drink.
  public let measuredNeverAbove: Int
  /// The number of series neither measured nor predicted above the threshold.
  public let agreedNeverAbove: Int
  /// The number of series whose predictions end above the threshold, so that the time is only
  /// bounded below.
  public let predictedLater: Int
  /// The estimated errors; nil if the readings do not determine them.
  public let estimate: TimeErrorEstimate?
  /// Coverage of the predictions' stated limits; nil without any.
  public let intervals: IntervalSkill?

  /// Returns the number of series with a kind of knowledge of the time.
  public func count(_ knowledge: MeasuredSobriety.Knowledge) -> Int { counts[knowledge] ?? 0 }

  /// The number of series with some knowledge of the time.
  public var known: Int { series - count(.unknown) }

  /// Whether the estimate rests on the assumed distribution more than on readings: in less than
  /// half of the series with some knowledge the time lies between two readings.
  public var isLeftToAssumption: Bool { 2 * count(.between) < known }

  /// Summarises the scores of one method.
  init(
    _ method: String, _ scores: [Score], _ sex: Sex?, isRanked: Bool, within limits: [Double],
    _ bootstrap: Bootstrap
  ) {
    let predicted = scores.filter { $0.prediction.failure == nil }
    let errorsBySubject = predicted.filter { $0.error != nil }.grouped(by: \.series.subject.id)
      .map { $0.values.compactMap(\.error) }
    let errors = errorsBySubject.flatMap(\.self)
    self.method = method
    isGiven = scores.first?.isGiven ?? false
    self.sex = sex
    self.isRanked = isRanked
    subjects = Set(predicted.map(\.series.subject.id)).count
    knownSubjects = errorsBySubject.count
    series = predicted.count
    counts = Dictionary(grouping: predicted, by: \.measured.knowledge).mapValues(\.count)
    predictedNeverAbove = errors.count { $0.logRatio == nil && !$0.agreesFromTheStart }
    measuredNeverAbove = errors.count { $0.isMeasuredFromTheStart && $0.logRatio != nil }
    agreedNeverAbove = errors.count(where: \.agreesFromTheStart)
    let predictions = predicted.compactMap { try? $0.prediction.get() }
    predictedLater = predictions.count {
      if case .laterThan = $0.outcome { true } else { false }
    }
    let level = predictions.first { $0.interval != nil }?.level ?? PredictionSpread.level
    estimate = TimeErrorEstimate(errorsBySubject, within: limits, level: level, bootstrap)
    intervals =
      estimate?.intervals
      ?? IntervalSkill(errors.filter { !$0.agreesFromTheStart }, level: level, nil)
  }
}

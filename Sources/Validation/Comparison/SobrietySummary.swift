public import AlcoholKinetics
import Estimation
import StudyData

/// How one method does in the time to sobriety over all subjects, or those of one sex, and how much is
/// known of it.
///
/// Every series that was measured counts as far as it is known. A series whose last reading is
/// still above the threshold has no time to sobriety, but a prediction before that reading is too early
/// by at least the time between them: to pass over such series would favour methods that predict too
/// early, and to take the last reading for the time would favour them more.
public struct SobrietySummary: Codable, Hashable, Sendable {
  public let method: String
  /// Whether its predictions were computed elsewhere.
  public let isGiven: Bool
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// Whether it is ranked: on the series that every ranked method predicts for.
  public let isRanked: Bool
  /// How many subjects the method predicts for.
  public let subjects: Int
  /// How many of them have a time of which something is known, on one occasion at least.
  public let knownSubjects: Int
  /// How many series the method predicts for.
  public let series: Int
  /// How much is known of the times of those series, and of how many.
  public let counts: [MeasuredSobriety.Knowledge: Int]
  /// How many series were measured above the threshold but are predicted never to be.
  public let predictedNeverAbove: Int
  /// How many series are predicted above the threshold, but were not at a first reading within an hour of the first drink.
  public let measuredNeverAbove: Int
  /// How many series were neither measured nor predicted above the threshold.
  public let agreedNeverAbove: Int
  /// How many series' predictions end above the threshold, so that they are only known to be later.
  public let predictedLater: Int
  /// What is estimated of the errors; nil if the readings do not determine it.
  public let estimate: TimeErrorEstimate?
  /// How good the stated limits of the predictions are; nil if they state none.
  public let intervals: IntervalSkill?

  /// How many series are known in a way.
  public func count(_ knowledge: MeasuredSobriety.Knowledge) -> Int { counts[knowledge] ?? 0 }

  /// How many series something is known of.
  public var known: Int { series - count(.unknown) }

  /// Whether the estimate rests on the assumed distribution more than on readings: the time lies between two readings in
  /// less than half of the series that something is known of.
  public var isLeftToAssumption: Bool { 2 * count(.between) < known }

  /// Sums up the scores of one method.
  init(
    _ method: String, _ scores: [Score], _ sex: Sex?, isRanked: Bool, within limits: [Double],
    _ bootstrap: Bootstrap
  ) {
    let predicted = scores.filter { $0.prediction.failure == nil }
    let known = predicted.filter { $0.error != nil }.grouped(by: \.series.subject.id)
      .map { $0.values.compactMap(\.error) }
    let errors = known.flatMap(\.self)
    self.method = method
    isGiven = scores.first?.isGiven ?? false
    self.sex = sex
    self.isRanked = isRanked
    subjects = Set(predicted.map(\.series.subject.id)).count
    knownSubjects = known.count
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
    estimate = TimeErrorEstimate(known, within: limits, level: level, bootstrap)
    intervals =
      estimate?.intervals
      ?? IntervalSkill(errors.filter { !$0.agreesFromTheStart }, level: level, nil)
  }
}

public import AlcoholKinetics
import Estimation
import StudyData

/// A statistic of numbers that are known between limits only.
///
/// It is given as what it is known to lie between, without any assumption on where the numbers lie
/// between their limits: the smallest and the largest value that it can have. The interval over
/// subjects goes from the lower end of that of the smallest to the upper end of that of the largest
/// value, and so covers the statistic, wherever it lies, at least as often as stated.
///
/// Source: C. F. Manski, "Partial Identification of Probability Distributions" (2003), chapter 1; the
/// interval after J. L. Horowitz and C. F. Manski, J Am Stat Assoc 95 (2000) 77-84.
public struct BoundedStatistic: Codable, Hashable, Sendable {
  /// The smallest value that it can have; nil if it has no lower limit.
  public let least: Double?
  /// The largest value that it can have; nil if it has no upper limit.
  public let most: Double?
  /// The lower end of its bootstrap interval; nil if there is none.
  public let low: Double?
  /// The upper end of its bootstrap interval; nil if there is none.
  public let high: Double?

  public var value: Double? { least == most ? least : nil }

  init(_ limits: Interval, _ ofLeast: Interval? = nil, _ ofMost: Interval? = nil) {
    least = limits.low.isFinite ? limits.low : nil
    most = limits.high.isFinite ? limits.high : nil
    low = least == nil ? nil : ofLeast?.low
    high = most == nil ? nil : ofMost?.high
  }
}

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
  /// Errors in min as far as they are known without any assumption; nil if no time is known.
  public let errors: Errors?
  /// How good the stated limits of the predictions are; nil if they state none.
  public let intervals: IntervalSkill?

  /// Statistics of errors, predicted minus measured, in min.
  public struct Errors: Codable, Hashable, Sendable {
    public let bias: BoundedStatistic
    public let mae: BoundedStatistic
    public let rmse: BoundedStatistic
    public let median: BoundedStatistic
    /// The median absolute error, without interval. It has an upper limit as long as fewer than half of
    /// the series have none.
    public let medianMagnitude: BoundedStatistic
  }

  /// How many series are known in a way.
  public func count(_ knowledge: MeasuredSobriety.Knowledge) -> Int { counts[knowledge] ?? 0 }

  /// How many series something is known of.
  public var known: Int { series - count(.unknown) }

  /// Whether the estimate rests on the assumed distribution more than on readings: the time lies between two readings in
  /// less than half of the series that something is known of.
  public var isLeftToAssumption: Bool { 2 * count(.between) < known }

  /// The errors of one method over subjects, before their intervals are known.
  struct Draft {
    let method: String
    let sex: Sex?
    let isRanked: Bool
    let isGiven: Bool
    /// The series that the method predicts for.
    let predicted: [SobrietyScore]
    /// What is known of the errors of each subject.
    let known: [[SobrietyError]]
    fileprivate let totals: [BoundedTotals]

    /// One for each method, in the order they were compared.
    static func all(
      of group: (ranking: RankedMethods, outcomes: [SobrietyScore]), sex: Sex?
    ) -> [Draft] {
      group.outcomes.grouped(by: \.method).map { method, scores in
        let predicted = scores.filter { (try? $0.prediction.get()) != nil }
        let known = predicted.filter { $0.error != nil }.grouped(by: \.series.subject.id)
          .map { $0.values.compactMap(\.error) }
        return Draft(
          method: method, sex: sex, isRanked: group.ranking.ranks(method),
          isGiven: scores.first?.isGiven ?? false, predicted: predicted, known: known,
          totals: known.map(BoundedTotals.init(of:)))
      }
    }

    /// The statistics whose intervals are wanted.
    var asked: Bootstrap.OfSums { BoundedTotals.statistics(of: totals) }
  }

  /// - Parameter drawn: The intervals of what the draft asked for.
  init(_ draft: Draft, _ drawn: [Interval?], within limits: [Double], _ bootstrap: Bootstrap) {
    let (predicted, known) = (draft.predicted, draft.known)
    method = draft.method
    isGiven = draft.isGiven
    sex = draft.sex
    isRanked = draft.isRanked
    subjects = Set(predicted.map(\.series.subject.id)).count
    series = predicted.count
    counts = Dictionary(grouping: predicted, by: \.measured.knowledge).mapValues(\.count)
    predictedNeverAbove = predicted.count {
      $0.error.map { $0.logRatio == nil && !$0.agreesFromTheStart } ?? false
    }
    measuredNeverAbove = predicted.count {
      $0.error.map { $0.isMeasuredFromTheStart && $0.logRatio != nil } ?? false
    }
    agreedNeverAbove = predicted.count { $0.error?.agreesFromTheStart ?? false }
    predictedLater = predicted.count {
      if case .success(let prediction) = $0.prediction, case .laterThan = prediction.outcome {
        true
      } else {
        false
      }
    }
    knownSubjects = known.count
    let level =
      predicted.lazy.compactMap { try? $0.prediction.get() }.first { $0.interval != nil }?.level
      ?? PredictionSpread.level
    let estimate = TimeErrorEstimate(known, within: limits, level: level, bootstrap)
    self.estimate = estimate
    errors = Errors(draft, drawn)
    intervals =
      estimate?.intervals
      ?? IntervalSkill(
        known.flatMap(\.self).filter { !$0.agreesFromTheStart }, level: level, nil)
  }
}

extension SobrietySummary.Errors {
  fileprivate init?(_ draft: SobrietySummary.Draft, _ drawn: [Interval?]) {
    guard !draft.known.isEmpty else { return nil }
    let all = draft.totals.reduce(into: BoundedTotals()) { $0 += $1 }
    bias = BoundedStatistic(all.bias, drawn[0], drawn[1])
    mae = BoundedStatistic(all.mae, drawn[2]?.notBelowZero, drawn[3])
    rmse = BoundedStatistic(all.rmse, drawn[4]?.notBelowZero, drawn[5])
    let errors = draft.known.flatMap(\.self)
    median = BoundedStatistic(Self.median(errors.map(\.limits)))
    medianMagnitude = BoundedStatistic(Self.median(errors.map(\.magnitude)))
  }

  /// Between what the median lies: its ends are the medians of the ends, because it rises with each of
  /// the numbers.
  private static func median(_ limits: [Interval]) -> Interval {
    Interval(
      low: limits.map(\.low).median ?? .nan, high: limits.map(\.high).median ?? .nan)
  }
}

/// Sums over one subject's errors between their limits: those of the lower and those of the upper ends.
private struct BoundedTotals {
  private var low = ErrorTotals()
  private var high = ErrorTotals()

  init() {}

  init(of errors: [SobrietyError]) {
    for error in errors {
      let (limits, magnitude) = (error.limits, error.magnitude)
      low.add(limits.low, magnitude: magnitude.low)
      high.add(limits.high, magnitude: magnitude.high)
    }
  }

  static func += (left: inout Self, right: Self) {
    left.low += right.low
    left.high += right.high
  }

  /// The ends of bias, mean absolute error and root mean squared error over subjects, for a bootstrap. An end has no value
  /// in a replicate with somebody of whom there is no limit.
  static func statistics(of subjects: [BoundedTotals]) -> Bootstrap.OfSums {
    let ends = [
      subjects.map(\.low.sum), subjects.map(\.high.sum), subjects.map(\.low.absolute),
      subjects.map(\.high.absolute), subjects.map(\.low.squares), subjects.map(\.high.squares),
    ]
    let open = ends.indices.filter { ends[$0].contains { !$0.isFinite } }
    let columns =
      [subjects.map(\.low.count)] + ends.map { $0.map { $0.isFinite ? $0 : 0 } }
      + open.map { ends[$0].map { $0.isFinite ? 0 : 1 } }
    return Bootstrap.OfSums(columns: columns, width: ends.count) { sums in
      ends.indices.map { end in
        if let place = open.firstIndex(of: end), sums[1 + ends.count + place] > 0 { return nil }
        let mean = sums[1 + end] / sums[0]
        return end < 4 ? mean : mean.squareRoot()
      }
    }
  }

  var bias: Interval { Interval(low: low.bias, high: high.bias) }
  var mae: Interval { Interval(low: low.mae, high: high.mae) }
  var rmse: Interval { Interval(low: low.rmse, high: high.rmse) }
}

extension Interval {
  /// What the sum of two numbers lies between that lie between these.
  static func + (left: Interval, right: Interval) -> Interval {
    Interval(low: left.low + right.low, high: left.high + right.high)
  }

  /// The same for a number divided by a positive one.
  static func / (left: Interval, right: Double) -> Interval {
    Interval(low: left.low / right, high: left.high / right)
  }
}

import AlcoholKinetics
import Estimation
import StudyData

/// Accuracy and calibration of one method's forecasts from one kind of origin, over all series.
package struct ForecastSkill: Sendable {
  /// The forecast quantity: a time in min, or a reading in g/kg.
  package enum Quantity: String, CaseIterable, Sendable {
    case time
    case reading
  }

  package let quantity: Quantity
  /// The kind of origin for times; the class of horizon for readings.
  package let stage: String
  /// `forecast`, or the name of a baseline.
  package let method: String
  /// The number of forecasts.
  package let count: Int
  /// The number of subjects.
  package let subjects: Int
  /// The median of errors in percent of the truth (Peck et al. 1992: MDPE); nil for times.
  package let medianPercentError: Double?
  /// The median absolute error in percent of the truth (MDAPE); nil for times.
  package let medianAbsolutePercentError: Double?
  /// The mean absolute error, in the unit of the quantity.
  package let meanAbsoluteError: Double
  package let rootMeanSquare: Double
  /// The mean continuous ranked probability score.
  package let crps: Double
  /// The mean of ``TimeScore/interpolatedCRPS``, of forecasts that have one; nil for readings.
  package let interpolatedCRPS: Double?
  /// The mean log score; nil for point forecasts and times.
  package let logScore: Double?
  /// Coverage of the intervals, by ``ForecastScore/levels``; empty for point forecasts.
  package let coverage: [Double]
  /// The mean rank; 0.5 if forecasts are neither early nor late.
  package let meanRank: Double?

  /// Summarises forecasts of times by the number of readings after the peak, all methods on the same forecasts.
  package static func ofTimes(_ scores: [TimeScore]) -> [ForecastSkill] {
    groups(
      scores.map {
        Entry(
          stage: $0.stage, method: $0.method, subject: $0.series.subject.id, score: $0.score,
          interpolated: $0.interpolatedCRPS)
      }, .time, TimeScore.stages)
  }

  /// Summarises forecasts of readings by horizon, all methods on the same forecasts.
  package static func ofReadings(_ scores: [ReadingScore]) -> [ForecastSkill] {
    groups(
      scores.map {
        Entry(
          stage: $0.stage, method: $0.method, subject: $0.series.subject.id, score: $0.score,
          percent: $0.percentError, log: $0.logScore)
      }, .reading, ReadingScore.stages)
  }

  private struct Entry {
    let stage: String
    let method: String
    let subject: String
    let score: ForecastScore
    var interpolated: Double?
    var percent: Double?
    var log: Double?
  }

  private static func groups(
    _ entries: [Entry], _ quantity: Quantity, _ order: [String]
  ) -> [ForecastSkill] {
    let methods = entries.grouped(by: \.method).map(\.key)
    let stages = Dictionary(grouping: entries, by: \.stage)
    return order.filter { stages[$0] != nil }.flatMap { stage -> [ForecastSkill] in
      let byMethod = Dictionary(grouping: stages[stage] ?? [], by: \.method)
      return methods.compactMap { method in
        byMethod[method].map { ForecastSkill(quantity, stage, method, $0) }
      }
    }
  }

  private init(_ quantity: Quantity, _ stage: String, _ method: String, _ entries: [Entry]) {
    self.quantity = quantity
    self.stage = stage
    self.method = method
    count = entries.count
    subjects = Set(entries.map(\.subject)).count
    let errors = Sample(entries.map(\.score.error))
    meanAbsoluteError = errors?.meanMagnitude ?? .nan
    rootMeanSquare = errors?.rootMeanSquare ?? .nan
    crps = Sample(entries.map(\.score.crps))?.mean ?? .nan
    interpolatedCRPS = Sample(entries.compactMap(\.interpolated))?.mean
    let percents = entries.compactMap(\.percent)
    medianPercentError = Sample(percents)?.median
    medianAbsolutePercentError = Sample(percents.map(abs))?.median
    let logs = entries.compactMap(\.log)
    logScore = logs.count == entries.count ? logs.reduce(0, +) / Double(logs.count) : nil
    let covered = entries.map(\.score.isCovered).filter { !$0.isEmpty }
    coverage =
      covered.isEmpty
      ? []
      : ForecastScore.levels.indices.map { level in
        Double(covered.count { $0[level] }) / Double(covered.count)
      }
    meanRank = Sample(entries.compactMap(\.score.rank))?.mean
  }
}

extension TimeScore {
  /// The kinds of origins, the earliest first.
  static let stages = [
    "no readings", "up to the peak", "1 after the peak", "2 after the peak", "3 after the peak",
    "4 or more after the peak",
  ]

  /// The kind of origin.
  public var stage: String {
    origin.readings == 0 ? Self.stages[0] : Self.stages[1 + min(origin.afterPeak, 4)]
  }

  /// Identifies the forecast among those of the same method.
  var key: [String] { [series.subject.id, series.occasion ?? "", "\(origin.readings)"] }
}

extension ReadingScore {
  /// The classes of horizons, the nearest first; without readings there is none.
  static let stages = [
    "up to 30 min", "30-60 min", "60-120 min", "above 120 min", "no readings",
  ]

  /// The class of the forecast horizon.
  public var stage: String {
    // The slack keeps exact class limits in the lower class despite rounding of clock times.
    guard let minutes = horizon.map({ ($0 - .roundingSlack).minutes }) else {
      return Self.stages[4]
    }
    return Self.stages[[30, 60, 120].count { minutes > $0 }]
  }
}

/// Errors of one method's forecasts of concentration at one horizon.
package struct ForecastErrors: Sendable {
  /// The horizons, in min.
  package static let horizons = [30.0, 60, 120, 240]
  /// The largest distance of a reading from its horizon, relative to the horizon; the nearest reading counts.
  package static let tolerance = 0.25

  /// The forecast horizon, in min.
  package let horizon: Double
  /// `forecast`, or the name of a baseline.
  package let method: String
  /// The number of forecasts.
  package let count: Int
  /// The number of subjects.
  package let subjects: Int
  /// The mean absolute error of the median, in g/kg.
  package let meanAbsoluteError: Double
  /// The root mean square error of the median, in g/kg.
  package let rootMeanSquare: Double
  /// The mean of the errors, in g/kg: above zero if forecasts are too high.
  package let bias: Double

  /// A row per horizon and method. Of the readings that follow an origin, that nearest to the horizon counts.
  package static func of(_ scores: [ReadingScore]) -> [ForecastErrors] {
    let methods = scores.grouped(by: \.method)
    return horizons.flatMap { horizon in
      methods.compactMap { method, scores in
        let nearest = scores.grouped(by: \.originKey).compactMap { _, later in
          later.min { $0.distance(from: horizon) < $1.distance(from: horizon) }
        }
        return ForecastErrors(
          horizon, method, nearest.filter { $0.distance(from: horizon) <= tolerance * horizon })
      }
    }
  }

  private init?(_ horizon: Double, _ method: String, _ scores: [ReadingScore]) {
    guard let errors = Sample(scores.map(\.score.error)) else { return nil }
    self.horizon = horizon
    self.method = method
    count = scores.count
    subjects = Set(scores.map(\.series.subject.id)).count
    meanAbsoluteError = errors.meanMagnitude
    rootMeanSquare = errors.rootMeanSquare
    bias = errors.mean
  }
}

extension ReadingScore {
  /// The distance of its horizon from another, in min; infinite without a reading before the
  /// origin.
  fileprivate func distance(from minutes: Double) -> Double {
    // Rounded, so that ties do not depend on rounding of clock times.
    horizon.map { (1e6 * abs($0.minutes - minutes)).rounded() / 1e6 } ?? .infinity
  }

  /// Identifies the forecasts made from one origin.
  fileprivate var originKey: [String] {
    [series.subject.id, series.occasion ?? "", "\(origin.readings)"]
  }
}

/// Acceptance criteria of a replay: forecasts beat the baselines, and intervals have their nominal
/// coverage.
package struct ForecastVerdict: Sendable {
  /// The number of readings after the peak from which on forecasts are judged.
  package static let fewestAfterPeak = 2
  /// The accepted coverage of 90 % intervals.
  package static let allowedCoverage = 0.86...0.94

  /// The mean score of the forecast and of each baseline, on those forecasts that both made, from
  /// ``fewestAfterPeak`` on, in min. Times that were not reached by the last reading count.
  package let comparisons: [(baseline: String, forecast: Double, other: Double, count: Int)]
  /// The share of 90 % intervals that overlap the interval between the two readings, from there on; nil without any.
  package let coverage: Double?
  /// The share of 90 % intervals that contain the interpolated time between the two readings, so that
  /// interpolation errors count against the forecast; nil without any.
  package let coverageOfCrossings: Double?

  /// Whether the true coverage, which lies between the two, may be in the accepted range.
  package var isCalibrated: Bool {
    guard let most = coverage, let least = coverageOfCrossings else { return false }
    return min(least, most) <= Self.allowedCoverage.upperBound
      && most >= Self.allowedCoverage.lowerBound
  }

  /// Judges forecasts of times; coverages are of those whose outcome lies between two readings.
  package init(_ scores: [TimeScore]) {
    let late = scores.filter { $0.origin.afterPeak >= Self.fewestAfterPeak }
    let all = late.filter { $0.method == "forecast" }
    let forecasts = all.filter { $0.crossing != nil }
    let forecastScores = Dictionary(
      all.map { ($0.key, $0.score) }, uniquingKeysWith: { first, _ in first })
    let names = Set(late.map(\.method)).subtracting(["forecast"])
    comparisons = names.sorted().compactMap { name in
      let pairs = late.filter { $0.method == name }.compactMap { other in
        forecastScores[other.key].map { ($0.crps, other.score.crps) }
      }
      guard !pairs.isEmpty else { return nil }
      let count = Double(pairs.count)
      return (
        name, pairs.reduce(0) { $0 + $1.0 } / count, pairs.reduce(0) { $0 + $1.1 } / count,
        pairs.count
      )
    }
    let level = ForecastScore.levels.firstIndex(of: 0.9) ?? 0
    coverage = Self.share(forecasts.map(\.score.isCovered[level]))
    coverageOfCrossings = Self.share(
      forecasts.compactMap { score in
        score.crossing.map {
          score.score.intervals[level].low <= $0 && $0 <= score.score.intervals[level].high
        }
      })
  }

  private static func share(_ held: [Bool]) -> Double? {
    held.isEmpty ? nil : Double(held.count { $0 }) / Double(held.count)
  }
}

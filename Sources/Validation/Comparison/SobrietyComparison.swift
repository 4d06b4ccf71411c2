public import AlcoholKinetics
package import Estimation
import StudyData

/// How methods do in the time to sobriety, side by side: what is estimated of each one's errors, and of their
/// differences on the same subjects.
public struct SobrietyComparison: Codable, Hashable, Sendable {
  /// How many subjects have a time of which something is known, and a prediction.
  public let people: Int
  public let series: Int
  /// How many series have a time of which something is known, predicted or not.
  public let measured: Int
  /// The median of the measured times in min, by Turnbull's estimate; nil where half of them have no limit.
  public let typicalMinutes: Double?
  /// Which methods are ranked, and on which series.
  package let ranking: RankedMethods
  /// For which sex a method has no formula, where this left somebody without a prediction.
  public let undefined: [String: Sex]
  /// Each method over everybody, followed by each over the subjects of one sex if that was asked for.
  public let methods: [SobrietySummary]
  /// Every pair of methods over everybody. Holm's correction is for these pairs.
  public let pairs: [MethodPair]
  /// At or below which concentrations subjects counted as sober.
  public let thresholds: [SobrietyThreshold]

  /// Compares methods.
  ///
  /// - `limits`: Within how many percent of the measured time errors are counted.
  /// - `areAllWanted`: Whether every method is ranked, on the series that all of them predict for.
  public init(
    of scores: [Score], within limits: [Double] = TimeErrorEstimate.usualLimits,
    bootstrap: Bootstrap, bySex: Bool = false, areAllWanted: Bool = false
  ) {
    thresholds = SobrietyThreshold.used(in: scores)
    let groups = ([nil] + (bySex ? Sex.allCases : [])).map { sex in
      (
        sex: sex,
        ranked: RankedMethods.ranked(
          scores.filter { sex == nil || $0.series.subject.sex == sex }, areAllWanted: areAllWanted,
          MethodOutcome.init(ofTime:))
      )
    }
    methods = groups.flatMap { sex, group in
      group.rows.grouped(by: \.method).map { method, scores in
        SobrietySummary(
          method, scores, sex, isRanked: group.ranking.ranks(method), within: limits, bootstrap)
      }
    }
    let (ranking, scores) = groups[0].ranked
    self.ranking = ranking
    let known = scores.filter {
      $0.error != nil && (ranking.ranks($0.method) || ranking.methods.isEmpty)
    }.map(\.series)
    measured = Set(scores.filter { $0.measured.knowledge != .unknown }.map(\.series.key)).count
    people = Set(known.map(\.subject.id)).count
    series = Set(known.map(\.key)).count
    let times = Dictionary(
      scores.compactMap { score in
        score.error.map { (score.series.key, $0.measured) }
      }, uniquingKeysWith: { first, _ in first }
    ).values.map { CensoredValue(low: $0.low, high: $0.high) }
    typicalMinutes = if case .value(let median) = CensoredMedian(times) { median } else { nil }
    let errors = MethodErrors(timesOf: scores, sex: nil, ranking)
    undefined = errors.undefined
    let drafts = MethodPair.Draft.all(of: errors)
    pairs = MethodPair.judged(
      drafts, bootstrap.intervals(of: drafts.map(\.asked)).map { $0[0] }, by: nil,
      level: bootstrap.level)
  }

  /// Each method over everybody.
  public var ofEverybody: [SobrietySummary] { methods.filter { $0.sex == nil } }

  /// The pairs whose difference is shown.
  public var shown: [MethodPair] { pairs.filter(\.isShown) }

  /// The difference between two methods' mean absolute errors, in min, that a study like this one shows in 8 of 10
  /// cases, for whichever two of some pairs that are not shown to differ; nil without such pairs or with fewer than 2
  /// subjects.
  public static func detectableMinutes(in pairs: [MethodPair]) -> Double? {
    let open = pairs.filter { !$0.isShown }
    let most = open.map(\.subjects).max()
    return open.filter { $0.subjects == most }.compactMap(\.detectable).max()
  }
}

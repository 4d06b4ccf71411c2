public import AlcoholKinetics
package import Estimation
import StudyData

/// Errors of methods in the time to sobriety, with their differences on the same subjects.
public struct SobrietyComparison: Codable, Hashable, Sendable {
  /// The number of subjects with some knowledge of the time, and a prediction.
  public let people: Int
  public let series: Int
  /// The number of series with some knowledge of the time, predicted or not.
  public let measured: Int
  /// The median of the measured times in min, by Turnbull's estimate; nil where half of them have no limit.
  public let typicalMinutes: Double?
  /// Which methods are ranked, and on which series.
  package let ranking: RankedMethods
  /// The sex for which a method has no formula, where this left a subject without a prediction.
  public let undefined: [String: Sex]
  /// Each method over all subjects, followed by each over the subjects of one sex if requested.
  public let methods: [SobrietySummary]
  /// Every pair of methods over everybody. Holm's correction is for these pairs.
  public let pairs: [MethodPair]
  /// The concentrations at or below which subjects counted as sober.
  public let thresholds: [SobrietyThreshold]

  /// Compares methods.
  ///
  /// - `limits`: Limits of errors to count within, in percent of the measured time.
  /// - `requiresAllMethods`: Whether to rank every method, on the series that all of them predict for.
  public init(
    of scores: [Score], within limits: [Double] = TimeErrorEstimate.usualLimits,
    bootstrap: Bootstrap, bySex: Bool = false, requiresAllMethods: Bool = false
  ) {
    thresholds = SobrietyThreshold.used(in: scores)
    let groups = ([nil] + (bySex ? Sex.allCases : [])).map { sex in
      (
        sex: sex,
        ranked: RankedMethods.ranked(
          scores.filter { sex == nil || $0.series.subject.sex == sex },
          requiresAllMethods: requiresAllMethods,
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
    let compared = scores.filter {
      $0.error != nil && (ranking.ranks($0.method) || ranking.methods.isEmpty)
    }.map(\.series)
    measured = Set(scores.filter { $0.measured.knowledge != .unknown }.map(\.series.key)).count
    people = Set(compared.map(\.subject.id)).count
    series = Set(compared.map(\.key)).count
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
      drafts, bootstrap.intervals(of: drafts.map(\.meanDifference)).map { $0[0] }, by: nil,
      level: bootstrap.level)
  }

  /// Each method over everybody.
  public var ofEverybody: [SobrietySummary] { methods.filter { $0.sex == nil } }

  /// The pairs whose difference is shown.
  public var shown: [MethodPair] { pairs.filter(\.isShown) }

  /// The smallest difference between two methods' mean absolute errors, in min, that is detected
  /// with a power of 80 % for any of the pairs not shown to differ; nil without such pairs or with
  /// fewer than 2 subjects.
  public static func detectableMinutes(in pairs: [MethodPair]) -> Double? {
    let open = pairs.filter { !$0.isShown }
    let most = open.map(\.subjects).max()
    return open.filter { $0.subjects == most }.compactMap(\.detectable).max()
  }
}

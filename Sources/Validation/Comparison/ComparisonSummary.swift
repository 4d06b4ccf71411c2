public import AlcoholKinetics
public import Estimation
import StudyData

/// Which method predicts better, by how much, and how sure that is.
public struct ComparisonSummary: Codable, Hashable, Sendable {
  /// How each method does in concentration and peak, or in r, by quantity and sex.
  public let methods: [MethodSummary]
  /// All methods at once, by quantity and sex; followed by those that are defined for everybody where
  /// that is not all of them.
  public let rankings: [MethodRanking]
  /// Every pair of methods, by quantity and sex.
  public let pairs: [MethodPair]
  /// Which methods are ranked, and on which series.
  public let ranking: RankedMethods
  /// Which methods have no formula for a sex that some subject is of.
  public let undefined: [String: Sex]
  /// How methods do in time to sobriety; nil for comparisons of r.
  public let times: SobrietyComparison?
  /// What the errors of each method say beyond their bias; empty for comparisons of r.
  public let diagnostics: [ErrorDiagnostics]
  /// What was done with each reading; of a series that several methods are compared on once.
  public let uses: [ReadingUse]
  /// With which other kinetic parameters a method has to be better; nil where they were not tried.
  public let naming: NamingBasis?

  /// Sums comparisons up.
  ///
  /// - `naming`: What other kinetic parameters make of the study; without it no method is called better.
  /// - `limits`: Within how many percent of the measured time to sobriety errors are counted.
  /// - `areAllWanted`: Whether every method is ranked, on the series that all of them predict for.
  public init(
    of comparisons: [Comparison], diagnostics: [ErrorDiagnostics]? = nil,
    naming: NamingBasis? = nil, within limits: [Double] = TimeErrorEstimate.usualLimits,
    bootstrap: Bootstrap, bySex: Bool = false, areAllWanted: Bool = false
  ) {
    let all = Self.groups(bySex: bySex).flatMap { sex in
      let (ranking, own) = RankedMethods.ranked(
        comparisons.filter { sex == nil || $0.series.subject.sex == sex },
        areAllWanted: areAllWanted)
      return [.concentration, .peak].map { MethodErrors($0, of: own, sex: sex, ranking) }
        + [MethodErrors(timesOf: own.map(\.sobriety), sex: sex, ranking)]
    }
    self.init(
      all, naming, bootstrap,
      times: SobrietyComparison(
        of: comparisons.map(\.sobriety), within: limits, bootstrap: bootstrap, bySex: bySex,
        areAllWanted: areAllWanted),
      diagnostics: diagnostics ?? ErrorDiagnostics.all(of: comparisons),
      uses: Comparison.uses(in: comparisons))
  }

  /// Sums comparisons of r with the observed r up; no readings are compared and no times.
  public init(
    of comparisons: [RComparison], bootstrap: Bootstrap, bySex: Bool = false,
    areAllWanted: Bool = false
  ) {
    let all = Self.groups(bySex: bySex).map { sex in
      let (ranking, own) = RankedMethods.ranked(
        comparisons.filter { sex == nil || $0.subject.sex == sex }, areAllWanted: areAllWanted)
      return MethodErrors(of: own, sex: sex, ranking)
    }
    self.init(all, nil, bootstrap, times: nil, diagnostics: [], uses: [])
  }

  private init(
    _ all: [MethodErrors], _ naming: NamingBasis?, _ bootstrap: Bootstrap,
    times: SobrietyComparison?, diagnostics: [ErrorDiagnostics], uses: [ReadingUse]
  ) {
    self.diagnostics = diagnostics
    self.naming = naming
    self.times = times
    self.uses = uses
    ranking = all.first?.ranking ?? RankedMethods([], of: [], areAllWanted: false)
    undefined = all.first?.undefined ?? [:]
    rankings = all.flatMap(MethodRanking.rankings)
    let summarised = all.flatMap { errors in errors.methods.map { (method: $0, errors: errors) } }
    let totals = summarised.map { method, errors in
      ErrorTotals.statistics(of: errors.bySubject(method).map(ErrorTotals.init(of:)))
    }
    let drafts = all.flatMap(MethodPair.Draft.all)
    // All together, so that draws are made once.
    let intervals = bootstrap.intervals(of: totals + drafts.map(\.asked))
    methods = zip(summarised, intervals).compactMap { MethodSummary($0.method, $0.errors, $1) }
    pairs = MethodPair.judged(
      drafts, intervals.dropFirst(totals.count).map { $0[0] }, by: naming,
      level: bootstrap.level)
  }

  /// How each method does in time to sobriety, by sex.
  public var sobriety: [SobrietySummary] { times?.methods ?? [] }

  /// At or below which concentrations subjects counted as sober.
  public var thresholds: [SobrietyThreshold] { times?.thresholds ?? [] }

  private static func groups(bySex: Bool) -> [Sex?] { bySex ? [nil] + Sex.allCases : [nil] }
}

/// How one method does in one quantity over all subjects, or those of one sex.
public struct MethodSummary: Codable, Hashable, Sendable {
  public let method: String
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// Whether it is ranked: on the series that every ranked method has.
  public let isRanked: Bool
  public let subjects: Int
  /// All errors together, in the unit of the quantity.
  public let errors: Sample
  /// Where 95 % of the errors of new subjects are expected, several errors of one subject not taken
  /// for independent; nil for fewer than 2 subjects.
  public let limitsOfAgreement: Interval?
  /// Interval of the bias over subjects; nil for fewer than 2.
  public let biasInterval: Interval?
  public let maeInterval: Interval?
  public let rmseInterval: Interval?

  /// How the intervals are made; nil where there are none.
  public var intervalKind: Bootstrap.Kind? {
    biasInterval.flatMap { _ in Bootstrap.kind(count: subjects) }
  }

  /// Sums up the errors of a method; nil if there are none.
  init?(_ method: String, _ all: MethodErrors, _ intervals: [Interval?]) {
    let bySubject = all.bySubject(method)
    guard let errors = Sample(bySubject.flatMap(\.self)) else { return nil }
    self.method = method
    quantity = all.quantity
    sex = all.sex
    isRanked = all.ranking.ranks(method)
    subjects = bySubject.count
    self.errors = errors
    limitsOfAgreement = RepeatedAgreement(bySubject: bySubject)?.limits
    biasInterval = intervals[0]
    maeInterval = intervals[1]?.notBelowZero
    rmseInterval = intervals[2]?.notBelowZero
  }
}

extension Interval {
  /// The interval of what cannot be below zero.
  var notBelowZero: Interval { Interval(low: max(0, low), high: high) }
}

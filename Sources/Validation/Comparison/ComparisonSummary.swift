public import AlcoholKinetics
public import Estimation
import StudyData

/// Comparison of prediction methods: errors, rankings and pairwise differences with intervals and tests.
public struct ComparisonSummary: Codable, Hashable, Sendable {
  /// Errors of each method in concentration and peak, or in r, by quantity and sex.
  public let methods: [MethodSummary]
  /// Rankings of all methods, by quantity and sex; followed by those of the methods defined for
  /// everybody, if some are not.
  public let rankings: [MethodRanking]
  /// Every pair of methods, by quantity and sex.
  public let pairs: [MethodPair]
  /// The ranked methods, and the series they are ranked on.
  package let ranking: RankedMethods
  /// The methods without a formula for the sex of some subject.
  public let undefined: [String: Sex]
  /// Errors of each method in the time to sobriety; nil for comparisons of r.
  public let times: SobrietyComparison?
  /// Autocorrelation and trends of each method's errors; empty for comparisons of r.
  package let diagnostics: [ErrorDiagnostics]
  /// The use of each reading, once for a series that several methods are compared on.
  public let uses: [ReadingUse]
  /// Sensitivity of the comparison to other kinetic parameters; nil if none were tried.
  package let naming: KineticSensitivity?

  /// Summarises scores.
  ///
  /// - `naming`: Results with other kinetic parameters; without them no method is called better.
  /// - `limits`: Limits of errors to count within, in percent of the measured time to sobriety.
  /// - `requiresAllMethods`: Whether to rank every method, on the series that all of them predict for.
  package init(
    of scores: [Score], diagnostics: [ErrorDiagnostics]? = nil, naming: KineticSensitivity? = nil,
    within limits: [Double] = TimeErrorEstimate.usualLimits, bootstrap: Bootstrap,
    bySex: Bool = false, requiresAllMethods: Bool = false
  ) {
    let all = Self.groups(bySex: bySex).flatMap { sex in
      let (ranking, ranked) = RankedMethods.ranked(
        scores.filter { sex == nil || $0.series.subject.sex == sex },
        requiresAllMethods: requiresAllMethods,
        MethodOutcome.init(ofCurve:))
      return [.concentration, .peak].map { MethodErrors($0, of: ranked, sex: sex, ranking) }
        + [MethodErrors(timesOf: ranked, sex: sex, ranking)]
    }
    self.init(
      all, naming, bootstrap,
      times: SobrietyComparison(
        of: scores, within: limits, bootstrap: bootstrap, bySex: bySex,
        requiresAllMethods: requiresAllMethods),
      diagnostics: diagnostics ?? ErrorDiagnostics.all(of: scores), uses: Score.uses(in: scores))
  }

  /// Summarises comparisons of r with the observed r; no readings or times are compared.
  public init(
    of comparisons: [RComparison], bootstrap: Bootstrap, bySex: Bool = false,
    requiresAllMethods: Bool = false
  ) {
    let all = Self.groups(bySex: bySex).map { sex in
      let (ranking, ranked) = RankedMethods.ranked(
        comparisons.filter { sex == nil || $0.subject.sex == sex },
        requiresAllMethods: requiresAllMethods,
        MethodOutcome.init)
      return MethodErrors(of: ranked, sex: sex, ranking)
    }
    self.init(all, nil, bootstrap, times: nil, diagnostics: [], uses: [])
  }

  private init(
    _ all: [MethodErrors], _ naming: KineticSensitivity?, _ bootstrap: Bootstrap,
    times: SobrietyComparison?, diagnostics: [ErrorDiagnostics], uses: [ReadingUse]
  ) {
    self.diagnostics = diagnostics
    self.naming = naming
    self.times = times
    self.uses = uses
    ranking = all.first?.ranking ?? RankedMethods([], of: [], requiresAllMethods: false)
    undefined = all.first?.undefined ?? [:]
    rankings = all.flatMap(MethodRanking.rankings)
    let summarised = all.flatMap { errors in errors.methods.map { (method: $0, errors: errors) } }
    let totals = summarised.map { method, errors in
      ErrorTotals.statistics(of: errors.bySubject(method).map(ErrorTotals.init(of:)))
    }
    let drafts = all.flatMap(MethodPair.Draft.all)
    // One call, so that all statistics share the draws.
    let intervals = bootstrap.intervals(of: totals + drafts.map(\.meanDifference))
    methods = zip(summarised, intervals).compactMap { MethodSummary($0.method, $0.errors, $1) }
    pairs = MethodPair.judged(
      drafts, intervals.dropFirst(totals.count).map { $0[0] }, by: naming,
      level: bootstrap.level)
  }

  /// Errors of each method in the time to sobriety, by sex.
  public var sobriety: [SobrietySummary] { times?.methods ?? [] }

  /// The concentrations at or below which subjects counted as sober.
  public var thresholds: [SobrietyThreshold] { times?.thresholds ?? [] }

  private static func groups(bySex: Bool) -> [Sex?] { bySex ? [nil] + Sex.allCases : [nil] }
}

/// Errors of one method in one quantity over all subjects, or those of one sex.
public struct MethodSummary: Codable, Hashable, Sendable {
  public let method: String
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// Whether it is ranked: on the series that every ranked method has.
  public let isRanked: Bool
  public let subjects: Int
  /// All errors pooled, in the unit of the quantity.
  public let errors: Sample
  /// The limits of agreement: 95 % of the errors of new subjects are expected within them, allowing
  /// for correlation within subjects; nil for fewer than 2 subjects.
  public let limitsOfAgreement: Interval?
  public let bias: EstimatedValue
  public let mae: EstimatedValue
  public let rmse: EstimatedValue

  /// The method of the intervals; nil without any.
  public var intervalKind: Bootstrap.Kind? {
    bias.interval.flatMap { _ in Bootstrap.kind(count: subjects) }
  }

  /// Summarises the errors of a method; nil without errors.
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
    let statistics = EstimatedValue.statistics(of: errors, intervals)
    bias = statistics[0]
    mae = statistics[1]
    rmse = statistics[2]
  }
}

/// All methods at once, ranked by their mean absolute error within each subject.
/// Errors of times to sobriety are expectations between their limits.
public struct MethodRanking: Codable, Hashable, Sendable {
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// The methods, in the order of the test's mean ranks.
  public let methods: [String]
  /// Friedman's test over the subjects that have errors by all methods.
  public let test: FriedmanTest
  /// The number of subjects with errors by any method; larger than that of the test if some method
  /// has none for some subject.
  public let subjectsWithErrors: Int
  /// The methods without a formula for a sex, whose subjects are therefore not in the test.
  public let undefined: [String: Sex]

  /// The ranking of the ranked methods, and of all methods on their common subjects if some are not
  /// ranked.
  static func rankings(of all: MethodErrors) -> [MethodRanking] {
    let methods = all.methodsWithErrors
    let ranked = methods.filter(all.ranking.ranks)
    return (methods == ranked ? [methods] : [ranked, methods])
      .compactMap { MethodRanking($0, all) }
  }

  /// Returns nil if there is no test: fewer than 2 subjects with errors by all methods, or fewer
  /// than 3 methods.
  private init?(_ methods: [String], _ all: MethodErrors) {
    guard let test = FriedmanTest(blocks: all.meanAbsoluteErrors(methods))
    else { return nil }
    quantity = all.quantity
    sex = all.sex
    self.methods = methods
    self.test = test
    subjectsWithErrors = all.subjectCount
    undefined = all.undefined.filter { methods.contains($0.key) }
  }
}

/// The quantities in which predictions are compared with measurements.
public enum ComparedQuantity: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable,
  Sendable
{
  /// The concentration at every reading, in g/kg.
  case concentration
  /// The height of the peak, in g/kg.
  case peak
  /// The time to sobriety, in min; interval-censored (`SobrietyError`).
  case sobriety
  /// The r factor itself, in kg/kg, against the observed one.
  case r

  /// The quantities compared for a predicted curve.
  package static let ofCurves: [ComparedQuantity] = [.concentration, .peak, .sobriety]

  package var unit: String {
    switch self {
    case .concentration, .peak: "g/kg"
    case .sobriety: "min"
    case .r: "kg/kg"
    }
  }

  /// The errors of a score, predicted minus measured; empty where there is nothing to compare, and
  /// for times to sobriety, whose errors are not known exactly.
  func errors(of score: Score) -> [Double] {
    switch self {
    case .concentration: score.agreement?.errors ?? []
    case .peak: (score.agreement?.peakError).map { [$0] } ?? []
    case .sobriety, .r: []
    }
  }
}

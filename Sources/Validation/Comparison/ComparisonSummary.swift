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
  package let ranking: RankedMethods
  /// Which methods have no formula for a sex that some subject is of.
  public let undefined: [String: Sex]
  /// How methods do in time to sobriety; nil for comparisons of r.
  public let times: SobrietyComparison?
  /// What the errors of each method say beyond their bias; empty for comparisons of r.
  package let diagnostics: [ErrorDiagnostics]
  /// What was done with each reading; of a series that several methods are compared on once.
  public let uses: [ReadingUse]
  /// With which other kinetic parameters a method has to be better; nil where they were not tried.
  package let naming: NamingBasis?

  /// Sums scores up.
  ///
  /// - `naming`: What other kinetic parameters make of the study; without it no method is called better.
  /// - `limits`: Within how many percent of the measured time to sobriety errors are counted.
  /// - `areAllWanted`: Whether every method is ranked, on the series that all of them predict for.
  package init(
    of scores: [Score], diagnostics: [ErrorDiagnostics]? = nil, naming: NamingBasis? = nil,
    within limits: [Double] = TimeErrorEstimate.usualLimits, bootstrap: Bootstrap,
    bySex: Bool = false, areAllWanted: Bool = false
  ) {
    let all = Self.groups(bySex: bySex).flatMap { sex in
      let (ranking, own) = RankedMethods.ranked(
        scores.filter { sex == nil || $0.series.subject.sex == sex }, areAllWanted: areAllWanted,
        MethodOutcome.init(ofCurve:))
      return [.concentration, .peak].map { MethodErrors($0, of: own, sex: sex, ranking) }
        + [MethodErrors(timesOf: own, sex: sex, ranking)]
    }
    self.init(
      all, naming, bootstrap,
      times: SobrietyComparison(
        of: scores, within: limits, bootstrap: bootstrap, bySex: bySex,
        areAllWanted: areAllWanted),
      diagnostics: diagnostics ?? ErrorDiagnostics.all(of: scores), uses: Score.uses(in: scores))
  }

  /// Sums comparisons of r with the observed r up; no readings are compared and no times.
  public init(
    of comparisons: [RComparison], bootstrap: Bootstrap, bySex: Bool = false,
    areAllWanted: Bool = false
  ) {
    let all = Self.groups(bySex: bySex).map { sex in
      let (ranking, own) = RankedMethods.ranked(
        comparisons.filter { sex == nil || $0.subject.sex == sex }, areAllWanted: areAllWanted,
        MethodOutcome.init)
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
  public let bias: EstimatedValue
  public let mae: EstimatedValue
  public let rmse: EstimatedValue

  /// How the intervals are made; nil where there are none.
  public var intervalKind: Bootstrap.Kind? {
    bias.interval.flatMap { _ in Bootstrap.kind(count: subjects) }
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
    let statistics = EstimatedValue.statistics(of: errors, intervals)
    bias = statistics[0]
    mae = statistics[1]
    rmse = statistics[2]
  }
}

/// All methods at once, ranked by their mean absolute error within each subject.
/// Errors of times to sobriety are those that are expected between their limits.
public struct MethodRanking: Codable, Hashable, Sendable {
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// The methods, in the order of the test's mean ranks.
  public let methods: [String]
  /// Friedman's test over the subjects that have errors by all methods.
  public let test: FriedmanTest
  /// How many subjects have errors by any method; more than those of the test if some method has
  /// none for somebody.
  public let subjectsWithErrors: Int
  /// Which of the methods have no formula for a sex, whose subjects are therefore not in the test.
  public let undefined: [String: Sex]

  /// The ranked methods, and where others stand aside, all of them on the subjects that they have in common.
  static func rankings(of all: MethodErrors) -> [MethodRanking] {
    let methods = all.methodsWithErrors
    let ranked = methods.filter(all.ranking.ranks)
    return (methods == ranked ? [methods] : [ranked, methods])
      .compactMap { MethodRanking($0, all) }
  }

  /// Nil where there is no test: fewer than 2 subjects with errors by all methods, or fewer than 3
  /// methods.
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

/// What predictions are judged by.
public enum ComparedQuantity: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable,
  Sendable
{
  /// The concentration at every reading, in g/kg.
  case concentration
  /// The height of the peak, in g/kg.
  case peak
  /// The time to sobriety, in min; of what is measured limits are known (``SobrietyError``).
  case sobriety
  /// The r factor itself, in kg/kg, against the observed one.
  case r

  /// What a predicted curve is judged by.
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

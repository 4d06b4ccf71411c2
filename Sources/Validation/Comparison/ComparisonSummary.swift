public import AlcoholKinetics

/// Which method predicts better, by how much, and how sure that is.
public struct ComparisonSummary: Sendable {
  /// How each method does in concentration and peak, or in r, by quantity and sex.
  public let methods: [MethodSummary]
  /// All methods at once, by quantity and sex; followed by those that are defined for everybody where
  /// that is not all of them.
  public let rankings: [MethodRanking]
  /// Every pair of methods, by quantity and sex.
  public let pairs: [MethodPair]
  /// Which methods have no formula for a sex that some subject is of.
  public let undefined: [String: Sex]
  /// How each method does in time to sobriety, by sex.
  public let sobriety: [SobrietySummary]
  /// Why methods are not ranked by time to sobriety, by sex; empty if they are.
  public let unranked: [UnrankedSobriety]
  /// At or below which concentrations subjects counted as sober.
  public let thresholds: [SobrietyThreshold]
  /// What was done with each reading; of a series that several methods are compared on once.
  public let uses: [ReadingUse]

  /// Sums comparisons up.
  ///
  /// - Parameters:
  ///   - comparisons: Comparisons of one study.
  ///   - bootstrap: How intervals over subjects are drawn.
  ///   - bySex: Whether men and women are summed up by themselves as well.
  public init(of comparisons: [Comparison], bootstrap: Bootstrap, bySex: Bool = false) {
    let groups = Self.groups(bySex: bySex)
    let all = groups.flatMap { sex in
      ComparedQuantity.ofCurves.map { MethodErrors($0, of: comparisons, sex: sex) }
    }
    self.init(
      all, bootstrap,
      sobriety: groups.flatMap { SobrietySummary.all(of: comparisons, sex: $0, bootstrap) },
      thresholds: SobrietyThreshold.used(in: comparisons.map(\.sobriety)),
      uses: Comparison.uses(in: comparisons))
  }

  /// Sums comparisons of r with the observed r up; no readings are compared and no times.
  ///
  /// - Parameters:
  ///   - comparisons: Comparisons of one study.
  ///   - bootstrap: How intervals over subjects are drawn.
  ///   - bySex: Whether men and women are summed up by themselves as well.
  public init(of comparisons: [RComparison], bootstrap: Bootstrap, bySex: Bool = false) {
    let all = Self.groups(bySex: bySex).map { MethodErrors(of: comparisons, sex: $0) }
    self.init(all, bootstrap, sobriety: [], thresholds: [], uses: [])
  }

  private init(
    _ all: [MethodErrors], _ bootstrap: Bootstrap, sobriety: [SobrietySummary],
    thresholds: [SobrietyThreshold], uses: [ReadingUse]
  ) {
    self.thresholds = thresholds
    unranked = all.compactMap(UnrankedSobriety.init)
    self.sobriety = sobriety
    self.uses = uses
    undefined = all.first?.undefined ?? [:]
    methods = all.flatMap { errors in
      errors.methods.compactMap { MethodSummary($0, errors, bootstrap) }
    }
    rankings = all.flatMap(MethodRanking.rankings)
    pairs = all.flatMap { MethodPair.pairs(of: $0, bootstrap) }
  }

  private static func groups(bySex: Bool) -> [Sex?] { bySex ? [nil] + Sex.allCases : [nil] }
}

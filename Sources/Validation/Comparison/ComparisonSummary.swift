import AlcoholKinetics

/// Which method predicts better, by how much, and how sure that is.
public struct ComparisonSummary: Sendable {
  /// How each method does, by quantity and sex.
  public let methods: [MethodSummary]
  /// All methods at once, by quantity and sex.
  public let rankings: [MethodRanking]
  /// Every pair of methods, by quantity and sex.
  public let pairs: [MethodPair]

  /// Sums comparisons up.
  ///
  /// - Parameters:
  ///   - comparisons: Comparisons of one study.
  ///   - bootstrap: How intervals over subjects are drawn.
  ///   - bySex: Whether men and women are summed up by themselves as well.
  public init(of comparisons: [Comparison], bootstrap: Bootstrap, bySex: Bool = false) {
    let groups: [Sex?] = bySex ? [nil] + Sex.allCases : [nil]
    let all = groups.flatMap { sex in
      ComparedQuantity.allCases.map { MethodErrors($0, of: comparisons, sex: sex) }
    }
    methods = all.flatMap { errors in
      errors.methods.compactMap { MethodSummary($0, errors, bootstrap) }
    }
    rankings = all.compactMap(MethodRanking.init)
    pairs = all.flatMap { MethodPair.pairs(of: $0, bootstrap) }
  }
}

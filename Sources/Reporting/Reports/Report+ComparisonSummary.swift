import AlcoholKinetics
public import Validation

extension Report {
  /// The report of how the methods do in total.
  ///
  /// - Parameters:
  ///   - summary: The summary.
  ///   - level: The level of its intervals, for example 0.95.
  ///   - pairsFirst: Whether CSV carries the pairs of methods instead of the methods.
  ///   - provenance: How it was made.
  public static func comparisonSummary(
    _ summary: ComparisonSummary, level: Double, pairsFirst: Bool, provenance: Provenance
  ) -> Report {
    let methods = Section(name: "methods", table: Table(methodColumns, rows: summary.methods))
    let pairs = Section(name: "pairs", table: Table(pairColumns, rows: summary.pairs))
    let rankings = Section(name: "rankings", table: Table(rankingColumns, rows: summary.rankings))
    return Report(
      introduction: [
        "Errors are predicted minus measured: concentration and peak in g/kg, sobriety in min. In",
        "brackets \(NumberStyle.exact(level * 100)) % bootstrap intervals over subjects; "
          + "n counts errors, LoA are limits of agreement.",
      ],
      sections: pairsFirst ? [pairs, rankings, methods] : [methods, rankings, pairs],
      notes: [verdict(on: summary.pairs)],
      provenance: provenance)
  }

  /// Names a winner only where interval and test agree that there is one.
  private static func verdict(on pairs: [MethodPair]) -> String {
    let decided = pairs.filter { $0.better != nil }
    guard !decided.isEmpty else {
      return "No method is shown to be better than another: no pair differs both by its interval "
        + "and by Wilcoxon's test after Holm's correction."
    }
    return "\(decided.count) of \(pairs.count) pairs differ both by their interval and by "
      + "Wilcoxon's test after Holm's correction: see the column better."
  }

  private static let methodColumns: [Column<MethodSummary>] = [
    Column("quantity") { .text($0.quantity.rawValue) },
    Column(forPeople: "quantity") { .text($0.quantity.shortName) },
    Column("unit") { .text($0.quantity.unit) },
    Column("sex") { .text($0.sex?.rawValue ?? "all") },
    Column(forPeople: "sex") { .words($0.sex?.rawValue) },
    Column("r_factor", heading: "r factor") { .text($0.rFactor) },
    Column("subjects") { .integer($0.subjects) },
    Column("n", heading: "n") { .integer($0.errors.count) },
    Column("bias") { .number($0.errors.bias) },
    Column("bias_low") { .number($0.biasInterval?.low) },
    Column("bias_high") { .number($0.biasInterval?.high) },
    Column(forPeople: "bias") { .text($0.displayed($0.errors.bias, $0.biasInterval)) },
    Column("mae") { .number($0.errors.mae) },
    Column("mae_low") { .number($0.maeInterval?.low) },
    Column("mae_high") { .number($0.maeInterval?.high) },
    Column(forPeople: "MAE") { .text($0.displayed($0.errors.mae, $0.maeInterval)) },
    Column("rmse") { .number($0.errors.rmse) },
    Column("rmse_low") { .number($0.rmseInterval?.low) },
    Column("rmse_high") { .number($0.rmseInterval?.high) },
    Column(forPeople: "RMSE") { .text($0.quantity.displayed($0.errors.rmse, nil)) },
    Column("median") { .number($0.errors.median) },
    Column("loa_low") { .number($0.errors.limitsOfAgreement?.low) },
    Column("loa_high") { .number($0.errors.limitsOfAgreement?.high) },
    Column(forPeople: "LoA") { summary in
      .words(summary.errors.limitsOfAgreement.map { summary.quantity.displayed($0) })
    },
  ]

  private static let pairColumns: [Column<MethodPair>] = [
    Column("quantity") { .text($0.quantity.rawValue) },
    Column(forPeople: "quantity") { .text($0.quantity.shortName) },
    Column("unit") { .text($0.quantity.unit) },
    Column("sex") { .text($0.sex?.rawValue ?? "all") },
    Column(forPeople: "sex") { .words($0.sex?.rawValue) },
    Column("r_factor_a", heading: "first") { .text($0.first) },
    Column("r_factor_b", heading: "second") { .text($0.second) },
    Column("subjects", heading: "subjects") { .integer($0.subjects) },
    Column("mae_difference") { .number($0.difference) },
    Column("difference_low") { .number($0.interval?.low) },
    Column("difference_high") { .number($0.interval?.high) },
    Column(forPeople: "MAE first - second") { pair in
      .text(pair.quantity.displayed(pair.difference, pair.interval, finer: true))
    },
    Column("wilcoxon_p", heading: "Wilcoxon p", style: .significant(2)) { .number($0.wilcoxonP) },
    Column("holm_p", heading: "Holm p", style: .significant(2)) { .number($0.holmP) },
    Column("better") { .words($0.better) },
    Column(forPeople: "better") { .text($0.better ?? "-") },
  ]

  private static let rankingColumns: [Column<MethodRanking>] = [
    Column("quantity") { .text($0.quantity.rawValue) },
    Column(forPeople: "quantity") { .text($0.quantity.shortName) },
    Column("sex") { .text($0.sex?.rawValue ?? "all") },
    Column(forPeople: "sex") { .words($0.sex?.rawValue) },
    Column("subjects", heading: "subj.") { .integer($0.test.subjects) },
    Column("mean_ranks") { .text($0.meanRanks(.significant(3))) },
    Column(forPeople: "mean rank (1 is best)") { .text($0.meanRanks(.decimals(1))) },
    Column("friedman_chi2", heading: "chi2", style: .significant(3)) {
      .number($0.test.chiSquared)
    },
    Column("df") { .integer($0.test.degreesOfFreedom) },
    Column("friedman_p", heading: "p", style: .significant(2)) { .number($0.test.pValue) },
  ]
}

extension MethodRanking {
  fileprivate func meanRanks(_ style: NumberStyle) -> String {
    zip(methods, test.meanRanks).map { "\($0) \(style.format($1))" }.joined(separator: ", ")
  }
}

extension MethodSummary {
  fileprivate func displayed(_ value: Double, _ interval: Interval?) -> String {
    quantity.displayed(value, interval)
  }
}

extension ComparedQuantity {
  fileprivate var shortName: String {
    switch self {
    case .concentration: "conc."
    case .peak, .sobriety: rawValue
    }
  }

  /// Differences between methods are smaller than errors and are shown with a digit more.
  fileprivate func style(finer: Bool) -> NumberStyle {
    switch self {
    case .concentration, .peak: .decimals(finer ? 3 : 2)
    case .sobriety: .decimals(1)
    }
  }

  fileprivate func displayed(_ interval: Interval, finer: Bool = false) -> String {
    let style = style(finer: finer)
    return "[\(style.format(interval.low)), \(style.format(interval.high))]"
  }

  fileprivate func displayed(
    _ value: Double, _ interval: Interval?, finer: Bool = false
  ) -> String {
    style(finer: finer).format(value)
      + (interval.map { " " + displayed($0, finer: finer) } ?? "")
  }
}

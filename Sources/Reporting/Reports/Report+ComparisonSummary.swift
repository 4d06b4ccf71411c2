import AlcoholKinetics
import Estimation
public import Validation

extension Report {
  /// The report of how the methods do in total.
  ///
  /// - Parameters:
  ///   - summary: The summary.
  ///   - options: How was predicted.
  ///   - level: The level of its intervals, for example 0.95.
  ///   - pairsFirst: Whether CSV carries the pairs of methods instead of the methods.
  ///   - provenance: How it was made.
  public static func comparisonSummary(
    _ summary: ComparisonSummary, options: PredictionOptions, level: Double, pairsFirst: Bool,
    provenance: Provenance
  ) -> Report {
    let methods = Section(name: "methods", table: methodTable(summary))
    let pairs = Section(name: "pairs", table: Table(pairColumns, rows: summary.pairs))
    let rankings = Section(name: "rankings", table: Table(rankingColumns, rows: summary.rankings))
    let sobriety = Section(
      name: "sobriety", table: Table(SobrietySummary.columns, rows: summary.sobriety))
    return Report(
      introduction: options.sourceLines + [
        "Errors are predicted minus measured: concentration and peak in g/kg, sobriety in min.",
        "Sober: at most \(SobrietyThreshold.words(summary.thresholds, options)).",
        "The time to sobriety lies between two readings, so its errors are given as limits: x to y, > x or",
        "< x. In brackets, and in the sobriety table: \(NumberStyle.exact(level * 100)) % intervals over subjects,",
        "by bootstrap (Student's t below \(Bootstrap.fewestDrawn) subjects). n: number of errors. LoA: limits of",
        "agreement. Holm p: corrected for all pairs together.",
      ],
      sections: (pairsFirst ? [pairs, rankings, methods] : [methods, rankings, pairs]) + [sobriety]
        + diagnosticSections(summary.diagnostics),
      notes: verdict(on: summary, level: level) + remarks(on: summary)
        + ErrorDiagnostics.warnings(of: summary.diagnostics).map(\.remark)
        + [SobrietySummary.remark(on: summary.sobriety), LeftOut(summary.uses).remark]
        .compactMap(\.self),
      provenance: provenance)
  }

  /// Under which kinetic parameters a method has to be better.
  private static func rule(_ naming: NamingBasis) -> String {
    let exact = { (value: Double) in NumberStyle.exact(value) }
    let middle = { (value: Double) in NumberStyle.significant(2).format(value) }
    let ranges = naming.range.ranges.sorted { $0.key < $1.key }
    let corners = ranges.map { parameter, range in
      "\(parameter.symbol) \(exact(range.lowerBound)) and \(exact(range.upperBound)) \(parameter.unit)"
    }
    let middles = ranges.map { parameter, _ in
      "\(middle(naming.range.middle[parameter] ?? .nan)) \(parameter.unit)"
    }
    let symbols = ranges.map(\.key.symbol).joined(separator: " and ")
    let fitted =
      naming.fittedSubjects < naming.subjects
      ? "; fits of \(naming.fittedSubjects) of \(naming.subjects) subjects" : ""
    return
      "A method is called better only if it is better with the \(symbols) above, with the medians of "
      + "all other subjects' fits (left-out\(fitted)), at \(corners.joined(separator: " with ")), and "
      + "in the middle, at \(middles.joined(separator: " and "))."
  }

  /// Says whether some method is better, or why none can be called so.
  static func verdict(on summary: ComparisonSummary, level: Double) -> [String] {
    let pairs = summary.pairs
    let alpha = written(1 - level)
    let decided = pairs.count { $0.better != nil }
    let dependent = pairs.count { $0.verdict == .dependsOnKinetics }
    let withoutOthers = pairs.count { $0.verdict == .noLeftOut }
    var notes = [
      decided == 0
        ? "No method was shown to be better than another."
        : "One method is better in \(decided) of \(pairs.count) pairs; see the column better."
    ]
    if dependent > 0 {
      notes.append(
        "\(dependent) of \(pairs.count) pairs differ with these kinetic parameters (p < \(alpha) after "
          + "correction), but not with all other values tried: the better method depends on the "
          + "parameters.")
    }
    if withoutOthers > 0 {
      notes.append(
        "\(withoutOthers) of \(pairs.count) pairs differ with these kinetic parameters, but there are "
          + "no fits of other subjects for left-out predictions.")
    }
    let notExamined = pairs.count { $0.verdict == .notExamined }
    if notExamined > 0 {
      notes.append(
        "\(notExamined) of \(pairs.count) pairs differ with these kinetic parameters (p < \(alpha) after "
          + "correction); other values were not tried.")
    }
    return notes + impossible(pairs, alpha: 1 - level)
      + [summary.naming.map(rule)].compactMap(\.self)
  }

  /// A level of significance without the rounding of 1 - 0.95.
  private static func written(_ alpha: Double) -> String {
    NumberStyle.exact((alpha * 1e9).rounded() / 1e9)
  }

  /// Where subjects are too few for any difference to be shown.
  private static func impossible(_ pairs: [MethodPair], alpha: Double) -> [String] {
    let level = written(alpha)
    return [nil, Sex.male, .female].compactMap { sex in
      let group = pairs.filter { $0.sex == sex }
      guard let most = group.map(\.subjects).max(),
        group.allSatisfy({ $0.verdict == .tooFewSubjects })
      else { return nil }
      let who =
        sex.map { $0 == .male ? " men" : " women" } ?? (most == 1 ? " subject" : " subjects")
      let needed = MethodPair.fewestSubjects(comparisons: pairs.count, alpha: alpha)
      return
        "With \(most)\(who) and \(pairs.count) comparisons, no difference can reach p < \(level) "
        + "after correction; at least \(needed) are needed."
    }
  }

  /// Says whom methods leave out, and why.
  static func remarks(on summary: ComparisonSummary) -> [String] {
    let reasons = summary.undefined.sorted { $0.key < $1.key }.map { method, sex in
      let (without, with) = sex == .female ? ("women", "men") : ("men", "women")
      return "\(method) has no formula for \(without): its errors, pairs and rankings cover "
        + "\(with) only."
    }
    let isShort = summary.rankings.contains { ranking in
      ranking.undefined.isEmpty && ranking.test.subjects < ranking.subjectsWithErrors
    }
    let unranked = summary.unranked.first { $0.sex == nil }.map { [$0.sentence] } ?? []
    return reasons + unranked
      + (isShort ? ["A ranking uses only subjects with errors from all methods named."] : [])
  }

  /// How the methods do, quantity by quantity, for everybody and then for each sex.
  static func methodTable(_ summary: ComparisonSummary) -> Table {
    let exact = Table(methodColumns + limitedColumns, rows: summary.methods)
    let limited = Table(SobrietySummary.methodColumns, rows: summary.sobriety)
    let places = exact.headers.map { header in
      limited.headers.firstIndex {
        header.name == nil ? $0.name == nil && $0.heading == header.heading : $0.name == header.name
      }
    }
    var rows: [[Cell]] = []
    for sex in [nil] + Sex.allCases {
      for (method, row) in zip(summary.methods, exact.rows) where method.sex == sex {
        rows.append(row)
      }
      for (method, row) in zip(summary.sobriety, limited.rows)
      where method.sex == sex && method.errors != nil {
        rows.append(places.map { place in place.map { row[$0] } ?? .missing })
      }
    }
    return Table(headers: exact.headers, rows: rows)
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
    Column("interval") { .words($0.intervalKind?.rawValue) },
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
    Column("loa_low") { .number($0.limitsOfAgreement?.low) },
    Column("loa_high") { .number($0.limitsOfAgreement?.high) },
    Column(forPeople: "LoA") { summary in
      .words(summary.limitsOfAgreement.map { summary.quantity.displayed($0) })
    },
  ]

  /// What only times to sobriety have, whose errors are known between limits.
  private static let limitedColumns: [Column<MethodSummary>] =
    ["between", "at_least", "at_most", "unknown"].map { Column($0) { _ in .missing } }
    + ["bias", "mae", "rmse", "median"].flatMap { statistic in
      ["least", "most"].map { Column("\(statistic)_\($0)") { _ in .missing } }
    }

  static let pairColumns: [Column<MethodPair>] = [
    Column("quantity") { .text($0.quantity.rawValue) },
    Column(forPeople: "quantity") { .text($0.quantity.shortName) },
    Column("unit") { .text($0.quantity.unit) },
    Column("sex") { .text($0.sex?.rawValue ?? "all") },
    Column(forPeople: "sex") { .words($0.sex?.rawValue) },
    Column("r_factor_a", heading: "first") { .text($0.first) },
    Column("r_factor_b", heading: "second") { .text($0.second) },
    Column("subjects", heading: "subjects") { .integer($0.subjects) },
    Column("mae_difference") { .number($0.difference) },
    Column("mae_difference_least") { .number($0.limits.low) },
    Column("mae_difference_most") { .number($0.limits.high) },
    Column("interval") { .words($0.intervalKind?.rawValue) },
    Column("difference_low") { .number($0.interval?.low) },
    Column("difference_high") { .number($0.interval?.high) },
    Column(forPeople: "MAE first - second") { pair in
      .text(pair.displayed)
    },
    Column("wilcoxon_p", heading: "Wilcoxon p", style: .significant(2)) { .number($0.wilcoxonP) },
    Column("holm_p", heading: "Holm p", style: .significant(2)) { .number($0.holmP) },
    Column("least_holm_p") { .number($0.leastHolmP) },
    Column("left_out_difference") { .number($0.leftOutDifference) },
    Column("least_difference") { .number($0.differences?.low) },
    Column("largest_difference") { .number($0.differences?.high) },
    Column("worst_holm_p") { .number($0.worstHolmP) },
    Column("verdict") { .text($0.verdict.rawValue) },
    Column("better") { .words($0.better) },
    Column(forPeople: "better") { .text($0.better ?? $0.verdict.shown) },
  ]

  static let rankingColumns: [Column<MethodRanking>] = [
    Column("quantity") { .text($0.quantity.rawValue) },
    Column(forPeople: "quantity") { .text($0.quantity.shortName) },
    Column("sex") { .text($0.sex?.rawValue ?? "all") },
    Column(forPeople: "sex") { .words($0.sex?.rawValue) },
    Column("subjects") { .integer($0.test.subjects) },
    Column("subjects_with_errors") { .integer($0.subjectsWithErrors) },
    Column(forPeople: "subj.") { .text($0.shownSubjects) },
    Column("undefined") { .words($0.undefinedMethods) },
    Column("mean_ranks") { .text($0.meanRanks(.significant(3))) },
    Column(forPeople: "mean rank (1 is best)") { .text($0.meanRanks(.decimals(1))) },
    Column("friedman_chi2", heading: "chi2", style: .significant(3)) {
      .number($0.test.chiSquared)
    },
    Column("df") { .integer($0.test.degreesOfFreedom) },
    Column("friedman_p", heading: "p", style: .significant(2)) { .number($0.test.pValue) },
  ]
}

extension MethodPair.Verdict {
  /// Why no method is called better, in as few words as a table has room for.
  fileprivate var shown: String {
    switch self {
    case .better, .notShown, .notExamined: "-"
    case .tooFewSubjects: "too few"
    case .dependsOnKinetics: "depends"
    case .noLeftOut: "no others"
    }
  }
}

extension MethodRanking {
  /// How many subjects are compared, and of how many if not all are.
  fileprivate var shownSubjects: String {
    test.subjects == subjectsWithErrors
      ? "\(subjectsWithErrors)" : "\(test.subjects)/\(subjectsWithErrors)"
  }

  /// The methods that leave subjects out, as `ulrich: female`; nil if there are none.
  fileprivate var undefinedMethods: String? {
    let names = methods.compactMap { method in
      undefined[method].map { "\(method): \($0.rawValue)" }
    }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  fileprivate func meanRanks(_ style: NumberStyle) -> String {
    zip(methods, test.meanRanks).map { "\($0) \(style.format($1))" }.joined(separator: ", ")
  }
}

extension MethodPair {
  /// The difference with its interval, or what it lies between where only that is known.
  fileprivate var displayed: String {
    guard limits.low < limits.high else {
      return quantity.displayed(difference, interval, finer: true)
    }
    let style = NumberStyle.decimals(limits.high - limits.low < 2 ? 1 : 0)
    return "\(style.format(limits.low)) to \(style.format(limits.high))"
      + (interval.map { " " + style.format($0) } ?? "")
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
    case .peak, .sobriety, .r: rawValue
    }
  }

  /// Differences between methods are smaller than errors and are shown with a digit more.
  fileprivate func style(finer: Bool) -> NumberStyle {
    switch self {
    case .concentration, .peak, .r: .decimals(finer ? 3 : 2)
    case .sobriety: .decimals(1)
    }
  }

  fileprivate func displayed(_ interval: Interval, finer: Bool = false) -> String {
    style(finer: finer || isTiny([interval.low, interval.high])).format(interval)
  }

  /// Whether two decimals of a concentration would leave little but zeros.
  private func isTiny(_ numbers: [Double]) -> Bool {
    numbers.allSatisfy { abs($0) < 0.05 }
  }

  fileprivate func displayed(
    _ value: Double, _ interval: Interval?, finer: Bool = false
  ) -> String {
    let finer = finer || isTiny([value] + (interval.map { [$0.low, $0.high] } ?? []))
    return style(finer: finer).format(value)
      + (interval.map { " " + displayed($0, finer: finer) } ?? "")
  }
}

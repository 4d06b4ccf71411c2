import AlcoholKinetics
package import Estimation
public import Validation

extension Report {
  /// The report of the overall accuracy of the methods.
  ///
  /// - `scores`: What it sums up, to name what is in doubt.
  /// - `limits`: Within how many percent of the measured time errors were counted.
  /// - `pairsFirst`: Whether CSV carries the pairs of methods instead of the methods.
  public static func comparisonSummary(
    _ summary: ComparisonSummary, of scores: [Score] = [], options: PredictionOptions,
    level: Double, within limits: [Double] = TimeErrorEstimate.usualLimits, pairsFirst: Bool,
    provenance: Provenance
  ) -> Report {
    let methods = Section(MethodRow.table, rows: methodRows(of: summary))
    let pairs = Section(Self.pairs, rows: summary.pairs)
    let rankings = Section(Self.rankings, rows: summary.rankings)
    let sobriety = Section(SobrietySummary.table(within: limits), rows: summary.sobriety)
    let given = GivenModelCheck(scores).findings.map(\.remark)
    return Report(
      introduction: sourceLines(of: options) + [
        "Errors are predicted minus measured: concentration and peak in g/kg, sobriety in min.",
        "Sober: at most \(SobrietyThreshold.words(summary.thresholds, options)).",
        "The time to sobriety lies between two readings or beyond one; its errors are estimated from that.",
        "In brackets, and in the sobriety table: \(NumberStyle.exact(level * 100)) % intervals over subjects,",
        "by bootstrap (Student's t below \(Bootstrap.fewestDrawn) subjects). n: number of errors. LoA: limits of",
        "agreement. Holm p: corrected for all pairs together.",
      ],
      sections: (pairsFirst ? [pairs, rankings, methods] : [methods, rankings, pairs]) + [sobriety]
        + diagnosticSections(summary.diagnostics),
      notes: verdict(on: summary, level: level) + remarks(on: summary)
        + ErrorDiagnostics.warnings(of: summary.diagnostics).map(\.remark)
        + [
          SobrietySummary.description(of: summary.sobriety),
          SobrietySummary.remark(on: summary.sobriety), ReadingUseCounts(summary.uses).remark,
        ].compactMap(\.self) + given,
      provenance: provenance,
      firstScreen: firstScreen(
        summary, scores, options, sobriety.table, given: given))
  }

  /// The times to sobriety first, then the concentrations; these alone if nothing is known of any time.
  private static func firstScreen(
    _ summary: ComparisonSummary, _ scores: [Score], _ options: PredictionOptions,
    _ sobriety: Table, given: [String]
  ) -> FirstScreen? {
    guard let times = summary.times else { return nil }
    let concentrations = summary.methods.filter { $0.quantity == .concentration && $0.sex == nil }
    let verdict = SobrietyVerdict(
      times, options, examined: summary.pairs, ranking: summary.ranking, scores: scores)
    return FirstScreen(
      question: verdict.question,
      answer: verdict.sentences + [sentence(on: concentrations, options)].compactMap(\.self),
      tables: [sobriety].filter { _ in times.people > 0 },
      remarks: verdict.remarks + given
        + doubts(in: scores, ErrorDiagnostics.warnings(of: summary.diagnostics).map(\.code)) + [
          "Rows: --subjects. Pairs, concentrations, other k_a and beta: --details."
        ])
  }

  /// The mean absolute errors of concentrations by the best and by the worst ranked method.
  private static func sentence(
    on concentrations: [MethodSummary], _ options: PredictionOptions
  ) -> String? {
    let order = concentrations.filter(\.isRanked).sorted { $0.errors.mae < $1.errors.mae }
    guard let best = order.first, let worst = order.last else { return nil }
    let words = { (method: MethodSummary) in
      NumberStyle.decimals(2).format(method.errors.mae)
        + " (\(options.title(of: method.method)))"
    }
    return "Concentrations are off by \(words(best))"
      + (order.count > 1 ? " to \(words(worst))" : "") + " g/kg, mean |error|."
  }

  /// Under which kinetic parameters a method has to be better.
  private static func rule(_ naming: KineticSensitivity) -> String {
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

  /// The number of pairs with a better method, and the reasons why others have none.
  static func verdict(on summary: ComparisonSummary, level: Double) -> [String] {
    let pairs = summary.pairs
    let alpha = written(1 - level)
    let decided = pairs.count { $0.better != nil }
    let shown = "differ with these kinetic parameters"
    let sure = "\(shown) (p < \(alpha) after correction)"
    let others: [(verdict: MethodPair.Verdict, words: String)] = [
      (
        .dependsOnKinetics,
        "\(sure), but not with all other values tried: the better method depends on the parameters."
      ),
      (
        .noLeftOut,
        "\(shown), but there are no fits of other subjects for left-out predictions."
      ),
      (.notExamined, "\(sure); other values were not tried."),
    ]
    let notes =
      [
        decided == 0
          ? "No method was shown to be better than another."
          : "One method is better in \(decided) of \(pairs.count) pairs; see the column better."
      ]
      + others.compactMap { verdict, words in
        let count = pairs.count { $0.verdict == verdict }
        return count > 0 ? "\(count) of \(pairs.count) pairs \(words)" : nil
      }
    return notes + tooFewSubjectsRemarks(pairs, alpha: 1 - level)
      + [summary.naming.map(rule)].compactMap(\.self)
  }

  /// A level of significance without the rounding of 1 - 0.95.
  private static func written(_ alpha: Double) -> String {
    NumberStyle.exact((alpha * 1e9).rounded() / 1e9)
  }

  /// A sentence for each group that is too small for any difference to be significant.
  private static func tooFewSubjectsRemarks(_ pairs: [MethodPair], alpha: Double) -> [String] {
    let level = written(alpha)
    return [nil, Sex.male, .female].compactMap { sex in
      let group = pairs.filter { $0.sex == sex }
      guard let most = group.map(\.subjects).max(),
        group.allSatisfy({ $0.verdict == .tooFewSubjects })
      else { return nil }
      let who =
        switch sex {
        case .male: most.counted("man", "men")
        case .female: most.counted("woman", "women")
        case nil: most.counted("subject")
        }
      let needed = MethodPair.fewestSubjects(comparisons: pairs.count, alpha: alpha)
      return
        "With \(who) and \(pairs.count) comparisons, no difference can reach p < \(level) "
        + "after correction; at least \(needed) are needed."
    }
  }

  /// The subjects that methods leave out, with the reasons.
  static func remarks(on summary: ComparisonSummary) -> [String] {
    let reasons = summary.undefined.sorted { $0.key < $1.key }.map { method, sex in
      let (without, with) = sex == .female ? ("women", "men") : ("men", "women")
      return "\(method) has no formula for \(without): its errors, pairs and rankings cover "
        + "\(with) only."
    }
    return reasons + summary.ranking.sentences
  }

  /// The rows of all methods by quantity, for everybody and then for each sex.
  static func methodRows(of summary: ComparisonSummary) -> [MethodRow] {
    let groups: [Sex?] = [nil] + Sex.allCases.map(Optional.some)
    return groups.flatMap { sex -> [MethodRow] in
      summary.methods.filter { $0.sex == sex }.map { MethodRow($0) }
        + summary.sobriety.filter { $0.sex == sex && $0.knownSubjects > 0 }.map { MethodRow($0) }
    }
  }

  static let pairs = TableLayout<MethodPair>(
    "pairs",
    columns: ComparedQuantity.columns { $0.quantity } + [
      Column("unit", \.quantity.unit)
    ] + Sex.groupColumns { $0.sex } + [
      Column("r_factor_a", \.first),
      Column("r_factor_b", \.second),
      Column("method_a", heading: "first", \.first),
      Column("method_b", heading: "second", \.second),
      Column("subjects", heading: "subjects", \.subjects),
      Column("mae_difference", \.difference),
      Column("interval", \.intervalKind),
      Column("difference_low", \.interval?.low),
      Column("difference_high", \.interval?.high),
      Column(forPeople: "MAE first - second") {
        $0.quantity.displayed($0.difference, $0.interval, finer: true)
      },
      Column("detectable", \.detectable),
      Column("wilcoxon_p", heading: "Wilcoxon p", style: .significant(2), \.wilcoxonP),
      Column("holm_p", heading: "Holm p", style: .significant(2), \.holmP),
      Column("least_holm_p", \.leastHolmP),
      Column("left_out_difference", \.leftOutDifference),
      Column("least_difference", \.differences?.low),
      Column("largest_difference", \.differences?.high),
      Column("worst_holm_p", \.worstHolmP),
      Column("verdict", \.verdict),
      Column("better", \.better),
      Column(forPeople: "better") { $0.better ?? $0.verdict.shown },
    ])

  static let rankings = TableLayout<MethodRanking>(
    "rankings",
    columns: ComparedQuantity.columns { $0.quantity } + Sex.groupColumns { $0.sex } + [
      Column("subjects", \.test.subjects),
      Column("subjects_with_errors", \.subjectsWithErrors),
      Column(forPeople: "subj.", \.shownSubjects),
      Column("undefined", \.undefinedMethods),
      Column("mean_ranks") { $0.meanRanks(.significant(3)) },
      Column(forPeople: "mean rank (1 is best)") { $0.meanRanks(.decimals(1)) },
      Column("friedman_chi2", heading: "chi2", style: .significant(3), \.test.chiSquared.ifFinite),
      Column("df", \.test.degreesOfFreedom),
      Column("friedman_p", heading: "p", style: .significant(2), \.test.pValue.ifFinite),
    ])
}

extension MethodPair.Verdict {
  /// The reason why no method is called better, short enough for a table.
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
  /// The number of subjects compared, and of all subjects if these are more.
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

extension ComparedQuantity {
  /// The quantity that a row is about.
  static func columns<Row>(
    _ quantity: @escaping @Sendable (Row) -> ComparedQuantity
  ) -> [Column<Row>] {
    [
      Column("quantity") { quantity($0) },
      Column(forPeople: "quantity") { quantity($0).shortName },
    ]
  }

  private var shortName: String {
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

  func displayed(_ interval: Interval, finer: Bool = false) -> String {
    style(finer: finer || isTiny([interval.low, interval.high])).format(interval)
  }

  /// True if two decimals of a concentration would leave little but zeros.
  private func isTiny(_ numbers: [Double]) -> Bool {
    numbers.allSatisfy { abs($0) < 0.05 }
  }

  func displayed(
    _ value: Double, _ interval: Interval?, finer: Bool = false
  ) -> String {
    let finer = finer || isTiny([value] + (interval.map { [$0.low, $0.high] } ?? []))
    return style(finer: finer).format(value)
      + (interval.map { " " + displayed($0, finer: finer) } ?? "")
  }
}

/// The accuracy of one method in one quantity: from its errors, or for times to sobriety from the
/// estimates of them.
struct MethodRow {
  private let quantity: ComparedQuantity
  private let sex: Sex?
  private let method: String
  private let isRanked: Bool
  private let subjects: Int
  private let count: Int
  private let bias: EstimatedValue?
  private let mae: EstimatedValue?
  /// The errors; nil for times to sobriety.
  private let exact: MethodSummary?
  /// The summary of times to sobriety; nil for other quantities.
  private let times: SobrietySummary?

  init(_ summary: MethodSummary) {
    quantity = summary.quantity
    sex = summary.sex
    method = summary.method
    isRanked = summary.isRanked
    subjects = summary.subjects
    count = summary.errors.count
    bias = summary.bias
    mae = summary.mae
    exact = summary
    times = nil
  }

  init(_ summary: SobrietySummary) {
    quantity = .sobriety
    sex = summary.sex
    method = summary.method
    isRanked = summary.isRanked
    subjects = summary.knownSubjects
    count = summary.known
    bias = summary.estimate?.biasMinutes
    mae = summary.estimate?.meanAbsoluteMinutes
    exact = nil
    times = summary
  }

  static let table = TableLayout(
    "methods", columns: whoseColumns + statisticColumns + countColumns)

  private static let whoseColumns: [Column<MethodRow>] =
    ComparedQuantity.columns { $0.quantity } + [
      Column("unit", \.quantity.unit)
    ] + Sex.groupColumns { $0.sex } + Column<MethodRow>.method { $0.method }
    + Column<MethodRow>.ranked { $0.isRanked } + [
      Column("subjects", \.subjects),
      Column("n", heading: "n", \.count),
      Column("interval", \.exact?.intervalKind),
    ]

  private static let statisticColumns: [Column<MethodRow>] =
    columns("bias", shownAs: "bias") { $0.bias } + columns("mae", shownAs: "MAE") { $0.mae }
    + Column.estimate("rmse", \.exact?.rmse) + [
      Column(forPeople: "RMSE") { row in
        row.exact.map { $0.quantity.displayed($0.errors.rmse, nil) }
      },
      Column("median", \.exact?.errors.median),
      Column("loa_low", \.exact?.limitsOfAgreement?.low),
      Column("loa_high", \.exact?.limitsOfAgreement?.high),
      Column(forPeople: "LoA") { row in
        row.exact.flatMap { summary in
          summary.limitsOfAgreement.map { summary.quantity.displayed($0) }
        }
      },
    ]

  private static let countColumns: [Column<MethodRow>] = [
    Column("between") { $0.times?.count(.between) },
    Column("at_least") { $0.times?.count(.atLeast) },
    Column("at_most") { $0.times?.count(.atMost) },
    Column("unknown") { $0.times?.count(.unknown) },
  ]

  private static func columns(
    _ name: String, shownAs heading: String,
    _ value: @escaping @Sendable (MethodRow) -> EstimatedValue?
  ) -> [Column<MethodRow>] {
    Column.estimate(name, value) + [
      Column(forPeople: heading) { row in
        value(row).map { row.quantity.displayed($0.value, $0.interval) }
      }
    ]
  }
}

extension RankedMethods {
  /// The methods that are not ranked, and the people not in the ranking.
  package var remarks: [String] { sentences + (hint.map { [$0] } ?? []) }

  /// The left-out methods in sentences, without names of options.
  var sentences: [String] {
    aside.map { aside in
      guard aside.extent.series > 0 else {
        return "\(aside.method) is not ranked: it has no prediction for anybody."
      }
      return "\(aside.method) is not ranked: it has \(words(aside.extent))."
    }
      + leftOut.map { leftOut in
        "Not in the ranking, as \(leftOut.method) cannot be used for them: "
          + "\(leftOut.subjects.shortened(to: 10))."
      }
  }

  /// The option by which all methods are ranked.
  private var hint: String? {
    let names = methods + aside.filter { $0.extent.series > 0 }.map(\.method)
    guard names.count > methods.count, !methods.isEmpty else { return nil }
    return "To rank them all on the people that they have in common: --r-factor "
      + names.joined(separator: ",") + "."
  }

  /// The extent in words: `41 of 65 readings (3 of 4 people)`.
  private func words(_ extent: SampleSize) -> String {
    let people = "\(extent.people) of \(all.people.counted("person", "people"))"
    if all.readings > 0 {
      return "\(extent.readings) of \(all.readings.counted("reading")) (\(people))"
    }
    return all.series > all.people
      ? "\(extent.series) of \(all.series) occasions (\(people))" : people
  }
}

extension Column {
  /// True if a method is ranked; shown only if some method is not.
  static func ranked(_ isRanked: @escaping @Sendable (Row) -> Bool) -> [Column<Row>] {
    [
      Column("ranked") { isRanked($0) },
      Column(forPeople: "ranked", unlessAll: .text("yes")) { isRanked($0) ? "yes" : "no" },
    ]
  }
}

import AlcoholKinetics
import Estimation
import Validation

extension SobrietySummary {
  /// What is known of the times, and how exactly.
  static let columns: [Column<SobrietySummary>] = [
    Column("sex") { .text($0.sex?.rawValue ?? "all") },
    Column(forPeople: "sex") { .words($0.sex?.rawValue) },
    Column("r_factor", heading: "r factor") { .text($0.rFactor) },
    Column("subjects") { .integer($0.subjects) },
    Column("known_subjects") { .integer($0.knownSubjects) },
    Column("series") { .integer($0.series) },
    Column("between", heading: "between") { .integer($0.count(.between)) },
    Column("at_least", heading: "at least") { .integer($0.count(.atLeast)) },
    Column("at_most", heading: "at most") { .integer($0.count(.atMost)) },
    Column("unknown", heading: "unknown") { .integer($0.count(.unknown)) },
    Column("predicted_never_above") { .integer($0.predictedNeverAbove) },
    Column("predicted_later") { .integer($0.predictedLater) },
    Column("median_abs_error_least") { .number($0.errors?.medianMagnitude.least) },
    Column("median_abs_error_most") { .number($0.errors?.medianMagnitude.most) },
    Column(forPeople: "bias interval") { .words($0.errors?.bias.displayedInterval) },
    Column(forPeople: "MAE interval") { .words($0.errors?.mae.displayedInterval) },
    Column(forPeople: "median |error|") { .words($0.errors?.medianMagnitude.displayed) },
  ]

  /// The same method's row among those of all quantities: columns are found by the names of those, so
  /// that what only exact errors have stays empty.
  static let methodColumns: [Column<SobrietySummary>] =
    [
      Column("quantity") { _ in .text(ComparedQuantity.sobriety.rawValue) },
      Column(forPeople: "quantity") { _ in .text(ComparedQuantity.sobriety.rawValue) },
      Column("unit") { _ in .text(ComparedQuantity.sobriety.unit) },
      Column("sex") { .text($0.sex?.rawValue ?? "all") },
      Column(forPeople: "sex") { .words($0.sex?.rawValue) },
      Column("r_factor", heading: "r factor") { .text($0.rFactor) },
      Column("subjects") { .integer($0.knownSubjects) },
      Column("n", heading: "n") { .integer($0.known) },
      Column("between") { .integer($0.count(.between)) },
      Column("at_least") { .integer($0.count(.atLeast)) },
      Column("at_most") { .integer($0.count(.atMost)) },
      Column("unknown") { .integer($0.count(.unknown)) },
      Column("median") { .number($0.errors?.median.value) },
      Column("median_least") { .number($0.errors?.median.least) },
      Column("median_most") { .number($0.errors?.median.most) },
      Column(forPeople: "RMSE") { .words($0.errors?.rmse.displayed) },
    ]
    + statistic("bias", forPeople: "bias", \.bias) + statistic("mae", forPeople: "MAE", \.mae)
    + statistic("rmse", forPeople: nil, \.rmse)

  private static func statistic(
    _ name: String, forPeople heading: String?,
    _ path: any KeyPath<SobrietySummary.Errors, BoundedStatistic> & Sendable
  ) -> [Column<SobrietySummary>] {
    [
      Column(name) { .number($0.errors?[keyPath: path].value) },
      Column("\(name)_least") { .number($0.errors?[keyPath: path].least) },
      Column("\(name)_most") { .number($0.errors?[keyPath: path].most) },
      Column("\(name)_low") { .number($0.errors?[keyPath: path].low) },
      Column("\(name)_high") { .number($0.errors?[keyPath: path].high) },
    ]
      + (heading.map { heading in
        [Column(forPeople: heading) { .words($0.errors?[keyPath: path].displayed) }]
      } ?? [])
  }

  /// Says of how many series how much is known, if that is not everything of all.
  static func remark(on summaries: [SobrietySummary]) -> String? {
    let all = summaries.filter { $0.sex == nil && $0.count(.between) < $0.series }
    guard let widest = all.max(by: { $0.series < $1.series }) else { return nil }
    var sentences = [widest.counts]
    if widest.count(.atLeast) > 0 {
      sentences.append(
        "A subject still above the threshold at the last reading may have been sober at any time after "
          + "it: the error has no lower limit, and MAE and RMSE have no upper limit.")
    }
    let never = all.filter { $0.predictedNeverAbove > 0 }
    if !never.isEmpty {
      sentences.append(
        "Predicted never to exceed the threshold but measured above it, and scored as sober from "
          + "the start: "
          + never.map { "\($0.rFactor) \($0.predictedNeverAbove)" }.joined(separator: ", ") + ".")
    }
    return sentences.joined(separator: " ")
  }

  /// How many series are known how, in a sentence.
  var counts: String {
    let parts: [(MeasuredSobriety.Knowledge, String)] = [
      (.between, "known between two readings"),
      (.atLeast, "with a lower limit only (above the threshold to the end)"),
      (.atMost, "with an upper limit only (never above the threshold)"), (.unknown, "unknown"),
    ]
    let found = parts.compactMap { knowledge, words in
      count(knowledge) > 0 ? "\(count(knowledge)) \(words)" : nil
    }
    return "Times to sobriety of \(series) series: \(found.joined(separator: ", "))."
  }
}

extension UnrankedSobriety {
  /// Why there is no ranking, in a sentence.
  var sentence: String {
    "Methods are not ranked by time to sobriety: for \(open) of \(subjects) subjects, the readings end "
      + "before sobriety and do not show which prediction is closer."
  }
}

extension BoundedStatistic {
  /// The statistic in min, as far as it is known: `> 43`, `< -12`, `-7 to 3` or `4.2`; nil if nothing
  /// is.
  var displayed: String? { Self.displayed(least, most) }

  /// Its bootstrap interval in min, as far as it has ends; nil without any.
  var displayedInterval: String? {
    let style = NumberStyle.decimals(value == nil ? 0 : 1)
    return switch (low, high) {
    case (let low?, let high?): style.format(Interval(low: low, high: high))
    case (let low?, nil): "> \(style.format(low))"
    case (nil, let high?): "< \(style.format(high))"
    case (nil, nil): nil
    }
  }

  /// What it is known to be in min, for running text: `4.2`, `between 0 and 8` or `at least 43`; nil if
  /// nothing is known.
  var words: String? {
    let whole = NumberStyle.decimals(0)
    return switch (least, most) {
    case (let least?, let most?):
      least == most
        ? NumberStyle.decimals(1).format(least)
        : "between \(whole.format(least)) and \(whole.format(most))"
    case (let least?, nil): "at least \(whole.format(least))"
    case (nil, let most?): "at most \(whole.format(most))"
    case (nil, nil): nil
    }
  }

  /// What lies between two limits, in min; nil without any.
  static func displayed(_ least: Double?, _ most: Double?) -> String? {
    let whole = NumberStyle.decimals(0)
    switch (least, most) {
    case (let least?, let most?):
      return least == most
        ? NumberStyle.decimals(1).format(least)
        : "\(whole.format(least)) to \(whole.format(most))"
    case (let least?, nil): return "> \(whole.format(least))"
    case (nil, let most?): return "< \(whole.format(most))"
    case (nil, nil): return nil
    }
  }
}

extension SobrietyError {
  /// What the error lies between, in min; nil if there is no limit.
  var displayed: String? { BoundedStatistic.displayed(least, most) }
}

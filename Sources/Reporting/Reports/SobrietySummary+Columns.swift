import AlcoholKinetics
import Estimation
import Validation

extension SobrietySummary {
  /// What is known of the times, and how exactly.
  static let table = TableLayout(
    "sobriety", "In JSON, with `--summary`: a row per method, and per sex.", columns: columns)

  private static let columns: [Column<SobrietySummary>] =
    Sex.groupColumns("whose times are counted") { $0.sex } + [
      .rFactor { $0.rFactor },
      Column("subjects", "subjects for whom the method predicts a time") { $0.subjects },
      Column("known_subjects", "subjects with some information about the measured time") {
        $0.knownSubjects
      },
      Column("series", "series for which the method predicts a time") { $0.series },
      Column("between", heading: "between", "series whose time lies between two readings") {
        $0.count(.between)
      },
      Column(
        "at_least", heading: "at least", "series whose last reading is still above the threshold"
      ) { $0.count(.atLeast) },
      Column("at_most", heading: "at most", "series never above the threshold") {
        $0.count(.atMost)
      },
      Column("unknown", heading: "unknown", "series with no information") { $0.count(.unknown) },
      Column(
        "predicted_never_above", "series measured above the threshold but predicted never to be"
      ) { $0.predictedNeverAbove },
      Column("predicted_later", "series whose supplied curve ends above the threshold") {
        $0.predictedLater
      },
      Column("median_abs_error_least", in: "min", "smallest possible median absolute error") {
        $0.errors?.medianMagnitude.least
      },
      Column(
        "median_abs_error_most", in: "min",
        "largest possible median absolute error; empty if half of the series have no limit"
      ) { $0.errors?.medianMagnitude.most },
      Column(forPeople: "bias interval") { $0.errors?.bias.displayedInterval },
      Column(forPeople: "MAE interval") { $0.errors?.mae.displayedInterval },
      Column(forPeople: "median |error|") { $0.errors?.medianMagnitude.displayed },
    ]

  /// For how many series each kind of limit is known, unless all of them are fully known.
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

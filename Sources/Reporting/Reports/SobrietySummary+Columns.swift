import AlcoholKinetics
import Estimation
import Validation

extension SobrietySummary {
  /// How far each method's predictions are off.
  ///
  /// - Parameter limits: Within how many percent of the measured time errors are counted.
  static func table(
    within limits: [Double] = TimeErrorEstimate.usualLimits
  ) -> TableLayout<SobrietySummary> {
    TableLayout(
      "sobriety",
      """
      `--summary`: a row per method, and per sex with `--by sex`. Errors are predicted minus measured. They are \
      estimated from limits, with a normal distribution of ln(predicted / measured) for percents, and of it or the \
      difference, whichever is likelier, for minutes; intervals are over people. \
      `--within` chooses the shares; 10, 20 and 30 are counted without it.
      """,
      columns: whoseColumns + estimateColumns + shareColumns(limits) + fitColumns + intervalColumns)
  }

  private static let whoseColumns: [Column<SobrietySummary>] =
    Sex.groupColumns("whose times are counted") { $0.sex }
    + Column<SobrietySummary>.method { $0.method }
    + Column<SobrietySummary>.ranked { $0.isRanked } + [
      Column("people", "people with some information about the measured time", \.knownSubjects),
      Column("series", "series for which the method predicts a time", \.series),
      Column("between", "series whose time lies between two readings") { $0.count(.between) },
      Column("at_least", "series whose last reading is still above the threshold") {
        $0.count(.atLeast)
      },
      Column("at_most", "series never above the threshold") { $0.count(.atMost) },
    ]

  private static let estimateColumns: [Column<SobrietySummary>] =
    estimate("bias_pct", in: "%", "typical error relative to the measured time") {
      $0.biasPercentOfMeasured
    }
    + estimate("bias_pct_of_predicted", in: "%", "typical error relative to the predicted time") {
      $0.biasPercentOfPredicted
    } + estimate("bias_min", in: "min", "mean error") { $0.biasMinutes }
    + estimate("mae_min", in: "min", "mean absolute error") { $0.meanAbsoluteMinutes }
    + estimate("mae_pct", in: "%", "mean absolute error relative to the measured time") {
      $0.meanAbsolutePercent
    } + [
      Column("sd_pct", "SD of ln(predicted / measured), times 100", \.estimate?.sdPercent),
      Column(forPeople: "% of measured") {
        $0.estimate?.biasPercentOfMeasured?.displayed(signed: true)
      },
      Column(forPeople: "minutes") { $0.estimate?.biasMinutes.displayed(signed: true) },
      Column(forPeople: "mean |error|", \.estimate?.meanAbsoluteMinutes.displayedMinutes),
    ]

  private static func estimate(
    _ name: String, in unit: String, _ meaning: String,
    _ value: @escaping @Sendable (TimeErrorEstimate) -> EstimatedValue?
  ) -> [Column<SobrietySummary>] {
    Column.estimate(name, in: unit, meaning, over: "people") { $0.estimate.flatMap(value) }
  }

  private static func shareColumns(_ limits: [Double]) -> [Column<SobrietySummary>] {
    limits.enumerated().map { position, limit in
      Column(
        "within_\(NumberStyle.exact(limit))_pct", in: "%",
        "series with an error of at most \(NumberStyle.exact(limit)) % of the measured time"
      ) { $0.estimate?.within[position].percent }
    } + [
      Column(forPeople: "within " + limits.map(NumberStyle.exact).joined(separator: "/") + " %") {
        summary in
        summary.estimate.map { estimate in
          estimate.within.map { NumberStyle.decimals(0).format($0.percent) }
            .joined(separator: "  ") + " %"
        }
      }
    ]
  }

  private static let fitColumns: [Column<SobrietySummary>] = [
    Column(
      "median_pct",
      "median error relative to the measured time, without a distribution (Turnbull 1976); empty if beyond all limits",
      \.estimate?.medianPercent?.value),
    Column(
      "log_likelihood_ratio",
      "log likelihood with ln(predicted / measured) normal; the larger describes the errors better",
      \.estimate?.logLikelihoodOfRatio),
    Column(
      "log_likelihood_difference", "log likelihood with predicted minus measured normal",
      \.estimate?.logLikelihoodOfMinutes),
    Column(
      "minutes_from", oneOf: ["ratio", "difference"],
      "which of the two is likelier, and gives the errors in min"
    ) { $0.estimate.map { $0.isRatioLikelier ? "ratio" : "difference" } },
    Column(
      "left_to_assumption",
      "whether fewer than half of the times lie between two readings, so that the estimates rest on the distribution",
      \.isLeftToAssumption),
    Column("unknown", "series with no information") { $0.count(.unknown) },
    Column(
      "predicted_never_above",
      "series measured above the threshold but predicted never to be: 100 % off, and not in `bias_pct`",
      \.predictedNeverAbove),
    Column(
      "measured_never_above",
      "series predicted above the threshold, but not at a first reading within an hour: the same",
      \.measuredNeverAbove),
    Column(
      "agreed_never_above",
      "series neither measured nor predicted above the threshold; not in the estimates",
      \.agreedNeverAbove),
    Column(
      "predicted_later", "series whose supplied curve ends above the threshold", \.predictedLater),
  ]

  /// How good the stated limits of the predictions are.
  private static let intervalColumns: [Column<SobrietySummary>] = [
    Column("interval_level_pct", "share of times that the stated intervals are said to hold") {
      $0.intervals.map { 100 * $0.level }
    },
    Column("interval_series", "series with such an interval and a known time", \.intervals?.series),
    Column(
      "interval_held", in: "series",
      "how many of these times the intervals hold, as expected between the limits of each",
      \.intervals?.held),
    Column(
      "interval_held_least", "how many they hold for certain, wherever the times lie",
      \.intervals?.heldForCertain),
    Column("interval_held_most", "how many they may hold", \.intervals?.heldPerhaps),
    Column(
      "interval_width_min", "mean width of the intervals; empty if one has no end",
      \.intervals?.meanWidth),
    Column(
      "interval_score_min",
      "mean interval score (Gneiting & Raftery 2007): the width, and what a time lies outside times 2 / (1 - level); "
        + "smaller is better", \.intervals?.score),
    Column(forPeople: "intervals hold") { $0.intervals?.words },
  ]

  /// Which of the two distributions describes the errors better, by their likelihood over all methods.
  static func description(of summaries: [SobrietySummary]) -> String? {
    let estimates = summaries.filter { $0.sex == nil }.compactMap(\.estimate)
    let ratios = estimates.compactMap(\.logLikelihoodOfRatio)
    guard !estimates.isEmpty, ratios.count == estimates.count,
      !summaries.contains(where: { $0.predictedNeverAbove > 0 })
    else { return nil }
    let (ratio, minutes) = (
      ratios.reduce(0, +), estimates.map(\.logLikelihoodOfMinutes).reduce(0, +)
    )
    let style = NumberStyle.decimals(1)
    return
      "The errors are described better in \(ratio >= minutes ? "percent" : "minutes"): log likelihood, summed over "
      + "methods, \(style.format(ratio)) with a normal ln(predicted / measured), \(style.format(minutes)) with a normal "
      + "difference."
  }

  /// For how many series each kind of limit is known, unless all of them are fully known.
  static func remark(on summaries: [SobrietySummary]) -> String? {
    let all = summaries.filter { $0.sex == nil && $0.count(.between) < $0.series }
    guard let widest = all.max(by: { $0.series < $1.series }) else { return nil }
    var sentences = [widest.countsInWords]
    if widest.count(.atLeast) > 0 {
      sentences.append(
        "A subject still above the threshold at the last reading may have been sober at any time after it."
      )
    }
    if let never = all.listing(\.predictedNeverAbove, { $0 }) {
      sentences.append(
        "Predicted never to exceed the threshold but measured above it, and scored as sober from "
          + "the start: \(never).")
    }
    return sentences.joined(separator: " ")
  }

  private var countsInWords: String {
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

extension EstimatedValue {
  /// The number and its interval without decimals: `+12 (4 to 20)`.
  func displayed(signed: Bool) -> String {
    let style = NumberStyle.decimals(0)
    let number = style.format(value)
    return (signed && value > 0 && number != "0" ? "+" : "") + number + range(" to ")
  }

  /// A length of time that is not below zero: `51 min (27-83)`.
  fileprivate var displayedMinutes: String {
    NumberStyle.decimals(0).format(value) + " min" + range("-")
  }

  private func range(_ separator: String) -> String {
    let ends = NumberStyle.decimals(0).range(
      interval?.low.ifFinite, interval?.high.ifFinite, separator)
    return ends.map { " (\($0))" } ?? ""
  }
}

extension IntervalSkill {
  /// How many times the intervals hold: `17 of 28`, with the level if it is not the usual one.
  var words: String {
    "\(heldInWords("-")) of \(series)" + (level == 0.9 ? "" : " (\(percent) %)")
  }

  /// How many times the intervals hold; where that is not known, between which numbers.
  func heldInWords(_ separator: String) -> String {
    held.map(NumberStyle.decimals(0).format) ?? "\(heldForCertain)\(separator)\(heldPerhaps)"
  }

  var percent: String { NumberStyle.exact((1000 * level).rounded() / 10) }
}

extension TimeErrorShares {
  /// What the error of the time is made of, a row per r-factor method, for people.
  static let columns: [Column<TimeErrorShares>] =
    [
      Column(forPeople: "method", \.method), Column(forPeople: "people", \.subjects),
      Column(forPeople: "mean |error|, min", style: .decimals(0), \.meanAbsoluteMinutes),
      Column(forPeople: "r, %") { $0.percent[.r]?.displayed(signed: false) },
      Column(forPeople: "beta, %") { $0.percent[.elimination]?.displayed(signed: false) },
      Column(forPeople: "k_a and lag, %") { $0.percent[.absorption]?.displayed(signed: false) },
      Column(forPeople: "all three, %") { $0.all.displayed(signed: false) },
    ]

  /// What the error of the best method is made of, and what would have helped.
  ///
  /// - Parameter best: The method with the smallest mean absolute error.
  static func sentence(on shares: [TimeErrorShares], _ options: PredictionOptions) -> String? {
    guard let best = shares.min(by: { $0.meanAbsoluteMinutes < $1.meanAbsoluteMinutes }) else {
      return nil
    }
    let whole = NumberStyle.decimals(0)
    let symbols: [(part: Part, name: String)] = [
      (.elimination, options.model == .widmark ? "beta" : "elimination"), (.r, "r"),
      (.absorption, "absorption"),
    ]
    let parts = symbols.compactMap { part, name in
      best.percent[part].map { (share: max(0, $0.value), name: name) }
    }.sorted { $0.share > $1.share }.map { "\(whole.format($0.share)) % is \($0.name)" }
    let helps =
      switch best.largest {
      case .elimination, .r:
        "one reading after the peak would tell much of it, as it saved 44 % (4 to 67) in the open studies"
      case .absorption: "state what people had eaten, or read before the peak"
      }
    return
      "Of \(options.title(of: best.method))'s mean error of \(whole.format(best.meanAbsoluteMinutes)) min in the "
      + "\(best.subjects.counted("person", "people")) whose readings determine k_a, beta and r "
      + "(of \(best.known)), \(parts.inWords). Most would be gained by knowing "
      + "\(symbols.first { $0.part == best.largest }?.name ?? "r"): \(helps)."
  }
}

extension Report.Section {
  /// The table of what errors are made of; none if that is not known.
  static func errorShares(_ shares: [TimeErrorShares]) -> [Report.Section] {
    shares.isEmpty
      ? []
      : [Report.Section(name: "error_shares", table: Table(TimeErrorShares.columns, rows: shares))]
  }
}

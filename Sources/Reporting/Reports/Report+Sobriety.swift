import AlcoholKinetics
import Estimation
import StudyData
package import Validation

extension Report {
  /// The report of predicted and measured times to sobriety, a row per series and method.
  ///
  /// - `shares`: What the errors are made of, where that was worked out.
  package static func sobriety(
    _ scores: [Score], _ comparison: SobrietyComparison? = nil,
    shares: [TimeErrorShares] = [], options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let verdict = comparison.map { SobrietyVerdict($0, options, scores: scores) }
    let threshold = SobrietyThreshold.words(SobrietyThreshold.used(in: scores), options)
    let rows = Section(times, rows: scores.map(ScoreRow.init))
    let notes = Note.grouped(scores.flatMap(notes)) + GivenModelCheck(scores).findings.map(\.remark)
    return Report(
      introduction: sourceLines(of: options) + [
        "Sober: at most \(threshold).",
        "Times in min since the first drink. > x or < x: only a lower or upper limit can be given.",
        "Measured: sober between these two readings. Error: predicted minus their middle, or its limits.",
        "Outside: minutes beyond the measured interval (0 = inside).",
      ],
      sections: [rows] + Section.errorShares(shares),
      notes: notes + [TimeErrorShares.sentence(on: shares, options)].compactMap(\.self),
      provenance: provenance,
      firstScreen: verdict.map { verdict in
        FirstScreen(
          question: verdict.question, answer: verdict.sentences, tables: [rows.table],
          remarks: ["Times in min since the first drink; error: predicted minus measured."] + notes
            + [
              "Each method over everybody: --summary. What was predicted with, what the columns mean: --details."
            ])
      })
  }

  /// The reason why there is no prediction, or only a limit.
  private static func notes(about score: Score) -> [Note] {
    let isLater: Bool =
      if case .laterThan = score.prediction.value?.outcome { true } else { false }
    let remark =
      isLater
      ? "The predicted curve ends above the threshold, so only a lower limit of the time can be "
        + "given; extend the curve until it stays at or below the threshold."
      : score.prediction.reason
    // That a model has no prediction is said once, below.
    let isMissing = score.prediction.failure == .curveMissing
    return ((isMissing ? [] : [remark].compactMap(\.self)) + score.doubts.map(\.remark))
      .map { Note(about: score.series, $0) }
  }

  package static let times = TableLayout(
    "times",
    columns: predictedColumns + ScoreRow.intervalColumns + [
      Column(forPeople: "90 %") { row in
        row.prediction?.interval.flatMap {
          NumberStyle.decimals(0).range($0.low, $0.high.ifFinite)
        }
      }
    ] + ScoreRow.agreementColumns + [Column(forPeople: "measured") { $0.score.measured.interval }]
      + ScoreRow.measuredColumns + [
        Column("known") { $0.score.measured.knowledge }
      ] + ScoreRow.errorColumns(forPeople: "error", hasDetails: true) + ScoreRow.columnsOfEnds)

  private static let predictedColumns: [Column<ScoreRow>] =
    ScoreRow.identityColumns + [
      Column("status", heading: "status", \.timeStatus),
      .reason { $0.score.prediction.reason },
    ] + Column<ScoreRow>.method { $0.score.method }
    + FitParameter.predictionColumns { row, parameter in
      row.prediction == nil ? nil : row.score.parameters?.stated(parameter)
    } + [
      Column("threshold_g_per_kg") { $0.score.threshold.concentration.value },
      Column("threshold_from") { $0.score.threshold.origin },
      Column("sober_predicted_min", heading: "predicted", style: .decimals(1), \.predictedMinutes),
    ]
}

/// A score as it is written: values that several columns show are worked out once, and no column copies a score.
package final class ScoreRow: Sendable {
  package let score: Score
  package let timeStatus: Score.TimeStatus
  package let curveStatus: Score.CurveStatus
  let prediction: SobrietyPrediction?
  let predictedMinutes: Double?
  let agreement: CurveAgreement?
  let summary: Sample?
  private let subject: String
  private let error: SobrietyError?
  private let deviation: SobrietyDeviation?
  private let fromInterval: SobrietyDeviation?

  package init(_ score: Score) {
    self.score = score
    subject = score.series.subject.id
    prediction = score.prediction.value
    predictedMinutes = prediction?.time?.minutes
    error = score.error
    deviation = score.deviation
    fromInterval = score.deviationFromInterval
    timeStatus = score.timeStatus
    agreement = score.agreement
    summary = agreement?.summary
    curveStatus = score.curveStatus
  }

  static let identityColumns = Series.identityColumns {
    $0.subject
  } _: { (row: ScoreRow) in
    row.score.series.occasion
  }

  static let intervalColumns: [Column<ScoreRow>] = [
    Column("sober_predicted_low_min") { $0.prediction?.interval?.low },
    Column("sober_predicted_high_min") { $0.prediction?.interval?.high },
  ]

  static let agreementColumns: [Column<ScoreRow>] = [
    Column("agrees") { $0.score.agreesWithInterval },
    Column("doubts") { Codes($0.score.doubts.map(\.code)) },
  ]

  /// The measured time, and the two readings that it lies between.
  static let measuredColumns: [Column<ScoreRow>] = [
    Column("sober_measured_min") { $0.score.measured.middle?.minutes },
    Column("sober_first_below_min") { $0.score.measured.first?.minutes },
    Column("sober_last_above_min") { $0.score.measured.lastAbove?.minutes },
  ]

  /// The error against the two ends of what the readings leave open.
  static let columnsOfEnds: [Column<ScoreRow>] =
    errorColumns("last_above") { $0.deviationFromLastAbove }
    + errorColumns("first_below") { $0.deviationFromFirstBelow }

  private static func errorColumns(
    _ end: String, _ deviation: @escaping @Sendable (Score) -> SobrietyDeviation?
  ) -> [Column<ScoreRow>] {
    [
      Column("error_min_\(end)") { deviation($0.score)?.minutes },
      Column("error_pct_of_measured_\(end)") { deviation($0.score)?.percentOfMeasured },
      Column("error_pct_of_predicted_\(end)") { deviation($0.score)?.percentOfPredicted },
    ]
  }

  /// The error, and the smallest possible one; people are shown more of it where the table is about nothing else.
  static func errorColumns(forPeople heading: String, hasDetails: Bool) -> [Column<ScoreRow>] {
    let head = { (text: String) in hasDetails ? text : nil }
    return [
      Column("error_min_least", \.error?.least),
      Column("error_min_most", \.error?.most),
      Column("error_min", \.deviation?.minutes),
      Column(forPeople: heading, style: .decimals(1)) { row -> Cell in
        row.deviation.map { .number($0.minutes) } ?? .words(row.error?.displayed)
      },
      Column(
        "error_pct_of_measured", heading: head("% of meas."), style: .decimals(1),
        \.deviation?.percentOfMeasured),
      Column(
        "error_pct_of_predicted", heading: head("% of pred."), style: .decimals(1),
        \.deviation?.percentOfPredicted),
      Column(
        "interval_error_min", heading: head("outside"), style: .decimals(1), \.fromInterval?.minutes
      ),
      Column("interval_error_pct_of_measured", \.fromInterval?.percentOfMeasured),
      Column("interval_error_pct_of_predicted", \.fromInterval?.percentOfPredicted),
    ]
  }
}

extension SobrietyDoubt {
  var remark: String { "\(code): \(self)" }
}

extension SobrietyError {
  /// The limits of the error in min: `> 43`, `< -12`, `-7 to 3` or `4.2`; nil without any.
  var displayed: String? { Self.displayed(least, most) }

  /// The two limits of a number, in few digits; nil without any.
  static func displayed(_ least: Double?, _ most: Double?) -> String? {
    if let least, least == most { return NumberStyle.decimals(1).format(least) }
    return NumberStyle.decimals(0).range(least, most, " to ")
  }
}

extension MeasuredSobriety {
  /// Between which readings the threshold was crossed, in minutes.
  fileprivate var interval: String? {
    let style = NumberStyle.decimals(0)
    return switch self {
    case .neverAbove(let first): style.range(nil, first.minutes)
    default: style.range(lastAbove?.minutes, first?.minutes)
    }
  }
}

extension SobrietyThreshold {
  /// The threshold at or below which a subject counted as sober, and its source, for running text.
  ///
  /// - Parameter used: The thresholds by which times were measured.
  static func words(_ used: [SobrietyThreshold], _ options: PredictionOptions) -> String {
    guard used.isEmpty else { return used.map(\.words).joined(separator: "; or ") }
    return options.threshold.map { SobrietyThreshold.number($0) + " g/kg" }
      ?? "the detection limit or resolution of the instrument"
  }

  /// The threshold in the question, where there is little room.
  static func briefWords(_ used: [SobrietyThreshold], _ options: PredictionOptions) -> String {
    used.isEmpty ? words(used, options) : used.map(\.briefWords).joined(separator: " or ")
  }

  private var words: String { "\(Self.number(concentration)) g/kg\(source.words)" }

  private var briefWords: String { "\(Self.number(concentration)) g/kg\(source.brief)" }

  /// The source of the threshold, as it follows the number.
  private var source: (words: String, brief: String) {
    switch origin {
    case .given: ("", "")
    case .limitOfDetection: (", the limit of detection", " (LOD)")
    case .resolution: (", the resolution of the instrument", " (resolution)")
    case .assumed:
      (", because the study states neither limit of detection nor resolution", " (assumed)")
    }
  }

  private static func number(_ threshold: GramsPerKilogram) -> String {
    NumberStyle.significant(3).exactOrShort(threshold.value)
  }
}

extension NumberStyle {
  /// The number whole where it is short, else rounded in this style.
  fileprivate func exactOrShort(_ number: Double) -> String {
    let whole = Self.exact(number)
    return whole.count <= 6 ? whole : format(number)
  }
}

extension SobrietySummary {
  /// The errors of each method's predicted times to sobriety.
  ///
  /// - Parameter limits: Errors within so many percent of the measured time are counted.
  static func table(
    within limits: [Double] = TimeErrorEstimate.usualLimits
  ) -> TableLayout<SobrietySummary> {
    TableLayout(
      "sobriety",
      columns: whoseColumns + estimateColumns + shareColumns(limits) + fitColumns + intervalColumns)
  }

  private static let whoseColumns: [Column<SobrietySummary>] =
    Sex.groupColumns { $0.sex }
    + Column<SobrietySummary>.method { $0.method }
    + Column<SobrietySummary>.ranked { $0.isRanked } + [
      Column("people", \.knownSubjects),
      Column("series", \.series),
      Column("between") { $0.count(.between) },
      Column("at_least") { $0.count(.atLeast) },
      Column("at_most") { $0.count(.atMost) },
    ]

  private static let estimateColumns: [Column<SobrietySummary>] =
    Column<SobrietySummary>.estimate("bias_pct") { $0.estimate?.biasPercentOfMeasured }
    + Column.estimate("bias_pct_of_predicted") { $0.estimate?.biasPercentOfPredicted }
    + Column.estimate("bias_min") { $0.estimate?.biasMinutes }
    + Column.estimate("mae_min") { $0.estimate?.meanAbsoluteMinutes }
    + Column.estimate("mae_pct") { $0.estimate?.meanAbsolutePercent } + [
      Column("sd_pct", \.estimate?.sdPercent),
      Column(forPeople: "% of measured") {
        $0.estimate?.biasPercentOfMeasured?.displayed(signed: true)
      },
      Column(forPeople: "minutes") { $0.estimate?.biasMinutes.displayed(signed: true) },
      Column(forPeople: "mean |error|", \.estimate?.meanAbsoluteMinutes.displayedMinutes),
    ]

  private static func shareColumns(_ limits: [Double]) -> [Column<SobrietySummary>] {
    limits.enumerated().map { position, limit in
      Column("within_\(NumberStyle.exact(limit))_pct") { $0.estimate?.within[position].percent }
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
    Column("median_pct", \.estimate?.medianPercent?.value),
    Column("log_likelihood_ratio", \.estimate?.logLikelihoodOfRatio),
    Column("log_likelihood_difference", \.estimate?.logLikelihoodOfMinutes),
    Column("minutes_from", oneOf: ["ratio", "difference"]) {
      $0.estimate.map { $0.isRatioLikelier ? "ratio" : "difference" }
    },
    Column("left_to_assumption", \.isLeftToAssumption),
    Column("unknown") { $0.count(.unknown) },
    Column("predicted_never_above", \.predictedNeverAbove),
    Column("measured_never_above", \.measuredNeverAbove),
    Column("agreed_never_above", \.agreedNeverAbove),
    Column("predicted_later", \.predictedLater),
  ]

  /// The coverage of the prediction intervals, their width and their interval score.
  private static let intervalColumns: [Column<SobrietySummary>] = [
    Column("interval_level_pct") { $0.intervals.map { 100 * $0.level } },
    Column("interval_series", \.intervals?.series),
    Column("interval_held", \.intervals?.held),
    Column("interval_held_least", \.intervals?.heldForCertain),
    Column("interval_held_most", \.intervals?.heldPerhaps),
    Column("interval_width_min", \.intervals?.meanWidth),
    Column("interval_score_min", \.intervals?.score),
    Column(forPeople: "intervals hold") { $0.intervals?.words },
  ]

  /// The better distribution of the errors, of the ratio or of the difference, by their likelihood
  /// over all methods.
  static func description(of summaries: [SobrietySummary]) -> String? {
    let estimates = summaries.filter { $0.sex == nil }.compactMap(\.estimate)
    let ratios = estimates.compactMap(\.logLikelihoodOfRatio)
    guard !estimates.isEmpty, ratios.count == estimates.count,
      !summaries.contains(where: { $0.predictedNeverAbove > 0 })
    else { return nil }
    let ratio = ratios.reduce(0, +)
    let minutes = estimates.map(\.logLikelihoodOfMinutes).reduce(0, +)
    let style = NumberStyle.decimals(1)
    return
      "The errors are described better in \(ratio >= minutes ? "percent" : "minutes"): log likelihood, summed over "
      + "methods, \(style.format(ratio)) with a normal ln(predicted / measured), \(style.format(minutes)) with a normal "
      + "difference."
  }

  /// The numbers of series with each kind of limit, unless all times lie between two readings.
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
    let counts = parts.compactMap { knowledge, words in
      count(knowledge) > 0 ? "\(count(knowledge)) \(words)" : nil
    }
    return "Times to sobriety of \(series) series: \(counts.joined(separator: ", "))."
  }
}

extension EstimatedValue {
  /// The number and its interval without decimals: `+12 (4 to 20)`.
  func displayed(signed: Bool) -> String {
    let style = NumberStyle.decimals(0)
    return (signed ? style.signed(value) : style.format(value)) + range(" to ")
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
  /// The coverage of the intervals: `17 of 28`, with the level if it is not the usual one.
  var words: String {
    "\(heldInWords("-")) of \(series)" + (level == 0.9 ? "" : " (\(percent) %)")
  }

  /// The number of intervals that hold; its two limits where readings leave it open.
  func heldInWords(_ separator: String) -> String {
    held.map(NumberStyle.decimals(0).format) ?? "\(heldForCertain)\(separator)\(heldPerhaps)"
  }

  var percent: String { NumberStyle.exact((1000 * level).rounded() / 10) }
}

extension TimeErrorShares {
  /// The shares of r, elimination and absorption in the error of the time, a row per method, for
  /// people.
  static let columns: [Column<TimeErrorShares>] =
    [
      Column(forPeople: "method", \.method), Column(forPeople: "people", \.subjects),
      Column(forPeople: "mean |error|, min", style: .decimals(0), \.meanAbsoluteMinutes),
      Column(forPeople: "r, %") { $0.percent[.r]?.displayed(signed: false) },
      Column(forPeople: "beta, %") { $0.percent[.elimination]?.displayed(signed: false) },
      Column(forPeople: "k_a and lag, %") { $0.percent[.absorption]?.displayed(signed: false) },
      Column(forPeople: "all three, %") { $0.all.displayed(signed: false) },
    ]

  /// The shares in the error of the best method, and the information that would have reduced it
  /// most.
  ///
  /// - Parameter shares: The best method is the one with the smallest mean absolute error.
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
        "one reading after the peak helps most: in the open studies it reduced the error by 44 % (4 to 67)"
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

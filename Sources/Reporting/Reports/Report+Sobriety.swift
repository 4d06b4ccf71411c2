import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Report {
  /// The report of predicted and measured times to sobriety, a row per series and method.
  ///
  /// - `shares`: What the errors are made of, where that was worked out.
  public static func sobriety(
    _ scores: [SobrietyScore], _ comparison: SobrietyComparison? = nil,
    shares: [TimeErrorShares] = [], options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let verdict = comparison.map { SobrietyVerdict($0, options) }
    let threshold = SobrietyThreshold.words(SobrietyThreshold.used(in: scores), options)
    let rows = Section(times, rows: scores.map(TimeRow.init))
    let notes = Note.grouped(scores.flatMap(notes)) + options.remarks(on: scores)
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

  /// Why there is no prediction, or only a limit of one.
  private static func notes(about score: SobrietyScore) -> [Note] {
    // That a model has no prediction is said once, below.
    let isMissing: Bool = if case .failure(.curveMissing) = score.prediction { true } else { false }
    let remark =
      isMissing
      ? nil
      : score.isPredictedLater
        ? "The predicted curve ends above the threshold, so only a lower limit of the time can be "
          + "given; extend the curve until it stays at or below the threshold."
        : score.prediction.reason
    return ([remark].compactMap(\.self) + score.doubts.map(\.remark))
      .map { Note(about: score.series, $0) }
  }

  package static let times = TableLayout(
    "times", "A row per series and method.",
    columns: predictedColumns + measuredColumns
      + TimeRow.errorColumns(forPeople: "error", hasDetails: true) { $0 }
      + TimeRow.columnsOfEnds)

  private static let predictedColumns: [Column<TimeRow>] =
    Series.identityColumns {
      $0.subject
    } _: {
      $0.score.series.occasion
    } + [
      Column("status", heading: "status", "outcome") { $0.status },
      .reason { $0.score.prediction.reason },
    ] + Column<TimeRow>.method { $0.score.method }
    + FitParameter.predictionColumns { $0.prediction?.parameters?.stated($1) } + [
      Column(
        "threshold_g_per_kg", "concentration at or below which a subject counts as sober"
      ) { $0.score.threshold.concentration.value },
      Column("threshold_from", "source of the threshold") { $0.score.threshold.origin },
      Column(
        "sober_predicted_min", heading: "predicted", style: .decimals(1),
        "predicted time to sobriety, from the first drink"
      ) { $0.predictedMinutes },
    ]

  private static let measuredColumns: [Column<TimeRow>] =
    TimeRow.intervalColumns(forPeople: "90 %") { $0 }
    + [Column(forPeople: "measured") { $0.score.measured.interval }]
    + TimeRow.measuredColumns { $0 } + [
      Column("known", MeasuredSobriety.knowledgeMeaning) { $0.score.measured.knowledge }
    ]
}

/// A predicted and a measured time as they are written: what several columns show is worked out once, and no column copies
/// a score.
package final class TimeRow: Sendable {
  package let score: SobrietyScore
  fileprivate let subject: String
  fileprivate let prediction: SobrietyPrediction?
  let predictedMinutes: Double?
  fileprivate let error: SobrietyError?
  fileprivate let deviation: SobrietyDeviation?
  fileprivate let fromInterval: SobrietyDeviation?
  let status: SobrietyScore.Status

  package init(_ score: SobrietyScore) {
    self.score = score
    subject = score.series.subject.id
    prediction = score.prediction.value
    predictedMinutes = prediction?.time?.minutes
    error = score.error
    deviation = score.deviation
    fromInterval = score.deviationFromInterval
    status = score.status
  }

  /// The error for people: against the middle of the two readings, or within which limits it lies where one
  /// of the two times is not known.
  var shownError: Cell {
    if let deviation { return .number(deviation.minutes) }
    return .words(error?.displayed)
  }
}

extension TimeRow {
  /// The columns of the predicted interval; with a heading also for people.
  static func intervalColumns<Row>(
    forPeople heading: String? = nil, _ time: @escaping @Sendable (Row) -> TimeRow
  ) -> [Column<Row>] {
    [
      Column(
        "sober_predicted_low_min",
        "lower end of the interval of the predicted time: 90 %, from the spread of k_a, beta and r between people; of a "
          + "given model the limit that it states"
      ) { time($0).prediction?.interval?.low },
      Column(
        "sober_predicted_high_min",
        "its upper end; empty if some people never fall to the threshold"
      ) { time($0).prediction?.interval?.high },
    ]
      + (heading.map { heading in
        [Column(forPeople: heading) { time($0).prediction?.shownInterval }]
      } ?? []) + [
        Column(
          "agrees",
          "whether the predicted interval and the measured one have a time in common; empty unless there are both"
        ) { time($0).score.agreesWithInterval },
        Column("doubts", "codes of why the measured time rests on little, separated by semicolons")
        { Codes(time($0).score.doubts.map(\.code)) },
      ]
  }

  /// The columns of the measured time, and of the two readings that it lies between.
  static func measuredColumns<Row>(
    _ time: @escaping @Sendable (Row) -> TimeRow
  ) -> [Column<Row>] {
    [
      Column(
        "sober_measured_min",
        "measured time to sobriety: the middle of the two readings that it lies between"
      ) { time($0).score.measured.middle?.minutes },
      Column(
        "sober_first_below_min",
        "first reading at or below the threshold after which no reading is above it"
      ) { time($0).score.measured.first?.minutes },
      Column("sober_last_above_min", "last reading above the threshold") {
        time($0).score.measured.lastAbove?.minutes
      },
    ]
  }

  /// The columns of the error against the two ends of what the readings leave open.
  fileprivate static let columnsOfEnds: [Column<TimeRow>] =
    errorColumns("last_above", "last reading above the threshold") {
      $0.score.deviationFromLastAbove
    }
    + errorColumns(
      "first_below", "first reading at or below the threshold, as in Nacar (2021)"
    ) { $0.score.deviationFromFirstBelow }

  private static func errorColumns(
    _ end: String, _ meaning: String,
    _ deviation: @escaping @Sendable (TimeRow) -> SobrietyDeviation?
  ) -> [Column<TimeRow>] {
    [
      Column("error_min_\(end)", in: "min", "predicted time minus the \(meaning)") {
        deviation($0)?.minutes
      },
      Column("error_pct_of_measured_\(end)", in: "%", "this error relative to that reading") {
        deviation($0)?.percentOfMeasured
      },
      Column("error_pct_of_predicted_\(end)", in: "%", "this error relative to the predicted time")
      { deviation($0)?.percentOfPredicted },
    ]
  }

  /// The columns of the error, and of the smallest possible one; people are shown more of it where the
  /// table is about nothing else.
  static func errorColumns<Row>(
    forPeople heading: String, hasDetails: Bool, _ time: @escaping @Sendable (Row) -> TimeRow
  ) -> [Column<Row>] {
    let head = { (text: String) in hasDetails ? text : nil }
    return [
      Column(
        "error_min_least", "smallest possible value of predicted minus measured; empty if unlimited"
      ) { time($0).error?.least },
      Column(
        "error_min_most", "largest possible value of predicted minus measured; empty if unlimited"
      ) { time($0).error?.most },
      Column("error_min", "predicted minus measured") { time($0).deviation?.minutes },
      Column(forPeople: heading, style: .decimals(1)) { time($0).shownError },
      Column(
        "error_pct_of_measured", heading: head("% of meas."), style: .decimals(1),
        "error relative to the measured time"
      ) { time($0).deviation?.percentOfMeasured },
      Column(
        "error_pct_of_predicted", heading: head("% of pred."), style: .decimals(1),
        "error relative to the predicted time"
      ) { time($0).deviation?.percentOfPredicted },
      Column(
        "interval_error_min", heading: head("outside"), style: .decimals(1),
        "predicted minus the nearest possible measured time; 0 if the two can be equal"
      ) { time($0).fromInterval?.minutes },
      Column(
        "interval_error_pct_of_measured",
        "smallest possible error relative to the nearest possible measured time"
      ) { time($0).fromInterval?.percentOfMeasured },
      Column(
        "interval_error_pct_of_predicted", "smallest possible error relative to the predicted time"
      ) { time($0).fromInterval?.percentOfPredicted },
    ]
  }
}

extension SobrietyDoubt {
  var remark: String { "\(code): \(self)" }
}

extension SobrietyPrediction {
  fileprivate var shownInterval: String? {
    interval.flatMap { NumberStyle.decimals(0).range($0.low, $0.high.ifFinite) }
  }
}

extension SobrietyScore {
  /// Whether all that is known of the prediction is that it is later than the end of its curve.
  fileprivate var isPredictedLater: Bool {
    guard case .laterThan = prediction.value?.outcome else { return false }
    return true
  }
}

extension MeasuredSobriety {
  /// Columns that state how much is known.
  static let knowledgeMeaning =
    "where the measured time lies: between two readings, after the last, or not after the first"

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

  /// The same in the question, where there is little room.
  static func briefWords(_ used: [SobrietyThreshold], _ options: PredictionOptions) -> String {
    used.isEmpty ? words(used, options) : used.map(\.briefWords).joined(separator: " or ")
  }

  private var briefWords: String {
    let number = Self.number(concentration) + " g/kg"
    return switch origin {
    case .given: number
    case .limitOfDetection: number + " (LOD)"
    case .resolution: number + " (resolution)"
    case .assumed: number + " (assumed)"
    }
  }

  private var words: String {
    let number = Self.number(concentration) + " g/kg"
    return switch origin {
    case .given: number
    case .limitOfDetection: number + ", the limit of detection"
    case .resolution: number + ", the resolution of the instrument"
    case .assumed: number + ", because the study states neither limit of detection nor resolution"
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

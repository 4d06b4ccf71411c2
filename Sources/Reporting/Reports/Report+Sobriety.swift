import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Report {
  /// The report of predicted and measured times to sobriety, a row per series and method.
  ///
  /// - `shares`: What the errors are made of, where that was worked out.
  public static func sobriety(
    _ scores: [Score], _ comparison: SobrietyComparison? = nil,
    shares: [TimeErrorShares] = [], options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let verdict = comparison.map { SobrietyVerdict($0, options) }
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

  /// Why there is no prediction, or only a limit of one.
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
    "times", "A row per series and method.",
    columns: predictedColumns + ScoreRow.intervalColumns + [
      Column(forPeople: "90 %") { row in
        row.prediction?.interval.flatMap {
          NumberStyle.decimals(0).range($0.low, $0.high.ifFinite)
        }
      }
    ] + ScoreRow.agreementColumns + [Column(forPeople: "measured") { $0.score.measured.interval }]
      + ScoreRow.measuredColumns + [
        Column("known", MeasuredSobriety.knowledgeMeaning) { $0.score.measured.knowledge }
      ] + ScoreRow.errorColumns(forPeople: "error", hasDetails: true) + ScoreRow.columnsOfEnds)

  private static let predictedColumns: [Column<ScoreRow>] =
    ScoreRow.identityColumns + [
      Column("status", heading: "status", "outcome", \.timeStatus),
      .reason { $0.score.prediction.reason },
    ] + Column<ScoreRow>.method { $0.score.method }
    + FitParameter.predictionColumns { row, parameter in
      row.prediction == nil ? nil : row.score.parameters?.stated(parameter)
    } + [
      Column(
        "threshold_g_per_kg", "concentration at or below which a subject counts as sober"
      ) { $0.score.threshold.concentration.value },
      Column("threshold_from", "source of the threshold") { $0.score.threshold.origin },
      Column(
        "sober_predicted_min", heading: "predicted", style: .decimals(1),
        "predicted time to sobriety, from the first drink", \.predictedMinutes),
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
    Column(
      "sober_predicted_low_min",
      "lower end of the interval of the predicted time: 90 %, from the spread of k_a, beta and r between people; of a "
        + "given model the limit that it states"
    ) { $0.prediction?.interval?.low },
    Column(
      "sober_predicted_high_min", "its upper end; empty if some people never fall to the threshold"
    ) { $0.prediction?.interval?.high },
  ]

  static let agreementColumns: [Column<ScoreRow>] = [
    Column(
      "agrees",
      "whether the predicted interval and the measured one have a time in common; empty unless there are both"
    ) { $0.score.agreesWithInterval },
    Column("doubts", "codes of why the measured time rests on little, separated by semicolons") {
      Codes($0.score.doubts.map(\.code))
    },
  ]

  /// The measured time, and the two readings that it lies between.
  static let measuredColumns: [Column<ScoreRow>] = [
    Column(
      "sober_measured_min",
      "measured time to sobriety: the middle of the two readings that it lies between"
    ) { $0.score.measured.middle?.minutes },
    Column(
      "sober_first_below_min",
      "first reading at or below the threshold after which no reading is above it"
    ) { $0.score.measured.first?.minutes },
    Column("sober_last_above_min", "last reading above the threshold") {
      $0.score.measured.lastAbove?.minutes
    },
  ]

  /// The error against the two ends of what the readings leave open.
  static let columnsOfEnds: [Column<ScoreRow>] =
    errorColumns("last_above", "last reading above the threshold") {
      $0.deviationFromLastAbove
    }
    + errorColumns(
      "first_below", "first reading at or below the threshold, as in Nacar (2021)"
    ) { $0.deviationFromFirstBelow }

  private static func errorColumns(
    _ end: String, _ meaning: String, _ deviation: @escaping @Sendable (Score) -> SobrietyDeviation?
  ) -> [Column<ScoreRow>] {
    [
      Column("error_min_\(end)", in: "min", "predicted time minus the \(meaning)") {
        deviation($0.score)?.minutes
      },
      Column("error_pct_of_measured_\(end)", in: "%", "this error relative to that reading") {
        deviation($0.score)?.percentOfMeasured
      },
      Column("error_pct_of_predicted_\(end)", in: "%", "this error relative to the predicted time")
      { deviation($0.score)?.percentOfPredicted },
    ]
  }

  /// The error, and the smallest possible one; people are shown more of it where the table is about nothing else.
  static func errorColumns(forPeople heading: String, hasDetails: Bool) -> [Column<ScoreRow>] {
    let head = { (text: String) in hasDetails ? text : nil }
    return [
      Column(
        "error_min_least",
        "smallest possible value of predicted minus measured; empty if unlimited", \.error?.least),
      Column(
        "error_min_most", "largest possible value of predicted minus measured; empty if unlimited",
        \.error?.most),
      Column("error_min", "predicted minus measured", \.deviation?.minutes),
      Column(forPeople: heading, style: .decimals(1)) { row -> Cell in
        row.deviation.map { .number($0.minutes) } ?? .words(row.error?.displayed)
      },
      Column(
        "error_pct_of_measured", heading: head("% of meas."), style: .decimals(1),
        "error relative to the measured time", \.deviation?.percentOfMeasured),
      Column(
        "error_pct_of_predicted", heading: head("% of pred."), style: .decimals(1),
        "error relative to the predicted time", \.deviation?.percentOfPredicted),
      Column(
        "interval_error_min", heading: head("outside"), style: .decimals(1),
        "predicted minus the nearest possible measured time; 0 if the two can be equal",
        \.fromInterval?.minutes),
      Column(
        "interval_error_pct_of_measured",
        "smallest possible error relative to the nearest possible measured time",
        \.fromInterval?.percentOfMeasured),
      Column(
        "interval_error_pct_of_predicted", "smallest possible error relative to the predicted time",
        \.fromInterval?.percentOfPredicted),
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

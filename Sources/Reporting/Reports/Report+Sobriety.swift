import AlcoholKinetics
import StudyData
public import Validation

extension Report {
  /// The report of predicted and measured times to sobriety.
  public static func sobriety(
    _ scores: [SobrietyScore], options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let threshold = SobrietyThreshold.words(SobrietyThreshold.used(in: scores), options)
    return Report(
      introduction: source(of: scores, options) + [
        "Sober: at most \(threshold).",
        "Times in min since the first drink. > x or < x: only a lower or upper limit can be given.",
        "Measured: sober between these two readings. Error: predicted minus the later one, or its limits.",
        "Outside: minutes beyond the measured interval (0 = inside).",
      ],
      sections: [Section(name: "times", table: Table(columns, rows: scores))],
      notes: Note.grouped(scores.compactMap(note)),
      provenance: provenance)
  }

  /// Why there is no prediction, or only a limit of one.
  private static func note(about score: SobrietyScore) -> Note? {
    let remark =
      score.isPredictedLater
      ? "The predicted curve ends above the threshold, so only a lower limit of the time can be "
        + "given; extend the curve until it stays at or below the threshold."
      : score.prediction.reason
    return remark.map { Note(about: score.series, $0) }
  }

  /// What was predicted with, unless the curves came from elsewhere.
  private static func source(of scores: [SobrietyScore], _ options: PredictionOptions) -> [String] {
    let isForeign = !scores.isEmpty && scores.allSatisfy { $0.rFactor == SobrietyScore.givenCurve }
    return isForeign ? ["Scoring the predictions given with --predictions."] : options.sourceLines
  }

  /// The table of times, row by row.
  ///
  /// - Parameters:
  ///   - format: One that ``ReportFormat/isByRow``.
  public static func sobrietyLines(as format: ReportFormat) -> RowLines<SobrietyScore> {
    RowLines(columns, isJSON: format == .ndjson)
  }

  private static let columns: [Column<SobrietyScore>] =
    Series.identityColumns { $0.series } + [
      Column("status", heading: "status") { .text($0.status.rawValue) },
      Column("reason") { .words($0.prediction.reason) },
      Column("r_factor", heading: "r factor") { .text($0.rFactor) },
      Column("r", heading: "r", style: .decimals(3)) { .number($0.parameters?.r.value) },
    ] + FitParameter.kineticColumns { $0.parameters } + [
      Column("threshold_g_per_kg") { .number($0.threshold.concentration.value) },
      Column("threshold_from") { .text($0.threshold.origin.rawValue) },
      Column("sober_predicted_min", heading: "predicted", style: .decimals(1)) {
        .number($0.prediction.value?.time?.minutes)
      },
      Column(forPeople: "measured") { .words($0.measured.interval) },
      Column("sober_measured_min") { .number($0.measured.first?.minutes) },
      Column("sober_last_above_min") { .number($0.measured.lastAbove?.minutes) },
      Column("known") { .text($0.measured.knowledge.rawValue) },
      Column("error_min_least") { .number($0.error?.least) },
      Column("error_min_most") { .number($0.error?.most) },
      Column("error_min") { .number($0.deviation?.minutes) },
      Column(forPeople: "error", style: .decimals(1)) { $0.shownError },
      Column("error_pct_of_measured", heading: "% of meas.", style: .decimals(1)) {
        .number($0.deviation?.percentOfMeasured)
      },
      Column("error_pct_of_predicted", heading: "% of pred.", style: .decimals(1)) {
        .number($0.deviation?.percentOfPredicted)
      },
      Column("interval_error_min", heading: "outside", style: .decimals(1)) {
        .number($0.deviationFromInterval?.minutes)
      },
      Column("interval_error_pct_of_measured") {
        .number($0.deviationFromInterval?.percentOfMeasured)
      },
      Column("interval_error_pct_of_predicted") {
        .number($0.deviationFromInterval?.percentOfPredicted)
      },
      Column("error_min_last_above") { .number($0.deviationFromLastAbove?.minutes) },
      Column("error_pct_of_measured_last_above") {
        .number($0.deviationFromLastAbove?.percentOfMeasured)
      },
      Column("error_pct_of_predicted_last_above") {
        .number($0.deviationFromLastAbove?.percentOfPredicted)
      },
    ]
}

extension SobrietyScore {
  fileprivate var parameters: ModelParameters? { prediction.value?.parameters }
}

extension SobrietyScore {
  /// The error for people: against the first reading at or below the threshold, or within which limits
  /// it lies where one of the two times is not known.
  var shownError: Cell {
    if let deviation { return .number(deviation.minutes) }
    return .words(error?.displayed)
  }

  /// Whether all that is known of the prediction is that it is later than the end of its curve.
  fileprivate var isPredictedLater: Bool {
    guard case .laterThan = prediction.value?.outcome else { return false }
    return true
  }
}

extension MeasuredSobriety {
  /// Between which readings the threshold was crossed, in minutes.
  fileprivate var interval: String? {
    let format = { (time: Hours) in NumberStyle.decimals(0).format(time.minutes) }
    return switch self {
    case .noReadings: nil
    case .neverAbove(let first): "< \(format(first))"
    case .notReached(let lastAbove): "> \(format(lastAbove))"
    case .reached(let lastAbove, let first): "\(format(lastAbove))-\(format(first))"
    }
  }
}

extension SobrietyThreshold {
  /// At or below what somebody counted as sober and why, for running text.
  ///
  /// - Parameters:
  ///   - used: The thresholds by which times were measured.
  ///   - options: What was asked for, where no time was.
  static func words(_ used: [SobrietyThreshold], _ options: PredictionOptions) -> String {
    guard used.isEmpty else { return used.map(\.words).joined(separator: "; or ") }
    return options.threshold.map { SobrietyThreshold.number($0) + " g/kg" }
      ?? "the detection limit or resolution of the instrument"
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

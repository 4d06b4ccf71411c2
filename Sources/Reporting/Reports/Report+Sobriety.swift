import AlcoholKinetics
import StudyData
public import Validation

extension Report {
  /// The report of predicted and measured times to sobriety.
  public static func sobriety(
    _ scores: [SobrietyScore], options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let threshold = options.threshold.value
    return Report(
      introduction: source(of: scores, options) + [
        "Time to sobriety (at most \(NumberStyle.exact(threshold)) g/kg), in min since the first drink. Measured:",
        "between the two readings given. Errors: predicted minus the later one; outside: by how much the",
        "prediction misses the two, 0 between them.",
      ],
      sections: [Section(name: "times", table: Table(columns(threshold), rows: scores))],
      notes: Note.grouped(
        scores.compactMap { score in
          score.prediction.reason.map { Note(about: score.series, $0) }
        }),
      provenance: provenance)
  }

  /// What was predicted with, unless the curves came from elsewhere.
  private static func source(of scores: [SobrietyScore], _ options: PredictionOptions) -> [String] {
    let isForeign = !scores.isEmpty && scores.allSatisfy { $0.rFactor == SobrietyScore.givenCurve }
    return isForeign ? ["Scored are curves that were predicted elsewhere."] : options.sourceLines
  }

  /// The table of times, row by row.
  ///
  /// - Parameters:
  ///   - format: One that ``ReportFormat/isByRow``.
  ///   - options: How they are predicted.
  public static func sobrietyLines(
    as format: ReportFormat, options: PredictionOptions
  ) -> RowLines<SobrietyScore> {
    RowLines(columns(options.threshold.value), isJSON: format == .ndjson)
  }

  private static func columns(_ threshold: Double) -> [Column<SobrietyScore>] {
    Series.identityColumns { $0.series } + [
      Column("status", heading: "status") { .text($0.status.rawValue) },
      Column("reason") { .words($0.prediction.reason) },
      Column("r_factor", heading: "r factor") { .text($0.rFactor) },
      Column("r", heading: "r", style: .decimals(3)) { .number($0.parameters?.r.value) },
      Column("ka_per_h") { .number($0.parameters?.ka.value) },
      Column("beta_g_per_kg_h") { .number($0.parameters?.beta.value) },
      Column("threshold_g_per_kg") { _ in .number(threshold) },
      Column("sober_predicted_min", heading: "predicted", style: .decimals(1)) {
        .number($0.prediction.value?.time?.minutes)
      },
      Column(forPeople: "measured") { .words($0.measured.interval) },
      Column("sober_measured_min") { .number($0.measured.first?.minutes) },
      Column("sober_last_above_min") { .number($0.measured.lastAbove?.minutes) },
      Column("error_min", heading: "error", style: .decimals(1)) {
        .number($0.deviation?.minutes)
      },
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
}

extension SobrietyScore {
  fileprivate var parameters: KineticParameters? { prediction.value?.parameters }
}

extension MeasuredSobriety {
  /// Between which readings the threshold was crossed, in minutes.
  fileprivate var interval: String? {
    guard let lastAbove else { return nil }
    let format = { (time: Hours) in NumberStyle.decimals(0).format(time.minutes) }
    return format(lastAbove) + "-" + (first.map(format) ?? "?")
  }
}

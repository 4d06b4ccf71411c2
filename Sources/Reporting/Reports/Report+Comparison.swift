import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Report {
  /// The report of comparing r-factor methods with the readings, a row per series and method.
  public static func comparison(
    _ scores: [Score], diagnostics: [ErrorDiagnostics]? = nil,
    options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let threshold = SobrietyThreshold.words(SobrietyThreshold.used(in: scores), options)
    let diagnostics = diagnostics ?? ErrorDiagnostics.all(of: scores)
    return Report(
      introduction: sourceLines(of: options) + [
        "Errors are predicted minus measured: bias, MAE, RMSE and peak in g/kg, area (AUC) in percent,",
        "sober in min (> x or < x: only a lower or upper limit can be given). Above: readings higher than",
        "dose = dose / (r x weight), the highest possible. The readings compared are those a fit would use.",
        "Sober: at most \(threshold).",
      ],
      sections: [Section(comparisons, rows: scores.map(ScoreRow.init))]
        + diagnosticSections(diagnostics),
      notes: Note.grouped(scores.flatMap(remarks))
        + ErrorDiagnostics.warnings(of: diagnostics).map(\.remark)
        + [LeftOut(Score.uses(in: scores)).remark].compactMap(\.self)
        + GivenModelCheck(scores).findings.map(\.remark),
      provenance: provenance)
  }

  package static let comparisons = TableLayout(
    "comparisons",
    """
    A row per series and method. The readings compared are those that `promille fit` would use. For a reading
    censored as below detection only the limit is known: its error is 0 up to the limit, and predicted minus
    limit above it.
    """,
    columns: ScoreRow.identityColumns + predictionColumns + agreementColumns + sobrietyColumns)

  private static let predictionColumns: [Column<ScoreRow>] =
    [
      Column("status", heading: "status", "outcome", \.curveStatus),
      .reason { $0.score.curve.reason },
    ] + Column<ScoreRow>.method { $0.score.method }
    + FitParameter.predictionColumns { $0.score.parameters?.stated($1) }
    + [
      Column(
        "dose_g_per_kg", heading: "dose", style: .decimals(2), "dose / (r x weight)"
      ) { $0.agreement?.doseConcentration?.value },
      Column(
        "peak_predicted_g_per_kg", "highest predicted concentration"
      ) { $0.agreement?.predictedPeak?.concentration.value },
      Column("peak_predicted_min", "its time") { $0.agreement?.predictedPeak?.time.minutes },
    ]

  private static let agreementColumns: [Column<ScoreRow>] =
    [
      Column(
        "peak_measured_g_per_kg", "highest of the readings compared"
      ) { $0.agreement?.measuredPeak.concentration.value },
      Column("peak_measured_min", "its time") { $0.agreement?.measuredPeak.time.minutes },
      Column("n", "readings compared") { $0.agreement?.errors.count },
      Column("left_out", "readings left out, for any reason") { $0.count { !$0.isUsed } },
    ] + ReadingUse.columns { row, use in row.count { $0 == use } } + [
      Column(
        "above_dose", heading: "above", "readings above `dose_g_per_kg`"
      ) { $0.agreement?.readingsAboveDose },
      Column(
        "bias_g_per_kg", heading: "bias", style: .decimals(3),
        "mean error, predicted minus measured"
      ) { $0.summary?.bias },
      Column(
        "mae_g_per_kg", heading: "MAE", style: .decimals(3), "mean absolute error"
      ) { $0.summary?.mae },
      Column(
        "rmse_g_per_kg", heading: "RMSE", style: .decimals(3), "root mean square error"
      ) { $0.summary?.rmse },
      Column(
        "peak_error_g_per_kg", heading: "peak", style: .decimals(3), "error of the peak"
      ) { $0.agreement?.peakError },
      Column(
        "auc_predicted_g_h_per_kg", "area under the predicted curve over the readings"
      ) { $0.agreement?.predictedArea },
      Column("auc_measured_g_h_per_kg", "area under the readings") { $0.agreement?.measuredArea },
      Column(
        "auc_error_pct", heading: "AUC %", style: .decimals(1),
        "error of the area relative to the measured area"
      ) { $0.agreement?.areaErrorPercent },
    ]

  private static let sobrietyColumns: [Column<ScoreRow>] =
    [
      Column("sober_status", "as `status` in the table `times`", \.timeStatus),
      Column(
        "sober_predicted_min", "predicted time to sobriety, from the first drink",
        \.predictedMinutes),
    ] + ScoreRow.intervalColumns + ScoreRow.agreementColumns + ScoreRow.measuredColumns + [
      Column(
        "sober_threshold_g_per_kg", "concentration at or below which a subject counts as sober"
      ) { $0.score.threshold.concentration.value },
      Column("sober_known", MeasuredSobriety.knowledgeMeaning) { $0.score.measured.knowledge },
    ] + ScoreRow.errorColumns(forPeople: "sober", hasDetails: false) + [
      .warnings { $0.score.warnings.map(\.code) }
    ]

  private static func remarks(about score: Score) -> [Note] {
    // That a model has no prediction is said once, below.
    if score.curve.failure == .curveMissing { return [] }
    if let reason = score.curve.reason { return [Note(about: score.series, reason)] }
    return (score.warnings.map(\.remark) + score.doubts.map(\.remark))
      .map { Note(about: score.series, $0) }
  }
}

extension ScoreRow {
  /// How many readings were treated in some way; nil without a prediction.
  fileprivate func count(_ isCounted: (ReadingUse) -> Bool) -> Int? {
    score.curve.failure == nil ? score.uses.count(where: isCounted) : nil
  }
}

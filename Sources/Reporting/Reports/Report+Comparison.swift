import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Report {
  /// The report of comparing r-factor methods with the readings, a row per series and method.
  public static func comparison(
    _ comparisons: [Comparison], diagnostics: [ErrorDiagnostics]? = nil,
    options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let threshold = SobrietyThreshold.words(
      SobrietyThreshold.used(in: comparisons.map(\.sobriety)), options)
    let diagnostics = diagnostics ?? ErrorDiagnostics.all(of: comparisons)
    return Report(
      introduction: sourceLines(of: options) + [
        "Errors are predicted minus measured: bias, MAE, RMSE and peak in g/kg, area (AUC) in percent,",
        "sober in min (> x or < x: only a lower or upper limit can be given). Above: readings higher than",
        "dose = dose / (r x weight), the highest possible. The readings compared are those a fit would use.",
        "Sober: at most \(threshold).",
      ],
      sections: [
        Section(Self.comparisons, rows: comparisons)
      ] + diagnosticSections(diagnostics),
      notes: Note.grouped(comparisons.flatMap(notes))
        + ErrorDiagnostics.warnings(of: diagnostics).map(\.remark)
        + [LeftOut(Comparison.uses(in: comparisons)).remark].compactMap(\.self)
        + options.remarks(on: comparisons),
      provenance: provenance)
  }

  package static let comparisons = TableLayout(
    "comparisons",
    """
    A row per series and method. The readings compared are those that `promille fit` would use. For a reading
    censored as below detection only the limit is known: its error is 0 up to the limit, and predicted minus
    limit above it.
    """,
    columns: Series.identityColumns { $0.series } + predictionColumns + agreementColumns
      + sobrietyColumns)

  private static let predictionColumns: [Column<Comparison>] =
    [
      Column("status", heading: "status", "outcome", \.status),
      .reason { $0.result.reason },
    ] + Column<Comparison>.method { $0.method } + FitParameter.predictionColumns { $0.parameters }
    + [
      Column(
        "dose_g_per_kg", heading: "dose", style: .decimals(2), "dose / (r x weight)",
        \.agreement?.doseConcentration?.value),
      Column(
        "peak_predicted_g_per_kg", "highest predicted concentration",
        \.agreement?.predictedPeak?.concentration.value),
      Column("peak_predicted_min", "its time", \.agreement?.predictedPeak?.time.minutes),
    ]

  private static let agreementColumns: [Column<Comparison>] =
    [
      Column(
        "peak_measured_g_per_kg", "highest of the readings compared",
        \.agreement?.measuredPeak.concentration.value),
      Column("peak_measured_min", "its time", \.agreement?.measuredPeak.time.minutes),
      Column("n", "readings compared", \.agreement?.errors.count),
      Column("left_out", "readings left out, for any reason", \.leftOutCount),
    ] + ReadingUse.columns { $0.count($1) } + [
      Column(
        "above_dose", heading: "above", "readings above `dose_g_per_kg`",
        \.agreement?.readingsAboveDose),
      Column(
        "bias_g_per_kg", heading: "bias", style: .decimals(3),
        "mean error, predicted minus measured", \.agreement?.summary?.bias),
      Column(
        "mae_g_per_kg", heading: "MAE", style: .decimals(3), "mean absolute error",
        \.agreement?.summary?.mae),
      Column(
        "rmse_g_per_kg", heading: "RMSE", style: .decimals(3), "root mean square error",
        \.agreement?.summary?.rmse),
      Column(
        "peak_error_g_per_kg", heading: "peak", style: .decimals(3), "error of the peak",
        \.agreement?.peakError),
      Column(
        "auc_predicted_g_h_per_kg", "area under the predicted curve over the readings",
        \.agreement?.predictedArea),
      Column("auc_measured_g_h_per_kg", "area under the readings", \.agreement?.measuredArea),
      Column(
        "auc_error_pct", heading: "AUC %", style: .decimals(1),
        "error of the area relative to the measured area", \.agreement?.areaErrorPercent),
    ]

  private static let sobrietyColumns: [Column<Comparison>] =
    [
      Column("sober_status", "as `status` in the table `times`", \.sobriety.status),
      Column(
        "sober_predicted_min", "predicted time to sobriety, from the first drink",
        \.sobriety.prediction.value?.time?.minutes),
    ] + SobrietyScore.intervalColumns { $0.sobriety }
    + MeasuredSobriety.timeColumns { $0.sobriety.measured } + [
      Column(
        "sober_threshold_g_per_kg", "concentration at or below which a subject counts as sober",
        \.sobriety.threshold.concentration.value),
      Column("sober_known", MeasuredSobriety.knowledgeMeaning, \.sobriety.measured.knowledge),
    ] + SobrietyScore.errorColumns(forPeople: "sober", hasDetails: false) { $0.sobriety } + [
      .warnings { $0.warnings.map(\.code) }
    ]

  private static func notes(about comparison: Comparison) -> [Note] {
    // That a model has no prediction is said once, below.
    if case .failure(.curveMissing) = comparison.result { return [] }
    if let reason = comparison.result.reason {
      return [Note(about: comparison.series, reason)]
    }
    return comparison.warnings.map { Note(about: comparison.series, $0.remark) }
      + comparison.sobriety.doubts.map { Note(about: comparison.series, $0.remark) }
  }
}

extension Comparison {
  /// How many readings were left out; nil without a prediction to compare them with.
  fileprivate var leftOutCount: Int? { result.value == nil ? nil : uses.count { !$0.isUsed } }

  /// How many readings were treated so; nil without a prediction.
  fileprivate func count(_ use: ReadingUse) -> Int? {
    result.value == nil ? nil : uses.count { $0 == use }
  }
}

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
        Section(Self.comparisons, rows: comparisons.map(ComparisonRow.init))
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
    columns: Series.identityColumns {
      $0.subject
    } _: {
      $0.comparison.series.occasion
    }
      + predictionColumns + agreementColumns
      + sobrietyColumns)

  private static let predictionColumns: [Column<ComparisonRow>] =
    [
      Column("status", heading: "status", "outcome") { $0.status },
      .reason { $0.comparison.result.reason },
    ] + Column<ComparisonRow>.method { $0.comparison.method }
    + FitParameter.predictionColumns { $0.comparison.parameters?.stated($1) }
    + [
      Column(
        "dose_g_per_kg", heading: "dose", style: .decimals(2), "dose / (r x weight)"
      ) { $0.agreement?.doseConcentration?.value },
      Column(
        "peak_predicted_g_per_kg", "highest predicted concentration"
      ) { $0.agreement?.predictedPeak?.concentration.value },
      Column("peak_predicted_min", "its time") { $0.agreement?.predictedPeak?.time.minutes },
    ]

  private static let agreementColumns: [Column<ComparisonRow>] =
    [
      Column(
        "peak_measured_g_per_kg", "highest of the readings compared"
      ) { $0.agreement?.measuredPeak.concentration.value },
      Column("peak_measured_min", "its time") { $0.agreement?.measuredPeak.time.minutes },
      Column("n", "readings compared") { $0.agreement?.errors.count },
      Column("left_out", "readings left out, for any reason") { $0.leftOutCount },
    ] + ReadingUse.columns { $0.count($1) } + [
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

  private static let sobrietyColumns: [Column<ComparisonRow>] =
    [
      Column("sober_status", "as `status` in the table `times`") { $0.time.status },
      Column(
        "sober_predicted_min", "predicted time to sobriety, from the first drink"
      ) { $0.time.predictedMinutes },
    ] + TimeRow.intervalColumns { $0.time }
    + TimeRow.measuredColumns { $0.time } + [
      Column(
        "sober_threshold_g_per_kg", "concentration at or below which a subject counts as sober"
      ) { $0.comparison.sobriety.threshold.concentration.value },
      Column("sober_known", MeasuredSobriety.knowledgeMeaning) {
        $0.comparison.sobriety.measured.knowledge
      },
    ] + TimeRow.errorColumns(forPeople: "sober", hasDetails: false) { $0.time } + [
      .warnings { $0.comparison.warnings.map(\.code) }
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

/// A comparison as it is written: see ``TimeRow``.
package final class ComparisonRow: Sendable {
  package let comparison: Comparison
  fileprivate let subject: String
  fileprivate let status: Comparison.Status
  fileprivate let agreement: CurveAgreement?
  fileprivate let summary: Sample?
  fileprivate let time: TimeRow

  package init(_ comparison: Comparison) {
    self.comparison = comparison
    subject = comparison.series.subject.id
    status = comparison.status
    agreement = comparison.agreement
    summary = agreement?.summary
    time = TimeRow(comparison.sobriety)
  }

  /// How many readings were left out; nil without a prediction to compare them with.
  fileprivate var leftOutCount: Int? {
    hasPrediction ? comparison.uses.count { !$0.isUsed } : nil
  }

  /// How many readings were treated so; nil without a prediction.
  fileprivate func count(_ use: ReadingUse) -> Int? {
    hasPrediction ? comparison.uses.count { $0 == use } : nil
  }

  private var hasPrediction: Bool { agreement != nil || comparison.result.reason == nil }
}

import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Report {
  /// The report of comparing r-factor methods with the readings, a row per series and method.
  ///
  /// - Parameters:
  ///   - comparisons: The comparisons.
  ///   - options: How they were predicted.
  ///   - provenance: How it was made.
  public static func comparison(
    _ comparisons: [Comparison], options: PredictionOptions, provenance: Provenance
  ) -> Report {
    let threshold = SobrietyThreshold.words(
      SobrietyThreshold.used(in: comparisons.map(\.sobriety)), options)
    let diagnostics = ErrorDiagnostics.all(of: comparisons)
    return Report(
      introduction: options.sourceLines + [
        "Errors are predicted minus measured: bias, MAE, RMSE and peak in g/kg, area (AUC) in percent,",
        "sober in min (> x or < x: only a lower or upper limit can be given). Above: readings higher than",
        "dose = dose / (r x weight), the highest possible. The readings compared are those a fit would use.",
        "Sober: at most \(threshold).",
      ],
      sections: [
        Section(name: "comparisons", table: Table(comparisonColumns, rows: comparisons))
      ] + diagnosticSections(diagnostics),
      notes: Note.grouped(comparisons.flatMap(notes))
        + ErrorDiagnostics.warnings(of: diagnostics).map(\.remark)
        + [LeftOut(Comparison.uses(in: comparisons)).remark].compactMap(\.self),
      provenance: provenance)
  }

  private static let comparisonColumns: [Column<Comparison>] =
    Series.identityColumns { $0.series } + predictionColumns + agreementColumns + sobrietyColumns

  private static let predictionColumns: [Column<Comparison>] =
    [
      Column("status", heading: "status") { .text($0.status.rawValue) },
      Column("reason") { .words($0.result.reason) },
      Column("r_factor", heading: "r factor") { .text($0.rFactor) },
      Column("r", heading: "r", style: .decimals(3)) { .number($0.parameters?.r.value) },
    ] + FitParameter.kineticColumns { $0.parameters } + [
      Column("dose_g_per_kg", heading: "dose", style: .decimals(2)) {
        .number($0.agreement?.doseConcentration.value)
      },
      Column("peak_predicted_g_per_kg") {
        .number($0.agreement?.predictedPeak?.concentration.value)
      },
      Column("peak_predicted_min") { .number($0.agreement?.predictedPeak?.time.minutes) },
    ]

  private static let agreementColumns: [Column<Comparison>] = [
    Column("peak_measured_g_per_kg") { .number($0.agreement?.measuredPeak.concentration.value) },
    Column("peak_measured_min") { .number($0.agreement?.measuredPeak.time.minutes) },
    Column("n") { .count($0.agreement?.errors.count) },
    Column("left_out") { .count($0.leftOutCount) },
    Column("excluded_by_study") { .count($0.count(.excludedByStudy)) },
    Column("mouth_alcohol") { .count($0.count(.mouthAlcohol)) },
    Column("before_drinking") { .count($0.count(.beforeDrinking)) },
    Column("below_detection") { .count($0.count(.belowDetection)) },
    Column("repeated_zeros") { .count($0.count(.repeatedZero)) },
    Column("above_dose", heading: "above") { .count($0.agreement?.readingsAboveDose) },
    Column("bias_g_per_kg", heading: "bias", style: .decimals(3)) {
      .number($0.agreement?.summary?.bias)
    },
    Column("mae_g_per_kg", heading: "MAE", style: .decimals(3)) {
      .number($0.agreement?.summary?.mae)
    },
    Column("rmse_g_per_kg", heading: "RMSE", style: .decimals(3)) {
      .number($0.agreement?.summary?.rmse)
    },
    Column("peak_error_g_per_kg", heading: "peak", style: .decimals(3)) {
      .number($0.agreement?.peakError)
    },
    Column("auc_predicted_g_h_per_kg") { .number($0.agreement?.predictedArea) },
    Column("auc_measured_g_h_per_kg") { .number($0.agreement?.measuredArea) },
    Column("auc_error_pct", heading: "AUC %", style: .decimals(1)) {
      .number($0.agreement?.areaErrorPercent)
    },
  ]

  private static let sobrietyColumns: [Column<Comparison>] = [
    Column("sober_status") { .text($0.sobriety.status.rawValue) },
    Column("sober_predicted_min") { .number($0.sobriety.prediction.value?.time?.minutes) },
    Column("sober_measured_min") { .number($0.sobriety.measured.first?.minutes) },
    Column("sober_last_above_min") { .number($0.sobriety.measured.lastAbove?.minutes) },
    Column("sober_threshold_g_per_kg") { .number($0.sobriety.threshold.concentration.value) },
    Column("sober_known") { .text($0.sobriety.measured.knowledge.rawValue) },
    Column("error_min_least") { .number($0.sobriety.error?.least) },
    Column("error_min_most") { .number($0.sobriety.error?.most) },
    Column("error_min") { .number($0.sobriety.deviation?.minutes) },
    Column(forPeople: "sober", style: .decimals(1)) { $0.sobriety.shownError },
    Column("error_pct_of_measured") { .number($0.sobriety.deviation?.percentOfMeasured) },
    Column("error_pct_of_predicted") { .number($0.sobriety.deviation?.percentOfPredicted) },
    Column("interval_error_min") { .number($0.sobriety.deviationFromInterval?.minutes) },
    Column("interval_error_pct_of_measured") {
      .number($0.sobriety.deviationFromInterval?.percentOfMeasured)
    },
    Column("interval_error_pct_of_predicted") {
      .number($0.sobriety.deviationFromInterval?.percentOfPredicted)
    },
    Column("warnings") { .codes($0.warnings.map(\.code)) },
  ]

  private static func notes(about comparison: Comparison) -> [Note] {
    if let reason = comparison.result.reason {
      return [Note(about: comparison.series, reason)]
    }
    return comparison.warnings.map { Note(about: comparison.series, $0.remark) }
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

import AlcoholKinetics
import Foundation
import StudyData
public import Validation

extension Report {
  /// The report of comparing the r of several methods with the observed r.
  ///
  /// - Parameters:
  ///   - comparisons: A row per subject and method.
  ///   - summaries: A row per method, or per method and sex.
  ///   - ratio: The blood to breath ratio, if the study has it.
  ///   - summaryFirst: Whether the summary comes first and is what CSV carries, instead of the rows
  ///     per subject.
  ///   - bootstrap: How the intervals of the summary were made.
  ///   - provenance: How the result was made.
  public static func rComparison(
    _ comparisons: [RComparison], summaries: [RComparisonSummary], ratio: BloodBreathSpread?,
    summaryFirst: Bool = false, bootstrap: Bootstrap, provenance: Provenance
  ) -> Report {
    let rows = Section(name: "r_comparisons", table: Table(rColumns, rows: comparisons))
    let totals = [
      Section(name: "r_summary", table: Table(rSummaryColumns, rows: summaries)),
      Section(
        name: "blood_breath_ratio", table: Table(ratioColumns, rows: ratio.map { [$0] } ?? [])),
    ]
    return Report(
      introduction: introduction(bootstrap, hasRatio: ratio != nil, provenance),
      sections: summaryFirst ? totals + [rows] : [rows] + totals,
      notes: Note.grouped(
        comparisons.compactMap { comparison in
          comparison.failure.map { Note(about: comparison.subject, $0.reason) }
        }),
      provenance: provenance)
  }

  private static func introduction(
    _ bootstrap: Bootstrap, hasRatio: Bool, _ provenance: Provenance
  ) -> [String] {
    let percent = NumberStyle.exact(100 * bootstrap.level)
    let lines = [
      "r in kg/kg. Observed r: ethanol / (C0 x weight), or as stated. Errors: method minus observed.",
      "Low and high: \(percent) % bootstrap interval over subjects, \(bootstrap.replicates) replicates, "
        + "seed \(bootstrap.seed).",
    ]
    guard hasRatio else { return lines }
    return lines + [
      "Blood to breath: ratio of the C0 by volume (blood "
        + "\(provenance.factors.bloodDensityKgPerL) kg/L); low to high: 95 % of subjects."
    ]
  }

  private static let rColumns: [Column<RComparison>] = [
    Column("subject", heading: "subject") { .text($0.subject.id) },
    Column("sex", heading: "sex") { .words($0.subject.sex?.rawValue) },
    Column("status", heading: "status") { .text($0.status.rawValue) },
    Column("reason") { .words($0.failure?.reason) },
    Column("r_factor", heading: "r factor") { .text($0.rFactor) },
    Column("r_observed", heading: "observed", style: .decimals(3)) {
      .number($0.observed.value?.value)
    },
    Column("r_method", heading: "method", style: .decimals(3)) {
      .number($0.estimated.value?.value)
    },
    Column("r_error", heading: "error", style: .decimals(3)) { .number($0.error?.value) },
  ]

  private static let rSummaryColumns: [Column<RComparisonSummary>] = [
    Column("r_factor", heading: "r factor") { .text($0.rFactor) },
    Column("sex", heading: "sex") { .text($0.sex?.rawValue ?? "all") },
    Column("n", heading: "n") { .integer($0.errors?.count ?? 0) },
    Column("r_bias", heading: "bias", style: .decimals(3)) { .number($0.errors?.bias) },
    Column("r_bias_low", heading: "low", style: .decimals(3)) { .number($0.bias?.low) },
    Column("r_bias_high", heading: "high", style: .decimals(3)) { .number($0.bias?.high) },
    Column("r_rmse", heading: "RMSE", style: .decimals(3)) { .number($0.errors?.rmse) },
    Column("r_rmse_low", heading: "low", style: .decimals(3)) { .number($0.rmse?.low) },
    Column("r_rmse_high", heading: "high", style: .decimals(3)) { .number($0.rmse?.high) },
    Column("r_mae", heading: "MAE", style: .decimals(3)) { .number($0.errors?.mae) },
    Column("r_mae_low", heading: "low", style: .decimals(3)) { .number($0.mae?.low) },
    Column("r_mae_high", heading: "high", style: .decimals(3)) { .number($0.mae?.high) },
  ]

  private static let ratioColumns: [Column<BloodBreathSpread>] = [
    Column("n", heading: "n") { .integer($0.count) },
    Column("mean", heading: "blood:breath", style: .decimals(0)) { .number($0.mean) },
    Column("sd", heading: "SD", style: .decimals(0)) { .number($0.standardDeviation) },
    Column("median", heading: "median", style: .decimals(0)) { .number($0.median) },
    Column("low", heading: "low", style: .decimals(0)) { .number($0.middle95Percent.low) },
    Column("high", heading: "high", style: .decimals(0)) { .number($0.middle95Percent.high) },
    Column("min", heading: "min", style: .decimals(0)) { .number($0.range.low) },
    Column("max", heading: "max", style: .decimals(0)) { .number($0.range.high) },
  ]
}

public import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Report {
  /// The report of comparing the r of several methods with the observed r, subject by subject.
  ///
  /// - Parameters:
  ///   - comparisons: A row per subject and method.
  ///   - summaries: A row per method, or per method and sex.
  ///   - ratio: The blood to breath ratio, if the study has it.
  ///   - methods: The methods.
  ///   - bootstrap: How the intervals of the summary were made.
  ///   - provenance: How the result was made.
  public static func rComparison(
    _ comparisons: [RComparison], summaries: [RComparisonSummary], ratio: BloodBreathSpread?,
    by methods: [any RFactorMethod], bootstrap: Bootstrap, provenance: Provenance
  ) -> Report {
    Report(
      introduction: introduction(methods, bootstrap, hasRatio: ratio != nil, provenance),
      sections: [
        Section(name: "r_comparisons", table: Table(rColumns, rows: comparisons)),
        summarySection(summaries), ratioSection(ratio),
      ],
      notes: failures(of: comparisons), provenance: provenance)
  }

  /// The report of how the methods' r do in total.
  ///
  /// - Parameters:
  ///   - comparisons: Of every subject and method.
  ///   - bySex: Whether to sum men and women up by themselves as well.
  ///   - ratio: The blood to breath ratio, if the study has it.
  ///   - methods: The methods.
  ///   - pairsFirst: Whether CSV carries the pairs of methods instead of the methods.
  ///   - bootstrap: How the intervals are made.
  ///   - provenance: How the result was made.
  public static func rSummary(
    of comparisons: [RComparison], bySex: Bool, ratio: BloodBreathSpread?,
    by methods: [any RFactorMethod], pairsFirst: Bool, bootstrap: Bootstrap, provenance: Provenance
  ) -> Report {
    let summary = ComparisonSummary(of: comparisons, bootstrap: bootstrap, bySex: bySex)
    let totals = summarySection(
      RComparisonSummary.summaries(of: comparisons, bySex: bySex, bootstrap: bootstrap))
    let rankings = Section(name: "rankings", table: Table(rankingColumns, rows: summary.rankings))
    let pairs = Section(name: "pairs", table: Table(pairColumns, rows: summary.pairs))
    return Report(
      introduction: introduction(methods, bootstrap, hasRatio: ratio != nil, provenance),
      sections: (pairsFirst ? [pairs, rankings, totals] : [totals, rankings, pairs])
        + [ratioSection(ratio)],
      notes: verdict(on: summary, level: bootstrap.level) + remarks(on: summary)
        + failures(of: comparisons.filter { $0.status == .failed }),
      provenance: provenance)
  }

  private static func summarySection(_ summaries: [RComparisonSummary]) -> Section {
    Section(name: "r_summary", table: Table(rSummaryColumns, rows: summaries))
  }

  private static func ratioSection(_ ratio: BloodBreathSpread?) -> Section {
    Section(name: "blood_breath_ratio", table: Table(ratioColumns, rows: ratio.map { [$0] } ?? []))
  }

  private static func failures(of comparisons: [RComparison]) -> [String] {
    Note.grouped(
      comparisons.compactMap { comparison in
        comparison.failure.map { Note(about: comparison.subject, $0.reason) }
      })
  }

  private static func introduction(
    _ methods: [any RFactorMethod], _ bootstrap: Bootstrap, hasRatio: Bool,
    _ provenance: Provenance
  ) -> [String] {
    let percent = NumberStyle.exact(100 * bootstrap.level)
    let lines =
      [
        "r (rho) in kg/kg. Observed r: ethanol / (C0 x weight), or as stated. Errors: method minus",
        "observed. Low and high: \(percent) % interval over subjects, by bootstrap "
          + "(\(bootstrap.replicates) replicates,",
        "seed \(bootstrap.seed)), or by Student's t below \(Bootstrap.fewestDrawn) subjects.",
      ] + [PredictionOptions.waterLine(of: methods)].compactMap(\.self)
    guard hasRatio else { return lines }
    return lines + [
      "Blood:breath: ratio of the two C0 by volume (blood "
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
    Column("r_mae_low") { .number($0.mae?.low) },
    Column("r_mae_high") { .number($0.mae?.high) },
    Column("r_median") { .number($0.errors?.median) },
    Column("r_loa_low") { .number($0.errors?.limitsOfAgreement?.low) },
    Column("r_loa_high") { .number($0.errors?.limitsOfAgreement?.high) },
    Column(forPeople: "LoA") {
      .words($0.errors?.limitsOfAgreement.map(NumberStyle.decimals(3).format))
    },
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

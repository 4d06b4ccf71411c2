public import AlcoholKinetics
public import Estimation
import StudyData
public import Validation

extension Report {
  /// The report of comparing the r of several methods with the observed r, subject by subject.
  ///
  /// - `ratio`: The blood to breath ratio, if the study has it.
  package static func rComparison(
    _ comparisons: [RComparison], summaries: [RComparisonSummary], ratio: Sample?,
    by methods: [any RFactorMethod], bootstrap: Bootstrap, provenance: Provenance
  ) -> Report {
    Report(
      introduction: introduction(methods, bootstrap, hasRatio: ratio != nil, provenance),
      sections: [
        Section(Self.rComparisons, rows: comparisons),
        Section(rTotals, rows: summaries), ratioSection(ratio),
      ],
      notes: failures(of: comparisons), provenance: provenance)
  }

  /// The report of how the methods' r do in total.
  ///
  /// - `ratio`: The blood to breath ratio, if the study has it.
  /// - `pairsFirst`: Whether CSV carries the pairs of methods instead of the methods.
  public static func rSummary(
    of comparisons: [RComparison], bySex: Bool, requiresAllMethods: Bool = false,
    ratio: Sample?, by methods: [any RFactorMethod], pairsFirst: Bool,
    bootstrap: Bootstrap, provenance: Provenance
  ) -> Report {
    let summary = ComparisonSummary(
      of: comparisons, bootstrap: bootstrap, bySex: bySex, requiresAllMethods: requiresAllMethods)
    let totals = Section(
      rTotals,
      rows: RComparisonSummary.summaries(of: comparisons, bySex: bySex, bootstrap: bootstrap))
    let rankings = Section(Self.rankings, rows: summary.rankings)
    let pairs = Section(Self.pairs, rows: summary.pairs)
    return Report(
      introduction: introduction(methods, bootstrap, hasRatio: ratio != nil, provenance),
      sections: (pairsFirst ? [pairs, rankings, totals] : [totals, rankings, pairs])
        + [ratioSection(ratio)],
      notes: verdict(on: summary, level: bootstrap.level) + remarks(on: summary)
        + failures(of: comparisons.filter { $0.status == .failed }),
      provenance: provenance)
  }

  private static func ratioSection(_ ratio: Sample?) -> Section {
    Section(bloodBreathRatio, rows: ratio.map { [$0] } ?? [])
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

  /// The table of r by several methods beside the observed one.
  package static let rComparisons = TableLayout<RComparison>(
    "r_comparisons",
    columns: [
      Column("subject", heading: "subject", \.subject.id),
      Column("sex", heading: "sex", \.subject.sex),
      Column("status", heading: "status", \.status),
      .reason { $0.failure?.reason },
      .rFactor { $0.rFactor },
      Column("r_observed", heading: "observed", style: .decimals(3), \.observed.value?.value),
      Column("r_method", heading: "method", style: .decimals(3), \.estimated.value?.value),
      Column("r_error", heading: "error", style: .decimals(3), \.error?.value),
    ])

  static let rTotals = TableLayout<RComparisonSummary>(
    "r_summary",
    columns: [
      .rFactor { $0.rFactor },
      Column("sex", oneOf: Sex.groups, heading: "sex") { $0.sex?.rawValue ?? "all" },
      Column("n", heading: "n") { $0.errors?.count ?? 0 },
    ]
      + Column.estimate("r_bias", heading: "bias", style: .decimals(3), \.bias)
      + Column.estimate("r_rmse", heading: "RMSE", style: .decimals(3), \.rmse)
      + Column.estimate("r_mae", heading: "MAE", style: .decimals(3), showsEnds: false, \.mae) + [
        Column("r_median", \.errors?.median),
        Column("r_loa_low", \.errors?.limitsOfAgreement?.low),
        Column("r_loa_high", \.errors?.limitsOfAgreement?.high),
        Column(forPeople: "LoA") {
          $0.errors?.limitsOfAgreement.map(NumberStyle.decimals(3).format)
        },
      ])

  static let bloodBreathRatio = TableLayout<Sample>(
    "blood_breath_ratio",
    columns: [
      Column("n", heading: "n", \.count),
      Column("mean", heading: "blood:breath", style: .decimals(0), \.mean),
      Column("sd", heading: "SD", style: .decimals(0), \.standardDeviation),
      Column("median", heading: "median", style: .decimals(0), \.median),
      Column("low", heading: "low", style: .decimals(0)) { $0.quantile(0.025) ?? .nan },
      Column("high", heading: "high", style: .decimals(0)) { $0.quantile(0.975) ?? .nan },
      Column("min", heading: "min", style: .decimals(0)) { $0.quantile(0) ?? .nan },
      Column("max", heading: "max", style: .decimals(0)) { $0.quantile(1) ?? .nan },
    ])
}

import AlcoholKinetics
public import Estimation
import StudyData

extension Report {
  /// The report of the elimination lines of a study.
  public static func eliminationLine(
    _ fits: [EliminationLineFit], options: EliminationLineOptions, provenance: Provenance
  ) -> Report {
    let minutes = NumberStyle.decimals(0).format(options.limbAfter.minutes)
    return Report(
      introduction: [
        "Straight line through the readings at least \(minutes) min after the last drink and after the "
          + "highest,",
        "down to \(options.limbAbove.value) g/kg. beta60 in g/kg/h, C0 at the first drink in g/kg, "
          + "r (rho) = dose / (C0 x weight)",
        "in kg/kg, with intervals at level \(options.level).",
      ],
      sections: [Section(name: "lines", table: Table(columns, rows: fits))],
      notes: Note.grouped(fits.flatMap(notes)),
      provenance: provenance)
  }

  /// The table of lines, row by row.
  ///
  /// - Parameter format: One that ``ReportFormat/isByRow``.
  public static func eliminationLines(as format: ReportFormat) -> RowLines<EliminationLineFit> {
    RowLines(columns, isJSON: format == .ndjson)
  }

  private static let columns: [Column<EliminationLineFit>] =
    Series.identityColumns { $0.series } + [
      Column("status", heading: "status") { .text($0.hasFailed ? "failed" : "ok") },
      Column("reason") { .words($0.result.reason) },
      Column("n", heading: "n") { .count($0.result.value?.readings) },
      Column("limb_from_min") { .number($0.result.value?.from.minutes) },
      Column("limb_to_min") { .number($0.result.value?.to.minutes) },
      Column(forPeople: "limb min") { .words($0.result.value?.limb) },
    ] + betaColumns + c0Columns + rColumns + [
      Column("residual_sd") { .number($0.result.value?.residualSD.value) },
      Column("r_squared") { .number($0.result.value?.rSquared) },
      Column("warnings") { .codes($0.result.value?.warnings.map(\.code) ?? []) },
    ]

  private static let betaColumns: [Column<EliminationLineFit>] = [
    Column("beta60_g_per_kg_h", heading: "beta60", style: .decimals(3)) {
      .number($0.result.value?.beta.value.value)
    },
    Column("beta_se") { .number($0.result.value?.beta.standardError.value) },
    Column("beta_low") { .number($0.result.value?.beta.low.value) },
    Column("beta_high") { .number($0.result.value?.beta.high.value) },
    Column(forPeople: "interval") { .words($0.result.value?.betaInterval) },
  ]

  private static let c0Columns: [Column<EliminationLineFit>] = [
    Column("c0_g_per_kg", heading: "C0", style: .decimals(2)) {
      .number($0.result.value?.c0.value.value)
    },
    Column("c0_se") { .number($0.result.value?.c0.standardError.value) },
    Column("c0_low") { .number($0.result.value?.c0.low.value) },
    Column("c0_high") { .number($0.result.value?.c0.high.value) },
    Column(forPeople: "interval") { .words($0.result.value?.c0Interval) },
  ]

  private static let rColumns: [Column<EliminationLineFit>] = [
    Column("r_observed", heading: "r", style: .decimals(2)) {
      .number($0.result.value?.r?.value.value)
    },
    Column("r_low") { .number($0.result.value?.r?.low.value) },
    Column("r_high") { .number($0.result.value?.r?.high?.value) },
    Column(forPeople: "interval") { .words($0.result.value?.rInterval) },
  ]

  private static func notes(about fit: EliminationLineFit) -> [Note] {
    switch fit.result {
    case .failure(let failure):
      [Note(about: fit.series, failure.reason)]
    case .success(let line):
      line.warnings.map { Note(about: fit.series, "\($0.code): \($0)") }
    }
  }
}

/// How people are shown ranges.
extension EliminationLine {
  fileprivate var limb: String {
    let style = NumberStyle.decimals(0)
    return "\(style.format(from.minutes))-\(style.format(to.minutes))"
  }

  fileprivate var betaInterval: String {
    Self.range(beta.low.value, beta.high.value, .decimals(3))
  }

  fileprivate var c0Interval: String {
    Self.range(c0.low.value, c0.high.value, .decimals(2))
  }

  fileprivate var rInterval: String? {
    r.map { Self.range($0.low.value, $0.high?.value, .decimals(2)) }
  }

  /// A range without an upper end is open.
  private static func range(_ low: Double, _ high: Double?, _ style: NumberStyle) -> String {
    "\(style.format(low)) to \(high.map(style.format) ?? "?")"
  }
}

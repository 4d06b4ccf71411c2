import AlcoholKinetics
public import Estimation
import StudyData

extension Report {
  /// The report of the elimination lines of a study.
  public static func eliminationLine(
    _ fits: [EliminationLineFit], options: EliminationLineOptions, provenance: Provenance
  ) -> Report {
    let minutes = NumberStyle.decimals(0).format(options.limbAfter.minutes)
    var report = Report(
      introduction: [
        "Straight line through the readings at least \(minutes) min after the last drink and after the "
          + "highest,",
        "down to \(options.limbAbove.value) g/kg. beta60 in g/kg/h, C0 at the first drink in g/kg, "
          + "r (rho) = dose / (C0 x weight)",
        "in kg/kg, with intervals at level \(options.level).",
      ],
      sections: [Section(lines, rows: fits)],
      notes: Note.grouped(fits.flatMap(notes)),
      provenance: provenance)
    report.firstScreen = FirstScreen(
      question:
        "What do straight lines through the readings after absorption say? \(fits.count) series.",
      answer: [answer(of: fits.compactMap(\.result.value), count: fits.count)],
      tables: report.sections.map(\.table),
      remarks: [report.introduction.joined(separator: " ")] + FitRemarks.lines(on: fits) + [
        "All remarks, with codes for promille explain: --details. The data: promille check."
      ])
    return report
  }

  /// Medians over series with the smallest and largest values.
  private static func answer(of lines: [EliminationLine], count: Int) -> String {
    func range(_ name: String, _ unit: String, _ values: [Double], _ style: NumberStyle) -> String?
    {
      guard let sample = Sample(values) else { return nil }
      return "\(name) \(style.format(sample.median))\(unit) (\(style.format(values.min() ?? 0))-"
        + "\(style.format(values.max() ?? 0)))"
    }
    guard !lines.isEmpty else { return "No series has a line." }
    let share = lines.count == count ? "All \(count)" : "\(lines.count) of \(count)"
    let medians = [
      range("beta60", " g/kg/h", lines.map(\.beta.value.value), .decimals(3)),
      range("C0", " g/kg", lines.map(\.c0.value.value), .decimals(2)),
      range("r", "", lines.compactMap(\.r?.value.value), .decimals(2)),
    ].compactMap(\.self)
    return "\(share) series have a line."
      + (lines.count < 2 ? "" : " Median (smallest-largest): \(medians.joined(separator: ", ")).")
  }

  package static let lines = TableLayout(
    "lines",
    columns: Series.identityColumns { $0.series } + [
      .status(\.status),
      .reason { $0.result.reason },
      Column("n", heading: "n", \.result.value?.readings),
      Column("limb_from_min", \.result.value?.from.minutes),
      Column("limb_to_min", \.result.value?.to.minutes),
      Column(forPeople: "limb min") {
        $0.result.value.flatMap {
          NumberStyle.decimals(0).range($0.from.minutes, $0.to.minutes)
        }
      },
    ] + betaColumns + c0Columns + rColumns + [
      Column("residual_sd", \.result.value?.residualSD.value),
      Column("r_squared", \.result.value?.rSquared),
      .warnings { $0.result.value?.warnings.map(\.code) },
    ])

  private static let betaColumns: [Column<EliminationLineFit>] = [
    Column(
      "beta60_g_per_kg_h", heading: "beta60", style: .decimals(3), \.result.value?.beta.value.value),
    Column("beta_se", \.result.value?.beta.standardError.value),
    Column("beta_low", \.result.value?.beta.low.value),
    Column("beta_high", \.result.value?.beta.high.value),
    Column(forPeople: "interval") { fit in
      (fit.result.value?.beta).map { range($0.low.value, $0.high.value, .decimals(3)) }
    },
  ]

  private static let c0Columns: [Column<EliminationLineFit>] = [
    Column("c0_g_per_kg", heading: "C0", style: .decimals(2), \.result.value?.c0.value.value),
    Column("c0_se", \.result.value?.c0.standardError.value),
    Column("c0_low", \.result.value?.c0.low.value),
    Column("c0_high", \.result.value?.c0.high.value),
    Column(forPeople: "interval") { fit in
      (fit.result.value?.c0).map { range($0.low.value, $0.high.value, .decimals(2)) }
    },
  ]

  private static let rColumns: [Column<EliminationLineFit>] = [
    Column("r_observed", heading: "r", style: .decimals(2), \.result.value?.r?.value.value),
    Column("r_low", \.result.value?.r?.low.value),
    Column("r_high", \.result.value?.r?.high?.value),
    Column(forPeople: "interval") { fit in
      (fit.result.value?.r).map { range($0.low.value, $0.high?.value, .decimals(2)) }
    },
  ]

  /// A range without an upper end is open.
  private static func range(_ low: Double, _ high: Double?, _ style: NumberStyle) -> String {
    "\(style.format(low)) to \(high.map(style.format) ?? "?")"
  }

  private static func notes(about fit: EliminationLineFit) -> [Note] {
    switch fit.result {
    case .failure(let failure):
      [Note(about: fit.series, failure.reason)]
    case .success(let line):
      line.warnings.map { Note(about: fit.series, "\($0.code): \($0)") }
    }
  }
}

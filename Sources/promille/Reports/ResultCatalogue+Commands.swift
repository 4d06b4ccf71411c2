import Certification
import Reporting

extension ResultCatalogue {
  /// What every command's results hold: the library's reports, and what only the command makes.
  static let all = ResultCatalogue(reports.commands + ofCommands)

  /// What ``SimulatedCurves`` writes: these lines are many and go past ``Table``.
  private static let simulated = TableLayout<Void>(
    "simulated", "A row per series, method and time. The last two columns are there with --band.",
    columns: [
      Column("subject", "subject") { _ in "" },
      .occasion { _ in nil },
      Column("r_factor", "source of r: a method or a number") { _ in "" },
      Column("time_min", "time") { _ in 0.0 },
      Column("bac_g_per_kg", "concentration in blood") { _ in 0.0 },
      Column(
        "bac_low_g_per_kg",
        "lower end of the 90 % band, from the spread of k_a, beta, the lag and r between people"
      ) { _ in 0.0 },
      Column("bac_high_g_per_kg", "upper end of the band") { _ in 0.0 },
    ])

  private static let ofCommands = [
    Command(
      "regress",
      tables: Report.driftTable, Report.outcomeTable, Report.scores, Report.averages,
      Report.engines),
    Command("bench", tables: Report.benchmarks, Report.machine),
    Command("export --notebook", tables: Report.curveTable),
    Command("init", tables: Report.takenColumns),
    Command("simulate", tables: simulated),
    Command("import", tables: Report.imported),
  ]
}

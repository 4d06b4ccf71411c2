public import Validation

extension Report {
  /// The report of estimates summed up over subjects.
  ///
  /// - Parameters:
  ///   - fits: The fits.
  ///   - options: What they were fitted with.
  ///   - provenance: How they were made.
  public static func fitSummary(
    _ fits: [StudyFit], options: FitOptions, provenance: Provenance
  ) -> Report {
    let diagnostics = StudyDiagnostics(of: fits)
    return Report(
      introduction: [
        introduction(to: fits, options)[0],
        "Over subjects: estimates that the readings determine; a subject counts once, by the mean of",
        "its series. Undetermined and failed count series.",
      ],
      sections: [parameterSection(of: fits)] + diagnosticSections(diagnostics),
      notes: remarks(on: diagnostics) + failures(of: fits)
        + [LeftOut(fits).remark].compactMap(\.self),
      provenance: provenance)
  }

  /// The table of parameters summed up.
  static func parameterSection(of fits: [StudyFit]) -> Section {
    Section(
      name: "parameters",
      table: Table(parameterColumns, rows: ParameterSummary.summaries(of: fits)))
  }

  /// Which series are not in the table, and why.
  private static func failures(of fits: [StudyFit]) -> [String] {
    Note.grouped(
      fits.compactMap { fit in
        let isLost = fit.result.value?.isConverged == false
        let reason = isLost ? "the fit did not end in a minimum" : fit.result.reason
        return reason.map { Note(about: fit.series, $0) }
      })
  }

  private static let parameterColumns: [Column<ParameterSummary>] = [
    Column("parameter") { .text($0.parameter.rawValue) },
    Column(forPeople: "parameter") { .text($0.parameter.symbol) },
    Column("unit", heading: "unit") { .text($0.parameter.reportedUnit) },
    Column("subjects", heading: "subjects") { .integer($0.values?.count ?? 0) },
    Column("series", heading: "series") { .integer($0.series) },
    Column("undetermined", heading: "undetermined") { .integer($0.undetermined) },
    Column("failed", heading: "failed") { .integer($0.failed) },
    Column("mean", heading: "mean") { $0.cell($0.values?.mean) },
    Column("sd", heading: "SD", style: .significant(2)) { $0.cell($0.values?.standardDeviation) },
    Column("cv_pct", heading: "CV %", style: .decimals(1)) { .number($0.coefficientOfVariation) },
    Column("median", heading: "median") { $0.cell($0.values?.median) },
    Column("min", heading: "min") { $0.cell($0.values?.quantile(0)) },
    Column("max", heading: "max") { $0.cell($0.values?.quantile(1)) },
  ]
}

extension ParameterSummary {
  /// A statistic in the unit of results.
  fileprivate func cell(_ statistic: Double?) -> Cell {
    .number(statistic.map(parameter.reportedValue))
  }
}

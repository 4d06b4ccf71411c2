import AlcoholKinetics
public import Estimation
import Validation

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
        introduction(to: fits, options)[0]
      ] + summaryLines(options),
      sections: [parameterSection(of: fits, options: options)] + diagnosticSections(diagnostics),
      notes: remarks(on: diagnostics) + remarks(on: fits, options) + failures(of: fits)
        + [LeftOut(fits).remark].compactMap(\.self),
      provenance: provenance)
  }

  /// The table of parameters summed up.
  static func parameterSection(of fits: [StudyFit], options: FitOptions) -> Section {
    Section(
      name: "parameters",
      table: Table(parameterColumns, rows: summaries(of: fits, options)))
  }

  private static func summaries(
    of fits: [StudyFit], _ options: FitOptions
  ) -> [ParameterSummary] {
    ParameterSummary.summaries(
      of: fits, level: options.interval?.level ?? IntervalOptions.defaultLevel)
  }

  /// How it was summed up, in lines for people.
  static func summaryLines(_ options: FitOptions) -> [String] {
    let percent = NumberStyle.exact(100 * (options.interval?.level ?? IntervalOptions.defaultLevel))
    return [
      "Each subject counts once, with the mean logarithm of its series. If a subject's readings do not",
      "determine a parameter, the limits that they set are used: at least (>), at most (<) or between two",
      "(><). ?: undetermined.",
      "Typical value (\(percent) % interval) and CV: log-normal distribution, maximum likelihood with these",
      "limits. Median: Turnbull's estimate (Kaplan-Meier). The lag is not log-transformed.",
    ]
  }

  /// What readers of the table must know.
  static func remarks(on fits: [StudyFit], _ options: FitOptions) -> [String] {
    let summaries = summaries(of: fits, options)
    let unknown = summaries.filter { $0.count(.unknown) > 0 }.map { summary in
      "\(summary.parameter.symbol) \(summary.count(.unknown))"
    }
    let few = summaries.filter { $0.distribution == nil }.map(\.parameter.symbol)
    let advice =
      options.interval?.kind == .wald || options.interval == nil
      ? " Use --interval profile: it finds the limits of estimates that hit a search limit." : ""
    return
      (unknown.isEmpty
      ? []
      : [
        "The summary may be biased: it leaves out subjects about whom nothing is known: "
          + unknown.joined(separator: ", ") + "." + advice
      ])
      + (few.isEmpty
        ? []
        : [
          "No typical value or spread of \(few.joined(separator: ", ")): too few subjects are known, or "
            + "all limits are on one side."
        ])
  }

  /// Which series are not in the table, and why.
  private static func failures(of fits: [StudyFit]) -> [String] {
    Note.grouped(
      fits.compactMap { fit in
        let isLost = fit.result.value?.isConverged == false
        let reason = isLost ? "the fit did not converge to a minimum" : fit.result.reason
        return reason.map { Note(about: fit.series, $0) }
      })
  }

  private static let parameterColumns: [Column<ParameterSummary>] = [
    Column("parameter") { .text($0.parameter.rawValue) },
    Column(forPeople: "parameter") { .text($0.parameter.symbol) },
    Column("unit", heading: "unit") { .text($0.parameter.reportedUnit) },
    Column("subjects", heading: "subjects") { .integer($0.subjects.count) },
    Column("exact", heading: "exact") { .integer($0.count(.exact)) },
    Column("at_least") { .integer($0.count(.atLeast)) },
    Column("at_most") { .integer($0.count(.atMost)) },
    Column("between") { .integer($0.count(.between)) },
    Column("unknown") { .integer($0.count(.unknown)) },
    Column(forPeople: ">") { $0.shownCount(.atLeast) },
    Column(forPeople: "<") { $0.shownCount(.atMost) },
    Column(forPeople: "><") { $0.shownCount(.between) },
    Column(forPeople: "?") { $0.shownCount(.unknown) },
    Column("series") { .integer($0.series) },
    Column("undetermined") { .integer($0.undetermined) },
    Column("failed") { .integer($0.failed) },
    Column("mean") { $0.cell($0.mean) },
    Column("sd") { $0.cell($0.standardDeviation) },
    Column("typical") { $0.cell($0.typical) },
    Column("typical_low") { $0.cell($0.typicalInterval?.low) },
    Column("typical_high") { $0.cell($0.typicalInterval?.high) },
    Column(forPeople: "typical") { .words($0.shownTypical) },
    Column("log_sd") { .number($0.logDeviation) },
    Column("log_sd_low") { .number($0.logDeviationInterval?.low) },
    Column("log_sd_high") { .number($0.logDeviationInterval?.high) },
    Column("cv_pct", heading: "CV %", style: .decimals(1)) { .number($0.coefficientOfVariation) },
    Column("median") { $0.cell($0.medianValue) },
    Column("median_at_least") { $0.cell($0.medianAtLeast) },
    Column("median_at_most") { $0.cell($0.medianAtMost) },
    Column(forPeople: "median") { .words($0.shownMedian) },
    Column("min") { $0.cell($0.range?.low) },
    Column("max") { $0.cell($0.range?.high) },
  ]
}

extension ParameterSummary {
  /// A statistic in the unit of results.
  fileprivate func cell(_ statistic: Double?) -> Cell {
    .number(statistic.map(parameter.reportedValue))
  }

  /// A count, or nothing for none, so that a column without any is not shown.
  fileprivate func shownCount(_ kind: CensoredValue.Kind) -> Cell {
    count(kind) == 0 ? .missing : .integer(count(kind))
  }

  fileprivate var shownTypical: String? {
    typical.map { typical in
      shown(typical) + (typicalInterval.map { " (\(shown($0.low))-\(shown($0.high)))" } ?? "")
    }
  }

  fileprivate var shownMedian: String? {
    switch median {
    case .value(let value): shown(value)
    case .atLeast(let value): "> \(shown(value))"
    case .atMost(let value): "< \(shown(value))"
    case nil: nil
    }
  }

  private func shown(_ value: Double) -> String {
    NumberStyle.significant(3).format(parameter.reportedValue(value))
  }

  fileprivate var medianValue: Double? {
    if case .value(let value) = median { value } else { nil }
  }

  fileprivate var medianAtLeast: Double? {
    if case .atLeast(let value) = median { value } else { nil }
  }

  fileprivate var medianAtMost: Double? {
    if case .atMost(let value) = median { value } else { nil }
  }
}

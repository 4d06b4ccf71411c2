import AlcoholKinetics
package import Estimation
package import Validation

extension Report {
  /// The report of estimates summed up over subjects.
  package static func fitSummary(
    _ fits: [StudyFit], diagnostics: StudyDiagnostics? = nil, options: FitOptions,
    provenance: Provenance
  ) -> Report {
    let diagnostics = diagnostics ?? StudyDiagnostics(of: fits, error: options.studyError)
    let summaries = summaries(of: fits, options)
    let doubts = implausible(among: fits) + remarks(on: summaries, options)
    var report = Report(
      introduction: [
        introduction(to: fits, options)[0]
      ] + summaryLines(options),
      sections: [Section(parameterTable, rows: summaries)] + diagnosticSections(diagnostics),
      notes: remarks(on: diagnostics) + doubts + failures(of: fits)
        + [ReadingUseCounts(fits).remark].compactMap(\.self),
      provenance: provenance)
    report.setFirstScreen(
      for: fits, diagnostics, options,
      legend: [
        "Typical values with \(percent(of: options)) % intervals; >, <: people of whom only a lower or upper limit is "
          + "known; ?: undetermined."
      ], besides: doubts)
    return report
  }

  /// The parameters summed up, at the level of the fits' own intervals.
  static func summaries(of fits: [StudyFit], _ options: FitOptions) -> [ParameterSummary] {
    ParameterSummary.summaries(
      of: fits, level: options.interval?.level ?? Interval.defaultLevel)
  }

  /// The method of the summary, in lines for people.
  static func summaryLines(_ options: FitOptions) -> [String] {
    [
      "Each subject counts once, with the mean logarithm of its series. If a subject's readings do not",
      "determine a parameter, the limits that they set are used: at least (>), at most (<) or between two",
      "(><). ?: undetermined.",
      "Typical value (\(percent(of: options)) % interval) and CV: log-normal distribution, maximum likelihood with these",
      "limits. Median: Turnbull's estimate (Kaplan-Meier). The lag is not log-transformed.",
    ]
  }

  private static func percent(of options: FitOptions) -> String {
    NumberStyle.exact(100 * (options.interval?.level ?? Interval.defaultLevel))
  }

  /// The parameters without a summary, and the bias of those that leave subjects out.
  static func remarks(on summaries: [ParameterSummary], _ options: FitOptions) -> [String] {
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

  /// The implausible fits, which the summary leaves out, with their values.
  static func implausible(among fits: [StudyFit]) -> [String] {
    let implausible = fits.filter { $0.status == .implausible }
    guard !implausible.isEmpty else { return [] }
    let texts = implausible.map { fit in
      let values = FitParameter.forPeople.compactMap { parameter in
        fit.result.value?.estimates[parameter].flatMap { _ in
          fit.result.value?.stated(parameter).map(parameter.inWords)
        }
      }
      return "\(fit.series.shortLabel.asRemarkLabel): \(values.joined(separator: ", "))"
    }
    return [
      "Not summed up, since they are implausible: \(implausible.count) of \(fits.count) series "
        + "(\(texts.shortened(to: 10, "; "))). Check their doses, weights, times and units."
    ]
  }

  /// The series that are not in the table, by reason.
  private static func failures(of fits: [StudyFit]) -> [String] {
    Note.grouped(
      fits.compactMap { fit in
        let isLost = fit.result.value?.isConverged == false
        let reason = isLost ? "the fit did not converge to a minimum" : fit.result.reason
        return reason.map { Note(about: fit.series, $0) }
      })
  }

  static let parameterTable = TableLayout(
    "parameters", columns: parameterColumns)

  private static let parameterColumns: [Column<ParameterSummary>] = [
    Column("parameter", \.parameter),
    Column(forPeople: "parameter", \.parameter.symbol),
    Column("unit", heading: "unit", \.parameter.reportedUnit),
    Column("subjects", heading: "subjects", \.subjects.count),
    Column("exact", heading: "exact") { $0.count(.exact) },
    Column("at_least") { $0.count(.atLeast) },
    Column("at_most") { $0.count(.atMost) },
    Column("between") { $0.count(.between) },
    Column("unknown") { $0.count(.unknown) },
    Column(forPeople: ">") { $0.shownCount(.atLeast) },
    Column(forPeople: "<") { $0.shownCount(.atMost) },
    Column(forPeople: "><") { $0.shownCount(.between) },
    Column(forPeople: "?") { $0.shownCount(.unknown) },
    Column("series", \.series),
    Column("undetermined", \.undetermined),
    Column("failed", \.failed),
    Column("implausible", \.implausible),
    Column(forPeople: "implausible") { $0.implausible == 0 ? nil : $0.implausible },
    Column("mean") { $0.reported($0.mean) },
    Column("sd") { $0.reported($0.standardDeviation) },
    Column("typical") { $0.reported($0.typical) },
    Column("typical_low") { $0.reported($0.typicalInterval?.low) },
    Column("typical_high") { $0.reported($0.typicalInterval?.high) },
    Column(forPeople: "typical", \.shownTypical),
    Column("log_sd", \.logDeviation),
    Column("log_sd_low", \.logDeviationInterval?.low),
    Column("log_sd_high", \.logDeviationInterval?.high),
    Column("cv_pct", heading: "CV %", style: .decimals(1), \.coefficientOfVariation),
    Column("median") { $0.reported($0.median?.value) },
    Column("median_at_least") { $0.reported($0.median?.atLeast) },
    Column("median_at_most") { $0.reported($0.median?.atMost) },
    Column(forPeople: "median", \.shownMedian),
    Column("min") { $0.reported($0.range?.low) },
    Column("max") { $0.reported($0.range?.high) },
  ]
}

extension ParameterSummary {
  /// A statistic in the unit of results.
  fileprivate func reported(_ statistic: Double?) -> Double? {
    statistic.map(parameter.reportedValue)
  }

  /// A count, or nothing for none, so that a column without any is not shown.
  fileprivate func shownCount(_ kind: CensoredValue.Kind) -> Int? {
    count(kind) == 0 ? nil : count(kind)
  }

  /// The typical value with the spread between people, in running text; nil where too little is known.
  var inWords: String? {
    guard subjects.count > 1, let typical else { return nil }
    let spread = coefficientOfVariation.map { " (\(NumberStyle.decimals(0).format($0)) %)" }
    return parameter.inWords(typical) + (spread ?? "")
  }

  fileprivate var shownTypical: String? {
    typical.map {
      NumberStyle.significant(3).format(
        parameter.reportedValue($0), typicalInterval?.map(parameter.reportedValue))
    }
  }

  fileprivate var shownMedian: String? {
    let style = NumberStyle.significant(3)
    return reported(median?.value).map { style.format($0) }
      ?? style.range(reported(median?.atLeast), reported(median?.atMost))
  }
}

extension CensoredMedian {
  var value: Double? { if case .value(let value) = self { value } else { nil } }
  var atLeast: Double? { if case .atLeast(let value) = self { value } else { nil } }
  var atMost: Double? { if case .atMost(let value) = self { value } else { nil } }
}

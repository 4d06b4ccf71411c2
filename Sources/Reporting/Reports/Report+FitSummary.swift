import AlcoholKinetics
public import Estimation
public import Validation

extension Report {
  /// The report of estimates summed up over subjects.
  public static func fitSummary(
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
        + [LeftOut(fits).remark].compactMap(\.self),
      provenance: provenance)
    report.begin(
      with: fits, diagnostics, options,
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

  /// How it was summed up, in lines for people.
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

  /// What readers of the table must know.
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

  /// Which fits are implausible and therefore not summed up, with what they say.
  static func implausible(among fits: [StudyFit]) -> [String] {
    let found = fits.filter { $0.status == .implausible }
    guard !found.isEmpty else { return [] }
    let texts = found.map { fit in
      let values = FitParameter.forPeople.compactMap { parameter in
        fit.result.value?.estimates[parameter].flatMap { _ in
          fit.result.value?.stated(parameter).map(parameter.inWords)
        }
      }
      return "\(fit.series.shortLabel.asRemarkLabel): \(values.joined(separator: ", "))"
    }
    return [
      "Not summed up, since they are implausible: \(found.count) of \(fits.count) series "
        + "(\(texts.shortened(to: 10, "; "))). Check their doses, weights, times and units."
    ]
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

  static let parameterTable = TableLayout(
    "parameters",
    """
    `--summary`: a row per estimated parameter, over subjects. Each subject counts once, by the mean of its
    series (of the logarithms, except for the lag). A subject whose readings do not determine the parameter
    counts by the limits found. Fits that did not converge to a minimum are ignored, and so are implausible ones, which
    are counted apart. Typical value and spread
    are those of a log-normal distribution fitted by maximum likelihood (for the lag, a normal one).
    """, columns: parameterColumns)

  private static let parameterColumns: [Column<ParameterSummary>] = [
    Column("parameter", "the parameter", \.parameter),
    Column(forPeople: "parameter", \.parameter.symbol),
    Column(
      "unit", heading: "unit", "unit of its values; empty for the calibration factor (gain)",
      \.parameter.reportedUnit),
    Column("subjects", heading: "subjects", "subjects with a fit", \.subjects.count),
    Column("exact", heading: "exact", "subjects whose readings determine it") { $0.count(.exact) },
    Column("at_least", "subjects with only a lower limit") { $0.count(.atLeast) },
    Column("at_most", "subjects with only an upper limit") { $0.count(.atMost) },
    Column("between", "subjects with both limits but no estimate (it hit a search limit)") {
      $0.count(.between)
    },
    Column("unknown", "subjects of whom nothing is known; not included in the values below") {
      $0.count(.unknown)
    },
    Column(forPeople: ">") { $0.shownCount(.atLeast) },
    Column(forPeople: "<") { $0.shownCount(.atMost) },
    Column(forPeople: "><") { $0.shownCount(.between) },
    Column(forPeople: "?") { $0.shownCount(.unknown) },
    Column("series", "series of these subjects", \.series),
    Column(
      "undetermined", "series whose estimate is undetermined or at a search limit", \.undetermined),
    Column("failed", "series without a fit, or whose fit did not converge to a minimum", \.failed),
    Column(
      "implausible", "series with an implausible fit; not included in the values below",
      \.implausible),
    Column(forPeople: "implausible") { $0.implausible == 0 ? nil : $0.implausible },
    Column("mean", in: "`unit`", "mean over people, exp(mu + sd^2 / 2)") { $0.reported($0.mean) },
    Column("sd", in: "`unit`", "standard deviation between people") {
      $0.reported($0.standardDeviation)
    },
    Column(
      "typical", in: "`unit`",
      "geometric mean over people, the median of the distribution; for the lag, the mean"
    ) { $0.reported($0.typical) },
    Column("typical_low", in: "`unit`", "lower end of its interval") {
      $0.reported($0.typicalInterval?.low)
    },
    Column("typical_high", in: "`unit`", "upper end of its interval") {
      $0.reported($0.typicalInterval?.high)
    },
    Column(forPeople: "typical", \.shownTypical),
    Column(
      "log_sd",
      "standard deviation of the logarithm between people, divisor n - 1; empty for the lag",
      \.logDeviation),
    Column("log_sd_low", "lower end of its interval", \.logDeviationInterval?.low),
    Column("log_sd_high", "upper end of its interval", \.logDeviationInterval?.high),
    Column(
      "cv_pct", heading: "CV %", style: .decimals(1), "standard deviation relative to the mean",
      \.coefficientOfVariation),
    Column(
      "median", in: "`unit`",
      "median by Turnbull's estimate (equal to Kaplan and Meier's if there are only lower limits)"
    ) { $0.reported($0.median?.value) },
    Column(
      "median_at_least", in: "`unit`",
      "lower limit of the median, if more than half of the subjects are beyond it"
    ) { $0.reported($0.median?.atLeast) },
    Column(
      "median_at_most", in: "`unit`",
      "upper limit of the median, if more than half of the subjects are below it"
    ) { $0.reported($0.median?.atMost) },
    Column(forPeople: "median", \.shownMedian),
    Column("min", in: "`unit`", "smallest estimate among subjects counted in `exact`") {
      $0.reported($0.range?.low)
    },
    Column("max", in: "`unit`", "largest estimate among them") { $0.reported($0.range?.high) },
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

import AlcoholKinetics
public import Estimation
package import StudyData
package import Validation

extension Report {
  /// The report of fitting every series of a study.
  ///
  /// - `details`: Whether rows have all columns.
  package static func fit(
    _ fits: [StudyFit], diagnostics: StudyDiagnostics? = nil, options: FitOptions,
    details: Bool = false, provenance: Provenance
  ) -> Report {
    let diagnostics = diagnostics ?? StudyDiagnostics(of: fits, error: options.studyError)
    let columns = fitColumns(of: options).shown(details: details)
    let rowColumns = fitRowColumns(of: options, details: details)
    var report = Report(
      introduction: introduction(to: fits, options),
      sections: [
        Section(name: Self.fits.name, table: Table(columns, rows: fits)),
        Section(starts, rows: fits.flatMap(starts(of:))),
        Section(correlations, rows: fits.flatMap(correlations(of:))),
        Section(covariances, rows: fits.flatMap(covariances(of:))),
        Section(
          derived,
          rows: fits.flatMap { fit in
            (fit.result.value?.derived ?? []).map { (fit: fit, estimate: $0) }
          }),
        Section(posterior, rows: fits.flatMap { posteriors(of: $0, options) }),
      ] + diagnosticSections(diagnostics),
      notes: remarks(on: diagnostics)
        + Note.grouped(fits.flatMap { Note.all($0.series, $0.result) })
        + [ReadingUseCounts(fits).remark].compactMap(\.self),
      provenance: provenance)
    if rowColumns.count > columns.count { report.rows = Table(rowColumns, rows: fits) }
    report.setFirstScreen(for: fits, diagnostics, options, legend: explanation(of: options))
    return report
  }

  /// Sets the first screen: the answer of the fits, advice, and `legend`, which explains the numbers.
  mutating func setFirstScreen(
    for fits: [StudyFit], _ diagnostics: StudyDiagnostics, _ options: FitOptions,
    legend: [String], besides: [String] = []
  ) {
    let remarks = FitRemarks(of: fits)
    let typical = Self.summaries(of: fits, options).sorted {
      FitParameter.isReadBefore($0.parameter, $1.parameter)
    }.compactMap(\.inWords)
    let people = Set(fits.map(\.series.subject.id)).count
    let source = fits.first.map { " \($0.rFactor)" } ?? ""
    let implausible = fits.count { $0.status == .implausible }
    let besideThem = implausible == 0 ? "" : ", without \(implausible) implausible series"
    firstScreen = FirstScreen(
      question: "What do the readings of \(people.counted("person", "people")) say? "
        + (fits.count > people ? "\(fits.count) series, " : "")
        + "\(options.model.title), r\(source), \(options.error.name) error\(options.studyError == nil ? "" : " of the study").",
      answer: [
        remarks.answer
          + (typical.isEmpty
            ? ""
            : " Typical (spread between people\(besideThem)): " + typical.joined(separator: ", ")
              + "."),
        legend.joined(separator: " "),
      ],
      tables: sections.map(\.table),
      remarks: remarks.lines + besides
        + [FitRemarks.line(on: diagnostics.warnings)].compactMap(\.self)
        + [ReadingUseCounts(fits).remark].compactMap(\.self) + [
          "All remarks, with codes for promille explain: --details. The data: promille check."
        ])
  }
}

extension Note {
  /// The reason why there is no fit, or its warnings, after the name if there are several fits.
  static func all(
    _ series: Series, _ result: Result<SeriesFit, SeriesFailure>, of name: String = ""
  ) -> [Note] {
    switch result {
    case .failure(let failure): [Note(about: series, name + failure.reason)]
    case .success(let fit):
      fit.warnings.map { Note(about: series, name + $0.remark, at: $0.times) }
    }
  }
}

// MARK: - Introduction

extension Report {
  static func introduction(to fits: [StudyFit], _ options: FitOptions) -> [String] {
    let parameters = FitParameter.forPeople.filter { options.model.parameters.contains($0) }
      .filter { $0.isAlwaysShown || options.isChosen($0) }
    let units = parameters.map { parameter in
      [parameter.symbol, parameter.reportedUnit].filter { !$0.isEmpty }.joined(separator: " in ")
    }
    let correlation =
      options.correlation == .independent ? "" : ", correlated by exp(-dt/tau)"
    let source = fits.first.map { " \($0.rFactor)" } ?? ""
    let whose = options.studyError == nil ? "" : " of the study"
    let error = "\(options.error.name) error\(whose)\(floor(of: fits))"
    return [
      "\(options.model.title), r\(source), \(error)\(correlation), residual SD in g/kg.",
      units.joined(separator: ", ") + ".",
    ] + explanation(of: options)
  }

  /// Below which no standard deviation was estimated, where that may matter.
  private static func floor(of fits: [StudyFit]) -> String {
    let floors = fits.compactMap { $0.result.value?.noise?.smallestSD }
    guard let least = floors.min() else { return "" }
    return " (SD at zero at least \(NumberStyle.significant(2).format(least)) g/kg)"
  }

  private static func explanation(of options: FitOptions) -> [String] {
    let isRobust = options.standardErrors == .robust
    guard let interval = options.interval else {
      return ["+-: \(isRobust ? "robust " : "")standard error; ?: none."]
    }
    return [
      "In brackets: \(NumberStyle.exact(interval.level * 100)) % intervals, "
        + "\(interval.kind.title)\(isRobust ? ", robust standard errors" : "").",
      "> x or < x: only a lower or upper limit can be given. ?: undetermined.",
    ]
  }
}

extension FitOptions {
  fileprivate func isChosen(_ parameter: FitParameter) -> Bool {
    estimate.contains(parameter) || fixed[parameter] != nil
  }

  /// True if a parameter has its neutral value, a lag of 0 or a gain of 1, in every fit.
  fileprivate func isNeutral(_ parameter: FitParameter) -> Bool {
    guard !parameter.isAlwaysShown, !isChosen(parameter) else { return false }
    // A typical k_a comes with a typical lag, and a prior may hold it anywhere.
    return parameter != .lag || (isChosen(.ka) && prior == nil)
  }
}

extension IntervalOptions.Kind {
  fileprivate var title: String {
    switch self {
    case .wald: "Wald"
    case .profile: "profile likelihood"
    case .residualBootstrap: "residual bootstrap"
    case .parametricBootstrap: "parametric bootstrap"
    }
  }
}

// MARK: - Columns

extension StudyFit {
  /// The fit where it lies; nil if there is none.
  var kept: Kept<SeriesFit>? { coded.success }
}

extension Report {
  /// Every column that a row of fits can have.
  package static let fits = TableLayout("fits", columns: fitColumns(of: nil))

  /// The columns of fits by some options, details among them; of fits by any, for nil.
  static func fitColumns(of options: FitOptions?) -> [Column<StudyFit>] {
    Series.identityColumns { $0.series } + outcomeColumns + readingColumns
      + parameters(of: options).flatMap { columns(of: $0, options) }
      + FitParameter.forPeople.map(cell) + errorColumns(of: options) + criterionColumns
      + diagnosticColumns + searchColumns
  }

  /// The columns of rows that stand alone; JSON has derived quantities and posteriors in other tables.
  package static func fitRowColumns(
    of options: FitOptions, details: Bool
  ) -> [Column<StudyFit>] {
    (fitColumns(of: options) + derivedColumns(of: options)
      + (options.prior == nil ? [] : priorColumns(of: options))).shown(details: details)
  }

  /// The parameters that rows of fits have columns for.
  static func parameters(of options: FitOptions?) -> [FitParameter] {
    FitParameter.reported.filter { options?.model.parameters.contains($0) ?? true }
  }

  private static let outcomeColumns: [Column<StudyFit>] = [
    .status { $0.status },
    .reason { $0.hasFailed ? $0.result.reason : nil },
    Column("model", isDetail: true) { $0.kept?.value.model },
  ]

  private static let readingColumns: [Column<StudyFit>] =
    [
      Column("n", heading: "n") { $0.kept?.value.readings.count(where: \.use.isUsed) },
      Column("censored") { $0.kept?.value.readings.count(.censored) },
    ] + ReadingUse.columns { $0.kept?.value.readings.count($1) } + [
      .rFactor(heading: nil) { $0.rFactor }
    ]

  private static func columns(
    of parameter: FitParameter, _ options: FitOptions?
  ) -> [Column<StudyFit>] {
    let name = parameter.rawValue
    let isNeutral = options?.isNeutral(parameter) ?? false
    let isHeld = options.map { !$0.estimate.contains(parameter) } ?? false
    @Sendable func number(_ value: Double?) -> Double? { value.map(parameter.reportedValue) }
    return [
      Column(parameter.columnName, isDetail: isNeutral) { number($0.stated(parameter)) },
      Column("\(name)_se", isDetail: isHeld) { number($0.estimate(parameter)?.standardError) },
      Column("\(name)_low", isDetail: isHeld) { number($0.estimate(parameter)?.low) },
      Column("\(name)_high", isDetail: isHeld) { number($0.estimate(parameter)?.high) },
      Column("\(name)_identifiable", isDetail: isHeld) { $0.estimate(parameter)?.isIdentifiable },
    ]
  }

  private static func cell(of parameter: FitParameter) -> Column<StudyFit> {
    Column(forPeople: parameter.symbol) { $0.kept?.value.shown(parameter) }
  }

  private static func errorColumns(of options: FitOptions?) -> [Column<StudyFit>] {
    let isIndependent = options?.correlation == .independent
    return [
      Column("error_sd", isDetail: options?.error.hasSD == false) { $0.kept?.value.noise?.sd },
      Column(forPeople: "SD at 0") { $0.kept?.value.shownSDAtZero },
      Column(
        "error_cv", heading: "CV", style: .significant(2),
        isDetail: options?.error.isConstant == true
      ) { $0.kept?.value.noise?.cv },
      Column("error_sd_floor", isDetail: true) { $0.kept?.value.noise?.smallestSD },
      Column("correlation_min", heading: "tau min", style: .significant(2), isDetail: isIndependent)
      {
        $0.kept?.value.noise?.correlationTime?.minutes
      },
      Column("rss") { $0.kept?.value.rss },
      Column("residual_sd", heading: "resid. SD", style: .significant(2), isDetail: true) {
        $0.kept?.value.noise?.additiveSD
      },
      Column("objective", isDetail: true) { $0.kept?.value.objective },
    ]
  }

  private static let criterionColumns: [Column<StudyFit>] = [
    Column("deviance") { $0.kept?.value.criteria?.deviance },
    Column("aicc") { $0.kept?.value.criteria?.aicc },
    Column("bic") { $0.kept?.value.criteria?.bic },
  ]

  private static let diagnosticColumns: [Column<StudyFit>] = [
    Column("condition", isDetail: true) { $0.kept?.value.diagnostics?.conditionNumber },
    Column("strongest_correlation", isDetail: true) {
      $0.kept?.value.diagnostics?.strongestCorrelation?.value
    },
    Column("runs_p", isDetail: true) { $0.kept?.value.diagnostics?.runs?.pValue },
    Column("lag1_autocorrelation", isDetail: true) {
      $0.kept?.value.diagnostics?.autocorrelation?.lagOne
    },
    Column("shapiro_p", isDetail: true) { $0.kept?.value.diagnostics?.normality?.pValue },
    Column("largest_cook", isDetail: true) {
      $0.kept?.value.readings.lazy.compactMap(\.cookDistance).max()
    },
    Column("above_dose", isDetail: true) { $0.kept?.value.readingsAboveDose },
  ]

  private static let searchColumns: [Column<StudyFit>] = [
    Column("iterations", isDetail: true) { $0.kept?.value.iterations },
    Column("starts", isDetail: true) { $0.kept?.value.starts.count },
    Column("starts_at_best", isDetail: true) { $0.kept?.value.starts.count(where: \.foundBest) },
    Column("rounds", isDetail: true) { $0.kept?.value.noise?.rounds },
    .warnings { $0.kept?.value.warnings.map(\.code) },
  ]
}

extension FitWarning {
  /// Code and description; without the end that readings set, which tables have, so that one note serves all series.
  var remark: String {
    guard case .notIdentifiable(let parameter, _, _) = self else { return "\(code): \(self)" }
    return "\(code): the readings do not determine \(parameter.symbol); only the limits shown are "
      + "supported"
  }
}

/// The readings of a study that were left out or censored, by reason.
struct ReadingUseCounts {
  private let counts: [ReadingUse: Int]
  private let lost: Int

  init(_ fits: [StudyFit]) {
    self.init(fits.compactMap(\.result.value).flatMap(\.readings).map(\.use))
  }

  init(_ uses: [ReadingUse]) {
    self.init(uses.reduce(into: [:]) { $0[$1, default: 0] += 1 })
  }

  /// - Parameter lost: Readings of series that are left out as a whole.
  init(_ counts: [ReadingUse: Int], lost: Int = 0) {
    self.counts = counts
    self.lost = lost
  }

  /// One sentence for people; nil if all readings were taken as they are.
  var remark: String? {
    let left =
      ReadingUse.allCases.filter { !$0.isUsed }.compactMap { use in
        counts[use].map { "\($0) \(use.cause)" }
      } + (lost > 0 ? ["\(lost) of series that are not used"] : [])
    let censored = counts[.censored].map { "below detection and censored: \($0)" }
    let parts = [left.isEmpty ? nil : "left out: " + left.joined(separator: ", "), censored]
    let facts = parts.compactMap(\.self).joined(separator: "; ")
    return facts.isEmpty ? nil : "Readings " + facts + "."
  }
}

extension ReadingUse {
  static let causes = allCases.filter { !$0.isUsed }.map(\.rawValue)
}

extension Report {
  /// Every reading of every series that was fitted beside its prediction, those left out included.
  public static func residuals(of fits: [StudyFit]) -> Table {
    Table(residualTable.columns, rows: fits.flatMap(readings))
  }

  /// The readings of a fit, for ``residualTable``.
  package static func readings(of fit: StudyFit) -> [(series: Series, reading: FittedReading)] {
    (fit.result.value?.readings ?? []).map { (fit.series, $0) }
  }

  package static let residualTable = TableLayout<(series: Series, reading: FittedReading)>(
    "residuals",
    columns: Series.identityColumns { $0.series } + [
      Column("time_min", \.reading.time.minutes),
      Column("observed_g_per_kg", \.reading.observed.value),
      Column("limit_g_per_kg", \.reading.limit?.value),
      Column("predicted_g_per_kg", \.reading.predicted.value),
      Column("residual_g_per_kg", \.reading.residual.value),
      Column("sd_g_per_kg", \.reading.standardDeviation),
      Column("standardised", \.reading.standardisedResidual),
      Column("leverage", \.reading.leverage),
      Column("cook", \.reading.cookDistance),
      Column("excluded", oneOf: ReadingUse.causes) {
        $0.reading.use.isUsed ? nil : $0.reading.use.rawValue
      },
      Column("censored") { $0.reading.use == .censored },
    ])
}

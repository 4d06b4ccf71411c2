import AlcoholKinetics
import ArgumentParser
import Estimation
import Population
import Reporting
import StrictOptions
import StudyData
import Synchronization
import Validation

struct Fit: CurveFitting, SeriesCommand {
  /// How a series is fitted.
  enum Method: String, CaseIterable, ExpressibleByArgument {
    /// The model's whole curve, by nonlinear least squares.
    case nonlinear
    /// A straight line through the readings after absorption.
    case eliminationLine = "elimination-line"
  }

  static let configuration = Help.configuration("fit")

  @OptionGroup var input: StudyOptions

  @Option(help: "What to fit: the whole curve, or a straight line after absorption.")
  var method = Method.nonlinear

  @OptionGroup(title: "Model") var model: ModelArguments
  @OptionGroup(title: "Model") var prior: PriorArguments
  @OptionGroup(title: "Model") var typical: TypicalOption
  @OptionGroup(title: "Model") var water: BloodWaterOption
  @OptionGroup(title: "Readings") var readings: ReadingArguments
  @OptionGroup(title: "Error of readings") var noise: ErrorArguments
  @OptionGroup(title: "Intervals") var intervals: IntervalArguments
  @OptionGroup(title: "Derived quantities") var derived: DerivedArguments
  @OptionGroup(title: "Search for the minimum") var search: SearchArguments
  @OptionGroup(title: "Search for the minimum") var design: StartArguments
  @OptionGroup var exclusion: DayExclusionOption
  @OptionGroup var part: PartOption
  @OptionGroup(title: "Elimination line") var limb: LimbArguments
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions

  @Option(
    help: ArgumentHelp(
      "Write each reading with its prediction to FILE as CSV; no partial file is left.",
      valueName: "file"), completion: .file())
  var residuals: String?

  @Flag(help: "Draw each fitted curve with its readings below the table, as text.")
  var plot = false

  @Flag(
    help: """
      Summarise the estimates over subjects instead: typical value with its interval, spread and \
      median. If a subject's readings set only a limit, that limit is used.
      """)
  var summary = false

  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var detail: DetailsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var derivedOptions: DerivedOptions { derived.options }

  var namedFiles: [NamedFile] { [.written(residuals, by: "--residuals")] }

  func validate() throws {
    try require(
      derivedOptions.quantities.isEmpty || (method == .nonlinear && !isComparison && !summary),
      "--derived and --threshold need a single nonlinear model, and no --summary; leave them out.")
    try require(
      prior.prior == nil || (method == .nonlinear && !isComparison && model.estimate == nil),
      "--prior says which model is fitted and what is estimated; leave out --estimate, --model all and "
        + "--method elimination-line.")
    if method == .nonlinear { try checkFit() }
    try require(
      !plot || (method == .nonlinear && !isComparison && output.resolvedFormat == .table),
      "--plot needs a single nonlinear model and a table to draw below; add --format table.")
    try require(
      !summary || (method == .nonlinear && !isComparison && !plot),
      "--summary needs a single nonlinear model, and no --plot.")
    try require(
      residuals == nil || (method == .nonlinear && !isComparison),
      "--residuals needs a single nonlinear model; choose one, or leave it out.")
    try part.check(isByRow: isStreamed)
  }

  mutating func run() throws {
    try input.settle(&conversion, console)
    if !isComparison { input.settle(&noise, for: try optionsWithPrior().options, console) }
    if isStreamed { return try run(over: .stream(try input.stream(console, part))) }
    let study = try exclusion.read(input, console)
    conversion.tell(of: study, console)
    try learning(from: study, console).run(over: .study(study))
  }

  private func run(over source: sending SeriesSource) throws {
    switch method {
    case .nonlinear where isComparison: try run(comparingModels(), over: source)
    case .nonlinear: try run(fittingCurves(source.study, isLive: source.isLive), over: source)
    case .eliminationLine: try run(fittingLines(), over: source)
    }
  }

  /// Whether a row can be written before the next one is known.
  private var isStreamed: Bool {
    output.resolvedFormat.isByRow && !summary && exclusion.excludeDayWith.isEmpty
  }

  /// The options of the library with the prior, and the digest of its file.
  private func optionsWithPrior() throws -> (options: FitOptions, digests: [InputDigest]) {
    var options = fitOptions
    guard let name = prior.prior else { return (options, []) }
    let (prior, digest) = try console.prior(name)
    prior.apply(to: &options, takingError: noise.error.text == FitOptions().error.name)
    try StudyFit.check(options)
    return (options, [digest])
  }

  private func fittingCurves(
    _ study: Study?, isLive: Bool
  ) throws -> SeriesFunction<StudyFit> {
    let (asked, digests) = try optionsWithPrior()
    let jobs = threads.count
    let options =
      try study.map { try asked.withStudyError(of: $0, jobs: jobs) }
      ?? input.withStudyError(asked, jobs: jobs)
    let residualColumns = Report.residualTable.columns
    let residualFile = try residuals.map {
      try RowBatch(
        RowWriter(
          residualColumns.map(\.header), as: output.decimal == .comma ? .csvWithDecimalComma : .csv),
        to: $0, option: "--residuals", isLive: isLive, console)
    }
    let sums = Mutex((StudyDiagnostics(error: options.studyError), FitRemarks()))
    // Rows written one at a time leave no place for notes on the whole study, and a quiet command has no reader of them.
    let isTold = study != nil || !console.isQuiet
    return SeriesFunction(
      rows: RowTable(Report.fitRowColumns(of: options, details: detail.details)) { $0 },
      results: { try StudyFit.forEach(of: $0, options: options, jobs: jobs, $1) },
      beside: residualFile.map { [$0] } ?? [],
      take: { fit in
        try residualFile?.write(Report.readings(of: fit).map(residualColumns.cells))
        guard isTold else { return }
        sums.withLock {
          $0.0.add(fit)
          $0.1.add(fit)
        }
      },
      inputs: digests,
      tell: {
        let (diagnostics, remarks) = sums.withLock { $0 }
        tell(diagnostics, remarks)
      },
      print: { fits, provenance in
        let diagnostics = sums.withLock(\.0)
        try output.print(
          summary
            ? .fitSummary(fits, diagnostics: diagnostics, options: options, provenance: provenance)
            : .fit(
              fits, diagnostics: diagnostics, options: options, details: detail.details,
              provenance: provenance),
          details: detail.details,
          followedBy: plot ? fits.map { "\n" + TerminalPlot($0).text } : [])
      })
  }

  private func comparingModels() -> SeriesFunction<ModelSelection> {
    let (options, jobs) = (fitOptions, threads.count)
    let sums = Mutex(ModelEvidenceSums())
    return SeriesFunction(
      rows: RowTable(Report.models.columns) { $0 },
      results: { try ModelSelection.forEach(of: $0, options: options, jobs: jobs, $1) },
      take: { selection in sums.withLock { $0.add(selection) } },
      tell: { tell(sums.withLock(\.warnings)) },
      print: { try output.print(.models($0, provenance: $1)) })
  }

  private func fittingLines() -> SeriesFunction<EliminationLineFit> {
    let (options, jobs) = (lineOptions, threads.count)
    return SeriesFunction(
      rows: RowTable(Report.lines.columns) { $0 },
      results: { try EliminationLineFit.forEach(of: $0, options: options, jobs: jobs, $1) },
      print: { fits, provenance in
        try output.print(
          .eliminationLine(fits, options: options, provenance: provenance),
          details: detail.details)
      })
  }

  /// Prints what is to be said of all fits together, where the result has no place for it.
  func tell(_ diagnostics: StudyDiagnostics, _ remarks: FitRemarks) {
    for line in remarks.lines { console.remark(line) }
    if let error = diagnostics.error { console.remark(Report.remark(on: error)) }
    tell(diagnostics.warnings)
  }

  /// Prints the warnings about all fits together, where the result has no place for them.
  func tell(_ warnings: [StudyWarning]) {
    for warning in warnings { console.warning(warning.code, warning.sentence) }
  }

  var lineOptions: EliminationLineOptions {
    limb.options(factors, level: intervals.level)
  }

  /// Rows of fits have details in every format, summaries and comparisons of models in tables.
  private var unusedDetails: UnusedOptions? {
    summary || isComparison ? output.unusedDetails : nil
  }

  var unused: [UnusedOptions?] {
    guard method == .nonlinear else {
      let options =
        ModelArguments.optionNames + PriorArguments.optionNames + TypicalOption.optionNames
        + BloodWaterOption.optionNames + ReadingArguments.optionNames + ErrorArguments.optionNames
        + IntervalArguments.optionNames.filter { $0 != "--level" } + SearchArguments.optionNames
        + StartArguments.optionNames
      return [
        UnusedOptions(
          options, if: true,
          "because --method elimination-line does not fit the whole curve; leave it out"),
        output.unusedDetails,
      ]
    }
    let limb = UnusedOptions(
      ["--limb-after", "--limb-above"], if: true,
      "because it is for --method elimination-line; add it, or leave the option out")
    if prior.prior != nil {
      return [
        limb, unusedDetails,
        UnusedOptions(
          ["--model", "--r-factor", "--blood-water", "--food", "--preset", "--error-from"],
          if: true,
          "because --prior says which model is fitted and what is typical; leave it out"),
        readings.unused,
      ] + intervals.unused
    }
    let known = fitOptions.estimate.union(model.fixedValues.keys)
    let isKnown = model.model.model.defaultEstimate.isSubset(of: known)
    let comparison = UnusedOptions(
      (intervals.interval == .none ? [] : ["--interval"]) + ["--level", "--replicates", "--seed"],
      if: isComparison,
      "because --model all makes no intervals; choose a model, or leave it out")
    let food = UnusedOptions(
      ["--food"], if: isKnown && !isComparison,
      "because absorption and elimination are estimated or fixed; leave it out")
    return [
      limb, comparison, food, unusedForR(["--r-factor", "--blood-water"]), unusedDetails,
      UnusedOptions(
        ["--preset"], if: isKnown && known.contains(.r) && !isComparison,
        "because all that it sets is estimated or fixed; leave it out"),
    ] + unusedForFits + intervals.unused
  }
}

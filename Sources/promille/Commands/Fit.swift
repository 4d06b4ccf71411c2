import AlcoholKinetics
import ArgumentParser
import Estimation
import Population
import Reporting
import StrictOptions
import StudyData
import Synchronization
import Validation

struct Fit: ResultCommand {
  /// The ways to fit a series.
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
  @OptionGroup(title: "Model") var learning: LearningArguments
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

  var namedFiles: [NamedFile] { [.written(residuals, by: "--residuals")] }
  var factors: ConversionFactors { conversion.factors }

  /// Whether models are to be compared instead of one being fitted.
  private var isComparison: Bool { model.model == .all }
  /// Whether one model is fitted as a whole curve.
  private var isSingle: Bool { method == .nonlinear && !isComparison }

  /// The options of fits, without a prior.
  var fitOptions: FitOptions {
    var options = FitOptions(
      model, typical, water, readings, noise, intervals, design.starts(search), search.engine,
      factors)
    options.derived = derived.options
    return options
  }

  var lineOptions: EliminationLineOptions { limb.options(factors, level: intervals.level) }

  var members: OptionMembers {
    var options = fitOptions
    options.typical = typical.recorded
    return options.members + [("model", model.model.text)]
  }

  func validate() throws {
    try require(
      derived.options.quantities.isEmpty || (isSingle && !summary),
      "--derived and --threshold need a single nonlinear model, and no --summary; leave them out.")
    try require(
      prior.prior == nil || (isSingle && model.estimate == nil),
      "--prior says which model is fitted and what is estimated; leave out --estimate, --model all and "
        + "--method elimination-line.")
    try require(
      prior.prior != nil || !learning.isGiven,
      "--learn and --learn-from update a prior; add --prior FILE.")
    try refusing { () throws(SeriesFailure) in
      if isSingle { try fitOptions.check(ofStudy: true) }
      if method == .nonlinear, isComparison { try ModelSelection.check(fitOptions) }
    }
    try require(
      !plot || (isSingle && output.resolvedFormat == .table),
      "--plot needs a single nonlinear model and a table to draw below; add --format table.")
    try require(
      !summary || (isSingle && !plot),
      "--summary needs a single nonlinear model, and no --plot.")
    try require(
      residuals == nil || isSingle,
      "--residuals needs a single nonlinear model; choose one, or leave it out.")
    try part.check(isByRow: isStreamed)
  }

  /// Whether a row can be written before the next one is known.
  private var isStreamed: Bool {
    output.resolvedFormat.isByRow && !summary && exclusion.excludeDayWith.isEmpty
      && learning.learn == nil
  }

  mutating func run() throws {
    try input.resolve(&conversion, with: [learning.learnFrom].compactMap(\.self), console)
    if !isComparison, prior.prior == nil { input.resolve(&noise, for: fitOptions, console) }
    guard isStreamed else {
      let study = try exclusion.read(input, console)
      conversion.warn(about: study, console)
      typical.setFood(from: study, console)
      return try report(on: study)
    }
    let stream = try input.stream(console, part)
    switch method {
    case .nonlinear where isComparison: try writeModels(of: stream)
    case .nonlinear: try writeFits(of: stream)
    case .eliminationLine: try writeLines(of: stream)
    }
  }

  /// The options of the library with the prior, and the digests of its file and of what it learned from.
  ///
  /// - Parameter study: The study; nil if it is read by rows, and then nobody learns from it.
  private func optionsWithPrior(
    _ study: Study? = nil
  ) throws -> (options: FitOptions, digests: [InputDigest]) {
    var options = fitOptions
    guard let name = prior.prior else { return (options, []) }
    let (prior, digest) = try console.prior(name)
    prior.apply(to: &options, takingError: noise.error == FitOptions().error)
    try options.check(ofStudy: true)
    guard learning.isGiven else { return (options, [digest]) }
    let (learned, further) = try learning.priors(
      from: prior, of: study ?? Study(name: "", series: []), input,
      completedAt: GramsPerKilogram(LearningArguments.usualThreshold),
      Posterior.Options(selection: readings.selection(.linear), factors: factors),
      jobs: threads.count, console)
    options.prior = learned
    return (options, [digest] + further)
  }

  // MARK: Rows, written as series come

  private func writeFits(of stream: sending StudyStream) throws {
    var options = try optionsWithPrior().options
    guard options.usesStudyError else { return try writeFits(of: stream, options) }
    let jobs = threads.count
    // A part does not give out the first series of the study, which is opened once more.
    guard part.subjectsPart == nil else {
      options = try input.withStudyError(options, jobs: jobs)
      return try writeFits(of: stream, options)
    }
    let instrument = stream.instrument
    let (first, whole) = try stream.readAhead(StudyErrorModel.mostSeries)
    options = try options.withStudyError(of: first, instrument, jobs: jobs)
    try writeFits(of: whole, options)
  }

  private func writeFits(of stream: sending StudyStream, _ options: FitOptions) throws {
    let jobs = threads.count
    let columns = Report.fitRowColumns(of: options, details: detail.details).named()
    let batch = try batch(columns, of: stream, conversion, typical)
    let residualFile = try residualFile(isLive: stream.isLive)
    let sums = Mutex((StudyDiagnostics(error: options.studyError), FitRemarks()))
    // A quiet command has no reader of notes on the whole study.
    let hasReader = !console.isQuiet
    try RowBatch.run([batch] + residualFile, over: stream, console) { stream in
      try StudyFit.forEach(of: stream, options: options, jobs: jobs) { fit in
        try batch.write([columns.cells(of: fit)], of: fit.series, failed: fit.hasFailed ? 1 : 0)
        for file in residualFile { try file.write(Self.residualRows(of: fit)) }
        guard hasReader else { return }
        sums.withLock {
          $0.0.add(fit)
          $0.1.add(fit)
        }
      }
    }
    let (diagnostics, remarks) = sums.withLock { $0 }
    printRemarks(remarks, diagnostics)
    try batch.endIfFailed()
  }

  private func writeModels(of stream: sending StudyStream) throws {
    let options = fitOptions
    let jobs = threads.count
    let columns = Report.models.columns.named()
    let batch = try batch(columns, of: stream, conversion, typical)
    let sums = Mutex(ModelEvidenceSums())
    try RowBatch.run([batch], over: stream, console) { stream in
      try ModelSelection.forEach(of: stream, options: options, jobs: jobs) { selection in
        let rows = CandidateRow.all(of: selection)
        try batch.write(
          rows.map(columns.cells), of: selection.series, failed: rows.count(where: \.fit.hasFailed))
        sums.withLock { $0.add(selection) }
      }
    }
    warn(about: sums.withLock(\.warnings))
    try batch.endIfFailed()
  }

  private func writeLines(of stream: sending StudyStream) throws {
    let options = lineOptions
    let jobs = threads.count
    let columns = Report.lines.columns.named()
    let batch = try batch(columns, of: stream, conversion, typical)
    try RowBatch.run([batch], over: stream, console) { stream in
      try EliminationLineFit.forEach(of: stream, options: options, jobs: jobs) { fit in
        try batch.write([columns.cells(of: fit)], of: fit.series, failed: fit.hasFailed ? 1 : 0)
      }
    }
    try batch.endIfFailed()
  }

  // MARK: Reports, of a whole study

  private func report(on study: Study) throws {
    let jobs = threads.count
    guard method == .nonlinear else {
      let fits = try EliminationLineFit.fits(of: study, options: lineOptions)
      try output.print(
        .eliminationLine(fits, options: lineOptions, provenance: provenance(inputs: study.inputs)),
        details: detail.details)
      return try console.endIfFailed(fits.count(where: \.hasFailed), of: fits.count)
    }
    guard !isComparison else {
      let selections = try ModelSelection.selections(of: study, options: fitOptions, jobs: jobs)
      var sums = ModelEvidenceSums()
      for selection in selections { sums.add(selection) }
      if output.resolvedFormat != .table { warn(about: sums.warnings) }
      try output.print(.models(selections, provenance: provenance(inputs: study.inputs)))
      let rows = selections.flatMap(CandidateRow.all)
      return try console.endIfFailed(rows.count(where: \.fit.hasFailed), of: rows.count)
    }
    let (base, digests) = try optionsWithPrior(study)
    let options = try base.withStudyError(of: study, jobs: jobs)
    let fits = try StudyFit.fits(of: study, options: options, jobs: jobs)
    for file in try residualFile(isLive: false) {
      for fit in fits { try file.write(Self.residualRows(of: fit)) }
      try file.finish()
    }
    var diagnostics = StudyDiagnostics(error: options.studyError)
    var remarks = FitRemarks()
    for fit in fits {
      diagnostics.add(fit)
      remarks.add(fit)
    }
    if output.resolvedFormat != .table { printRemarks(remarks, diagnostics) }
    let provenance = provenance(inputs: study.inputs + digests)
    try output.print(
      summary
        ? .fitSummary(fits, diagnostics: diagnostics, options: options, provenance: provenance)
        : .fit(
          fits, diagnostics: diagnostics, options: options, details: detail.details,
          provenance: provenance),
      details: detail.details,
      followedBy: plot ? fits.map { "\n" + TerminalPlot($0).text } : [])
    try console.endIfFailed(fits.count(where: \.hasFailed), of: fits.count)
  }

  /// The file of ``residuals``, if there is one.
  private func residualFile(isLive: Bool) throws -> [RowBatch] {
    guard let residuals else { return [] }
    let format: ReportFormat = output.decimal == .comma ? .csvWithDecimalComma : .csv
    let writer = RowWriter(Report.residualTable.columns.map(\.header), as: format)
    return [try RowBatch(writer, to: residuals, option: "--residuals", isLive: isLive, console)]
  }

  private static func residualRows(of fit: StudyFit) -> [[Cell]] {
    Report.readings(of: fit).map(Report.residualTable.columns.cells)
  }

  /// Prints the remarks and warnings on all fits together, for formats without a place for them.
  private func printRemarks(_ remarks: FitRemarks, _ diagnostics: StudyDiagnostics) {
    let notice = [diagnostics.correlationNotice].compactMap(\.self)
    warn(about: notice)
    for line in remarks.lines { console.remark(line) }
    if let error = diagnostics.error { console.remark(Report.remark(on: error)) }
    warn(about: Array(diagnostics.warnings.dropFirst(notice.count)))
  }

  private func warn(about warnings: [StudyWarning]) {
    for warning in warnings { console.warning(warning.code, warning.sentence) }
  }

  var following: String? {
    // A report has one model, fitted to whole curves.
    guard method == .nonlinear, !isComparison else { return nil }
    return samePage
  }

  // MARK: Options without effect

  var unused: [UnusedOptions?] {
    guard method == .nonlinear else {
      let options =
        ModelArguments.optionNames + PriorArguments.optionNames
        + LearningArguments.optionNames + TypicalOption.optionNames
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
    let modelRule =
      prior.prior == nil
      ? UnusedOptions(
        (intervals.interval == .none ? [] : ["--interval"]) + [
          "--level", "--replicates", "--seed",
        ],
        if: isComparison,
        "because --model all makes no intervals; choose a model, or leave it out")
      : UnusedOptions(
        ["--model", "--r-factor", "--blood-water", "--food", "--preset", "--error-from"], if: true,
        "because --prior says which model is fitted and what is typical; leave it out")
    // A prior comes with starts, and what is typical, of its own; all models have different needs of these.
    let ignored: Set<String> =
      prior.prior == nil
      ? isComparison ? ["food", "preset"] : []
      : ["food", "preset", "r_factor", "blood_water", "error_from", "start_design", "start_seed"]
    let rules: [UnusedOptions?] = [
      UnusedOptions(
        LimbArguments.optionNames, if: true,
        "because it is for --method elimination-line; add it, or leave the option out"),
      modelRule,
      UnusedOptions(["--error-from"], if: isComparison, FitOptions.reasonOfOwnErrors),
      // Rows of fits have details in every format, summaries and comparisons of models in tables.
      summary || isComparison ? output.unusedDetails : nil,
    ]
    return rules + fitOptions.unused.map { UnusedOptions($0.without(ignored)) }
  }
}

import ArgumentParser
import Estimation
import Population
import Reporting
import StudyData
import Synchronization
import Validation

struct Fit: CurveFitting {
  /// How a series is fitted.
  enum Method: String, CaseIterable, ExpressibleByArgument, Encodable {
    /// The model's whole curve, by nonlinear least squares.
    case nonlinear
    /// A straight line through the readings after absorption.
    case eliminationLine = "elimination-line"
  }

  static let configuration = CommandConfiguration(
    abstract: "Estimate k_a, beta and other parameters of each subject, with intervals.",
    discussion: """
      --method nonlinear fits the whole curve: one compartment, first-order absorption, and the \
      elimination chosen with --model. Each estimate comes with its interval, or with the verdict that \
      the readings do not determine it. The result counts the readings left out, with the reason.

      --method elimination-line fits Widmark's straight line to the readings after absorption. It \
      gives beta60, C0 at the first drink and the observed r (rho, the Widmark factor), with intervals. \
      Only the elimination-line options and --level apply.

      --prior adds what is known of other people. It says which model is fitted, which parameters are \
      estimated, and the error of readings unless --error does; each parameter comes with what the person's \
      own readings left of the prior's uncertainty.

      Concentrations are in g per kg of blood, times in min. The result records the options used. \
      Exits with 1 if a subject could not be fitted.

      Examples:
        promille fit datasets/nacar-2021 --estimate ka,beta,r
        promille fit STUDY --estimate ka,beta,r --summary
        promille fit STUDY --fix ka=18 --estimate beta --error proportional
        promille fit STUDY --estimate ka,beta,r --correlation exponential
        promille fit STUDY --standard-errors robust --interval wald
        promille fit STUDY --loss huber --interval bootstrap --replicates 1999
        promille fit STUDY --model michaelis-menten --residuals residuals.csv
        promille fit STUDY --model all --estimate ka,beta,r
        promille fit STUDY --prior fasted
        promille fit STUDY --derived all --threshold 0.5
        promille fit - --input-format arrow --format arrow
      """)

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
  @OptionGroup var storing: StoreOption
  @OptionGroup(title: "Output") var detail: DetailsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var derivedOptions: DerivedOptions { derived.options }

  func validate() throws {
    guard derivedOptions.quantities.isEmpty || (method == .nonlinear && !isComparison && !summary)
    else {
      throw ValidationError(
        "--derived and --threshold need a single nonlinear model, and no --summary; leave them out."
      )
    }
    guard prior.prior == nil || (method == .nonlinear && !isComparison && model.estimate == nil)
    else {
      throw ValidationError(
        "--prior says which model is fitted and what is estimated; leave out --estimate, --model all and "
          + "--method elimination-line.")
    }
    if method == .nonlinear { try checkFit() }
    guard !plot || (method == .nonlinear && !isComparison && output.resolvedFormat == .table)
    else {
      throw ValidationError(
        "--plot needs a single nonlinear model and a table to draw below; add --format table.")
    }
    guard !summary || (method == .nonlinear && !isComparison && !plot) else {
      throw ValidationError(
        "--summary needs a single nonlinear model, and no --plot.")
    }
    guard residuals == nil || (method == .nonlinear && !isComparison) else {
      throw ValidationError(
        "--residuals needs a single nonlinear model; choose one, or leave it out.")
    }
    try part.check(isByRow: isStreamed && residuals == nil, to: output.output)
  }

  mutating func run() throws {
    try input.settle(&conversion, console)
    if !isComparison { input.settle(&noise, for: try optionsWithPrior().options, console) }
    if isStreamed { return try runOneByOne() }
    let study = try exclusion.read(input, console)
    conversion.tell(of: study, console)
    let command = learning(from: study, console)
    switch method {
    case .nonlinear where isComparison: try command.compareModels(study)
    case .nonlinear: try command.fitCurves(study)
    case .eliminationLine: try command.fitLines(study)
    }
  }

  /// Whether a row can be written before the next one is known.
  private var isStreamed: Bool {
    output.resolvedFormat.isByRow && !summary && !storing.isWanted
      && exclusion.excludeDayWith.isEmpty
  }

  /// The options of the library with the prior, and the digest of its file.
  private func optionsWithPrior() throws -> (options: FitOptions, digests: [InputDigest]) {
    var options = fitOptions
    guard let name = prior.prior else { return (options, []) }
    let (prior, digest) = try console.prior(name)
    prior.apply(to: &options, takingError: noise.error.text == FitOptions().error.name)
    do throws(SeriesFailure) {
      try StudyFit.check(options)
    } catch {
      console.error("promille: error \(error.code): \(error)")
      throw ExitCode.validationFailure
    }
    return (options, [digest])
  }

  private func fitCurves(_ study: Study) throws {
    let (asked, digests) = try optionsWithPrior()
    let options = try sharing(asked, console) {
      try $0.withStudyError(of: study, jobs: threads.count)
    }
    let fits = try StudyFit.fits(of: study, options: options, jobs: threads.count)
    if let residuals {
      try console.write(
        Report.residuals(of: fits).csv(output.decimal).utf8, to: residuals, option: "--residuals")
    }
    let provenance = try provenance(inputs: study.inputs + digests)
    try storing.record(fits, provenance, console)
    let diagnostics = StudyDiagnostics(of: fits, error: options.studyError)
    if output.resolvedFormat != .table { tell(diagnostics, FitRemarks(of: fits)) }
    var report: Report =
      summary
      ? .fitSummary(fits, diagnostics: diagnostics, options: options, provenance: provenance)
      : .fit(fits, diagnostics: diagnostics, options: options, provenance: provenance)
    report.isDetailed = detail.details
    try output.print(
      report,
      followedBy: plot ? fits.map { "\n" + TerminalPlot($0).text } : [])
    try console.endIfFailed(fits.count(where: \.hasFailed), of: fits.count)
  }

  private func compareModels(_ study: Study) throws {
    let selections = try ModelSelection.selections(
      of: study, options: fitOptions, jobs: threads.count)
    let provenance = try provenance(inputs: study.inputs)
    try storing.record(selections.flatMap(CandidateRow.all), provenance, console)
    if output.resolvedFormat != .table { tell(ModelEvidence.warnings(of: selections)) }
    try output.print(.models(selections, provenance: provenance))
    let fits = selections.flatMap(\.candidates)
    try console.endIfFailed(fits.count(where: \.hasFailed), of: fits.count)
  }

  private func fitLines(_ study: Study) throws {
    let options = lineOptions
    let fits = try EliminationLineFit.fits(of: study, options: options)
    let provenance = try provenance(inputs: study.inputs)
    try storing.record(fits, provenance, console)
    var report = Report.eliminationLine(fits, options: options, provenance: provenance)
    report.isDetailed = detail.details
    try output.print(report)
    try console.endIfFailed(fits.count(where: \.hasFailed), of: fits.count)
  }

  /// Prints what is to be said of all fits together, where the result has no place for it.
  func tell(_ diagnostics: StudyDiagnostics, _ remarks: FitRemarks) {
    for line in remarks.lines { console.warning("promille: \(line)") }
    if let error = diagnostics.error { console.warning("promille: \(Report.remark(on: error))") }
    tell(diagnostics.warnings)
  }

  /// Prints the warnings about all fits together, where the result has no place for them.
  func tell(_ warnings: [StudyWarning]) {
    for warning in warnings { console.warning("promille: warning \(warning.remark)") }
  }

  /// The options of the elimination line, as the library takes them.
  var lineOptions: EliminationLineOptions {
    limb.options(factors, level: intervals.level)
  }
}

/// Results that are written row by row, each as soon as all before it are known.
extension Fit {
  /// Reads, fits and writes a series at a time.
  func runOneByOne() throws {
    switch method {
    case .nonlinear where isComparison: try compareModelsOneByOne()
    case .nonlinear: try fitCurvesOneByOne()
    case .eliminationLine: try fitLinesOneByOne()
    }
  }

  private func fitCurvesOneByOne() throws {
    let (stream, places) = try input.stream(console, part)
    let lines = Report.fitLines(
      as: output.resolvedFormat, derived: derivedOptions.quantities, hasPrior: prior.prior != nil)
    let residualLines = Report.residualLines(output.decimal)
    let jobs = threads.count
    let options = try sharing(try optionsWithPrior().options, console) {
      try input.withStudyError($0, jobs: jobs, console)
    }
    let batch = try rowBatch(lines.writer(try provenance()), of: stream, places)
    let rest = try residuals.map {
      try RowBatch(
        RowWriter(head: residualLines.head), to: $0, option: "--residuals", of: stream, console)
    }
    let found = Mutex((StudyDiagnostics(error: options.studyError), FitRemarks()))
    try StudyOptions.run([batch] + (rest.map { [$0] } ?? []), over: stream, console) { stream in
      try StudyFit.forEach(of: stream, options: options, jobs: jobs) { fit in
        let failed = fit.hasFailed ? 1 : 0
        try batch.write(lines.rows(fit), of: fit.series, count: 1, failed: failed)
        try rest?.write(.text(residualLines.text(of: fit)))
        found.withLock {
          $0.0.add(fit)
          $0.1.add(fit)
        }
      }
    }
    let (diagnostics, remarks) = found.withLock { $0 }
    tell(diagnostics, remarks)
    try batch.endIfFailed()
  }

  private func compareModelsOneByOne() throws {
    let lines = Report.modelLines(as: output.resolvedFormat)
    let sums = Mutex(ModelEvidenceSums())
    let (options, jobs) = (fitOptions, threads.count)
    try write(lines.writer(try provenance()), thenTelling: { sums.withLock(\.warnings) }) {
      stream, batch in
      try ModelSelection.forEach(of: stream, options: options, jobs: jobs) { selection in
        let candidates = selection.candidates
        try batch.write(
          lines.rows(of: selection), of: selection.series, count: candidates.count,
          failed: candidates.count(where: \.hasFailed))
        sums.withLock { $0.add(selection) }
      }
    }
  }

  private func fitLinesOneByOne() throws {
    let lines = Report.eliminationLines(as: output.resolvedFormat)
    let (options, jobs) = (lineOptions, threads.count)
    try write(lines.writer(try provenance())) { stream, batch in
      try EliminationLineFit.forEach(of: stream, options: options, jobs: jobs) { fit in
        let failed = fit.hasFailed ? 1 : 0
        try batch.write(lines.rows(fit), of: fit.series, count: 1, failed: failed)
      }
    }
  }

  private func write(
    _ writer: RowWriter, thenTelling warnings: () -> [StudyWarning] = { [] },
    _ run: (sending StudyStream, RowBatch) throws -> [Diagnostic]
  ) throws {
    let (stream, places) = try input.stream(console, part)
    let batch = try rowBatch(writer, of: stream, places)
    try StudyOptions.run([batch], over: stream, console) { try run($0, batch) }
    tell(warnings())
    try batch.endIfFailed()
  }

  private func rowBatch(
    _ writer: RowWriter, of stream: borrowing StudyStream, _ places: SeriesPlaces
  ) throws -> RowBatch {
    try RowBatch(
      writer, to: output.output, option: "-o", of: stream, converting: conversion,
      taking: typical,
      part: try partHead(part, output.resolvedFormat).map { ($0, places) }, console)
  }
}

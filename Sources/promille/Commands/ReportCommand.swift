import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Population
import Reporting
import StrictOptions
import StudyData
import Validation

struct ReportCommand: ResultCommand {
  enum PageFormat: String, CaseIterable, ExpressibleByArgument {
    case html
    case md
  }

  static let configuration = Help.configuration("report")

  @OptionGroup var input: StudyOptions

  @Option(help: "Format of the page. (default: html or md, by the extension of FILE)")
  var format: PageFormat?

  @Option(
    help: """
      Number of series shown with figures, evenly spread over the study. Tables list every series if there are \
      60 or fewer, else 60, or as many as have figures. Summaries count everybody.
      """)
  var figures = StudyEvaluation.mostListed

  @Option(
    help: ArgumentHelp(
      "Keep the figures as SVG, and their values as CSV, in FOLDER.",
      valueName: "folder"), completion: .directory)
  var keepPlots: String?

  @Flag(
    help:
      "Open the appendix, so that it is printed: every person, all readings, residuals, profiles."
  )
  var appendix = false

  @Flag(
    help: """
      Also compare Widmark's model with models that have a lag or Michaelis-Menten elimination, over \
      all series. Takes many times longer.
      """)
  var compareModels = false

  @Flag(
    help: """
      Also fit everybody at once, as promille population does, and show predicted beside observed readings, a \
      predictive check against simulated studies, and random effects beside covariates.
      """)
  var population = false

  @Option(
    help: ArgumentHelp(
      "Quantities of each fitted curve that the report tells, with intervals: all, none, or any of "
        + DerivedQuantity.namesInWords
        + ". The time to a threshold needs --threshold. (default: all; none with --model michaelis-menten, "
        + "where they take seconds per series)",
      valueName: "names"), transform: DerivedList.init(parsing:))
  var derived: DerivedList?

  @OptionGroup var curves: EvaluationArguments
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: PageOptions

  var factors: ConversionFactors { curves.conversion.factors }
  var members: OptionMembers { curves.members }
  var unused: [UnusedOptions?] { curves.unused }

  private var derivedOptions: DerivedOptions {
    let usual = curves.model.model.model == .michaelisMenten ? nil : DerivedList.all
    guard let chosen = derived ?? usual else { return DerivedOptions() }
    return chosen.text == "none"
      ? DerivedOptions() : DerivedOptions(chosen, threshold: curves.source.thresholdGPerKg)
  }

  var namedFiles: [NamedFile] { [.folder(keepPlots, by: "--keep-plots")] }

  private var fitOptions: FitOptions {
    var options = curves.fitOptions
    options.derived = derivedOptions
    return options
  }

  func validate() throws {
    try curves.check("report")
    try require(
      format != nil || ["", "html", "htm", "xhtml", "md"].contains(output.ending),
      "-o is \(output.file); the name must end in .html or .md, or add --format. For PDF, print the "
        + "page from a browser.")
    try require(
      output.path != nil || format != .md,
      "--format md puts pictures beside the page; name it with -o FILE.md.")
    try require(figures >= 0, "--figures is \(figures); it must be 0 or more.")
    if population { try curves.readings.requireLikelihood(" with --population") }
    try require(
      !compareModels || canCompareModels,
      "--compare-models compares Widmark's model with others by likelihood; leave out --model, "
        + "lag and --loss.")
  }

  mutating func run() throws {
    try input.resolve(&curves.conversion, console)
    input.resolve(&curves.noise, for: fitOptions, console)
    let study = try input.read(console, curves.given)
    curves.conversion.warn(about: study, console)
    curves.typical.setFood(from: study, console)
    try report(on: study)
  }

  private func report(on study: Study) throws {
    let evaluation = try curves.evaluation(
      of: study, deriving: derivedOptions, detailing: max(figures, StudyEvaluation.mostListed),
      jobs: threads.count)
    console.warn(about: evaluation.farAbsorption)
    // Models are compared by likelihoods in which the parameters of errors are each series' own.
    let existingFits = evaluation.fitOptions.studyError == nil ? evaluation.series.map(\.fit) : []
    let evidence = try evidence(study, known: existingFits)
    let provenance = provenance(
      inputs: study.inputs, thresholds: evaluation.summary.thresholds)
    let report = Page.report(
      on: evaluation, evidence: evidence, population: try population(of: study),
      provenance: provenance, shown: figures, isAppendixOpen: appendix)
    try write(report)
    let fits = evaluation.series.map(\.fit)
    try console.endIfFailed(fits.count(where: \.hasFailed), of: fits.count)
  }

  /// The evidence for models with one parameter more, beside the report's own fits; none unless asked for.
  private func evidence(_ study: Study, known: [StudyFit]) throws -> [ModelEvidence] {
    guard compareModels else { return [] }
    return ModelEvidence.all(
      of: try ModelSelection.selections(
        of: study, options: fitOptions, known: known, jobs: threads.count))
  }

  /// Everybody at once, with the usual options of `promille population`; none unless asked for.
  private func population(of study: Study) throws -> PopulationAnswer? {
    guard population else { return nil }
    let status = StatusLine(console)
    defer { status.clear() }
    var options = PopulationFit.Options()
    options.jobs = threads.count
    options.progress = { status.show("population: \($0)") }
    let model = PopulationModel(
      fitOptions.model, error: fitOptions.error, selection: curves.readings.selection(.linear),
      factors: factors)
    let fit = try PopulationFit(
      study.series, instrument: study.instrument, model: model, options: options)
    var answer = PopulationAnswer([("none", fit)])
    answer.diagnostics = try PopulationDiagnostics(
      of: fit, study.series, instrument: study.instrument,
      options: PopulationDiagnostics.Options(jobs: threads.count))
    return answer
  }

  private var canCompareModels: Bool {
    let options = fitOptions
    return options.model == .widmark && !options.estimate.contains(.lag)
      && (try? ModelSelection.check(options)) != nil
  }

  /// Writes the page, and the figures that are kept, which take their places after it.
  private func write(_ report: Page) throws {
    let kept = try keepPlots.map { folder in
      let files = Figure.files(of: report.figures, withValues: true)
      return (folder, try console.prepare(files, in: folder, option: "--keep-plots"))
    }
    try console.write(report, isMarkdown: pageFormat == .md, to: output.path, option: "-o")
    if let (folder, files) = kept {
      try console.attempt(folder, "--keep-plots") { try files.finish() }
    }
  }

  private var pageFormat: PageFormat {
    format ?? (output.ending == "md" ? .md : .html)
  }
}

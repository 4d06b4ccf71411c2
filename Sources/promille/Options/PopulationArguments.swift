import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Population
import Reporting
import StudyData

extension Study {
  /// The column of the name of the study that a person was read from.
  static let column = "study"

  /// Several studies as one: subjects are named after their study, whose name they also have as a covariate.
  init(pooling studies: [(path: String, study: Study)]) throws {
    self = studies[0].study
    var paths: Set<String> = []
    let names = studies.map(\.study.name)
    var all: [Series] = []
    for (path, study) in studies {
      guard paths.insert(path).inserted else {
        throw Self.refusal("\(path) is named twice; name each study once")
      }
      guard study.instrument == instrument else {
        throw Self.refusal(
          "\(studies[0].path) and \(path) state different instruments; give them the same in datapackage.json, or none"
        )
      }
      let isAlone = names.count { $0 == study.name } == 1
      let name = isAlone ? study.name : path
      all += study.series.map { series in
        var series = series
        series.subject.covariates[Self.column] = name
        series.subject.id = "\(name)/\(series.subject.id)"
        return series
      }
    }
    series = all
    diagnostics = studies.flatMap(\.study.diagnostics)
    inputs = studies.flatMap(\.study.inputs)
  }

  private static func refusal(_ message: String) -> Refusal {
    Refusal("E_OPTION", message, ExitCode.validationFailure)
  }
}

/// The effects of a population to test.
struct PopulationTestArguments: FileNaming {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Search for covariates by likelihood ratio, forward and backward, among these, written as for --covariate; "
        + "may be repeated.", valueName: "name=covariates"),
    transform: CovariateList.init(parsing:))
  var covariatesSearch: [CovariateList] = []

  @Option(help: "Add a covariate if p is below this.")
  var pForward = CovariateSearch.Limits().forward

  @Option(help: "Keep a covariate if p is below this.")
  var pBackward = CovariateSearch.Limits().backward

  @Option(
    help: ArgumentHelp(
      "Test the fit against the one in FILE, the JSON of an earlier result, by likelihood ratio; one must be the "
        + "other with fewer numbers to estimate. With --evaluate, two earlier results are tested.",
      valueName: "file"), completion: .file())
  var against: String?

  var namedFiles: [NamedFile] { [.read(against)] }

  func validate() throws {
    try require("--p-forward", pForward, in: 1e-6...0.5)
    try require("--p-backward", pBackward, in: 1e-6...0.5)
    try candidates.requireDifferent("--covariates-search") {
      "\($0.parameter.rawValue)=\($0.name)"
    }
  }

  var candidates: [PopulationModel.Covariate] { covariatesSearch.flatMap(\.covariates) }

  var limits: CovariateSearch.Limits {
    var limits = CovariateSearch.Limits()
    limits.forward = pForward
    limits.backward = pBackward
    return limits
  }
}

/// Options of the diagnostics of a population fit.
struct DiagnosticArguments: FileNaming {
  @Flag(help: "Judge the best fit by its readings, and by simulated studies.")
  var diagnostics = false

  @Option(
    help: ArgumentHelp(
      "Write each reading with its predictions, IWRES, CWRES and NPDE to FILE as CSV.",
      valueName: "file"), completion: .file())
  var residuals: String?

  @Option(
    help: ArgumentHelp(
      "Draw the diagnostics as SVG into FOLDER, with their values as CSV.",
      valueName: "folder"), completion: .directory)
  var plot: String?

  @Option(
    help: ArgumentHelp(
      "Write values and diagnostics with figures to FILE, a self-contained HTML page.",
      valueName: "file"), completion: .file())
  var report: String?

  @Option(help: "Number of simulated studies, from 100.")
  var simulations = PopulationDiagnostics.Options().simulations

  @Option(
    help: "Seed of the simulations, and of --interval bootstrap; equal seeds give equal results.")
  var seed = PopulationDiagnostics.Options().seed

  @Option(
    help: "Bins of time in the predictive check. (default: one for each ten readings, up to 10)")
  var bins: Int?

  var namedFiles: [NamedFile] {
    [
      .written(residuals, by: "--residuals"), .folder(plot, by: "--plot"),
      .written(report, by: "--report"),
    ]
  }

  var isEnabled: Bool { diagnostics || residuals != nil || drawsFigures }
  var drawsFigures: Bool { plot != nil || report != nil }

  func options(jobs: Int) -> PopulationDiagnostics.Options {
    PopulationDiagnostics.Options(simulations: simulations, seed: seed, bins: bins, jobs: jobs)
  }

  func validate() throws {
    try require("--simulations", simulations, in: PopulationDiagnostics.fewest...100_000)
    try require("--bins", bins, in: 1...1000)
    let usual = PopulationDiagnostics.Options()
    try require(
      isEnabled || (simulations == usual.simulations && bins == nil),
      "--simulations and --bins are only used with --diagnostics; add it, or leave them out."
    )
  }

  /// Writes the page and its figures where options ask for them.
  func write(_ page: Page, _ console: Console) throws {
    if let plot {
      let files = Figure.files(of: page.figures, withValues: true)
      let set = try console.prepare(files, in: plot, option: "--plot")
      try console.attempt(plot, "--plot") { try set.finish() }
    }
    if let report { try console.write(page.html.utf8, to: report, option: "--report") }
  }
}

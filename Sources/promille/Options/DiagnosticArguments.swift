import ArgumentParser
import Foundation
import Population
import Reporting

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

  var areWanted: Bool { diagnostics || residuals != nil || drawsFigures }
  var drawsFigures: Bool { plot != nil || report != nil }

  func options(jobs: Int) -> PopulationDiagnostics.Options {
    PopulationDiagnostics.Options(simulations: simulations, seed: seed, bins: bins, jobs: jobs)
  }

  func validate() throws {
    try require("--simulations", simulations, in: PopulationDiagnostics.fewest...100_000)
    try require("--bins", bins, in: 1...1000)
    let usual = PopulationDiagnostics.Options()
    try require(
      areWanted || (simulations == usual.simulations && bins == nil),
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

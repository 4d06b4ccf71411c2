import AlcoholKinetics
import ArgumentParser
import Certification
import Estimation
import Foundation
import Reporting
import StrictOptions
import StudyData
import StudyFiles

struct Regress: ResultCommand {
  static let configuration = Help.configuration(
    "regress",
    [
      "problems": "\(NISTProblem.count)", "solves": "\(2 * NISTProblem.count)",
      "digits": NumberStyle.exact(NISTScore.fewestDigits),
      "average": "\(NISTCertification.averageToReach)",
      "designs": "\(EngineComparison.designs(people: 0).count)",
    ])

  @Argument(
    help: ArgumentHelp(
      "Folders with golden results, or folders that contain such folders.", valueName: "dir"),
    completion: .directory)
  var folders: [String] = []

  @Option(
    help: ArgumentHelp(
      "Folder of the studies that manifests name. (default: beside the manifest)",
      valueName: "folder"), completion: .directory)
  var studies: String?

  @Flag(help: "Rewrite the golden results that drifted.")
  var update = false

  @Flag(help: "Certify the least-squares engine on the NIST problems.")
  var nist = false

  @Flag(help: "Compare the fits of both engines.")
  var engines = false

  @Option(
    help: ArgumentHelp(
      "Also write one page that a laboratory can file to FILE.html: program, machine, what was expected and got.",
      valueName: "file"), completion: .file())
  var report: String?

  @Option(help: "Simulated people of each design, with --engines. (default: 10000)")
  var people: Int?

  @OptionGroup var threads: JobsOption

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try require(
      nist || engines || report != nil || !folders.isEmpty,
      "Nothing to check: name a folder with golden results, or add --nist, --engines or --report.")
    try require(
      report == nil || (!engines && !update),
      "--report cannot be combined with --engines or --update; leave them out.")
    try require(
      report.map { ["html", "htm", "xhtml"].contains(OutputName.ending(of: $0)) } ?? true,
      "--report is \(report ?? ""), but the page is HTML; choose a name that ends in .html.")
    try require(
      !engines || (!nist && !update && studies == nil),
      "--engines cannot be combined with --nist, --update or --studies; leave them out.")
    try require("--people", people, in: 0...1_000_000)
    try require(
      !nist || (folders.isEmpty && !update && studies == nil),
      "--nist takes no folders and no --update; leave them out.")
  }

  func run() throws {
    if engines {
      try compareEngines()
    } else if nist || folders.isEmpty {
      try certify()
    } else {
      try compare()
    }
  }

  private func compare() throws {
    let (manifests, outcomes) = try goldenOutcomes()
    guard !update else {
      try write(outcomes)
      return try end(outcomes)
    }
    let solver = try report.map { path in
      let solver = try solved()
      let inputs = try manifests.map(\.digest) + outcomes.map(\.result.file).compactMap(Self.digest)
      try writePage(solver, outcomes, to: path, provenance(inputs: inputs))
      return solver
    }
    try output.print(.regression(outcomes, provenance: provenance(inputs: manifests.map(\.digest))))
    try end(outcomes)
    if let solver { try end(solver) }
  }

  /// Writes the page that a laboratory can file.
  private func writePage(
    _ solver: NISTCertification, _ outcomes: [GoldenOutcome], to path: String,
    _ provenance: Provenance
  ) throws {
    let page = Page.qualification(
      solver, golden: outcomes,
      digest: try Bundle.main.executablePath.flatMap(Self.digest)?.sha256, machine: .current,
      provenance: provenance)
    try console.write(page.html.utf8, to: path, option: "--report")
  }

  /// The digest of a file; nil if there is none.
  private static func digest(of file: String) throws -> InputDigest? {
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    return InputDigest(
      file: file, of: try Data(contentsOf: URL(filePath: file), options: .alwaysMapped))
  }

  /// The golden results of all folders, computed again.
  private func goldenOutcomes() throws -> ([GoldenManifest], [GoldenOutcome]) {
    let manifests = try folders.flatMap { try GoldenManifest.manifests(in: $0, studies: studies) }
    let suite = GoldenSuite(
      manifests: manifests, isUpdating: update, results: try TemporaryFile())
    return (manifests, try suite.outcomes())
  }

  /// Rewrites the tables that drifted, unless one could not be computed at all.
  private func write(_ outcomes: [GoldenOutcome]) throws {
    guard !outcomes.contains(where: { $0.status == "failed" }) else { return }
    let files = outcomes.compactMap { outcome in
      outcome.comparison.flatMap { comparison in
        comparison.drifts.isEmpty && FileManager.default.fileExists(atPath: outcome.result.file)
          ? nil : (path: outcome.result.file, text: Table(comparison.updated).csv)
      }
    }
    try write(files)
    try output.write(Report.summary(ofUpdating: outcomes))
  }

  /// Writes all tables beside the old ones, and renames them when all are there.
  private func write(_ files: [(path: String, text: String)]) throws {
    var drafts: [(path: String, file: AtomicFile)] = []
    for (path, text) in files {
      try attempt(path) {
        let file = try AtomicFile(of: path)
        try file.write(Array(text.utf8))
        try file.close()
        drafts.append((path, file))
      }
    }
    for (path, file) in drafts { try attempt(path) { try file.finish() } }
  }

  private func attempt(_ path: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      throw Refusal(
        "E_OUTPUT",
        "cannot write \(path): \(error.localizedDescription); make its folder writable and update again",
        ExitStatus.cannotCreate)
    }
  }

  private func end(_ outcomes: [GoldenOutcome]) throws {
    for outcome in outcomes {
      guard case .failed(let reason) = outcome.ending else { continue }
      console.say(Message(.error, "E_GOLDEN", "\(outcome.result.file): \(reason)"))
    }
    let unconfirmed = outcomes.filter { update ? $0.status == "failed" : $0.isUnconfirmed }
    guard !unconfirmed.isEmpty else { return }
    console.remark(
      "\(unconfirmed.count) of \(outcomes.count) golden tables are not confirmed")
    throw ExitStatus.someFailed
  }

  private func compareEngines() throws {
    // All of them before the first is fitted, which may take long.
    let studies = try folders.map { folder in
      let study = try StudyReader(folder).study()
      console.report(study.allDiagnostics)
      try require(
        study.series.contains(where: { $0.firstError == nil && !$0.readings.isEmpty }),
        "\(folder) has no readings that can be fitted; leave it out.")
      return study
    }
    var comparisons: [EngineComparison] = []
    for study in studies {
      for estimate: Set<FitParameter> in [[.ka, .beta], [.ka, .beta, .r]] {
        comparisons.append(
          try EngineComparison(
            study.name + (estimate.contains(.r) ? ", r estimated" : ""), of: study.series,
            instrument: study.instrument, options: FitOptions(estimate: estimate),
            jobs: threads.count))
      }
    }
    let people = people ?? 10_000
    for design in EngineComparison.designs(people: people) where people > 0 {
      comparisons.append(
        try EngineComparison(
          design.name, of: try design.people().map(\.series), options: design.options,
          jobs: threads.count))
    }
    try output.print(.engines(comparisons, provenance: provenance()))
    guard comparisons.allSatisfy(\.isPassed) else {
      console.remark("lanes fall short of GSL; see the column status")
      throw ExitStatus.someFailed
    }
  }

  private func certify() throws {
    let solver = try solved()
    let provenance = provenance()
    if let report { try writePage(solver, [], to: report, provenance) }
    try output.print(.certification(solver, provenance: provenance))
    try end(solver)
  }

  private func solved() throws -> NISTCertification {
    do {
      return try NISTCertification()
    } catch {
      throw Refusal("E_SOLVER", "\(error)", ExitStatus.internalError)
    }
  }

  private func end(_ solver: NISTCertification) throws {
    guard solver.isPassed else {
      console.remark("the certification failed; see the column status")
      throw ExitStatus.someFailed
    }
  }
}

// Everything that golden results are made from is read: studies, truths, what commands name, manifests,
// and the golden tables unless they are what is written.

extension Regress {
  private var manifests: [GoldenManifest] {
    folders.flatMap { (try? GoldenManifest.manifests(in: $0, studies: studies)) ?? [] }
  }

  var namedFiles: [NamedFile] {
    guard !engines else { return folders.map(NamedFile.read) }
    return [.written(report, by: "--report")] + manifests.flatMap(files)
  }

  private func files(of manifest: GoldenManifest) -> [NamedFile] {
    let named: [String] = manifest.results.flatMap { result in
      // An option may have its file behind =.
      result.command.flatMap { $0.split(separator: "=").map(String.init) } + [result.truth ?? ""]
    }
    let inputs =
      [manifest.file, manifest.study]
      + named.map { $0.replacing("{study}", with: manifest.study) }
    let tables = manifest.results.map(\.file) + [GoldenSuite.optionsFile(of: manifest)]
    return inputs.map(NamedFile.read)
      + tables.map { update ? .updated($0, by: "--update") : .read($0) }
  }

  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        ["--people"], if: !engines, "because nobody is made up; add --engines, or leave it out"),
      UnusedOptions(
        ["--format", "--decimal"], if: update,
        "because --update prints a summary for the commit message; leave it out"),
    ]
  }
}

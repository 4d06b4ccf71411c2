import ArgumentParser
import Reporting
import StrictOptions
import StudyStore

struct Runs: RecordedCommand {
  static let configuration = Help.configuration("runs")

  @Argument(help: "The database.", completion: .file())
  var database: String

  @Option(help: ArgumentHelp("Show every number of a run.", valueName: "run"))
  var show: Int64?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Compare two runs.", valueName: "run"))
  var compare: [Int64] = []

  @Option(
    help: "Largest difference to ignore, relative to the larger of the two numbers.")
  var tolerance = 1e-6

  @Flag(help: "Upgrade a database made by an older version, and list its runs.")
  var upgrade = false

  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.read(database)] }

  func validate() throws {
    try require(
      compare.isEmpty || compare.count == 2, "--compare takes two runs, not \(compare.count).")
    try require(
      compare.isEmpty || show == nil, "--show and --compare cannot be combined; choose one.")
    try requireNotNegative("--tolerance", tolerance)
  }

  func run() throws {
    let store = try StudyStore(path: database, for: upgrade ? .changing : .reading)
    if let show {
      try output.print(.run(try store.run(show), provenance: provenance()))
    } else if compare.count == 2 {
      try print(from: try store.run(compare[0]), to: try store.run(compare[1]))
    } else {
      try output.print(.runs(try store.runs(), provenance: provenance()))
    }
  }

  private func print(from first: StoredRun, to second: StoredRun) throws {
    let differences = RunDifference.differences(from: first, to: second, tolerance: tolerance)
    try output.print(
      .runDifferences(differences, from: first, to: second, provenance: provenance()))
    guard !differences.isEmpty else { return }
    console.remark("\(differences.count) numbers differ")
    throw ExitStatus.someFailed
  }

  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        ["--tolerance"], if: compare.isEmpty,
        "because nothing is compared; add --compare, or leave it out")
    ]
  }
}

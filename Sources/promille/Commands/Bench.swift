import ArgumentParser
import Certification
import Estimation
import Reporting
import StrictOptions

struct Bench: ResultCommand {
  static let configuration = Help.configuration("bench")

  @Option(help: "Number of timings per task; the median is reported.")
  var rounds = BenchmarkRunner().rounds

  @Flag(help: "Run small tasks once: a quick check that bench works, not a measurement.")
  var quick = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try require("--rounds", rounds, in: 1...100)
  }

  func run() throws {
    let runner =
      quick ? BenchmarkRunner(rounds: 1, shortestSeconds: 0) : BenchmarkRunner(rounds: rounds)
    let results = runner.results(of: try BenchmarkWork.all(quick ? .quick : .usual))
    let machine = Machine.current
    if machine.build == "debug" {
      output.console.warning(
        "W_DEBUG_BUILD",
        "the speeds of a debug build are meaningless; build with -c release")
    }
    try output.print(.benchmark(results, isQuick: quick, on: machine, provenance: provenance()))
  }

  var members: OptionMembers { quick ? [("rounds", 1)] : [] }

  var unused: [UnusedOptions?] {
    [
      UnusedOptions(["--rounds"], if: quick, "because --quick runs everything once; leave it out")
    ]
  }
}

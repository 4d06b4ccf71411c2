import ArgumentParser
import Estimation
import Reporting

/// Where fits start from.
struct StartArguments: ParsableArguments {
  @OptionGroup var search: SearchArguments

  @Option(
    name: .customLong("start-design"),
    help: "Sequence that spreads the starting points over the plausible parameter values.")
  var design = StartDesign.Sequence.sobol

  @Option(
    name: .customLong("start-seed"),
    help: "Seed that shifts the starting points at random; 0 leaves them unshifted.")
  var seed: UInt64 = 0

  /// The options as the library takes them.
  var starts: StartDesign {
    StartDesign(count: search.starts, sequence: design, seed: seed)
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    search.values + [
      ("start_design", .string(design.rawValue)),
      ("start_seed", .string(String(seed))),
    ]
  }
}

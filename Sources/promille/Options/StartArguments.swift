import ArgumentParser
import Estimation
import Reporting

/// Where fits start from.
struct StartArguments: ParsableArguments {
  @OptionGroup var search: SearchArguments

  @Option(
    name: .customLong("start-design"),
    help: "The sequence of points that fills the box of plausible parameters with starts.")
  var design = StartDesign.Sequence.sobol

  @Option(
    name: .customLong("start-seed"),
    help: "0 for the sequence itself; any other number moves it by a random distance of its own.")
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

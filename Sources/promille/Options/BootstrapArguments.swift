import ArgumentParser
import Reporting
import Validation

/// How intervals over subjects are drawn.
struct BootstrapArguments: ParsableArguments {
  @Option(help: "Seed of the bootstrap; equal seeds give equal results.")
  var seed: UInt64 = 1

  @Option(help: "Number of bootstrap replicates.")
  var replicates = 2000

  @Option(help: "Confidence level of intervals and tests, from 0.5 to below 1.")
  var level = 0.95

  func validate() throws {
    guard (100...1_000_000).contains(replicates) else {
      throw ValidationError("--replicates is \(replicates); it must be from 100 to 1000000.")
    }
    try LevelOption.check(level)
  }

  var bootstrap: Bootstrap {
    Bootstrap(seed: seed, replicates: replicates, level: level)
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("seed", .string(String(seed))),
      ("replicates", .integer(replicates)),
      ("level", .number(level)),
    ]
  }
}

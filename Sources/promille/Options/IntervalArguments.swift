import ArgumentParser
import Estimation
import Reporting

/// How intervals of estimates are made.
struct IntervalArguments: ParsableArguments {
  @Option(
    help: """
      How intervals are made: wald from the covariance; profile where the profile likelihood rules \
      values out; bootstraps from fits to readings with residuals drawn again or simulated. Profile \
      and bootstraps tell what the readings do not determine. bootstrap is residual-bootstrap.
      """)
  var interval = IntervalChoice.profile

  @Option(
    name: .customLong("standard-errors"),
    help: """
      Where standard errors come from: model, or robust against correlated errors of neighbouring \
      readings (wide; for --interval wald or none).
      """)
  var standardErrors = StandardErrors.model

  @OptionGroup var confidence: LevelOption

  @Option(help: "Number of fits to replicates for the bootstraps.")
  var replicates = IntervalOptions.defaultReplicates

  @Option(help: "Seed of the bootstraps; equal seeds give equal results.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (100...1_000_000).contains(replicates) else {
      throw ValidationError("--replicates is \(replicates); it must be from 100 to 1000000.")
    }
    guard standardErrors == .model || interval == .wald || interval == .none else {
      throw ValidationError(
        "--standard-errors robust makes Wald intervals, not those of --interval "
          + "\(interval.rawValue); add --interval wald.")
    }
  }

  /// The options as the library takes them.
  var options: IntervalOptions? {
    interval.kind.map { kind in
      IntervalOptions(kind: kind, level: confidence.level, replicates: replicates, seed: seed)
    }
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("interval", .string(interval.rawValue)),
      ("standard_errors", .string(standardErrors.rawValue)),
    ] + confidence.values + [
      ("replicates", .integer(replicates)),
      ("seed", .string(String(seed))),
    ]
  }
}

import ArgumentParser
import Estimation
import Reporting

/// How intervals of estimates are made.
struct IntervalArguments: ParsableArguments {
  @Option(
    help: """
      Method for intervals: wald (covariance), profile (profile likelihood), or a bootstrap (refits \
      to resampled or simulated residuals). profile and the bootstraps also show which parameters the \
      readings do not determine. bootstrap is short for residual-bootstrap.
      """)
  var interval = IntervalChoice.profile

  @Option(
    name: .customLong("standard-errors"),
    help: """
      Standard errors: model, or robust against correlated errors of neighbouring readings (wider; \
      only with --interval wald or none).
      """)
  var standardErrors = StandardErrors.model

  @OptionGroup var confidence: LevelOption

  @Option(help: "Number of bootstrap replicates.")
  var replicates = IntervalOptions.defaultReplicates

  @Option(help: "Seed of the bootstrap; equal seeds give equal results.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (100...1_000_000).contains(replicates) else {
      throw ValidationError("--replicates is \(replicates); it must be from 100 to 1000000.")
    }
    guard standardErrors == .model || interval == .wald || interval == .none else {
      throw ValidationError(
        "--standard-errors robust cannot be combined with --interval "
          + "\(interval.rawValue); use --interval wald.")
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

import ArgumentParser
import Estimation
import Reporting
import Validation

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

/// How intervals of estimates are made, or that there are none.
enum IntervalChoice: String, CaseIterable, ExpressibleByArgument {
  case wald
  case profile
  case residualBootstrap = "residual-bootstrap"
  case parametricBootstrap = "parametric-bootstrap"
  case none

  init?(argument: String) {
    self.init(rawValue: argument == "bootstrap" ? Self.residualBootstrap.rawValue : argument)
  }

  /// The kind as the library knows it.
  var kind: IntervalOptions.Kind? {
    switch self {
    case .wald: .wald
    case .profile: .profile
    case .residualBootstrap: .residualBootstrap
    case .parametricBootstrap: .parametricBootstrap
    case .none: nil
    }
  }
}

/// How sure intervals are to be, however a series is fitted.
struct LevelOption: ParsableArguments {
  @Option(help: "Confidence level of the intervals, from 0.5 to below 1.")
  var level = 0.95

  func validate() throws {
    try Self.check(level)
  }

  /// Refuses what is no level; a small one is meant as the probability to be wrong.
  static func check(_ level: Double) throws {
    guard level >= 0.5, level < 1 else {
      throw ValidationError(
        "--level is \(level); it must be from 0.5 to below 1, for example 0.95.")
    }
  }

  /// The option as results carry it.
  var values: [(name: String, value: JSONValue)] { [("level", .number(level))] }
}

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

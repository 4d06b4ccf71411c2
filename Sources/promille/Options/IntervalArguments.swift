import ArgumentParser
import Estimation
import Reporting
import Validation

struct IntervalArguments: ParsableArguments {
  @Option(
    help: """
      Method for intervals: wald (covariance), profile (profile likelihood), or a bootstrap (refits \
      to resampled or simulated residuals). profile and the bootstraps also show which parameters the \
      readings do not determine. bootstrap is short for residual-bootstrap.
      """)
  var interval = IntervalChoice.profile

  @Option(
    help: """
      Standard errors: model, or robust against correlated errors of neighbouring readings (wider; \
      only with --interval wald or none).
      """)
  var standardErrors = StandardErrors.model

  @Option(help: "Confidence level of the intervals, from 0.5 to below 1.")
  var level = IntervalOptions().level

  @Option(help: "Number of bootstrap replicates.")
  var replicates = IntervalOptions().replicates

  @Option(help: "Seed of the bootstrap; equal seeds give equal results.")
  var seed = IntervalOptions().seed

  func validate() throws {
    try requireLevel(level)
    try require("--replicates", replicates, in: 100...1_000_000)
    try require(
      standardErrors == .model || interval == .wald || interval == .none,
      "--standard-errors robust cannot be combined with --interval "
        + "\(interval.rawValue); use --interval wald.")
  }

  var options: IntervalOptions? {
    interval.kind.map { kind in
      IntervalOptions(kind: kind, level: level, replicates: replicates, seed: seed)
    }
  }
}

/// The kind of intervals of estimates, or none.
enum IntervalChoice: String, CaseIterable, ExpressibleByArgument {
  case wald
  case profile
  case residualBootstrap = "residual-bootstrap"
  case parametricBootstrap = "parametric-bootstrap"
  case none

  init?(argument: String) {
    self.init(rawValue: argument == "bootstrap" ? Self.residualBootstrap.rawValue : argument)
  }

  var kind: IntervalOptions.Kind? { IntervalOptions.Kind(rawValue: rawValue) }
}

struct BootstrapArguments: ParsableArguments {
  @Option(help: "Seed of the bootstrap; equal seeds give equal results.")
  var seed = Bootstrap().seed

  @Option(help: "Number of bootstrap replicates.")
  var replicates = Bootstrap().replicates

  @Option(help: "Confidence level of intervals and tests, from 0.5 to below 1.")
  var level = Bootstrap().level

  func validate() throws {
    try require("--replicates", replicates, in: 100...1_000_000)
    try requireLevel(level)
  }

  var bootstrap: Bootstrap {
    Bootstrap(seed: seed, replicates: replicates, level: level)
  }
}

/// The limits below which errors of the time to sobriety are counted as small.
struct WithinOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Count the errors of the time to sobriety within so many percent of the measured time.",
      valueName: "percents"))
  var within = PercentList(TimeErrorEstimate.usualLimits)
}

/// Some percentages, separated by commas.
struct PercentList: TypedArgument {
  /// The percentages, each once, the smallest first.
  let values: [Double]
  private static let most = 6

  init(_ values: [Double]) {
    self.values = values
  }

  init?(argument: String) {
    let values = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    let limits = Set(values.compactMap(\.self)).sorted()
    guard !values.contains(nil), (1...Self.most).contains(limits.count),
      limits.allSatisfy({ $0 > 0 && $0 <= 1000 })
    else { return nil }
    self.values = limits
  }

  var text: String { values.map(NumberStyle.exact).joined(separator: ",") }
}

import ArgumentParser
import Estimation
import Reporting

/// How a fit looks for the minimum.
struct SearchArguments: ParsableArguments {
  @Option(help: "Number of starting points per fit; the best minimum is reported.")
  var starts = StartDesign.defaultCount

  func validate() throws {
    guard (1...10_000).contains(starts) else {
      throw ValidationError("--starts is \(starts); it must be from 1 to 10000.")
    }
  }

  /// The option as results carry it.
  var values: [(name: String, value: JSONValue)] { [("starts", .integer(starts))] }
}

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

/// How a series is fitted.
enum FitMethod: String, CaseIterable, ExpressibleByArgument {
  /// The model's whole curve, by nonlinear least squares.
  case nonlinear
  /// A straight line through the readings after absorption.
  case eliminationLine = "elimination-line"
}

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

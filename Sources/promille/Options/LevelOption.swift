import ArgumentParser
import Reporting

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

import ArgumentParser
import Reporting

/// How sure intervals are to be, however a series is fitted.
struct LevelOption: ParsableArguments {
  @Option(help: "Level of the intervals of either method, between 0 and 1.")
  var level = 0.95

  func validate() throws {
    guard level > 0, level < 1 else {
      throw ValidationError("--level is \(level); it must be between 0 and 1.")
    }
  }

  /// The option as results carry it.
  var values: [(name: String, value: JSONValue)] { [("level", .number(level))] }
}

import AlcoholKinetics
import ArgumentParser
import Reporting
import Validation

/// Which readings are left out or censored, unless the study says so itself.
struct ReadingLimits: ParsableArguments {
  @Option(
    name: .customLong("lod"),
    help: ArgumentHelp(
      "Limit of detection in the unit of the readings. (default: what the study states)",
      valueName: "limit"))
  var limitOfDetection: Double?

  @Option(
    name: .customLong("exclude-after-drink"),
    help: ArgumentHelp(
      """
      Leave out readings for so many min after the end of a drink, when alcohol in the mouth spoils \
      them. (default: what the study states of its instrument, or 0)
      """, valueName: "min"))
  var excludedMinutes: Double?

  func validate() throws {
    for (name, value) in [
      ("--lod", limitOfDetection), ("--exclude-after-drink", excludedMinutes),
    ] {
      guard let value, !(value >= 0 && value.isFinite) else { continue }
      throw ValidationError("\(name) is \(value); it must be 0 or more.")
    }
  }

  /// The options as the library takes them.
  func selection(_ censoring: Censoring) -> ReadingSelection {
    ReadingSelection(
      censoring: censoring,
      limitOfDetection: limitOfDetection,
      mouthAlcoholWindow: excludedMinutes.map { Hours(minutes: $0) })
  }

  /// The options as results carry them.
  func values(_ censoring: Censoring) -> [(name: String, value: JSONValue)] {
    [
      ("censor", .string(censoring.rawValue)),
      ("lod", limitOfDetection.map(JSONValue.number) ?? .null),
      ("exclude_after_drink_min", excludedMinutes.map(JSONValue.number) ?? .null),
    ]
  }
}

import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting

/// Which readings are fitted and what those below the limit of detection say.
struct ReadingArguments: ParsableArguments {
  @Option(
    help: """
      What a reading below the limit of detection says: none takes it at face value, drop leaves it \
      out, one-sided asks that the curve be below the limit, m3 takes the probability of that \
      (Beal 2001). (default: m3; one-sided where fits are robust)
      """)
  var censor: Censoring?

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

  /// The options as the library takes them, for a loss.
  func selection(_ loss: Loss) -> ReadingSelection {
    ReadingSelection(
      censoring: censoring(loss),
      limitOfDetection: limitOfDetection,
      mouthAlcoholWindow: excludedMinutes.map { Hours(minutes: $0) })
  }

  /// The options as results carry them.
  func values(_ loss: Loss) -> [(name: String, value: JSONValue)] {
    [
      ("censor", .string(censoring(loss).rawValue)),
      ("lod", limitOfDetection.map(JSONValue.number) ?? .null),
      ("exclude_after_drink_min", excludedMinutes.map(JSONValue.number) ?? .null),
    ]
  }

  /// A censored likelihood goes with least squares only.
  private func censoring(_ loss: Loss) -> Censoring {
    censor ?? (loss == .linear ? .m3 : .oneSided)
  }
}

import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting

/// Which readings an elimination line is drawn through.
struct LimbArguments: ParsableArguments {
  @Option(
    name: .customLong("limb-after"),
    help: ArgumentHelp(
      "Use readings at least this many min after the end of the last drink, and after the highest.",
      valueName: "min"))
  var afterMinutes = EliminationLineOptions.defaultLimbAfter.minutes

  @Option(
    name: .customLong("limb-above"),
    help: ArgumentHelp(
      "Stop at the first reading at or below this many g/kg or its limit of detection.",
      valueName: "g/kg"))
  var aboveGramsPerKilogram = EliminationLineOptions.defaultLimbAbove.value

  func validate() throws {
    for (name, value) in [
      ("--limb-after", afterMinutes), ("--limb-above", aboveGramsPerKilogram),
    ] where !(value >= 0 && value.isFinite) {
      throw ValidationError("\(name) is \(value); it must be 0 or more.")
    }
  }

  /// Whether anything but the defaults was asked for.
  var isGiven: Bool {
    afterMinutes != EliminationLineOptions.defaultLimbAfter.minutes
      || aboveGramsPerKilogram != EliminationLineOptions.defaultLimbAbove.value
  }

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors, level: Double) -> EliminationLineOptions {
    EliminationLineOptions(
      limbAfter: Hours(minutes: afterMinutes),
      limbAbove: GramsPerKilogram(aboveGramsPerKilogram),
      level: level,
      factors: factors)
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("limb_after_min", .number(afterMinutes)),
      ("limb_above_g_per_kg", .number(aboveGramsPerKilogram)),
    ]
  }
}

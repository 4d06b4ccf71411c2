import AlcoholKinetics
import ArgumentParser
import Estimation

/// Which readings are fitted and what those below the limit of detection say.
struct ReadingArguments: ParsableArguments, Encodable {
  @Option(
    help: """
      How to treat readings below the limit of detection (LOD, LLOQ): none takes them at face value; \
      drop leaves them out; one-sided requires the curve to be below the limit; m3 uses the \
      probability of a reading below the limit (Beal 2001). (default: m3; one-sided for robust losses)
      """)
  var censor: Censoring?

  @Option(
    help: ArgumentHelp(
      "Limit of detection (LOD, LLOQ) in the unit of the readings. (default: as the study states)",
      valueName: "limit"))
  var lod: Double?

  @Option(
    name: .customLong("exclude-after-drink"),
    help: ArgumentHelp(
      """
      Leave out readings within this many min after the end of a drink, because of mouth alcohol. \
      (default: as the study states for its instrument, or 0)
      """, valueName: "min"))
  var excludeAfterDrinkMin: Double?

  func validate() throws {
    for (name, value) in [
      ("--lod", lod), ("--exclude-after-drink", excludeAfterDrinkMin),
    ] {
      guard let value, !(value >= 0 && value.isFinite) else { continue }
      throw ValidationError("\(name) is \(value); it must be 0 or more.")
    }
  }

  /// The options as the library takes them, for a loss.
  func selection(_ loss: Loss) -> ReadingSelection {
    ReadingSelection(
      censoring: censoring(loss),
      limitOfDetection: lod,
      mouthAlcoholWindow: excludeAfterDrinkMin.map { Hours(minutes: $0) })
  }

  /// A censored likelihood goes with least squares only.
  func censoring(_ loss: Loss) -> Censoring {
    censor ?? (loss == .linear ? .m3 : .oneSided)
  }
}

/// Which readings an elimination line is drawn through.
struct LimbArguments: ParsableArguments, Encodable {
  @Option(
    name: .customLong("limb-after"),
    help: ArgumentHelp(
      "Use readings at least this many min after the end of the last drink, and after the highest.",
      valueName: "min"))
  var limbAfterMin = EliminationLineOptions.defaultLimbAfter.minutes

  @Option(
    name: .customLong("limb-above"),
    help: ArgumentHelp(
      "Stop at the first reading at or below this many g/kg or its limit of detection.",
      valueName: "g/kg"))
  var limbAboveGPerKg = EliminationLineOptions.defaultLimbAbove.value

  func validate() throws {
    for (name, value) in [
      ("--limb-after", limbAfterMin), ("--limb-above", limbAboveGPerKg),
    ] where !(value >= 0 && value.isFinite) {
      throw ValidationError("\(name) is \(value); it must be 0 or more.")
    }
  }

  /// Whether anything but the defaults was asked for.
  var isGiven: Bool {
    limbAfterMin != EliminationLineOptions.defaultLimbAfter.minutes
      || limbAboveGPerKg != EliminationLineOptions.defaultLimbAbove.value
  }

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors, level: Double) -> EliminationLineOptions {
    EliminationLineOptions(
      limbAfter: Hours(minutes: limbAfterMin),
      limbAbove: GramsPerKilogram(limbAboveGPerKg),
      level: level,
      factors: factors)
  }
}

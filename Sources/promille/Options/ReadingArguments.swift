import AlcoholKinetics
import ArgumentParser
import Estimation
import StrictOptions

/// Which readings are fitted and what those below the limit of detection say.
struct ReadingArguments: ParsableArguments {
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

  /// Refuses the censoring that a likelihood cannot use.
  ///
  /// - Parameter purpose: What needs the likelihood, if that was an option.
  func requireLikelihood(_ purpose: String = "") throws {
    try require(
      censor != .oneSided,
      "--censor one-sided has no likelihood; choose m3, drop or none\(purpose).")
  }

  func validate() throws {
    try requireNotNegative("--lod", lod)
    try requireNotNegative("--exclude-after-drink", excludeAfterDrinkMin)
  }

  /// The options as the library takes them, for a loss.
  func selection(_ loss: Loss) -> ReadingSelection {
    ReadingSelection(
      censoring: censoring(loss),
      limitOfDetection: lod,
      mouthAlcoholWindow: excludeAfterDrinkMin.map { Hours(minutes: $0) })
  }

  /// A censored likelihood needs least squares.
  func censoring(_ loss: Loss) -> Censoring {
    censor ?? (loss == .linear ? .m3 : .oneSided)
  }

  var unused: UnusedOptions? {
    UnusedOptions(
      ["--lod"], if: censor?.rawValue == Censoring.none.rawValue,
      "because --censor none takes every reading at face value; leave one of them out")
  }
}

/// Which readings an elimination line is drawn through.
struct LimbArguments: ParsableArguments {
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
    try requireNotNegative("--limb-after", limbAfterMin)
    try requireNotNegative("--limb-above", limbAboveGPerKg)
  }

  func options(_ factors: ConversionFactors, level: Double) -> EliminationLineOptions {
    EliminationLineOptions(
      limbAfter: Hours(minutes: limbAfterMin),
      limbAbove: GramsPerKilogram(limbAboveGPerKg),
      level: level,
      factors: factors)
  }
}

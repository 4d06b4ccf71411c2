import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import StudyData

/// The model, the parameters to estimate and the fixed ones.
struct ModelArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Elimination of ethanol: \(EliminationModel.ratesInWords). all fits each with and without a lag "
        + "and ranks them by AICc."))
  var model = ModelChoice(.widmark)

  @Option(
    help: ArgumentHelp(
      "Parameters to estimate, separated by commas: \(FitParameter.names) (r is rho, the Widmark "
        + "factor; gain is a calibration factor). With --model all, only r and gain can be chosen. "
        + "Default: \(EliminationModel.estimatesInWords), without fixed parameters.",
      valueName: "names"), completion: .parameters, transform: NameList<FitParameter>.init(parsing:)
  )
  var estimate: NameList<FitParameter>?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Fix a parameter at a value: \(FitParameter.unitsInWords); may be repeated. (default: "
        + "k_a and beta by --food, \(FitParameter.usualValuesInWords), r from --r-factor)",
      valueName: "name=value"), completion: .assignedParameters,
    transform: StatedValue<FitParameter>.init(parsing:))
  var fix: [StatedValue<FitParameter>] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Restrict a parameter to a range, in the same units; may be repeated. (default: "
        + "\(FitParameter.boundsInWords))",
      valueName: "name=low:high"), completion: .assignedParameters,
    transform: StatedRange<FitParameter>.init(parsing:))
  var bound: [StatedRange<FitParameter>] = []

  @Option(
    help: ArgumentHelp(
      "Source of r, unless r is estimated or fixed: "
        + "\(RFactorName.inWords), column:NAME (r of each subject in a column of the study), "
        + "or a number in kg/kg.",
      valueName: "method"))
  var rFactor = RFactorName(Watson())

  func validate() throws {
    try fix.requireDifferent("--fix", \.parameter.rawValue)
    try bound.requireDifferent("--bound", \.parameter.rawValue)
  }

  /// The parameters to estimate; by default those of the model that are not held fixed.
  var estimated: Set<FitParameter> {
    estimate.map { Set($0.parameters) } ?? model.model.defaultEstimate.subtracting(fixedValues.keys)
  }

  var fixedValues: [FitParameter: Double] { fix.byParameter() }
}

struct ModelChoice: TypedArgument, Equatable {
  /// Nil for a comparison of all models, with and without a lag.
  private let single: EliminationModel?

  static let all = ModelChoice(nil)

  init(_ single: EliminationModel?) { self.single = single }

  init?(argument: String) {
    single = EliminationModel(rawValue: argument)
    guard single != nil || argument == "all" else { return nil }
  }

  static let allValueStrings = EliminationModel.allCases.map(\.rawValue) + ["all"]
  static let defaultCompletionKind = CompletionKind.list(allValueStrings)

  var text: String { single?.rawValue ?? "all" }

  /// The model of a single fit; of a choice between all, the one that the others are built from.
  var model: EliminationModel { single ?? .widmark }
}

extension FitOptions {
  /// The options of fits as the library takes them.
  init(
    _ model: ModelArguments, _ typical: TypicalOption, _ water: BloodWaterOption,
    _ readings: ReadingArguments, _ noise: ErrorArguments, _ intervals: IntervalArguments,
    _ starts: StartDesign, _ engine: FitEngine, _ factors: ConversionFactors
  ) {
    self.init(
      model: model.model.model, estimate: model.estimated, fixed: model.fixedValues,
      bounds: model.bound.byParameter(),
      rFactor: model.rFactor.method(water.constant(typical.preset)),
      selection: readings.selection(noise.loss), error: noise.error, loss: noise.loss,
      lossTuning: noise.lossScale, starts: starts, engine: engine, interval: intervals.options,
      correlation: noise.correlation, factors: factors, standardErrors: intervals.standardErrors,
      typical: typical.kinetics, errorSource: noise.errorFrom)
  }
}

struct ErrorArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How the SD of a reading depends on the concentration c: \(ErrorModel.namesInWords). SDs are "
        + "estimated unless given: \(ErrorModel.examplesInWords). (default: additive)",
      valueName: "model"), transform: ErrorModel.init(parsing:))
  var error = FitOptions().error

  @Option(
    help: ArgumentHelp(
      """
      Correlation between errors of neighbouring readings: none, or exponential, (1 - w) exp(-dt/tau) for \
      readings dt apart. tau is estimated unless given in min: exponential:60; so is w, the white share of the \
      variance, from a study (exponential:60:0.2 gives it). auto is exponential where the residuals of a study of 5 \
      series or more are correlated, else none. (default: auto)
      """, valueName: "model"), transform: ErrorCorrelation.init(parsing:))
  var correlation = FitOptions().correlation

  @Option(
    help: """
      Whose readings estimate a proportional or combined error, tau and w: those of the study together (its \
      first 100 series; from 5 on, and not from standard input), or of each subject alone. The SD of \
      additive errors is always each subject's own.
      """)
  var errorFrom = FitOptions().errorSource

  @Option(
    help: """
      Loss function. linear uses squared residuals; the others give large residuals less weight, so \
      that a few bad readings do not spoil the fit.
      """)
  var loss = FitOptions().loss

  @Option(
    help: ArgumentHelp(
      "Size from which a residual counts as large, in residual SDs. (default: \(defaults))",
      valueName: "c"))
  var lossScale: Double?

  func validate() throws {
    try requirePositive("--loss-scale", lossScale)
    try require(
      lossScale == nil || loss != .linear,
      "--loss-scale has no effect with --loss linear; choose another loss.")
  }

  private static let defaults = Loss.allCases.filter { $0 != .linear }
    .map { "\($0.rawValue) \($0.defaultTuning)" }.joined(separator: ", ")
}

/// The readings to fit, and the likelihood of those below the limit of detection.
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
  /// - Parameter purpose: The option that needs the likelihood, if there is one.
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
}

/// The readings of an elimination line.
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

  @Option(
    name: .customLong("limb-from"),
    help: ArgumentHelp(
      "Use no reading before MIN min after the first drink: the first point, if you choose it by eye.",
      valueName: "min"))
  var limbFromMin: Double?

  @Option(
    help: ArgumentHelp(
      "Use at most the last N readings of the limb, from \(EliminationLineOptions.fewestPoints).",
      valueName: "n"))
  var limbPoints: Int?

  func validate() throws {
    try requireNotNegative("--limb-from", limbFromMin)
    try require("--limb-points", limbPoints, in: EliminationLineOptions.fewestPoints...10_000)
    try requireNotNegative("--limb-after", limbAfterMin)
    try requireNotNegative("--limb-above", limbAboveGPerKg)
  }

  func options(_ factors: ConversionFactors, level: Double) -> EliminationLineOptions {
    EliminationLineOptions(
      limbAfter: Hours(minutes: limbAfterMin),
      limbAbove: GramsPerKilogram(limbAboveGPerKg),
      limbFrom: limbFromMin.map { Hours(minutes: $0) },
      mostPoints: limbPoints,
      level: level,
      factors: factors)
  }
}

/// The derived quantities of a fit.
struct DerivedArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also report quantities of the fitted curve, each with an interval made by --interval: all, or any of "
        + DerivedQuantity.namesInWords
        + ". all includes time-to-threshold if --threshold is given.",
      valueName: "names"), transform: DerivedList.init(parsing:))
  var derived: DerivedList?

  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp(
      "Also report the time after which the fitted curve stays at or below this concentration, in g/kg.",
      valueName: "g/kg"))
  var thresholdGPerKg: Double?

  func validate() throws {
    try requireNotNegative("--threshold", thresholdGPerKg)
    guard
      derived?.isAll ?? true || derived?.names.contains(.timeToThreshold) != true
        || thresholdGPerKg != nil
    else {
      throw ValidationError(
        "--derived time-to-threshold needs a threshold; add --threshold, in g/kg.")
    }
  }

  var options: DerivedOptions { DerivedOptions(derived, threshold: thresholdGPerKg) }
}

/// Options of the search for the minimum.
struct SearchArguments: ParsableArguments {
  @Option(help: "Number of starting points per fit; the best minimum is reported.")
  var starts = StartDesign().count

  @Option(
    help: """
      Search engine: lanes (eight points at once, finished by GNU GSL) or gsl \
      (GNU GSL for everything, about ten times slower).
      """)
  var engine = FitOptions().engine

  func validate() throws {
    try require("--starts", starts, in: 1...10_000)
  }
}

/// The design of the starting points.
struct StartArguments: ParsableArguments {
  @Option(help: "Sequence that spreads the starting points over the plausible parameter values.")
  var startDesign = StartDesign().sequence

  @Option(help: "Seed that shifts the starting points at random; 0 leaves them unshifted.")
  var startSeed = StartDesign().seed

  func starts(_ search: SearchArguments) -> StartDesign {
    StartDesign(count: search.starts, sequence: startDesign, seed: startSeed)
  }
}

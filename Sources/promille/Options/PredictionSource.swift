import AlcoholKinetics
import ArgumentParser
import Estimation
import Validation

/// The source of the parameters of predicted curves apart from r, and the threshold.
struct PredictionSource: ParsableArguments {
  /// The source of k_a and beta.
  enum Parameters: String, CaseIterable, ExpressibleByArgument {
    /// `--ka`, `--beta` and `--predict-with`.
    case given
    /// The fit of the same subject.
    case fitted
    /// The median of all other subjects' fits.
    case leftOut = "left-out"
  }

  @Option(
    help: """
      Source of k_a and beta, or of the parameters of --model: given (--ka, --beta and \
      --predict-with); fitted (to the same readings, for each r: the best agreement possible with \
      that r, not a prediction); or left-out (median of all other subjects' fits: a true prediction).
      """)
  var parameters = Parameters.given

  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp(
      """
      Concentration in g/kg at or below which a subject counts as sober. (default: the instrument's \
      limit of detection, else its resolution, else \(SobrietyThreshold.assumed.concentration.value))
      """, valueName: "g/kg"))
  var thresholdGPerKg: Double?

  func validate() throws {
    try requireNotNegative("--threshold", thresholdGPerKg)
  }

  /// Refuses values for fits.
  func check(_ kinetics: KineticOptions) throws {
    try require(
      parameters == .given || kinetics.areDefaults,
      "--ka, --beta and --predict-with are for --parameters given, not \(parameters.rawValue); "
        + "leave them out.")
  }

  /// The parameters for the library.
  func parameters(_ given: [FitParameter: Double], starts: Int) -> PredictionParameters {
    switch parameters {
    case .given: .given(given)
    case .fitted: .fitted(starts: starts)
    case .leftOut: .leftOut(starts: starts)
    }
  }

  var threshold: GramsPerKilogram? { thresholdGPerKg.map { GramsPerKilogram($0) } }
}

extension Console {
  /// Warns if the k_a of predictions is far from that of the study's fits.
  func warn(about absorption: AbsorptionMismatch?) {
    if let absorption { warning(absorption.code, "\(absorption)") }
  }
}

/// Values of the parameters of predicted curves where they are not estimated.
struct KineticOptions: ParsableArguments {
  @Option(
    name: .customLong("ka"),
    help: ArgumentHelp(
      "Absorption rate constant k_a in 1/h. (default: by --food: \(FitParameter.ka.typicalTexts))",
      valueName: "1/h"))
  var kaPerH: Double?

  @Option(
    name: .customLong("beta"),
    help: ArgumentHelp(
      "Elimination rate beta of Widmark's model in g/kg/h. (default: by --food and sex: "
        + "\(FitParameter.beta.typicalTexts))",
      valueName: "g/kg/h"))
  var betaGPerKgH: Double?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Value of another parameter of the model for predictions, in the units of fit --fix; may be "
        + "repeated. (default: \(FitParameter.otherTypicalTexts))",
      valueName: "name=value"),
    transform: StatedValue<FitParameter>.init(parsing:))
  var predictWith: [StatedValue<FitParameter>] = []

  func validate() throws {
    try requirePositive("--ka", kaPerH)
    try requirePositive("--beta", betaGPerKgH)
    let names =
      (kaPerH == nil ? [] : ["ka"]) + (betaGPerKgH == nil ? [] : ["beta"])
      + predictWith.map(\.parameter.rawValue)
    for name in names where names.count(where: { $0 == name }) > 1 {
      throw ValidationError("\(name) is given twice.")
    }
    if predictWith.contains(where: { $0.parameter == .r || $0.parameter == .gain }) {
      throw ValidationError("--predict-with cannot set r or gain; choose r with --r-factor.")
    }
  }

  var given: [FitParameter: Double] {
    var values = predictWith.byParameter()
    values[.ka] = kaPerH ?? values[.ka]
    values[.beta] = betaGPerKgH ?? values[.beta]
    return values
  }

  /// Refuses values that a model does not have.
  func check(_ model: EliminationModel) throws {
    try refusing(PredictionOptions(parameters: .given(given), model: model).check)
  }
}

import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting

/// Which model is fitted, what of it is estimated and what is held fixed.
struct ModelArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Elimination of ethanol: \(EliminationModel.ratesInWords). all fits each with and without a lag "
        + "and ranks them by AICc."))
  var model = ModelChoice.one(.widmark)

  @Option(
    help: ArgumentHelp(
      "Parameters to estimate, separated by commas: \(FitParameter.names) (r is rho, the Widmark "
        + "factor; gain is a calibration factor). With --model all, only r and gain can be chosen. "
        + "Default: \(EliminationModel.estimatesInWords), without fixed parameters.",
      valueName: "names"), transform: ParameterList.init(parsing:))
  var estimate: ParameterList?

  @Option(
    name: .customLong("fix"), parsing: .singleValue,
    help: ArgumentHelp(
      "Fix a parameter at a value: \(FitParameter.unitsInWords); may be repeated. (default: "
        + "\(FitParameter.usualValuesInWords), r from --r-factor)",
      valueName: "name=value"), transform: FixedParameter.init(parsing:))
  var fixed: [FixedParameter] = []

  @Option(
    name: .customLong("bound"), parsing: .singleValue,
    help: ArgumentHelp(
      "Restrict a parameter to a range, in the same units; may be repeated. (default: "
        + "\(FitParameter.boundsInWords))",
      valueName: "name=low:high"), transform: BoundedParameter.init(parsing:))
  var bounds: [BoundedParameter] = []

  @Option(
    name: .customLong("r-factor"),
    help: ArgumentHelp(
      "Source of r, unless r is estimated or fixed: "
        + "\(RFactorName.names.joined(separator: ", ")), or a number in kg/kg.",
      valueName: "method"))
  var rFactor = RFactorName(Watson())

  @OptionGroup var bloodWater: BloodWaterOption

  func validate() throws {
    for (name, parameters) in [
      ("--fix", fixed.map(\.parameter)), ("--bound", bounds.map(\.parameter)),
    ] {
      for parameter in parameters where parameters.count(where: { $0 == parameter }) > 1 {
        throw ValidationError("\(name) names \(parameter.rawValue) twice.")
      }
    }
  }

  /// What is estimated; unless it is named, what the model is about but for what is held fixed.
  var estimated: Set<FitParameter> {
    estimate?.parameters ?? model.model.defaultEstimate.subtracting(fixedValues.keys)
  }

  /// The values that parameters are held at.
  var fixedValues: [FitParameter: Double] {
    Dictionary(fixed.map { ($0.parameter, $0.value) }) { first, _ in first }
  }

  /// The ranges in which parameters are looked for.
  var ranges: [FitParameter: ClosedRange<Double>] {
    Dictionary(bounds.map { ($0.parameter, $0.range) }) { first, _ in first }
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("model", .string(model.name)),
      ("estimate", .string(estimated.text)),
      ("fix", .array(fixed.map { .string($0.text) })),
      ("bound", .array(bounds.map { .string($0.text) })),
      ("r_factor", .string(rFactor.text)),
    ] + bloodWater.values
  }
}

import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting

/// Which model is fitted, what of it is estimated and what is held fixed.
struct ModelArguments: ParsableArguments {
  @Option(
    help: """
      Elimination of ethanol: at the constant rate beta (widmark), or at vmax c / (km + c) \
      (michaelis-menten). all fits both, with and without a lag, and ranks the four by AICc.
      """)
  var model = ModelChoice.widmark

  @Option(
    help: ArgumentHelp(
      """
      Parameters to estimate, separated by commas: ka, beta, r (rho, the Widmark factor), lag, gain \
      (calibration factor), vmax, km. With --model all, only r and gain can be chosen. Default: \
      ka,beta (Michaelis-Menten: ka,vmax,km), without fixed parameters.
      """, valueName: "names"), transform: ParameterList.init(parsing:))
  var estimate: ParameterList?

  @Option(
    name: .customLong("fix"), parsing: .singleValue,
    help: ArgumentHelp(
      """
      Fix a parameter at a value: ka in 1/h, beta and vmax in g/kg/h, r in kg/kg, lag in min, km in \
      g/kg; may be repeated. (default: ka=18, beta=0.15, lag=0, gain=1, r from --r-factor)
      """, valueName: "name=value"), transform: FixedParameter.init(parsing:))
  var fixed: [FixedParameter] = []

  @Option(
    name: .customLong("bound"), parsing: .singleValue,
    help: ArgumentHelp(
      """
      Restrict a parameter to a range, in the same units; may be repeated. (default: \
      ka=0.001:1000, beta and vmax=0.001:10, r=0.01:10, lag=0:180, gain=0.01:100, km=0.001:5)
      """, valueName: "name=low:high"), transform: BoundedParameter.init(parsing:))
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
      ("model", .string(model.rawValue)),
      ("estimate", .string(estimated.text)),
      ("fix", .array(fixed.map { .string($0.text) })),
      ("bound", .array(bounds.map { .string($0.text) })),
      ("r_factor", .string(rFactor.text)),
    ] + bloodWater.values
  }
}

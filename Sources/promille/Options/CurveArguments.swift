import AlcoholKinetics
import ArgumentParser
import Reporting
import Validation

/// What a nonlinear fit estimates and what it holds fixed.
struct CurveArguments: ParsableArguments {
  @Option(help: "What to estimate: any of ka, beta and r, separated by commas.")
  var estimate = ParameterList([.ka, .beta])

  @Option(
    name: .customLong("r-factor"),
    help: ArgumentHelp(
      "Where r comes from unless it is estimated: \(RFactorName.names.joined(separator: ", ")), "
        + "or a number in kg/kg.",
      valueName: "method"))
  var rFactor = RFactorName(Watson())

  @OptionGroup var bloodWater: BloodWaterOption
  @OptionGroup var kinetics: KineticOptions

  @Option(help: "Treatment of readings below detection; none takes all at face value.")
  var censor = Censoring.none

  @OptionGroup var search: SearchArguments

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors) -> FitOptions {
    FitOptions(
      estimate: estimate.parameters,
      rFactor: rFactor.method(bloodWater.bloodWater),
      ka: kinetics.ka,
      beta: kinetics.beta,
      factors: factors,
      starts: search.starts)
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("estimate", .string(estimate.text)),
      ("r_factor", .string(rFactor.text)),
      ("censor", .string(censor.rawValue)),
    ] + bloodWater.values + kinetics.values + search.values
  }
}

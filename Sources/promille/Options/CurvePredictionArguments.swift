import AlcoholKinetics
import ArgumentParser
import Validation

/// How simulated curves are predicted.
struct CurvePredictionArguments: ParsableArguments {
  @Option(
    name: .customLong("r-factor"),
    help: ArgumentHelp(
      "Where r comes from: \(RFactorName.names.joined(separator: ", ")) or a number in kg/kg, "
        + "several separated by commas, or all, which are the first five.",
      valueName: "methods"))
  var rFactor = RFactorChoice.all

  @OptionGroup var bloodWater: BloodWaterOption
  @OptionGroup var kinetics: KineticOptions

  /// The options as the library takes them.
  var options: PredictionOptions {
    PredictionOptions(
      parameters: .given(ka: kinetics.ka, beta: kinetics.beta),
      methods: rFactor.methods(bloodWater.bloodWater))
  }
}

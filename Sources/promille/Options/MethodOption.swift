import AlcoholKinetics
import ArgumentParser

/// The model and the r-factor methods that are asked for.
struct MethodOption: ParsableArguments {
  @Option(
    name: .customLong("r-factor"),
    help: ArgumentHelp(
      "Source of r (rho, the Widmark factor): \(RFactorName.names.joined(separator: ", ")), a number "
        + "in kg/kg, several of these separated by commas, or all (the first five).",
      valueName: "methods"))
  var rFactor = RFactorChoice.all

  @Option(
    help: ArgumentHelp("How ethanol is eliminated: \(EliminationModel.ratesInWords)."))
  var model = EliminationModel.widmark

  @OptionGroup var bloodWater: BloodWaterOption

  /// The methods as the library takes them.
  var methods: [any RFactorMethod] { rFactor.methods(bloodWater.bloodWater) }
}

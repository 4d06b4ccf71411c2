import AlcoholKinetics
import ArgumentParser
import Reporting
import Validation

/// How curves are predicted: r by one method or all, k_a and beta given or from fits.
struct PredictionArguments: ParsableArguments {
  @Option(
    name: .customLong("r-factor"),
    help: ArgumentHelp(
      "Where r comes from: \(RFactorName.names.joined(separator: ", ")) or a number in kg/kg, "
        + "several separated by commas, or all, which are the first five.",
      valueName: "methods"))
  var rFactor = RFactorChoice.all

  @OptionGroup var bloodWater: BloodWaterOption
  @OptionGroup var source: PredictionSource
  @OptionGroup var search: SearchArguments

  /// The r-factor methods that were asked for.
  var methods: [any RFactorMethod] { rFactor.methods(bloodWater.bloodWater) }

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors) -> PredictionOptions {
    source.options(methods: methods, starts: search.starts, factors: factors)
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [("r_factor", .string(rFactor.text))] + source.values + bloodWater.values
      + source.kinetics.values + search.values
  }
}

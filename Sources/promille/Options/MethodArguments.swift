import AlcoholKinetics
import ArgumentParser
import Reporting
import Validation

/// Which r-factor methods are compared beside a fit, and what they predict with.
struct MethodArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "r factors (rho, Widmark factors) to compare: names as for --r-factor, separated by commas, or "
        + "all (the first five).",
      valueName: "names"))
  var methods = RFactorChoice.all

  @OptionGroup var source: PredictionSource

  /// The options as the library takes them.
  ///
  /// - Parameters:
  ///   - curve: What fits are told: the blood's water, the starts and the readings serve
  ///     both.
  ///   - factors: How readings are converted.
  func options(_ curve: CurveArguments, _ factors: ConversionFactors) -> PredictionOptions {
    source.options(
      methods: methods.methods(curve.model.bloodWater.bloodWater),
      starts: curve.search.search.starts,
      selection: curve.readings.selection(curve.noise.loss), factors: factors)
  }

  /// The options as results carry them.
  ///
  /// - Parameter thresholds: Those that subjects counted as sober by.
  func values(_ thresholds: [SobrietyThreshold]) -> [(name: String, value: JSONValue)] {
    [("methods", .string(methods.text))] + source.values(thresholds) + source.kinetics.values
  }
}

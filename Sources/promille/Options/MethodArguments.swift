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

  /// The model of predictions: that of the fit, unless it needs values that are not given.
  private func model(_ curve: CurveArguments) -> EliminationModel {
    let model = curve.model.model.model
    guard source.parameters == .given else { return model }
    return (try? source.kinetics.check(model)) == nil ? .widmark : model
  }

  /// The options as the library takes them.
  ///
  /// - Parameters:
  ///   - curve: What fits are told: the blood's water, the starts and the readings serve
  ///     both.
  ///   - factors: How readings are converted.
  func options(_ curve: CurveArguments, _ factors: ConversionFactors) -> PredictionOptions {
    source.options(
      of: model(curve), methods: methods.methods(curve.model.bloodWater.bloodWater),
      starts: curve.search.search.starts,
      selection: curve.readings.selection(curve.noise.loss), factors: factors)
  }

  /// The options as results carry them.
  ///
  /// - Parameters:
  ///   - thresholds: Those that subjects counted as sober by.
  ///   - curve: What fits were told.
  func values(
    _ thresholds: [SobrietyThreshold], _ curve: CurveArguments
  ) -> [(name: String, value: JSONValue)] {
    [("methods", .string(methods.text))] + source.values(thresholds)
      + source.kinetics.values(of: model(curve))
  }
}

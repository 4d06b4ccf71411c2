import AlcoholKinetics
import Estimation
import Reporting
import Validation

/// How curves are predicted: r by one method or all, k_a and beta given or from fits.
struct PredictionArguments {
  let method: MethodOption
  let source: PredictionSource
  let search: SearchArguments
  let readings: ReadingArguments

  /// The r-factor methods that were asked for.
  var methods: [any RFactorMethod] { method.methods }

  /// Whether it says how to predict, other than unless told.
  var isGiven: Bool {
    source.parameters != .given || !source.kinetics.areDefaults
      || method.rFactor.text != RFactorChoice.all.text
  }

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors) -> PredictionOptions {
    source.options(
      methods: methods, starts: search.starts, selection: readings.selection(.linear),
      factors: factors)
  }

  /// The options as results carry them.
  ///
  /// - Parameter thresholds: Those that subjects counted as sober by.
  func values(_ thresholds: [SobrietyThreshold]) -> [(name: String, value: JSONValue)] {
    [("r_factor", .string(method.rFactor.text))] + source.values(thresholds)
      + method.bloodWater.values
      + source.kinetics.values + search.values + readings.values(.linear)
  }
}

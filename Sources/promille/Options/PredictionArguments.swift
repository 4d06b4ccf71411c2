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
    source.parameters != .given || !source.kinetics.areDefaults || method.model != .widmark
      || method.rFactor.text != RFactorChoice.all.text
  }

  /// Refuses values that the model does not have, and a model whose values are missing.
  func check() throws {
    if source.parameters == .given { try source.kinetics.check(method.model) }
  }

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors) -> PredictionOptions {
    source.options(
      of: method.model, methods: methods, starts: search.starts,
      selection: readings.selection(.linear),
      factors: factors)
  }

  /// The options as results carry them.
  ///
  /// - Parameter thresholds: Those that subjects counted as sober by.
  func values(_ thresholds: [SobrietyThreshold]) -> [(name: String, value: JSONValue)] {
    [("model", .string(method.model.rawValue)), ("r_factor", .string(method.rFactor.text))]
      + source.values(thresholds)
      + method.bloodWater.values
      + source.kinetics.values(of: method.model) + search.values + readings.values(.linear)
  }
}

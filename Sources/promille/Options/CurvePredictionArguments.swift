import AlcoholKinetics
import ArgumentParser
import Validation

/// How simulated curves are predicted.
struct CurvePredictionArguments: ParsableArguments {
  @OptionGroup var method: MethodOption
  @OptionGroup var kinetics: KineticOptions

  /// The options as the library takes them.
  var options: PredictionOptions {
    PredictionOptions(
      parameters: .given(kinetics.values), methods: method.methods, model: method.model)
  }
}

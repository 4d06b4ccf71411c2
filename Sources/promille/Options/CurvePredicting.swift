/// A command that can be told everything about predictions.
///
/// The groups of options are the command's own, for the reason that ``CurveFitting`` gives.
protocol CurvePredicting {
  var method: MethodOption { get }
  var source: PredictionSource { get }
  var search: SearchArguments { get }
  var readings: ReadingArguments { get }
}

extension CurvePredicting {
  /// What predictions are told.
  var prediction: PredictionArguments {
    PredictionArguments(method: method, source: source, search: search, readings: readings)
  }
}

/// A command that can be told everything about a nonlinear fit.
///
/// The groups of options are the command's own. As groups of a group they would be checked several
/// times more often whenever a debug build parses options, since each level multiplies the checks.
protocol CurveFitting {
  var model: ModelArguments { get }
  var readings: ReadingArguments { get }
  var noise: ErrorArguments { get }
  var intervals: IntervalArguments { get }
  var search: StartArguments { get }
}

extension CurveFitting {
  /// What the fit is told.
  var curve: CurveArguments {
    CurveArguments(
      model: model, readings: readings, noise: noise, intervals: intervals, search: search)
  }
}

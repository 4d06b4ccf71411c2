/// Sums over one subject's errors, from which the statistics of any set of subjects follow.
///
/// A bootstrap adds them up thousands of times, which must not cost a pass over all readings each.
struct ErrorTotals {
  var count = 0.0
  var sum = 0.0
  var absolute = 0.0
  var squares = 0.0

  var bias: Double { sum / count }
  var mae: Double { absolute / count }
  var rmse: Double { (squares / count).squareRoot() }
}

extension ErrorTotals {
  init(of errors: [Double]) {
    for error in errors { add(error, magnitude: abs(error)) }
  }

  /// - Parameter magnitude: The error without its sign; where errors are known between limits, one of its limits.
  mutating func add(_ error: Double, magnitude: Double) {
    count += 1
    sum += error
    absolute += magnitude
    squares += magnitude * magnitude
  }

  static func += (left: inout Self, right: Self) {
    left.count += right.count
    left.sum += right.sum
    left.absolute += right.absolute
    left.squares += right.squares
  }

  /// Bias, mean absolute error and root mean squared error over subjects, for a bootstrap.
  static func statistics(of subjects: [ErrorTotals]) -> Bootstrap.OfSums {
    Bootstrap.OfSums(
      columns: [
        subjects.map(\.count), subjects.map(\.sum), subjects.map(\.absolute),
        subjects.map(\.squares),
      ], width: 3
    ) { sums in
      let total = ErrorTotals(count: sums[0], sum: sums[1], absolute: sums[2], squares: sums[3])
      return [total.bias, total.mae, total.rmse]
    }
  }
}

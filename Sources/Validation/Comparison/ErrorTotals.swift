/// Sums over one subject's errors, from which the statistics of any set of subjects follow.
///
/// A bootstrap adds them up thousands of times, which must not cost a pass over all readings each.
struct ErrorTotals {
  private(set) var count = 0.0
  private(set) var sum = 0.0
  private(set) var absolute = 0.0
  private(set) var squares = 0.0

  init() {}

  init(of errors: [Double]) {
    count = Double(errors.count)
    for error in errors {
      sum += error
      absolute += abs(error)
      squares += error * error
    }
  }

  static func += (left: inout Self, right: Self) {
    left.count += right.count
    left.sum += right.sum
    left.absolute += right.absolute
    left.squares += right.squares
  }

  /// The mean error.
  var bias: Double { sum / count }
  /// The mean absolute error.
  var mae: Double { absolute / count }
  /// The root mean squared error.
  var rmse: Double { (squares / count).squareRoot() }
}

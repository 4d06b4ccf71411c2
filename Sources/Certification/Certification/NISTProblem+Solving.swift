import GSL
import RealModule

extension NISTProblem {
  /// The observations by column: the response, the predictor and the second one if there is one.
  var columns: [[Double]] {
    let rows = data.split(separator: "\n").map { line in
      line.split(separator: " ").map { Double($0) ?? .nan }
    }
    let count = rows.map(\.count).min() ?? 0
    return (0..<count).map { column in rows.map { $0[column] } }
  }

  /// Calls `body` with this problem as the solver takes it, which lives no longer than the call.
  ///
  /// - Throws: What `body` throws.
  func withLeastSquares<Result>(
    _ body: (LeastSquaresProblem) throws(GSLError) -> Result
  ) throws(GSLError) -> Result {
    let columns = columns
    let predictors = columns.dropFirst()
    guard let response = columns.first, let x = predictors.first, let x2 = predictors.last else {
      throw GSLError(code: Self.badLength, reason: "\(name) has no observations")
    }
    let y = model.isOfLogarithm ? response.map { .log($0) } : response
    return try (y + x + x2).withUnsafeBufferPointer { (values) throws(GSLError) in
      guard let start = values.baseAddress else {
        throw GSLError(code: Self.badLength, reason: "\(name) has no observations")
      }
      let n = y.count
      let observations = NISTObservations(count: n, y: start, x: start + n, x2: start + 2 * n)
      return try withUnsafePointer(to: observations) { (context) throws(GSLError) in
        try body(
          LeastSquaresProblem(
            residualCount: n, parameterCount: parameters.count, context: context,
            residuals: model.residuals, jacobian: model.jacobian))
      }
    }
  }

  /// GSL's `GSL_EBADLEN`.
  private static let badLength: Int32 = 19
}

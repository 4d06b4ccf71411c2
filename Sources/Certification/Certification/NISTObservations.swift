/// The observations of a NIST problem, as its model finds them behind the context pointer.
struct NISTObservations {
  /// Number of observations.
  let count: Int
  /// The response.
  let y: UnsafePointer<Double>
  /// The first predictor.
  let x: UnsafePointer<Double>
  /// The second predictor; the first once more where there is only one.
  let x2: UnsafePointer<Double>

  /// The observations behind a context pointer.
  static func at(_ context: UnsafeRawPointer) -> NISTObservations {
    context.assumingMemoryBound(to: NISTObservations.self).pointee
  }

  /// Writes model minus response at each observation; what a residual function answers.
  func write(_ residuals: UnsafeMutablePointer<Double>, model: (Double) -> Double) -> Bool {
    for i in 0..<count {
      residuals[i] = model(x[i]) - y[i]
    }
    return true
  }

  /// Writes model minus response for two predictors; what a residual function answers.
  func write(_ residuals: UnsafeMutablePointer<Double>, model: (Double, Double) -> Double) -> Bool {
    for i in 0..<count {
      residuals[i] = model(x[i], x2[i]) - y[i]
    }
    return true
  }

  /// Lets `gradient` write each row; what a Jacobian function answers.
  func write(
    _ jacobian: UnsafeMutablePointer<Double>,
    columns: Int,
    gradient: (Double, UnsafeMutablePointer<Double>) -> Void
  ) -> Bool {
    for i in 0..<count {
      gradient(x[i], jacobian + i * columns)
    }
    return true
  }

  /// Lets `gradient` write each row for two predictors; what a Jacobian function answers.
  func write(
    _ jacobian: UnsafeMutablePointer<Double>,
    columns: Int,
    gradient: (Double, Double, UnsafeMutablePointer<Double>) -> Void
  ) -> Bool {
    for i in 0..<count {
      gradient(x[i], x2[i], jacobian + i * columns)
    }
    return true
  }
}

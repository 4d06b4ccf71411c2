import GSL
import Testing

/// A problem with a certified solution.
struct CertifiedProblem: Sendable, CustomTestStringConvertible {
  let name: String
  let x: [Double]
  let y: [Double]
  let starts: [[Double]]
  let parameters: [Double]
  let standardErrors: [Double]
  let rss: Double
  let residuals: LeastSquaresProblem.Residuals
  let jacobian: LeastSquaresProblem.Jacobian

  var testDescription: String { name }

  var curve: Curve {
    Curve(
      x: x, y: y, parameterCount: parameters.count, residuals: residuals, jacobian: jacobian)
  }

  func solver(_ options: LeastSquaresOptions = .init()) throws -> LeastSquaresSolver {
    try LeastSquaresSolver(
      residualCount: x.count, parameterCount: parameters.count, options: options)
  }
}

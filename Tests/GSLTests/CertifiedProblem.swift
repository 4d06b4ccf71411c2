import GSL
import Testing

@testable import Certification

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

  /// A problem of one predictor, by NIST's name.
  init(
    _ name: String, residuals: LeastSquaresProblem.Residuals, jacobian: LeastSquaresProblem.Jacobian
  ) {
    guard let problem = NISTProblem.all.first(where: { $0.name == name }) else {
      preconditionFailure("NIST has no problem \(name)")
    }
    self.name = name
    x = problem.predictors[0]
    y = problem.responses
    starts = problem.starts
    parameters = problem.parameters
    standardErrors = problem.standardDeviations
    rss = problem.rss
    self.residuals = residuals
    self.jacobian = jacobian
  }

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

extension LeastSquaresFit {
  /// The p standard errors where residuals have one unknown standard deviation.
  var standardErrors: [Double]? {
    let p = parameters.count
    return covariance.map { covariance in
      (0..<p).map { (covariance[$0 * p + $0] * rss / Double(degreesOfFreedom)).squareRoot() }
    }
  }
}

package import Estimation
import RealModule

/// Accuracy of the solution of a NIST problem from one of its starts.
///
/// Digits are log relative errors, −log₁₀(|x − c|/|c|) for a value x and its certified value c, from
/// 0 up to the 11 digits that are certified.
package struct NISTScore: Codable, Hashable, Sendable {
  package enum Status: String, CaseIterable, Hashable, Sendable {
    /// It converged, and every parameter has at least 4 digits.
    case ok
    /// It claims to have converged, but some parameter has fewer than 4 digits.
    case wrong
    /// It does not claim to have converged.
    case notConverged = "not_converged"
  }

  /// The most digits of a value, because certified ones have 11.
  static let mostDigits = 11.0

  /// The number of digits of every parameter that count as solved, following Mondragon and Borchers
  /// (2005) and Ceres.
  package static let fewestDigits = 4.0

  package let problem: NISTProblem
  /// 1 or 2; the first is the farther one.
  package let start: Int
  let parameterDigits: [Double]
  /// The digits of the worst standard deviation of a parameter; 0 if there are none.
  package let standardDeviationDigits: Double
  package let rssDigits: Double
  /// The number of iterations, over all stages tried.
  package let iterations: Int
  /// The method of the stage that the solution comes from, such as `"double_dogleg"`; after a slash
  /// the scaling, where it is not the default one.
  package let method: String
  package let exit: DescentExit

  package init(_ minimum: Minimum, of problem: NISTProblem, start: Int) {
    self.problem = problem
    self.start = start
    method = minimum.method
    parameterDigits = zip(minimum.coordinates, problem.parameters).map(Self.digits)
    let count = problem.parameters.count
    let variance = minimum.objective / Double(problem.degreesOfFreedom)
    let deviations = (minimum.covariance ?? []).enumerated()
      .filter { $0.offset % (count + 1) == 0 }.map { ($0.element * variance).squareRoot() }
    standardDeviationDigits =
      zip(deviations, problem.standardDeviations).map(Self.digits).min() ?? 0
    rssDigits = Self.digits(minimum.objective, problem.rss)
    iterations = minimum.iterations
    exit = minimum.exit
  }

  /// The digits of the worst parameter.
  package var digits: Double { parameterDigits.min() ?? 0 }

  package var status: Status {
    guard exit.isConverged else { return .notConverged }
    return digits >= Self.fewestDigits ? .ok : .wrong
  }

  /// The log relative error of a value, from 0 to 11.
  static func digits(_ value: Double, _ certified: Double) -> Double {
    let error = abs(value - certified) / abs(certified)
    guard !error.isNaN else { return 0 }
    return max(0, min(mostDigits, -.log10(error)))
  }
}

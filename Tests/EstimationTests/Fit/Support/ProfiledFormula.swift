import GSL

@testable import Estimation

/// Least squares of a formula, for profiles that others have computed.
final class ProfiledFormula: ProfiledObjective, SumOfSquares {
  /// Values of a curve and its derivatives by the parameters.
  typealias Curve =
    @Sendable (_ dose: Double, _ x: Double, _ parameters: [Double]) -> (
      value: Double, derivatives: [Double]
    )

  private let curve: Curve
  private let dose: Double
  private let x: [Double]
  private let y: [Double]
  private let criterion: ProfileCriterion
  private let engine = LeastSquaresEngine(.gsl)

  private(set) var center: [Double]
  /// The least sum of squares.
  private(set) var rss = Double.nan
  /// Standard errors of the parameters.
  private(set) var standardErrors: [Double] = []

  /// Fits the formula.
  init(
    _ curve: @escaping Curve, dose: Double, x: [Double], y: [Double], start: [Double],
    level: Double = 0.95
  ) throws {
    self.curve = curve
    self.dose = dose
    self.x = x
    self.y = y
    let degreesOfFreedom = Double(x.count - start.count)
    let quantile = try StudentT(degreesOfFreedom: degreesOfFreedom).quantile((1 + level) / 2)
    criterion = ProfileCriterion(degreesOfFreedom: degreesOfFreedom, quantile: quantile)
    center = start
    let minimum = try engine.finish(
      engine.minimum(of: self, from: start, startKind: .initial), of: self)
    center = minimum.coordinates
    rss = minimum.objective
    let covariance = minimum.covariance ?? []
    standardErrors = stride(from: 0, to: covariance.count, by: start.count + 1).map {
      (covariance[$0] * rss / degreesOfFreedom).squareRoot()
    }
  }

  var minimumValue: Double { criterion.value(of: rss) ?? .nan }

  var threshold: Double { criterion.threshold }

  func range(of index: Int) -> ClosedRange<Double> { -.infinity ... .infinity }

  func isLimitedByBound(_ point: ProfilePoint, holding index: Int) -> Bool { false }

  func follow(
    _ requests: inout [DescentRequest], _ startKind: StartKind,
    receive: (Int, ProfilePoint, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    try engine.descend(on: self, &requests, .warm) { place, end, requests throws(SeriesFailure) in
      let value = criterion.value(of: end.objective) ?? .nan
      try receive(place, ProfilePoint(coordinates: end.coordinates, value: value), &requests)
    }
  }

  var residualCount: Int { x.count }
  var lowest: [Double] { center.map { _ in -.infinity } }
  var highest: [Double] { center.map { _ in .infinity } }
  var roundingError: Double { 0 }

  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let parameters = parameters(at: coordinates)
    for index in x.indices {
      residuals[index] = curve(dose, x[index], parameters).value - y[index]
    }
    return true
  }

  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let parameters = parameters(at: coordinates)
    for index in x.indices {
      let derivatives = curve(dose, x[index], parameters).derivatives
      for (column, derivative) in derivatives.enumerated() {
        jacobian[index * derivatives.count + column] = derivative
      }
    }
    return true
  }

  private func parameters(at coordinates: UnsafePointer<Double>) -> [Double] {
    Array(UnsafeBufferPointer(start: coordinates, count: center.count))
  }
}

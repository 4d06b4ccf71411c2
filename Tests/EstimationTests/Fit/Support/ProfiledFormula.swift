import GSL

@testable import Estimation

/// Least squares of a formula, for profiles that others have computed.
final class ProfiledFormula: ProfiledObjective {
  /// Values of a curve and its derivatives by the parameters.
  typealias Curve =
    @Sendable (_ dose: Double, _ x: Double, _ parameters: [Double]) -> (
      value: Double, derivatives: [Double]
    )

  /// A coordinate that is held.
  private struct Held {
    let index: Int
    let coordinate: Double
  }

  private let curve: Curve
  private let dose: Double
  private let x: [Double]
  private let y: [Double]
  private let criterion: ProfileCriterion
  private var held: Held?

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
    let fit = try solve(from: start, finish: true)
    center = fit.parameters
    rss = fit.rss
    standardErrors = fit.standardErrors ?? []
  }

  var bottom: Double { criterion.value(of: rss) ?? .nan }

  var threshold: Double { criterion.threshold }

  func range(of index: Int) -> ClosedRange<Double> { -.infinity ... .infinity }

  func isCutShort(_ point: ProfilePoint, holding index: Int) -> Bool { false }

  func minimum(
    holding index: Int, at coordinate: Double, from others: [Double]
  ) throws(SeriesFailure) -> ProfilePoint {
    held = Held(index: index, coordinate: coordinate)
    defer { held = nil }
    do {
      let fit = try solve(from: others, finish: false)
      return ProfilePoint(
        coordinate: coordinate, others: fit.parameters,
        value: criterion.value(of: fit.rss) ?? .nan)
    } catch {
      throw .solver(error)
    }
  }

  private func solve(from start: [Double], finish: Bool) throws(GSLError) -> LeastSquaresFit {
    let ladder = try LeastSquaresLadder(residualCount: x.count, parameterCount: start.count)
    return try ladder.solve(
      LeastSquaresProblem(
        residualCount: x.count, parameterCount: start.count,
        context: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
        residuals: { coordinates, context, residuals in
          Unmanaged<ProfiledFormula>.fromOpaque(context).takeUnretainedValue()
            .write(residuals: residuals, at: coordinates)
        },
        jacobian: { coordinates, context, jacobian in
          Unmanaged<ProfiledFormula>.fromOpaque(context).takeUnretainedValue()
            .write(jacobian: jacobian, at: coordinates)
        }), from: start, finish: finish)
  }

  private func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let parameters = parameters(at: coordinates)
    for index in x.indices {
      residuals[index] = curve(dose, x[index], parameters).value - y[index]
    }
    return true
  }

  private func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let parameters = parameters(at: coordinates)
    let free = parameters.indices.filter { $0 != held?.index }
    for index in x.indices {
      let derivatives = curve(dose, x[index], parameters).derivatives
      for (column, parameter) in free.enumerated() {
        jacobian[index * free.count + column] = derivatives[parameter]
      }
    }
    return true
  }

  /// All parameters, the held one among them.
  private func parameters(at coordinates: UnsafePointer<Double>) -> [Double] {
    let count = center.count - (held == nil ? 0 : 1)
    var parameters = Array(UnsafeBufferPointer(start: coordinates, count: count))
    if let held { parameters.insert(held.coordinate, at: held.index) }
    return parameters
  }
}

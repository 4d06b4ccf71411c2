import AlcoholKinetics
import GSL

/// The covariance of the coordinates at a solution.
///
/// Parameters at a bound are held there: the objective has no minimum in them, and a covariance says
/// nothing.
struct CoordinateCovariance {
  /// The parameters that are not at a bound.
  let parameters: [FitParameter]
  /// What the Jacobian by these says; nil if it cannot be evaluated.
  let analysis: JacobianAnalysis?
  /// The elements h(i, i - 1) of the hat matrix, 0 for the first reading; nil without a covariance.
  let neighbourLeverages: [Double]?
  /// Standard errors of the coordinates of all free parameters, where they exist.
  let standardErrors: [Double?]
  /// Of the robust ones among them.
  private let degreesOfFreedom: [Double?]

  init(_ problem: SeriesProblem, _ solution: Solution, _ kind: StandardErrors = .model) {
    let layout = problem.layout
    let atBound = solution.minimum.atBound
    let values = layout.values(at: solution.minimum.coordinates)
    let reduced = layout.holding(
      Dictionary(uniqueKeysWithValues: atBound.map { ($0, values[known: $0]) }))
    let moved = layout.free.indices.filter { !atBound.contains(layout.free[$0]) }
    parameters = reduced.free
    problem.objective.layout = reduced
    defer { problem.objective.layout = layout }
    let coordinates = moved.map { solution.minimum.coordinates[$0] }
    let jacobian = problem.objective.jacobian(at: coordinates, slope: .information)
    analysis = jacobian.flatMap { try? JacobianAnalysis(of: $0, columns: reduced.count) }
    neighbourLeverages = analysis?.covariance.flatMap { covariance in
      jacobian.map { Self.neighbours($0, covariance, columns: reduced.count) }
    }
    var errors = [Double?](repeating: nil, count: layout.count)
    var degrees = errors
    if kind == .robust {
      if let covariance = analysis?.covariance, let jacobian,
        let residuals = problem.objective.informationResiduals(at: coordinates)
      {
        let robust = RobustStandardError.all(
          jacobian: jacobian, residuals: residuals, covariance: covariance,
          columns: reduced.count)
        for (error, index) in zip(robust, moved) {
          errors[index] = error?.value
          degrees[index] = error?.degreesOfFreedom
        }
      }
    } else if let covariance = analysis?.covariance,
      let variance = ResidualVariance(problem, solution)
    {
      for (position, index) in moved.enumerated() {
        let square = covariance[position * (reduced.count + 1)] * variance.forCovariance
        errors[index] = square.squareRoot()
      }
    }
    standardErrors = errors
    degreesOfFreedom = degrees
  }

  private static func neighbours(
    _ jacobian: [Double], _ covariance: [Double], columns: Int
  ) -> [Double] {
    (0..<jacobian.count / columns).map { row in
      guard row > 0 else { return 0 }
      return covariance.indices.reduce(0) { sum, index in
        let (i, j) = index.quotientAndRemainder(dividingBy: columns)
        return sum + jacobian[row * columns + i] * covariance[index]
          * jacobian[(row - 1) * columns + j]
      }
    }
  }

  /// Intervals of the coordinates of all free parameters from their standard errors.
  func waldIntervals(
    _ problem: SeriesProblem, _ solution: Solution, level: Double
  ) -> [ParameterInterval] {
    let quantile = ConfidenceQuantile(problem, solution, level: level)
    return standardErrors.indices.map { index in
      let own = degreesOfFreedom[index].flatMap {
        ConfidenceQuantile(degreesOfFreedom: $0, level: level)
      }
      guard let quantile = own ?? quantile, let error = standardErrors[index] else {
        // Without a covariance, or at a bound, the data do not determine the parameter.
        return ParameterInterval(low: nil, high: nil, isIdentifiable: quantile == nil ? nil : false)
      }
      let center = solution.minimum.coordinates[index]
      return ParameterInterval(
        low: center - quantile.value * error, high: center + quantile.value * error,
        isIdentifiable: nil)
    }
  }
}

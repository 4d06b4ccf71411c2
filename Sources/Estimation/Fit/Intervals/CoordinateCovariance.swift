import AlcoholKinetics
import GSL

/// The covariance of the coordinates at a solution.
///
/// Parameters at a bound are held there: the objective has no minimum in them, so a covariance would be meaningless.
struct CoordinateCovariance {
  /// The parameters that are not at a bound.
  let parameters: [FitParameter]
  /// The analysis of the Jacobian by these parameters; nil if it cannot be evaluated.
  let analysis: JacobianAnalysis?
  /// The elements h(i, i - 1) of the hat matrix, 0 for the first reading; nil without a covariance.
  let neighbourLeverages: [Double]?
  /// Standard errors of the coordinates of all free parameters, where they exist.
  let standardErrors: [Double?]
  /// The covariance of the coordinates of ``parameters``, row-major, from the correlation by the error model and
  /// ``standardErrors``; nil unless all exist.
  let values: [Double]?
  /// The indices of ``parameters`` among all free ones.
  let moved: [Int]
  /// The degrees of freedom of robust standard errors, one for each free parameter; nil for the others.
  private let degreesOfFreedom: [Double?]

  init(_ problem: FitProblem, _ solution: borrowing Solution, _ kind: StandardErrors = .model) {
    let layout = problem.layout
    let coordinates = solution.minimum.coordinates
    let atBound = solution.minimum.atBound
    moved = layout.free.indices.filter { !atBound.contains($0) }
    let columns = moved.count
    parameters = moved.map { layout.free[$0] }
    let jacobian = solution.objective.information(at: coordinates, by: moved)
    analysis = jacobian.flatMap { try? JacobianAnalysis(of: $0, columns: columns) }
    neighbourLeverages = analysis?.neighbourLeverages
    var errors = [Double?](repeating: nil, count: layout.count)
    var degrees = errors
    if kind == .robust {
      if let covariance = analysis?.covariance, let jacobian,
        let residuals = solution.objective.informationResiduals(at: coordinates)
      {
        let robust = RobustStandardError.all(
          jacobian: jacobian, residuals: residuals, covariance: covariance,
          columns: columns)
        for (error, index) in zip(robust, moved) {
          errors[index] = error?.value
          degrees[index] = error?.degreesOfFreedom
        }
      }
    } else if let covariance = analysis?.covariance,
      let variance = ResidualVariance(problem, solution)
    {
      for (position, index) in moved.enumerated() {
        let square = covariance[position * (columns + 1)] * variance.forCovariance
        errors[index] = square.squareRoot()
      }
    }
    standardErrors = errors
    degreesOfFreedom = degrees
    let isKnown = moved.allSatisfy { errors[$0]?.isFinite ?? false }
    values = analysis?.correlation.flatMap { [moved] correlation in
      isKnown
        ? correlation.indices.map {
          correlation[$0] * (errors[moved[$0 / columns]] ?? .nan)
            * (errors[moved[$0 % columns]] ?? .nan)
        } : nil
    }
  }

  /// Returns the derivatives of all coordinates along the profile of one, at the solution; nil without a covariance.
  func tangent(of index: Int) -> Coordinates? {
    guard let covariance = analysis?.covariance, let position = moved.firstIndex(of: index) else {
      return nil
    }
    var tangent = Coordinates.zero
    let row = position * moved.count
    let variance = covariance[position * (moved.count + 1)]
    for (column, other) in moved.enumerated() {
      tangent[other] = covariance[row + column] / variance
    }
    return moved.allSatisfy { tangent[$0].isFinite } ? tangent : nil
  }

  /// Returns Wald intervals of the coordinates of all free parameters.
  func waldIntervals(
    _ problem: FitProblem, _ solution: Solution, level: Double
  ) -> [ParameterInterval] {
    let quantile = ConfidenceQuantile(problem, solution, level: level)
    return standardErrors.indices.map { index in
      let robust = degreesOfFreedom[index].flatMap {
        ConfidenceQuantile(degreesOfFreedom: $0, level: level)
      }
      guard let quantile = robust ?? quantile, let error = standardErrors[index] else {
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

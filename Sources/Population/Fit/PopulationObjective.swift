import AlcoholKinetics
import Estimation
import RealModule

/// The OFV of a population model (-2 ln L without n ln 2 pi) as a function of a vector of ``Coordinates``.
struct PopulationObjective {
  let data: PopulationData
  let model: PopulationModel
  let options: PopulationFit.Options
  /// The values of parameters that are not estimated.
  let others: PopulationValues

  private var coordinates: Coordinates { data.coordinates }

  /// The OFV with its derivatives.
  struct Slope {
    var value: Double
    var gradient: [Double]
    /// The score of each unit; empty if the gradient is by differences.
    var units: [[Double]]
    /// The posterior mode of each unit; nil by FO.
    var modes: [[Double]?]
  }

  /// The contribution of each unit; its mode is sought near the given ones. Units whose curve cannot be followed are
  /// missing.
  func contributions(_ prepared: PreparedPopulation, near: [[Double]?] = []) -> [Contribution] {
    data.mapUnits { unit in
      unit.contribution(
        options.method, prepared, near: near.isEmpty ? nil : near[unit.index], nodes: options.nodes)
    }.compactMap(\.self)
  }

  private func prepared(at vector: [Double]) -> PreparedPopulation? {
    coordinates.prepared(coordinates.values(vector, from: others), data.all, isNested: true)
  }

  private func evaluated(
    at vector: [Double], near: [[Double]?]
  ) -> (value: Double, modes: [[Double]?]) {
    guard let prepared = prepared(at: vector) else { return (.infinity, []) }
    let all = contributions(prepared, near: near)
    guard all.count == data.units.count else { return (.infinity, []) }
    return (all.reduce(0) { $0 + $1.value }, all.map { $0.mode?.effects })
  }

  func value(at vector: [Double], near: [[Double]?] = []) -> Double {
    evaluated(at: vector, near: near).value
  }

  /// The OFV and its gradient: analytic for FOCEI, by central differences for the other methods. Nil if some curve cannot
  /// be followed.
  func gradient(at vector: [Double], near: [[Double]?] = []) -> Slope? {
    guard options.method == .focei else {
      let (value, modes) = evaluated(at: vector, near: near)
      guard value.isFinite else { return nil }
      let gradient = vector.indices.map { index in
        var above = vector
        var below = vector
        above[index] += Self.difference
        below[index] -= Self.difference
        return (self.value(at: above, near: modes) - self.value(at: below, near: modes))
          / (2 * Self.difference)
      }
      return Slope(value: value, gradient: gradient, units: [], modes: modes)
    }
    guard let prepared = prepared(at: vector) else { return nil }
    let values = coordinates.values(vector, from: others)
    let all = data.mapUnits { unit in
      unit.contributionWithGradient(
        prepared, data.coordinates, near: near.isEmpty ? nil : near[unit.index])
    }.compactMap(\.self)
    guard all.count == data.units.count else { return nil }
    let each = all.map { coordinates.gradient($0, values) }
    return Slope(
      value: all.reduce(0) { $0 + $1.value },
      gradient: coordinates.held(
        vector.indices.map { index in each.reduce(0) { $0 + $1[index] } }, at: vector),
      units: each, modes: all.map { $0.mode?.effects })
  }

  private static let difference = 1e-4

  /// The Hessian, by central differences of the gradient; nil if some curve cannot be followed.
  func curvature(at vector: [Double], near: [[Double]?]) -> Dense? {
    var curvature = Dense(vector.count, vector.count)
    let step = 1e-3
    for index in vector.indices {
      var above = vector
      var below = vector
      above[index] += step
      below[index] -= step
      guard let high = gradient(at: above, near: near), let low = gradient(at: below, near: near)
      else { return nil }
      for other in vector.indices {
        let second = (high.gradient[other] - low.gradient[other]) / (2 * step)
        curvature[index, other] += 0.5 * second
        curvature[other, index] += 0.5 * second
      }
    }
    return curvature
  }

  // MARK: Uncertainty

  /// Computes standard errors at a minimum: from the Hessian, and from the sandwich with the scores of subjects or studies
  /// (White 1982). Also returns the expected decrease by a Newton step, and the covariance of the vector by the Hessian. All
  /// are nil if the Hessian is not positive definite.
  func uncertainty(
    at values: PopulationValues, near: [[Double]?]
  ) -> (
    hessian: PopulationFit.Uncertainty?, sandwich: PopulationFit.Uncertainty?,
    expectedDecrease: Double?, covariance: Dense?
  ) {
    let vector = coordinates.vector(values)
    // A standard deviation at its lower limit counts as known.
    let free = vector.indices.filter { !coordinates.isSmallest($0, vector) }
    guard let curvature = curvature(at: vector, near: near)?.submatrix(free),
      let part = (0.5 * curvature).inverted?.inverse
    else { return (nil, nil, nil, nil) }
    let inverse = Dense(vector.count, with: part, at: free)
    let hessian = coordinates.uncertainty(inverse, values)
    guard let slope = gradient(at: vector, near: near) else {
      return (hessian, nil, nil, inverse)
    }
    let decrease = 0.5 * dot(slope.gradient, inverse * slope.gradient)
    guard slope.units.count > vector.count else { return (hessian, nil, decrease, inverse) }
    let middle = 0.25 * Dense(sumOfSquares: slope.units)
    return (
      hessian, coordinates.uncertainty(inverse * (middle * inverse), values), decrease, inverse
    )
  }
}

extension Coordinates {
  /// The contribution of a unit to the gradient by the vector.
  func gradient(_ contribution: Contribution, _ values: PopulationValues) -> [Double] {
    typical.map { contribution.typical[$0] * slope(values, $0) } + contribution.coefficients
      + PopulationLevel.ofVectors.flatMap { level in
        let size = factors[level].size
        return factors[level].gradient(
          contribution.spreads[level] ?? Dense(size, size), at: values[level])
      } + contribution.residual
  }

  /// Whether a coordinate is the logarithm of a standard deviation at its lower limit.
  func isSmallest(_ index: Int, _ vector: [Double]) -> Bool {
    vector[index] <= .log(CovarianceFactor.smallestSpread) && spread(at: index) != nil
  }

  /// The level and the row of the standard deviation whose logarithm is a coordinate; nil for other coordinates.
  func spread(at index: Int) -> (level: PopulationLevel, row: Int)? {
    var entry = index - typical.count - coefficientCount
    guard entry >= 0 else { return nil }
    for level in PopulationLevel.ofVectors {
      if entry < factors[level].count {
        return factors[level].diagonalRow(entry).map { (level, $0) }
      }
      entry -= factors[level].count
    }
    return nil
  }

  /// The gradient without components that would take a standard deviation below its lower limit.
  func held(_ gradient: [Double], at vector: [Double]) -> [Double] {
    gradient.indices.map { isSmallest($0, vector) ? Swift.min(0, gradient[$0]) : gradient[$0] }
  }

  /// Standard errors from the covariance of the vector; variances by the delta method.
  func uncertainty(_ covariance: Dense, _ values: PopulationValues) -> PopulationFit.Uncertainty {
    let errors = covariance.diagonal.map { Swift.max(0, $0).squareRoot() }
    var rest = errors[...]
    var logarithms = [Double?](repeating: nil, count: structure.count)
    for parameter in typical {
      logarithms[parameter] = rest.removeFirst() * slope(values, parameter)
    }
    let coefficients = (0..<coefficientCount).map { _ in rest.removeFirst() }
    var variances = PerLevel { _ in [Double]() }
    for level in PopulationLevel.ofVectors {
      variances[level] = factors[level].standardErrors(
        covariance, from: rest.startIndex, at: values[level])
      rest = rest.dropFirst(factors[level].count)
    }
    var sd: Double?
    var cv: Double?
    for parameter in residual {
      let error = rest.removeFirst()
      if parameter == .sd { sd = error } else { cv = error }
    }
    let free = errors.indices.filter { errors[$0] > 0 }
    var correlation = covariance.submatrix(free)
    for (i, row) in free.enumerated() {
      for (j, column) in free.enumerated() { correlation[i, j] /= errors[row] * errors[column] }
    }
    let eigenvalues = correlation.eigenvalues
    return PopulationFit.Uncertainty(
      typical: logarithms, coefficients: coefficients, between: variances.person,
      within: variances.occasion, studies: variances.study, residual: [sd, cv],
      conditionNumber: (eigenvalues.last ?? 1) / (eigenvalues.first ?? 1))
  }
}

/// The covariance matrix of the estimates, with a name for each row.
///
/// `typical.ka` is the logarithm of a typical value, `covariates.beta,sex` a coefficient, `between.ka` the logarithm of a
/// between-subject standard deviation (so `within.` and `studies.`), and `residual.sd` that of the residual error. Of a
/// full Omega, `between.ka,beta` are the entries of its Cholesky factor, on the diagonal their logarithms. So every draw is
/// a valid population: no variance falls below zero.
public struct PopulationEstimates: Hashable, Sendable {
  /// The names of the estimates; a variance estimated as zero has none.
  public let names: [String]
  private let matrix: Dense
  /// The Cholesky factor of the matrix.
  private let factor: Dense

  /// Returns nil if the matrix is empty or not positive definite.
  init?(_ names: [String], _ matrix: Dense) {
    guard !names.isEmpty, let factor = matrix.cholesky else { return nil }
    self.names = names
    self.matrix = matrix
    self.factor = factor
  }

  /// The covariance of two estimates, by their indices.
  public func covariance(_ row: Int, _ column: Int) -> Double { matrix[row, column] }

  /// The correlation of two estimates, by their indices.
  public func correlation(_ row: Int, _ column: Int) -> Double {
    matrix[row, column] / (matrix[row, row] * matrix[column, column]).squareRoot()
  }

  /// Draws correlated deviations from the estimates, by their names. Those of typical values and coefficients are
  /// multiplied by `widening`, since standard errors from few subjects are too small.
  func draw(_ stream: inout RandomStream, widening: Double) -> [String: Double] {
    let deviations = factor * names.map { _ in stream.normal() }
    return Dictionary(
      zip(names, deviations).map { name, deviation in
        let isMean = name.hasPrefix("typical.") || name.hasPrefix("covariates.")
        return (name, isMean ? widening * deviation : deviation)
      }
    ) { first, _ in first }
  }
}

extension Coordinates {
  /// The names of the coordinates, as in ``PopulationEstimates``.
  func names(_ model: PopulationModel) -> [String] {
    typical.map { "typical.\(structure.parameters[$0].rawValue)" }
      + model.covariates.map { "covariates.\($0.parameter.rawValue),\($0.name)" }
      + PopulationLevel.ofVectors.flatMap { level in
        factors[level].names(model[level]).map { "\(level.part).\($0)" }
      } + residual.map { "residual.\($0.rawValue)" }
  }

  /// The covariance of the estimates from that of the vector. A typical value with a range is converted to its logarithm.
  func named(
    _ covariance: Dense, _ values: PopulationValues, _ model: PopulationModel
  ) -> PopulationEstimates? {
    let free = covariance.diagonal.indices.filter { covariance[$0, $0] > 0 }
    let scales = covariance.diagonal.indices.map { index in
      index < typical.count ? slope(values, typical[index]) : 1
    }
    let scaled = Dense(diagonal: scales) * (covariance * Dense(diagonal: scales))
    let names = names(model)
    return PopulationEstimates(free.map { names[$0] }, scaled.submatrix(free))
  }
}

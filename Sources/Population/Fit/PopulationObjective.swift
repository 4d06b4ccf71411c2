import AlcoholKinetics
import Estimation
import RealModule

/// -2 ln L of a population model, without n ln 2 pi, as a function of a vector.
struct PopulationObjective {
  let data: PopulationData
  let model: PopulationModel
  let options: PopulationFit.Options
  /// What is not estimated stays as it is here.
  let others: PopulationValues

  private var coordinates: Coordinates { data.coordinates }

  /// The value with its derivatives.
  struct Slope {
    var value: Double
    var gradient: [Double]
    /// Of what each unit contributes; none where the gradient is one of differences.
    var units: [[Double]]
    /// Where the modes are; none by FO.
    var modes: [[Double]?]
  }

  /// The contribution of each unit, whose mode is looked for near those given; fewer where a curve cannot be followed.
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

  /// The value and the gradient; of FOCE with interaction the derivatives of its formula, of the others
  /// central differences. Nil where somebody's curve cannot be followed.
  func gradient(at vector: [Double], near: [[Double]?] = []) -> Slope? {
    guard options.method == .focei else {
      let (value, modes) = evaluated(at: vector, near: near)
      guard value.isFinite else { return nil }
      let gradient = vector.indices.map { index in
        var (above, below) = (vector, vector)
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

  /// The second derivatives, by differences of the gradient; nil where somebody's curve cannot be followed.
  func curvature(at vector: [Double], near: [[Double]?]) -> Dense? {
    var curvature = Dense(vector.count, vector.count)
    let step = 1e-3
    for index in vector.indices {
      var (above, below) = (vector, vector)
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

  /// Standard errors from the curvature of the objective at its minimum, and from the sandwich with the
  /// gradients of subjects or studies (White 1982); nil where the curvature is that of no minimum. By how much a step of
  /// Newton's method would still lower the objective. The covariance of the vector, from the curvature.
  func uncertainty(
    at values: PopulationValues, near: [[Double]?]
  ) -> (
    hessian: PopulationFit.Uncertainty?, sandwich: PopulationFit.Uncertainty?,
    expectedDecrease: Double?, covariance: Dense?
  ) {
    let vector = coordinates.vector(values)
    // A spread that is the smallest there can be is as good as known.
    let free = vector.indices.filter { !coordinates.isSmallest($0, vector) }
    guard let curvature = curvature(at: vector, near: near)?.part(free),
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
  /// What a unit adds to the gradient by the vector.
  func gradient(_ contribution: Contribution, _ values: PopulationValues) -> [Double] {
    typical.map { contribution.typical[$0] * slope(values, $0) } + contribution.coefficients
      + PopulationLevel.ofVectors.flatMap { level in
        let size = factors[level].size
        return factors[level].gradient(
          contribution.spreads[level] ?? Dense(size, size), at: values[level])
      } + contribution.residual
  }

  /// Whether a number is the logarithm of a spread, and that the smallest there can be.
  func isSmallest(_ place: Int, _ vector: [Double]) -> Bool {
    vector[place] <= .log(CovarianceFactor.smallestSpread) && spread(at: place) != nil
  }

  /// The spread whose logarithm stands at a place: its level, and its place among the parameters that differ there.
  func spread(at place: Int) -> (level: PopulationLevel, row: Int)? {
    var entry = place - typical.count - coefficientCount
    guard entry >= 0 else { return nil }
    for level in PopulationLevel.ofVectors {
      if entry < factors[level].count {
        return factors[level].diagonalRow(entry).map { (level, $0) }
      }
      entry -= factors[level].count
    }
    return nil
  }

  /// A gradient without what would make a spread smaller that is the smallest already.
  func held(_ gradient: [Double], at vector: [Double]) -> [Double] {
    gradient.indices.map { isSmallest($0, vector) ? Swift.min(0, gradient[$0]) : gradient[$0] }
  }

  /// Standard errors from the covariance of the vector; variances by the delta method.
  func uncertainty(_ covariance: Dense, _ values: PopulationValues) -> PopulationFit.Uncertainty {
    let errors = covariance.diagonal.map { Swift.max(0, $0).squareRoot() }
    var rest = errors[...]
    var logarithms = [Double?](repeating: nil, count: structure.count)
    for place in typical { logarithms[place] = rest.removeFirst() * slope(values, place) }
    let coefficients = (0..<coefficientCount).map { _ in rest.removeFirst() }
    var variances = PerLevel { _ in [Double]() }
    for level in PopulationLevel.ofVectors {
      variances[level] = factors[level].standardErrors(
        covariance, from: rest.startIndex, at: values[level])
      rest = rest.dropFirst(factors[level].count)
    }
    var (sd, cv): (Double?, Double?) = (nil, nil)
    for parameter in residual {
      let error = rest.removeFirst()
      if parameter == .sd { sd = error } else { cv = error }
    }
    let known = errors.indices.filter { errors[$0] > 0 }
    var correlation = covariance.part(known)
    for (i, row) in known.enumerated() {
      for (j, column) in known.enumerated() { correlation[i, j] /= errors[row] * errors[column] }
    }
    let eigenvalues = correlation.eigenvalues
    return PopulationFit.Uncertainty(
      typical: logarithms, coefficients: coefficients, between: variances.person,
      within: variances.occasion, studies: variances.study, residual: [sd, cv],
      conditionNumber: (eigenvalues.last ?? 1) / (eigenvalues.first ?? 1))
  }
}

/// The covariance of what a fit estimated, each number under a name.
///
/// `typical.ka` is the logarithm of a typical value, `covariates.beta,sex` a coefficient, `between.ka` the logarithm of a
/// standard deviation between people (so `within.` and `studies.`), and `residual.sd` that of the error of readings. Of a
/// full covariance between people, `between.ka,beta` are the entries of its lower triangular factor, on the diagonal their
/// logarithms. So every draw is a population: no variance falls below zero.
public struct PopulationEstimates: Hashable, Sendable {
  /// What was estimated; a variance that fell to zero is not among it.
  public let names: [String]
  private let matrix: Dense
  /// Its lower triangular factor.
  private let factor: Dense

  /// Nil if it is no covariance.
  init?(_ names: [String], _ matrix: Dense) {
    guard !names.isEmpty, let factor = matrix.cholesky else { return nil }
    (self.names, self.matrix, self.factor) = (names, matrix, factor)
  }

  /// The covariance of two of them, by their places.
  public func covariance(_ one: Int, _ other: Int) -> Double { matrix[one, other] }

  /// The correlation of two of them, by their places.
  public func correlation(_ one: Int, _ other: Int) -> Double {
    matrix[one, other] / (matrix[one, one] * matrix[other, other]).squareRoot()
  }

  /// Draws deviations, as correlated as the estimates are; those of typical values and coefficients are widened, since
  /// standard errors of few people are too small.
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
  /// The names of the numbers of a vector, as ``PopulationEstimates`` has them.
  func names(_ model: PopulationModel) -> [String] {
    typical.map { "typical.\(structure.parameters[$0].rawValue)" }
      + model.covariates.map { "covariates.\($0.parameter.rawValue),\($0.name)" }
      + PopulationLevel.ofVectors.flatMap { level in
        factors[level].names(model[level]).map { "\(level.part).\($0)" }
      } + residual.map { "residual.\($0.rawValue)" }
  }

  /// The covariance of estimates from that of the vector; of a typical value within a range that of its logarithm.
  func named(
    _ covariance: Dense, _ values: PopulationValues, _ model: PopulationModel
  ) -> PopulationEstimates? {
    let free = covariance.diagonal.indices.filter { covariance[$0, $0] > 0 }
    let scales = covariance.diagonal.indices.map { place in
      place < typical.count ? slope(values, typical[place]) : 1
    }
    let scaled = Dense(diagonal: scales) * (covariance * Dense(diagonal: scales))
    let names = names(model)
    return PopulationEstimates(free.map { names[$0] }, scaled.part(free))
  }
}

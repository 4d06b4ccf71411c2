import AlcoholKinetics
import Estimation
import RealModule

/// -2 ln L of a population model, without n ln 2 pi, as a function of a vector.
struct PopulationObjective {
  let people: People
  let model: PopulationModel
  let options: PopulationFit.Options
  /// What is not estimated stays as it is here.
  let others: PopulationValues

  init(
    _ people: People, _ model: PopulationModel, _ options: PopulationFit.Options,
    _ others: PopulationValues
  ) {
    (self.people, self.model, self.options, self.others) = (people, model, options, others)
  }

  private var coordinates: Coordinates { people.coordinates }

  /// What everybody contributes; fewer than there are people where a curve cannot be followed.
  func contributions(_ setting: Setting) -> [Contribution] {
    people.map { person in
      person.contribution(options.method, setting, people.coordinates, nodes: options.nodes)
    }.compactMap(\.self)
  }

  func value(at vector: [Double]) -> Double {
    guard let setting = coordinates.setting(coordinates.values(vector, from: others), people.all)
    else { return .infinity }
    let all = contributions(setting)
    return all.count == people.all.count ? all.reduce(0) { $0 + $1.value } : .infinity
  }

  /// The value and the gradient; of FOCE with interaction the derivatives of its formula, of the others
  /// central differences. Nil where somebody's curve cannot be followed.
  func gradient(at vector: [Double]) -> (value: Double, gradient: [Double], people: [[Double]])? {
    guard options.method == .focei else {
      let value = value(at: vector)
      guard value.isFinite else { return nil }
      let gradient = vector.indices.map { index in
        var (above, below) = (vector, vector)
        above[index] += Self.difference
        below[index] -= Self.difference
        return (self.value(at: above) - self.value(at: below)) / (2 * Self.difference)
      }
      return (value, gradient, [])
    }
    let values = coordinates.values(vector, from: others)
    guard let setting = coordinates.setting(values, people.all) else { return nil }
    let all = people.map { $0.contributionWithGradient(setting, people.coordinates) }
      .compactMap(\.self)
    guard all.count == people.all.count else { return nil }
    let each = all.map { coordinates.gradient($0, values) }
    let sum = vector.indices.map { index in each.reduce(0) { $0 + $1[index] } }
    return (all.reduce(0) { $0 + $1.value }, sum, each)
  }

  private static let difference = 1e-4

  // MARK: Uncertainty

  /// Standard errors from the curvature of the objective at its minimum, and from the sandwich with the
  /// people's gradients (White 1982); nil where the curvature is that of no minimum.
  func uncertainty(
    at values: PopulationValues
  ) -> (hessian: PopulationFit.Uncertainty?, sandwich: PopulationFit.Uncertainty?) {
    let vector = coordinates.vector(values)
    var curvature = Dense(vector.count, vector.count)
    let step = 1e-3
    for index in vector.indices {
      var (above, below) = (vector, vector)
      above[index] += step
      below[index] -= step
      guard let high = gradient(at: above), let low = gradient(at: below) else { return (nil, nil) }
      for other in vector.indices {
        let second = (high.gradient[other] - low.gradient[other]) / (2 * step)
        curvature[index, other] += 0.25 * second
        curvature[other, index] += 0.25 * second
      }
    }
    guard let inverse = curvature.inverted?.inverse else { return (nil, nil) }
    let hessian = coordinates.uncertainty(inverse, values)
    guard let each = gradient(at: vector)?.people, each.count > vector.count else {
      return (hessian, nil)
    }
    var middle = Dense(vector.count, vector.count)
    for gradient in each {
      for i in vector.indices {
        for j in vector.indices { middle[i, j] += 0.25 * gradient[i] * gradient[j] }
      }
    }
    return (hessian, coordinates.uncertainty(inverse * (middle * inverse), values))
  }
}

extension Coordinates {
  /// What a person adds to the gradient by the vector.
  func gradient(_ contribution: Contribution, _ values: PopulationValues) -> [Double] {
    let size = random.between.count
    let lower = Dense(size, size, values.between).cholesky ?? Dense(size, size)
    let slope = contribution.between * lower
    return typical.map { contribution.typical[$0] } + contribution.coefficients
      + factor.map { row, column in
        2 * slope[row, column] * (row == column ? lower[row, row] : 1)
      }
      + zip(contribution.within, values.within).map { 2 * $0 * $1 } + contribution.residual
  }

  /// Standard errors from the covariance of the vector; variances by the delta method.
  func uncertainty(_ covariance: Dense, _ values: PopulationValues) -> PopulationFit.Uncertainty {
    let errors = covariance.diagonal.map { Swift.max(0, $0).squareRoot() }
    var rest = errors[...]
    var logarithms = [Double?](repeating: nil, count: structure.count)
    for place in typical { logarithms[place] = rest.removeFirst() }
    let coefficients = (0..<coefficientCount).map { _ in rest.removeFirst() }
    let size = random.between.count
    let lower = Dense(size, size, values.between).cholesky ?? Dense(size, size)
    let begin = typical.count + coefficientCount
    let between = (0..<size).map { row in
      var slope = [Double](repeating: 0, count: covariance.rows)
      for (place, entry) in factor.enumerated() where entry.row == row {
        let own = lower[row, entry.column]
        slope[begin + place] = 2 * own * (entry.column == row ? own : 1)
      }
      return Swift.max(0, dot(slope, covariance * slope)).squareRoot()
    }
    rest = rest.dropFirst(factor.count)
    let within = values.within.map { 2 * $0 * rest.removeFirst() }
    var (sd, cv): (Double?, Double?) = (nil, nil)
    for parameter in residual {
      let error = rest.removeFirst()
      if parameter == .sd { sd = error } else { cv = error }
    }
    var correlation = covariance
    for i in errors.indices {
      for j in errors.indices { correlation[i, j] /= errors[i] * errors[j] }
    }
    let eigenvalues = correlation.eigenvalues
    return PopulationFit.Uncertainty(
      typical: logarithms, coefficients: coefficients, between: between, within: within,
      residual: [sd, cv],
      conditionNumber: (eigenvalues.last ?? 1) / (eigenvalues.first ?? 1))
  }
}

/// Looks for the values with the largest likelihood.
///
/// From each start first steps of expectation and maximisation with normal posteriors, which arrive near the
/// maximum from far away, then a quasi-Newton method (Broyden, Fletcher, Goldfarb & Shanno; Nocedal & Wright
/// 2006, section 6.1).
struct PopulationSearch {
  private(set) var objective: PopulationObjective
  private(set) var values: PopulationValues
  private(set) var isConverged = false
  private(set) var iterations = 0
  /// The objective at which each start ended.
  private(set) var ends: [Double] = []

  private static let mostSteps = 300
  private static let expectationSteps = 25

  init(
    _ people: People, _ model: PopulationModel, _ options: PopulationFit.Options
  ) throws(PopulationFailure) {
    let coordinates = people.coordinates
    var first = Self.firstValues(model, coordinates, options)
    if case .instrument = model.error { (first.sd, first.cv) = people.statedError }
    values = first
    objective = PopulationObjective(people, model, options, first)
    var best = Double.infinity
    for start in 0..<Swift.max(1, options.starts) {
      guard !Task.isCancelled else { throw .cancelled }
      var begin = first
      if start > 0 {
        // Absorption and elimination slower or faster, alternately: a factor of 2, then 4.
        let factor = Double.log(2) * Double((start + 1) / 2)
        for (index, place) in coordinates.typical.enumerated() {
          begin.typical[place] += ((index + start) % 2 == 0 ? 1 : -1) * factor
        }
      }
      let near = Self.expectation(people, begin)
      guard let end = minimum(from: coordinates.vector(near)) else { continue }
      ends.append(end.value)
      if end.value < best - 1e-6 * Swift.max(1, abs(best)) || !best.isFinite {
        best = end.value
        values = coordinates.values(end.vector, from: first)
        (isConverged, iterations) = (end.isConverged, end.steps)
      }
    }
    guard best.isFinite else {
      throw .notEvaluated(
        "no start led to curves that can be followed for everybody; check doses, r and the units of times "
          + "and readings, or give typical values with --start")
    }
  }

  private static func firstValues(
    _ model: PopulationModel, _ coordinates: Coordinates, _ options: PopulationFit.Options
  ) -> PopulationValues {
    let parameters = coordinates.structure.parameters
    let size = coordinates.random.between.count
    var values = PopulationValues(
      typical: parameters.indices.map { place in
        coordinates.typical.contains(place)
          ? .log(options.start[parameters[place]] ?? parameters[place].firstValue) : 0
      },
      coefficients: model.covariates.map { _ in 0 },
      between: Dense(diagonal: [Double](repeating: 0.25, count: size)).numbers,
      within: model.occasional.map { _ in 0.04 })
    switch model.error {
    case .additive(let sd): values.sd = sd ?? 0.1
    case .proportional(let cv): values.cv = cv ?? 0.2
    case .combined(let given): (values.sd, values.cv) = (given?.sd ?? 0.05, given?.cv ?? 0.1)
    case .instrument: break
    }
    return values
  }

  /// Steps of expectation and maximisation: typical values move by the mean of the modes, Omega is their mean
  /// square with the variances of the posteriors, and errors are scaled to their mean square.
  private static func expectation(_ people: People, _ start: PopulationValues) -> PopulationValues {
    let coordinates = people.coordinates
    let (between, within) = (coordinates.random.between, coordinates.random.within)
    var values = start
    for _ in 0..<expectationSteps {
      guard let setting = coordinates.setting(values, people.all) else { break }
      let modes = people.map { $0.mode(setting) }
      var moments = Dense(between.count, between.count)
      var means = [Double](repeating: 0, count: between.count)
      var occasional = [Double](repeating: 0, count: within.count)
      var (squares, readings, occasions, found) = (0.0, 0.0, 0.0, 0.0)
      for (person, mode) in zip(people.all, modes) {
        guard let mode, let covariance = mode.information.inverted?.inverse else { continue }
        found += 1
        for i in between.indices {
          means[i] += mode.effects[i]
          for j in between.indices {
            moments[i, j] += mode.effects[i] * mode.effects[j] + covariance[i, j]
          }
        }
        for occasion in person.occasions.indices {
          occasions += 1
          for place in within.indices {
            let effect = between.count + occasion * within.count + place
            occasional[place] +=
              mode.effects[effect] * mode.effects[effect] + covariance[effect, effect]
          }
        }
        squares += person.expectedSquares(mode, covariance, setting)
        readings += Double(person.quantifiedCount)
      }
      guard found > 0 else { break }
      for (place, parameter) in between.enumerated()
      where coordinates.typical.contains(parameter) {
        let shift = means[place] / found
        values.typical[parameter] += shift
        // About the new mean.
        for other in between.indices {
          let both = shift * means[other]
          moments[place, other] -= both
        }
      }
      let isFull = coordinates.factor.count > between.count
      for i in between.indices {
        for j in between.indices {
          let entry = i == j || isFull ? 0.5 * (moments[i, j] + moments[j, i]) / found : 0
          values.between[i * between.count + j] = i == j ? Swift.max(entry, 1e-6) : entry
        }
      }
      values.within = occasional.map { Swift.max($0 / Swift.max(1, occasions), 1e-6) }
      let scale = (squares / Swift.max(1, readings)).squareRoot()
      guard scale.isFinite, scale > 0 else { break }
      for parameter in coordinates.residual {
        if parameter == .sd { values.sd *= scale } else { values.cv *= scale }
      }
    }
    return values
  }

  // MARK: Quasi-Newton

  private func minimum(
    from start: [Double]
  ) -> (vector: [Double], value: Double, isConverged: Bool, steps: Int)? {
    guard var here = objective.gradient(at: start) else { return nil }
    var vector = start
    let scales = scales(start.count)
    var inverse = Dense(diagonal: scales.map { $0 * $0 })
    for step in 0..<Self.mostSteps {
      var direction = (inverse * here.gradient).map { -$0 }
      var slope = dot(direction, here.gradient)
      if slope > -1e-10 {
        return (vector, here.value, true, step)
      }
      // No value changes by more than a factor of e at once.
      let longest = direction.reduce(0) { Swift.max($0, abs($1)) }
      if longest > 1 {
        direction = direction.map { $0 / longest }
        slope /= longest
      }
      guard let next = searched(from: vector, here.value, along: direction, slope) else {
        // The curvature that was learnt may mislead; once more along the gradient.
        let plain = Dense(diagonal: scales.map { $0 * $0 })
        guard inverse != plain else { return (vector, here.value, slope > -1e-5, step) }
        inverse = plain
        continue
      }
      let moved = zip(next.vector, vector).map { $0 - $1 }
      let turned = zip(next.gradient.gradient, here.gradient).map { $0 - $1 }
      let curvature = dot(moved, turned)
      if curvature > 1e-12 {
        let bent = inverse * turned
        let both = 1 + dot(turned, bent) / curvature
        for i in vector.indices {
          for j in vector.indices {
            inverse[i, j] +=
              both * moved[i] * moved[j] / curvature
              - (bent[i] * moved[j] + moved[i] * bent[j]) / curvature
          }
        }
      }
      (vector, here) = (next.vector, next.gradient)
    }
    return (vector, here.value, false, Self.mostSteps)
  }

  /// A point along a direction that is lower by a part of what the slope promises (Armijo 1966).
  private func searched(
    from vector: [Double], _ value: Double, along direction: [Double], _ slope: Double
  ) -> (
    vector: [Double], gradient: (value: Double, gradient: [Double], people: [[Double]])
  )? {
    var share = 1.0
    for _ in 0..<25 {
      let trial = zip(vector, direction).map { $0 + share * $1 }
      if let found = objective.gradient(at: trial), found.value <= value + 1e-4 * share * slope {
        return (trial, found)
      }
      share *= 0.4
    }
    return nil
  }

  /// About one standard error of each number, as people and readings are many.
  private func scales(_ count: Int) -> [Double] {
    let people = Double(objective.people.all.count)
    let readings = Double(Swift.max(1, objective.people.quantifiedCount))
    let residuals = objective.people.coordinates.residual.count
    return (0..<count).map { index in
      index < count - residuals ? 0.4 / people.squareRoot() : 0.5 / readings.squareRoot()
    }
  }
}

extension Person {
  /// The expected sum of squared residuals over their variances, of the posterior.
  fileprivate func expectedSquares(
    _ mode: Mode, _ covariance: Dense, _ setting: Setting
  ) -> Double {
    var sum = 0.0
    for occasion in occasions.indices {
      let readings = occasions[occasion]
      let (values, derivatives) = readings.predictions(
        at: logarithms(mode.effects, on: occasion, setting))
      for reading in 0..<readings.count where !readings.areCensored[reading] {
        let error = readings.levels[reading] - values[reading]
        var row = [Double](repeating: 0, count: count)
        for parameter in 0..<derivatives.columns {
          for effect in effects(of: parameter, on: occasion) {
            row[effect] += derivatives[reading, parameter]
          }
        }
        let spread = dot(row, covariance * row)
        sum += (error * error + spread) / setting.residual.variance(at: values[reading])
      }
    }
    return sum
  }
}

import AlcoholKinetics
import Estimation
import RealModule

/// Looks for the values with the largest likelihood.
///
/// From each start it first takes steps of expectation and maximisation with normal posteriors, which come near the
/// maximum from far away. Then follows a quasi-Newton method (Broyden, Fletcher, Goldfarb & Shanno; Nocedal & Wright
/// 2006, section 6.1), whose first curvature is that of the subjects' gradients (Berndt, Hall, Hall & Hausman 1974).
struct PopulationSearch {
  let objective: PopulationObjective
  private(set) var values: PopulationValues
  private(set) var isConverged = false
  private(set) var iterations = 0
  /// What became of each start.
  private(set) var ends: [PopulationFit.Start] = []
  /// Where the modes are.
  private(set) var modes: [[Double]?] = []
  /// The lowest objective that was found.
  private(set) var best = Double.infinity

  /// Where a search from one start ended.
  typealias End = (
    vector: [Double], here: PopulationObjective.Slope, isConverged: Bool, steps: Int
  )

  private static let mostSteps = 100
  private static let expectationSteps = 25
  /// The expected decrease of the objective below which the minimum is found. Where it is 2, the
  /// minimum is a standard error away.
  private static let smallestExpectedDecrease = 1e-8
  /// The limit where the digits of the objective end: a hundredth of a standard error.
  static let smallExpectedDecrease = 2e-4
  /// The limit with measured curvature, where the objective is rough: a tenth of a standard error.
  static let fairExpectedDecrease = 2e-2

  /// Searches from all starts.
  init(
    _ data: PopulationData, _ model: PopulationModel, _ options: PopulationFit.Options
  ) throws(PopulationFailure) {
    let first = Self.firstValues(model, data, options)
    objective = PopulationObjective(data: data, model: model, options: options, others: first)
    values = first
    let starts = Self.beginnings(first, data, model, options).map { begin in
      let near = expectation(begin.values)
      return (
        origin: begin.origin, near: near, value: objective.value(at: near.vector, near: near.modes)
      )
    }
    // The most promising first, beside which others may be given up.
    for start in starts.sorted(by: { $0.value < $1.value }) {
      guard !Task.isCancelled else { throw .cancelled }
      take(minimum(from: start.near, best: best), from: start.origin, first)
    }
    guard best.isFinite else {
      throw .notEvaluated(
        "no start led to curves that can be followed for everybody; check doses, r and the units of times "
          + "and readings")
    }
    for _ in 0..<3 {
      guard let end = leavingZero(best) else { break }
      let before = iterations
      take(end, from: .beside, first)
      iterations += before
    }
    if options.starts > 1 { confirm(first) }
    if let settled = settledAtZero() { values = data.coordinates.values(settled, from: first) }
  }

  /// Notes where a start ended, and goes there if it is lower than what was found before.
  mutating func take(
    _ end: End?, from origin: PopulationFit.Start.Origin, _ others: PopulationValues
  ) {
    ends.append(
      PopulationFit.Start(
        origin: origin, objective: end?.here.value, isConverged: end?.isConverged ?? false))
    guard let end,
      end.here.value < best - 1e-6 * Swift.max(1, abs(best)) || !best.isFinite
    else { return }
    best = end.here.value
    values = objective.data.coordinates.values(end.vector, from: others)
    (isConverged, iterations, modes) = (end.isConverged, end.steps, end.here.modes)
  }

  private static func firstValues(
    _ model: PopulationModel, _ data: PopulationData, _ options: PopulationFit.Options
  ) -> PopulationValues {
    let coordinates = data.coordinates
    let parameters = coordinates.structure.parameters
    let size = coordinates.random.person.count
    var values = PopulationValues(
      typical: parameters.indices.map { place in
        let parameter = parameters[place]
        return model.isPredicted(parameter)
          ? 0
          : .log(
            model.fixedTypical[parameter] ?? options.start[parameter] ?? parameter.firstValue)
      },
      coefficients: model.covariates.map { _ in 0 },
      between: Dense(diagonal: [Double](repeating: 0.25, count: size)).numbers,
      within: Dense(diagonal: model.occasional.map { _ in 0.04 }).numbers,
      studies: model.studyLevel.map { _ in 0.04 })
    values.residual =
      model.error == .instrument ? data.statedError : model.error.given ?? model.error.start
    return coordinates.holding(values)
  }

  /// Steps of expectation and maximisation: typical values move by the mean of the modes, covariances are
  /// their mean squares with the variances of the posteriors, and errors are scaled to their mean square.
  func expectation(_ start: PopulationValues) -> (vector: [Double], modes: [[Double]?]) {
    let data = objective.data
    let coordinates = data.coordinates
    let random = coordinates.random
    var values = coordinates.holding(start)
    var vector = coordinates.vector(values)
    var found: [[Double]?] = []
    let scales = scales(vector.count)
    for step in 0..<Self.expectationSteps {
      objective.options.progress?("looking for a start, step \(step + 1)")
      guard let prepared = coordinates.prepared(values, data.all, isNested: true) else { break }
      let near = found
      let modes = data.mapUnits { unit in
        unit.mode(prepared, near: near.isEmpty ? nil : near[unit.index])
      }
      found = modes.map { $0?.effects }
      var sums = PerLevel { EffectSums(random[$0].count) }
      var (squares, readings) = (0.0, 0.0)
      for (unit, mode) in zip(data.units, modes) {
        guard let mode, let covariance = mode.information.inverted?.inverse else { continue }
        for block in unit.blocks {
          sums[block.level].add(mode.effects, covariance, block.begin)
        }
        squares += unit.expectedSquares(mode, covariance, prepared)
        readings += Double(unit.quantifiedCount)
      }
      guard sums.person.count > 0 else { break }
      // Where studies differ, it is their mean that the typical value is.
      func isTypical(_ place: Int) -> Bool { coordinates.typical.contains(place) }
      for level in PopulationLevel.allCases {
        let shifts = zip(random[level], sums[level].means).map { place, mean in
          level == .occasion || !isTypical(place)
            || level == .person && random.study.contains(place) ? 0 : mean
        }
        for (place, shift) in zip(random[level], shifts) { values.typical[place] += shift }
        values[level] = sums[level].spread(
          about: shifts, isFull: coordinates.factors[level].isFull)
      }
      let scale = (squares / Swift.max(1, readings)).squareRoot()
      guard scale.isFinite, scale > 0 else { break }
      for parameter in coordinates.residual {
        values.residual[parameter] *= scale
      }
      values = coordinates.holding(values)
      let next = coordinates.vector(values)
      let isNear = zip(zip(vector, next), scales).allSatisfy { abs($0.1 - $0.0) < 0.2 * $1 }
      vector = next
      if isNear { break }
    }
    return (vector, found)
  }

  // MARK: Quasi-Newton

  /// Descends to a minimum, one number being held if that is asked; gives up where it creeps far above `best`.
  func minimum(
    from start: (vector: [Double], modes: [[Double]?]), best: Double = .infinity,
    holding held: Int? = nil
  ) -> End? {
    guard var here = objective.gradient(at: start.vector, near: start.modes) else { return nil }
    var vector = start.vector
    var inverse = firstInverse(here, holding: held)
    var isMeasured = false
    for step in 0..<Self.mostSteps {
      guard !Task.isCancelled else { break }
      objective.options.progress?("step \(step + 1), OFV \((1000 * here.value).rounded() / 1000)")
      var direction = (inverse * here.gradient).map { -$0 }
      let expectedDecrease = -dot(direction, here.gradient)
      if expectedDecrease < Self.smallestExpectedDecrease { return (vector, here, true, step) }
      // What creeps along a valley far above is not what is looked for.
      if step >= 10, here.value - best > 50 * expectedDecrease {
        return (vector, here, false, step)
      }
      // No value changes by more than a factor of e at once.
      let longest = Swift.max(1, direction.reduce(0) { Swift.max($0, abs($1)) })
      direction = direction.map { $0 / longest }
      let noise = 1e-9 * Swift.max(1, abs(here.value))
      let next = searched(from: vector, here, along: direction, expectedDecrease / longest, noise)
      if next.map({ here.value - $0.slope.value < noise }) ?? true {
        if expectedDecrease < (isMeasured ? Self.fairExpectedDecrease : Self.smallExpectedDecrease)
        {
          return (vector, here, true, step)
        }
        if isMeasured { return (vector, here, false, step) }
        // The curvature that was learnt misleads; it is measured once.
        isMeasured = true
        inverse =
          objective.curvature(at: vector, near: here.modes).flatMap {
            Self.inverse($0, holding: held)
          } ?? firstInverse(here, holding: held)
        continue
      }
      guard let next else { break }
      let moved = zip(next.vector, vector).map { $0 - $1 }
      let turned = zip(next.slope.gradient, here.gradient).map { $0 - $1 }
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
      (vector, here) = (next.vector, next.slope)
    }
    return (vector, here, false, Self.mostSteps)
  }

  /// A point along a direction that is lower by a part of the decrease that the slope expects (Armijo 1966), but for the
  /// last digits.
  private func searched(
    from vector: [Double], _ here: PopulationObjective.Slope, along direction: [Double],
    _ expectedDecrease: Double, _ noise: Double
  ) -> (vector: [Double], slope: PopulationObjective.Slope)? {
    var share = 1.0
    for _ in 0..<15 {
      let trial = zip(vector, direction).map { $0 + share * $1 }
      guard let found = objective.gradient(at: trial, near: here.modes) else {
        share *= 0.2
        continue
      }
      if found.value <= here.value - 1e-4 * share * expectedDecrease + noise {
        return (trial, found)
      }
      // The least of the parabola through both values and the slope.
      let least =
        0.5 * share * expectedDecrease / (found.value - here.value + share * expectedDecrease)
      share *= Swift.min(0.5, Swift.max(0.1, least))
    }
    return nil
  }

  /// The inverse of the curvature by the gradients of subjects or studies, with as much of what is
  /// usual as these are few.
  private func firstInverse(_ here: PopulationObjective.Slope, holding held: Int?) -> Dense {
    let count = here.gradient.count
    let usual = Dense(diagonal: scales(count).map { 1 / ($0 * $0) })
    let units = Double(here.units.count)
    let told = here.units.map { unit in zip(unit, here.gradient).map { $0 - $1 / units } }
    let share = units / (units + 2 * Double(count))
    let curvature = 0.5 * share * Dense(sumOfSquares: told, size: count) + (1 - share) * usual
    return Self.inverse(curvature, holding: held)
      ?? Dense(diagonal: scales(count).enumerated().map { $0 == held ? 0 : $1 * $1 })
  }

  /// The inverse of a curvature among the numbers that move, with zeros for one that is held.
  private static func inverse(_ curvature: Dense, holding held: Int?) -> Dense? {
    let free = (0..<curvature.rows).filter { $0 != held }
    return curvature.part(free).inverted.map {
      Dense(curvature.rows, with: $0.inverse, at: free)
    }
  }

  /// About one standard error of each number, as subjects and readings are many.
  private func scales(_ count: Int) -> [Double] {
    let units = Double(objective.data.units.count)
    let readings = Double(Swift.max(1, objective.data.quantifiedCount))
    let residuals = objective.data.coordinates.residual.count
    return (0..<count).map { index in
      index < count - residuals ? 0.4 / units.squareRoot() : 0.5 / readings.squareRoot()
    }
  }
}

/// Sums over the random effects of all studies, all subjects or all occasions.
private struct EffectSums {
  private(set) var count = 0.0
  private var sums: [Double]
  private var squares: Dense

  init(_ size: Int) {
    sums = [Double](repeating: 0, count: size)
    squares = Dense(size, size)
  }

  mutating func add(_ effects: [Double], _ covariance: Dense, _ begin: Int) {
    count += 1
    for i in sums.indices {
      sums[i] += effects[begin + i]
      for j in sums.indices {
        squares[i, j] +=
          effects[begin + i] * effects[begin + j] + covariance[begin + i, begin + j]
      }
    }
  }

  var means: [Double] { sums.map { $0 / Swift.max(1, count) } }

  /// The mean square about a point.
  func spread(about point: [Double], isFull: Bool) -> Dense {
    let (size, means) = (sums.count, means)
    var spread = Dense(size, size)
    for i in 0..<size {
      for j in 0..<size where i == j || isFull {
        spread[i, j] =
          squares[i, j] / Swift.max(1, count) - point[i] * means[j] - means[i] * point[j]
          + point[i] * point[j]
      }
      spread[i, i] = Swift.max(spread[i, i], 1e-6)
    }
    return spread
  }
}

extension SubjectLikelihood {
  /// The expected sum of squared residuals over their variances, of the posterior.
  fileprivate func expectedSquares(
    _ mode: Mode, _ covariance: Dense, _ prepared: PreparedPopulation
  ) -> Double {
    var sum = 0.0
    for occasion in occasions.indices {
      let readings = occasions[occasion]
      let (values, derivatives) = readings.predictions(
        at: logarithms(mode.effects, on: occasion, prepared))
      for reading in 0..<readings.count where !readings.areCensored[reading] {
        let error = readings.levels[reading] - values[reading]
        let row = byEffects(derivatives, of: reading, on: occasion)
        let spread = dot(row, covariance * row)
        sum += (error * error + spread) / prepared.residual.variance(at: values[reading])
      }
    }
    return sum
  }
}

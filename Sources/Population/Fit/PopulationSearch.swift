import AlcoholKinetics
import Estimation
import RealModule

/// Maximises the likelihood of a population model over several starts.
///
/// Each start begins with EM steps on normal approximations of the posteriors, which approach the maximum from far
/// away. BFGS with Armijo backtracking follows (Nocedal & Wright 2006, section 6.1), its first Hessian from the subjects'
/// scores (BHHH: Berndt, Hall, Hall & Hausman 1974). Variances near zero are then tried larger and at zero, and a further
/// start beside the minimum verifies it if no second start has found it.
struct PopulationSearch {
  let objective: PopulationObjective
  private(set) var values: PopulationValues
  private(set) var isConverged = false
  private(set) var iterations = 0
  /// The result of each start.
  private(set) var ends: [PopulationFit.Start] = []
  /// The posterior modes of the units at the minimum.
  private(set) var modes: [[Double]?] = []
  /// The lowest OFV found.
  private(set) var best = Double.infinity

  /// The end of a search from one start.
  typealias End = (
    vector: [Double], slope: PopulationObjective.Slope, isConverged: Bool, steps: Int
  )

  private static let mostSteps = 100
  private static let emSteps = 25
  /// The search converges if the expected decrease of the OFV is below this. At 2 the minimum is a standard error away.
  private static let smallestExpectedDecrease = 1e-8
  /// The limit if rounding keeps the OFV from falling: a hundredth of a standard error.
  static let smallExpectedDecrease = 2e-4
  /// The limit with a Hessian by differences, where the OFV is rough: a tenth of a standard error.
  static let fairExpectedDecrease = 2e-2

  /// Searches from all starts.
  init(
    _ data: PopulationData, _ model: PopulationModel, _ options: PopulationFit.Options
  ) throws(Problem) {
    let first = Self.firstValues(model, data, options)
    objective = PopulationObjective(data: data, model: model, options: options, others: first)
    values = first
    let starts = Self.startingPoints(first, data, model, options).map { point in
      let near = expectationMaximisation(point.values)
      return (
        origin: point.origin, near: near, value: objective.value(at: near.vector, near: near.modes)
      )
    }
    // The most promising first, so that the others can be given up early.
    for start in starts.sorted(by: { $0.value < $1.value }) {
      guard !Task.isCancelled else { throw .cancelled }
      record(minimum(from: start.near, best: best), from: start.origin, first)
    }
    guard best.isFinite else {
      throw .notEvaluated(
        "no start led to curves that can be followed for everybody; check doses, r and the units of times "
          + "and readings")
    }
    for _ in 0..<3 {
      guard let end = escapedZeroVariance(best) else { break }
      let before = iterations
      record(end, from: .beside, first)
      iterations += before
    }
    if options.starts > 1 { verifyFromSecondStart(first) }
    if let vector = atZeroVariance() { values = data.coordinates.values(vector, from: first) }
  }

  /// Records the end of a start, and makes it the result if it is the lowest so far.
  mutating func record(
    _ end: End?, from origin: PopulationFit.Start.Origin, _ others: PopulationValues
  ) {
    ends.append(
      PopulationFit.Start(
        origin: origin, objective: end?.slope.value, isConverged: end?.isConverged ?? false))
    guard let end,
      end.slope.value < best - 1e-6 * Swift.max(1, abs(best)) || !best.isFinite
    else { return }
    best = end.slope.value
    values = objective.data.coordinates.values(end.vector, from: others)
    isConverged = end.isConverged
    iterations = end.steps
    modes = end.slope.modes
  }

  private static func firstValues(
    _ model: PopulationModel, _ data: PopulationData, _ options: PopulationFit.Options
  ) -> PopulationValues {
    let coordinates = data.coordinates
    let parameters = coordinates.structure.parameters
    let size = coordinates.random.person.count
    var values = PopulationValues(
      typical: parameters.map { parameter in
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

  /// Takes EM steps with normal posteriors: typical values move by the mean of the modes, covariances become the mean
  /// squares of the modes plus the posterior variances, and residual errors are scaled to their mean square.
  ///
  /// - Returns: The vector that was reached and the modes of the units.
  func expectationMaximisation(_ start: PopulationValues) -> (vector: [Double], modes: [[Double]?])
  {
    let data = objective.data
    let coordinates = data.coordinates
    let random = coordinates.random
    var values = coordinates.holding(start)
    var vector = coordinates.vector(values)
    var modesByUnit: [[Double]?] = []
    let scales = scales(vector.count)
    for step in 0..<Self.emSteps {
      objective.options.progress?("looking for a start, step \(step + 1)")
      guard let prepared = coordinates.prepared(values, data.all, isNested: true) else { break }
      let near = modesByUnit
      let modes = data.mapUnits { unit in
        unit.mode(prepared, near: near.isEmpty ? nil : near[unit.index])
      }
      modesByUnit = modes.map { $0?.effects }
      var sums = PerLevel { EffectSums(random[$0].count) }
      var squares = 0.0
      var readings = 0.0
      for (unit, mode) in zip(data.units, modes) {
        guard let mode, let covariance = mode.information.inverted?.inverse else { continue }
        for block in unit.blocks {
          sums[block.level].add(mode.effects, covariance, block.begin)
        }
        squares += unit.expectedSquares(mode, covariance, prepared)
        readings += Double(unit.quantifiedCount)
      }
      guard sums.person.count > 0 else { break }
      // Where studies differ, the typical value is the mean of the studies.
      func isTypical(_ parameter: Int) -> Bool { coordinates.typical.contains(parameter) }
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
    return (vector, modesByUnit)
  }

  // MARK: Quasi-Newton

  /// Descends to a minimum by BFGS.
  ///
  /// - Parameters:
  ///   - start: The vector, and modes near which those of the units are sought.
  ///   - best: The lowest OFV so far; a search that creeps far above it is given up.
  ///   - held: The index of a coordinate that is held.
  /// - Returns: Nil if some curve cannot be followed at the start.
  func minimum(
    from start: (vector: [Double], modes: [[Double]?]), best: Double = .infinity,
    holding held: Int? = nil
  ) -> End? {
    guard var current = objective.gradient(at: start.vector, near: start.modes) else { return nil }
    var vector = start.vector
    var inverse = firstInverse(current, holding: held)
    var isMeasured = false
    for step in 0..<Self.mostSteps {
      guard !Task.isCancelled else { break }
      objective.options.progress?(
        "step \(step + 1), OFV \((1000 * current.value).rounded() / 1000)")
      var direction = (inverse * current.gradient).map { -$0 }
      let expectedDecrease = -dot(direction, current.gradient)
      if expectedDecrease < Self.smallestExpectedDecrease { return (vector, current, true, step) }
      // A slow valley far above the best minimum does not lead to the global one.
      if step >= 10, current.value - best > 50 * expectedDecrease {
        return (vector, current, false, step)
      }
      // Coordinates are logarithms: no value may change by more than a factor of e in one step.
      let longest = Swift.max(1, direction.reduce(0) { Swift.max($0, abs($1)) })
      direction = direction.map { $0 / longest }
      let noise = 1e-9 * Swift.max(1, abs(current.value))
      let next = lineSearch(
        from: vector, current, along: direction, expectedDecrease / longest, noise)
      if next.map({ current.value - $0.slope.value < noise }) ?? true {
        if expectedDecrease < (isMeasured ? Self.fairExpectedDecrease : Self.smallExpectedDecrease)
        {
          return (vector, current, true, step)
        }
        if isMeasured { return (vector, current, false, step) }
        // The BFGS Hessian misleads; it is replaced once by central differences of the gradient.
        isMeasured = true
        inverse =
          objective.curvature(at: vector, near: current.modes).flatMap {
            Self.inverse($0, holding: held)
          } ?? firstInverse(current, holding: held)
        continue
      }
      guard let next else { break }
      let moved = zip(next.vector, vector).map { $0 - $1 }
      let turned = zip(next.slope.gradient, current.gradient).map { $0 - $1 }
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
      vector = next.vector
      current = next.slope
    }
    return (vector, current, false, Self.mostSteps)
  }

  /// Backtracks along a direction to a point of sufficient decrease (Armijo 1966), up to rounding; nil after 15 trials.
  private func lineSearch(
    from vector: [Double], _ current: PopulationObjective.Slope, along direction: [Double],
    _ expectedDecrease: Double, _ noise: Double
  ) -> (vector: [Double], slope: PopulationObjective.Slope)? {
    var share = 1.0
    for _ in 0..<15 {
      let trial = zip(vector, direction).map { $0 + share * $1 }
      guard let next = objective.gradient(at: trial, near: current.modes) else {
        share *= 0.2
        continue
      }
      if next.value <= current.value - 1e-4 * share * expectedDecrease + noise {
        return (trial, next)
      }
      // The minimum of the parabola through both values and the slope.
      let least =
        0.5 * share * expectedDecrease / (next.value - current.value + share * expectedDecrease)
      share *= Swift.min(0.5, Swift.max(0.1, least))
    }
    return nil
  }

  /// The inverse of the BHHH Hessian, from the scores of subjects or studies, shrunk towards a default diagonal: the fewer
  /// the units, the more.
  private func firstInverse(_ slope: PopulationObjective.Slope, holding held: Int?) -> Dense {
    let count = slope.gradient.count
    let usual = Dense(diagonal: scales(count).map { 1 / ($0 * $0) })
    let units = Double(slope.units.count)
    let scores = slope.units.map { unit in zip(unit, slope.gradient).map { $0 - $1 / units } }
    let share = units / (units + 2 * Double(count))
    let curvature = 0.5 * share * Dense(sumOfSquares: scores, size: count) + (1 - share) * usual
    return Self.inverse(curvature, holding: held)
      ?? Dense(diagonal: scales(count).enumerated().map { $0 == held ? 0 : $1 * $1 })
  }

  /// The inverse of a Hessian in the free coordinates, with zeros for the held one.
  private static func inverse(_ curvature: Dense, holding held: Int?) -> Dense? {
    let free = (0..<curvature.rows).filter { $0 != held }
    return curvature.submatrix(free).inverted.map {
      Dense(curvature.rows, with: $0.inverse, at: free)
    }
  }

  /// Rough standard errors of the coordinates, by the numbers of units and readings.
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

  /// The mean square about a point, diagonal unless `isFull`.
  func spread(about point: [Double], isFull: Bool) -> Dense {
    let size = sums.count
    let means = means
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
  /// The posterior expectation of the sum of squared weighted residuals.
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

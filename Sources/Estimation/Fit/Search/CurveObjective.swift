import AlcoholKinetics
package import GSL

/// What a fit of one series minimises, in memory that stays where it is while solvers work on it.
package final class CurveObjective {
  let observations: Observations

  private let times: UnsafeMutablePointer<Double>
  private let levels: UnsafeMutablePointer<Double>
  private let precisions: UnsafeMutablePointer<Double>
  private let areCensored: UnsafeMutablePointer<Bool>
  private let parents: UnsafeMutablePointer<Int>
  private let correlations: UnsafeMutablePointer<Double>
  private let scales: UnsafeMutablePointer<Double>
  private let problem: CurveProblem

  /// Lays the data out; every reading has a standard deviation of 1 at first and a linear loss.
  init(
    _ observations: Observations, _ regimen: Regimen, _ layout: ParameterLayout
  ) {
    let count = observations.count
    self.observations = observations
    times = .allocate(capacity: count)
    levels = .allocate(capacity: count)
    precisions = .allocate(capacity: count)
    areCensored = .allocate(capacity: count)
    parents = .allocate(capacity: count)
    correlations = .allocate(capacity: count)
    scales = .allocate(capacity: count)
    for (index, observation) in observations.all.enumerated() {
      (times + index).initialize(to: observation.time)
      (levels + index).initialize(to: observation.level)
      (areCensored + index).initialize(to: observation.isCensored)
    }
    precisions.initialize(repeating: 1, count: count)
    parents.initialize(repeating: -1, count: count)
    correlations.initialize(repeating: 0, count: count)
    scales.initialize(repeating: 1, count: count)
    problem = CurveProblem(
      regimen, count: count, times: times,
      residuals: ResidualRule(
        levels: levels, areCensored: areCensored, precisions: precisions,
        loss: .linear, tuning: 1, hasLikelihood: false),
      layout: layout)
  }

  deinit {
    times.deallocate()
    levels.deallocate()
    precisions.deallocate()
    areCensored.deallocate()
    parents.deallocate()
    correlations.deallocate()
    scales.deallocate()
  }

  /// Number of observations.
  package var count: Int { observations.count }

  /// Which parameters are moved.
  var layout: ParameterLayout {
    get { problem.layout }
    set { problem.layout = newValue }
  }

  /// The problem as solvers take it; valid while the objective lives.
  package var leastSquares: LeastSquaresProblem { problem.leastSquares }

  /// Sets the standard deviations of the readings, which errors go together, and how residuals count.
  func use(
    standardDeviations: [Double], loss: Loss = .linear, tuning: Double = 1,
    hasLikelihood: Bool = false, correlation: NoiseCorrelation? = nil
  ) {
    use(correlation)
    for (index, deviation) in standardDeviations.prefix(count).enumerated() {
      precisions[index] = 1 / deviation
    }
    let old = problem.residuals
    problem.residuals = ResidualRule(
      levels: old.levels, areCensored: old.areCensored, precisions: old.precisions,
      loss: loss, tuning: tuning, hasLikelihood: hasLikelihood)
  }

  private func use(_ correlation: NoiseCorrelation?) {
    guard let correlation, correlation.time > 0 else {
      problem.whitening = nil
      return
    }
    let chain = correlation.chain
    let innovations = chain.innovations(time: correlation.time)
    for (index, value) in chain.correlations(time: correlation.time).enumerated() {
      parents[index] = chain.parents[index] ?? -1
      correlations[index] = value
      scales[index] = 1 / innovations[index].squareRoot()
    }
    problem.whitening = Whitening(
      count: count, parents: parents, correlations: correlations, scales: scales)
  }

  /// Below this an objective is rounding: nothing is left to explain of what was measured.
  var roundingError: Double {
    let total = (0..<count).reduce(0.0) { sum, index in
      let measured = levels[index] * precisions[index]
      return sum + measured * measured
    }
    return 1e-20 * total
  }

  /// What the instrument would show, in g/kg; nil if the curve cannot be followed.
  func predictions(at coordinates: [Double]) -> [Double]? {
    write(count, at: coordinates) { problem.write(predictions: $0, at: $1) }
  }

  /// The sum of squared residuals; infinite if the curve cannot be followed.
  func value(at coordinates: [Double]) -> Double {
    residuals(at: coordinates)?.reduce(0) { $0 + $1 * $1 } ?? .infinity
  }

  /// The sum of squared residuals of a curve that is zero at every reading.
  var valueOfNothing: Double {
    (0..<count).reduce(0) { sum, index in
      let residual = problem.residuals.residual(of: 0, at: index)
      return sum + residual * residual
    }
  }

  /// The Jacobian, row-major; nil if the curve cannot be followed.
  func jacobian(at coordinates: [Double], slope: ResidualRule.Slope) -> [Double]? {
    write(count * layout.count, at: coordinates) {
      problem.write(jacobian: $0, at: $1, slope: slope)
    }
  }

  /// The derivatives of the predictions by the coordinates of some free parameters, row-major; nil if
  /// the curve cannot be followed.
  func derivatives(at coordinates: [Double], by moved: [Int]) -> [Double]? {
    let columns = layout.count
    return jacobian(at: coordinates, slope: .prediction).map { jacobian in
      (0..<count).flatMap { row in moved.map { jacobian[row * columns + $0] } }
    }
  }

  /// Half the gradient of the sum of squared residuals; nil if the curve cannot be followed.
  func gradient(at coordinates: [Double]) -> [Double]? {
    guard
      let residuals = residuals(at: coordinates),
      let jacobian = jacobian(at: coordinates, slope: .residual)
    else { return nil }
    let columns = layout.count
    return (0..<columns).map { column in
      residuals.indices.reduce(0) { $0 + residuals[$1] * jacobian[$1 * columns + column] }
    }
  }

  /// What times the Jacobian of the information is half the gradient: residuals, and what stands for
  /// them where a reading is censored; nil if the curve cannot be followed.
  func informationResiduals(at coordinates: [Double]) -> [Double]? {
    predictions(at: coordinates)?.enumerated().map { index, prediction in
      let rule = problem.residuals
      let information = rule.slope(.information, of: prediction, at: index)
      guard information > 0 else { return 0 }
      return rule.residual(of: prediction, at: index)
        * rule.slope(.residual, of: prediction, at: index) / information
    }
  }

  /// Whether no free parameter changes any residual, as where the curve is zero at every reading.
  func isFlat(at coordinates: [Double]) -> Bool {
    guard layout.count > 0, let gradient = gradient(at: coordinates) else { return false }
    return gradient.allSatisfy { $0 == 0 }
  }

  private func residuals(at coordinates: [Double]) -> [Double]? {
    write(count, at: coordinates) { problem.write(residuals: $0, at: $1) }
  }

  private func write(
    _ size: Int,
    at coordinates: [Double],
    _ body: (UnsafeMutablePointer<Double>, UnsafePointer<Double>) -> Bool
  ) -> [Double]? {
    // Without free parameters there is no coordinate, but the model wants an address.
    let point = coordinates + [0]
    var isWritten = false
    let values = [Double](unsafeUninitializedCapacity: max(1, size)) { buffer, written in
      guard let output = buffer.baseAddress else { return }
      output.initialize(repeating: 0, count: max(1, size))
      isWritten = point.withUnsafeBufferPointer { input in
        input.baseAddress.map { body(output, $0) } ?? false
      }
      written = size
    }
    return isWritten ? values : nil
  }
}

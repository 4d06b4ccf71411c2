import AlcoholKinetics

/// What a fit of one series minimises at one noise, as solvers see it. It never changes.
///
/// Each reading has a residual in its standard deviation; a prior adds one for each parameter that it is
/// about. Of each row of the Jacobian the columns are derivatives by the coordinates of the free parameters.
package final class CurveObjective: SumOfSquares {
  /// What is fitted, laid out for a worker.
  let memory: CurveMemory
  /// Turns predictions into residuals.
  let rule: ResidualRule
  /// Takes what goes together out of the residuals; nil if errors are independent.
  let whitening: Whitening?
  let prior: Prior.Rows?
  /// The readings of each lane, if they are not those of the problem.
  let replicates: ReplicateReadings?

  // Of the problem, at hand for the inner loop.
  let kinetics: any EliminationKinetics.Type
  let regimen: Regimen
  let layout: ParameterLayout
  /// The number of readings.
  package let count: Int
  package let residualCount: Int
  /// Below this an objective is rounding: nothing is left to explain of what was measured.
  package let roundingError: Double

  /// The reciprocals of the standard deviations, in kg/g.
  private let precisions: UnsafeMutablePointer<Double>

  /// The objective where readings have these standard deviations, in g/kg.
  ///
  /// - Parameter replicates: The readings of each request to descend in lanes, in the place of those of the problem:
  ///   for squares, one-sided for censored readings, with standard deviations that do not depend on the readings.
  init(
    _ memory: CurveMemory, standardDeviations: [Double], loss: Loss = .linear, tuning: Double = 1,
    hasLikelihood: Bool = false, correlation: NoiseCorrelation? = nil,
    replicates: [Observations]? = nil
  ) {
    self.memory = memory
    kinetics = memory.problem.model.kinetics
    regimen = memory.problem.elapsedRegimen
    layout = memory.problem.layout
    count = memory.problem.observations.count
    precisions = .allocate(capacity: count)
    var total = 0.0
    for (index, deviation) in standardDeviations.enumerated() {
      (precisions + index).initialize(to: 1 / deviation)
      let measured = memory.levels[index] * precisions[index]
      total += measured * measured
    }
    roundingError = 1e-20 * total
    whitening = correlation.flatMap {
      $0.time > 0 ? Whitening($0.chain, time: $0.time) : nil
    }
    rule = ResidualRule(
      levels: memory.levels, areCensored: memory.areCensored, precisions: precisions,
      loss: loss, tuning: tuning, hasLikelihood: hasLikelihood,
      isPlain: loss == .linear && !memory.problem.observations.all.contains(where: \.isCensored))
    prior = memory.problem.prior.map { [layout] in Prior.Rows($0, layout) }
    residualCount = count + (prior?.count ?? 0)
    self.replicates = replicates.map { [count] in ReplicateReadings($0, count: count) }
  }

  deinit {
    precisions.deallocate()
  }

  package var lowest: [Double] { layout.lowest }
  package var highest: [Double] { layout.highest }
  /// Only elimination at a constant rate stops at zero.
  package var hasKinks: Bool { layout.model == .widmark }
  /// Derivatives jump where a lag moves a drink past a reading; and where standard deviations follow from predictions,
  /// other minima than the lowest sum of squares count, too.
  package var allowsLongSteps: Bool {
    !hasKinks && !layout.free.contains(.lag) && !memory.problem.needsPredictions
  }

  package func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    guard write(predictions: residuals, at: coordinates) else { return false }
    for index in 0..<count {
      residuals[index] = rule.terms(of: residuals[index], at: index).residual
    }
    whitening?.whiten(residuals, columns: 1)
    prior?.write(residuals: residuals + count, at: coordinates)
    return true
  }

  package func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    guard write(jacobian: jacobian, at: coordinates, slope: .residual) else { return false }
    prior?.write(jacobian: jacobian + count * layout.count, layout, at: coordinates)
    return true
  }

  /// What the instrument would show, in g/kg; nil if the curve cannot be followed.
  func predictions(at coordinates: [Double]) -> [Double]? {
    written(count, at: coordinates) { write(predictions: $0, at: $1) }
  }

  /// The sum of squared residuals of a curve that is zero at every reading; with a prior there is no
  /// such curve to compare with.
  var valueOfNothing: Double {
    guard prior == nil else { return .infinity }
    return (0..<count).reduce(0) { sum, index in
      let residual = rule.terms(of: 0.0, at: index).residual
      return sum + residual * residual
    }
  }

  /// What the prior adds to the sum of squares; 0 without one.
  func priorCost(at coordinates: [Double]) -> Double {
    guard let prior else { return 0 }
    let rows = written(prior.count, at: coordinates) {
      prior.write(residuals: $0, at: $1)
      return true
    }
    return rows?.reduce(0) { $0 + $1 * $1 } ?? 0
  }

  /// The Jacobian for the covariance, by some of the free parameters, row-major; nil if the curve cannot
  /// be followed.
  func information(at coordinates: [Double], by moved: [Int]) -> [Double]? {
    let all = written(residualCount * layout.count, at: coordinates) { jacobian, point in
      guard write(jacobian: jacobian, at: point, slope: .information) else { return false }
      prior?.write(jacobian: jacobian + count * layout.count, layout, at: point)
      return true
    }
    return all.map { columns($0, moved) }
  }

  /// The derivatives of the predictions by the coordinates of some free parameters, row-major; nil if
  /// the curve cannot be followed.
  func derivatives(at coordinates: [Double], by moved: [Int]) -> [Double]? {
    let all = written(count * layout.count, at: coordinates) {
      write(jacobian: $0, at: $1, slope: .prediction)
    }
    return all.map { columns($0, moved) }
  }

  private func columns(_ jacobian: [Double], _ moved: [Int]) -> [Double] {
    let width = layout.count
    guard moved.count < width else { return jacobian }
    return stride(from: 0, to: jacobian.count, by: width).flatMap { row in
      moved.map { jacobian[row + $0] }
    }
  }

  /// What times the Jacobian of the information is half the gradient: residuals of the readings, and what
  /// stands for them where one is censored; nil if the curve cannot be followed.
  func informationResiduals(at coordinates: [Double]) -> [Double]? {
    predictions(at: coordinates)?.enumerated().map { index, prediction in
      let information = rule.slope(.information, of: prediction, at: index)
      guard information > 0 else { return 0 }
      let (residual, slope) = rule.terms(of: prediction, at: index)
      return residual * slope / information
    }
  }
}

/// A problem's readings in memory that does not move, and what its curve was last: what a worker needs to
/// evaluate objectives of it.
final class CurveMemory {
  private(set) var problem: FitProblem
  /// In h, ascending.
  let times: UnsafeMutablePointer<Double>
  let levels: UnsafeMutablePointer<Double>
  let areCensored: UnsafeMutablePointer<Bool>
  /// Memory for eight points at once.
  var lanes: CurveLanes {
    if let kept = keptLanes { return kept }
    let lanes = CurveLanes(problem)
    keptLanes = lanes
    return lanes
  }

  private var keptLanes: CurveLanes?
  private var count = 0
  /// For how many readings there is room.
  private let room: Int
  /// The curve at the times where it was followed last.
  private let samples: UnsafeMutablePointer<CurveSample>
  /// The parameters of that curve.
  private var followed = ParameterValues()
  /// Whether there is such a curve.
  private var isFollowed = false

  init(_ problem: FitProblem) {
    self.problem = problem
    // As many as most people have, so that it serves for those who follow.
    room = max(64, problem.observations.count)
    times = .allocate(capacity: room)
    levels = .allocate(capacity: room)
    areCensored = .allocate(capacity: room)
    samples = .allocate(capacity: room)
    take(problem)
  }

  deinit {
    times.deallocate()
    levels.deallocate()
    areCensored.deallocate()
    samples.deallocate()
  }

  /// Serves another problem, if there is room for it; whether there is.
  func serve(_ next: FitProblem) -> Bool {
    guard next.observations.count <= room else { return false }
    if let lanes = keptLanes, !lanes.serve(next) { keptLanes = nil }
    problem = next
    take(next)
    return true
  }

  private func take(_ problem: FitProblem) {
    let observations = problem.observations.all
    count = observations.count
    isFollowed = false
    for (index, observation) in observations.enumerated() {
      (times + index).initialize(to: observation.elapsed)
      (levels + index).initialize(to: observation.level)
      (areCensored + index).initialize(to: observation.isCensored)
    }
  }

  /// The curve at the times; nil where there is none for these values.
  ///
  /// Solvers ask for residuals and then, if they like what they see, for the Jacobian at the same
  /// point; the curve is followed once for both.
  func samples(
    of kinetics: any EliminationKinetics.Type, _ regimen: Regimen, _ values: ParameterValues
  ) -> UnsafeMutablePointer<CurveSample>? {
    var values = values
    // The instrument does not change the curve.
    values[known: .gain] = 1
    if isFollowed, values == followed { return samples }
    followed = values
    isFollowed =
      kinetics.isIntegrated
      ? followInLane(kinetics, regimen, values)
      : kinetics.follow(regimen, values, at: times, count: count, into: samples)
    return isFollowed ? samples : nil
  }

  /// The same by the walk of lanes, of which all but one wait: an integrator for two curves takes less time than that
  /// for one, which asks for the digits of small concentrations as well.
  private func followInLane(
    _ kinetics: any EliminationKinetics.Type, _ regimen: Regimen, _ values: ParameterValues
  ) -> Bool {
    let lanes = lanes
    for slot in problem.layout.slots { lanes.values[slot] = Lanes(repeating: values[slot: slot]) }
    var ka = Lanes(repeating: .nan)
    ka[0] = values[known: .ka]
    lanes.values[FitParameter.ka.slot] = ka
    kinetics.follow(
      regimen, lanes: lanes.values, at: times, count: count, into: lanes.samples,
      toleranceFactor: 1)
    for index in 0..<count {
      let row = lanes.samples + index * lanes.width
      guard row[0][0].isFinite else { return false }
      var derivatives = SIMD8<Double>.zero
      for column in 1..<lanes.width { derivatives[column - 1] = row[column][0] }
      (samples + index).initialize(
        to: CurveSample(concentration: row[0][0], derivatives: derivatives))
    }
    return true
  }
}

// The curve as an objective follows it from reading to reading. Nothing here allocates: it runs
// thousands of times per fit.

extension CurveObjective {
  /// Writes what the instrument would show at each time, in g/kg; false if the curve cannot be
  /// followed.
  func write(
    predictions: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let values = layout.values(at: coordinates)
    guard let samples = memory.samples(of: kinetics, regimen, values) else { return false }
    let gain = values[known: .gain]
    for index in 0..<count { predictions[index] = gain * samples[index].concentration }
    return true
  }

  /// Writes the rows of the Jacobian that belong to readings, row-major; false if the curve cannot be
  /// followed.
  ///
  /// - Parameter slope: What to multiply the derivatives of a prediction with.
  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>,
    slope: ResidualRule.Slope
  ) -> Bool {
    let values = layout.values(at: coordinates)
    guard let samples = memory.samples(of: kinetics, regimen, values) else { return false }
    let gain = values[known: .gain]
    let columns = JacobianColumns(layout, values, at: coordinates)
    let width = layout.count
    for index in 0..<count {
      let prediction = gain * samples[index].concentration
      columns.write(
        samples[index], prediction: prediction,
        times: rule.slope(slope, of: prediction, at: index), into: jacobian + index * width)
    }
    if slope != .prediction { whitening?.whiten(jacobian, columns: width) }
    return true
  }
}

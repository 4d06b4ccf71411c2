import AlcoholKinetics

/// The objective of a fit of one series for given standard deviations. It is immutable.
///
/// Each reading has a standardised residual; a prior adds one for each of its parameters. The columns of the Jacobian are
/// derivatives by the coordinates of the free parameters.
package final class CurveObjective: SumOfSquares {
  /// The workspace with the readings and the curve.
  let memory: CurveMemory
  /// Turns predictions into residuals.
  let rule: ResidualRule
  /// Whitens residuals; nil if errors are independent.
  let whitening: Whitening?
  /// Whitens eight curves at once; nil if errors are independent.
  let white: WhiteReadings?
  let prior: Prior.Rows?
  /// The readings of each lane; nil for those of the problem.
  let replicates: ReplicateReadings?

  // Copies from the problem, for the inner loop.
  let kinetics: any EliminationKinetics.Type
  let regimen: Regimen
  let layout: ParameterLayout
  /// The number of readings.
  package let count: Int
  package let residualCount: Int
  /// The sum of squares below which it is rounding.
  package let roundingError: Double

  /// The reciprocals of the standard deviations, in kg/g.
  private let precisions: UnsafeMutablePointer<Double>

  /// Creates the objective for standard deviations of the readings, in g/kg.
  ///
  /// - Parameter replicates: The readings of each request to descend in lanes, instead of those of the problem. Supported
  ///   for plain squares, one-sided for censored readings, with standard deviations that do not depend on the readings.
  init(
    _ memory: CurveMemory, standardDeviations: [Double], loss: Loss = .linear, tuning: Double = 1,
    hasLikelihood: Bool = false, whitening: Whitening? = nil,
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
    self.whitening = whitening
    white = whitening.map { [memory, precisions, count] in
      WhiteReadings($0, memory, precisions: precisions, count: count)
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
  /// False with a lag, since derivatives jump where it moves a drink past a reading, and with standard deviations that
  /// depend on predictions, since then other minima than the lowest sum of squares count as well.
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

  /// Returns the predicted readings, gain included, in g/kg; nil if the curve cannot be computed.
  func predictions(at coordinates: [Double]) -> [Double]? {
    written(count, at: coordinates) { write(predictions: $0, at: $1) }
  }

  /// The objective of a curve that is zero at every reading, to recognise fits that explain nothing; infinite with a
  /// prior.
  var zeroCurveObjective: Double {
    guard prior == nil else { return .infinity }
    return (0..<count).reduce(0) { sum, index in
      let residual = rule.terms(of: 0.0, at: index).residual
      return sum + residual * residual
    }
  }

  /// Returns the contribution of the prior to the objective; 0 without one.
  func priorCost(at coordinates: [Double]) -> Double {
    guard let prior else { return 0 }
    let rows = written(prior.count, at: coordinates) {
      prior.write(residuals: $0, at: $1)
      return true
    }
    return rows?.reduce(0) { $0 + $1 * $1 } ?? 0
  }

  /// Returns the Jacobian whose J^T J is the information matrix, by some of the free parameters, row-major; nil if the
  /// curve cannot be computed.
  func information(at coordinates: [Double], by moved: [Int]) -> [Double]? {
    let all = written(residualCount * layout.count, at: coordinates) { jacobian, point in
      guard write(jacobian: jacobian, at: point, slope: .information) else { return false }
      prior?.write(jacobian: jacobian + count * layout.count, layout, at: point)
      return true
    }
    return all.map { columns($0, moved) }
  }

  /// Returns the derivatives of the predictions by the coordinates of some free parameters, row-major; nil if the curve
  /// cannot be computed.
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

  /// Returns r such that J^T r is half the gradient, J being the Jacobian of ``information(at:by:)``: the residuals, and
  /// their counterparts for censored readings; nil if the curve cannot be computed.
  func informationResiduals(at coordinates: [Double]) -> [Double]? {
    predictions(at: coordinates)?.enumerated().map { index, prediction in
      let information = rule.slope(.information, of: prediction, at: index)
      guard information > 0 else { return 0 }
      let (residual, slope) = rule.terms(of: prediction, at: index)
      return residual * slope / information
    }
  }
}

/// A reusable workspace for evaluating objectives of a problem: its readings in unmanaged memory, and the last curve.
final class CurveMemory {
  private(set) var problem: FitProblem
  /// The times of the readings since the first drink in h, ascending.
  let times: UnsafeMutablePointer<Double>
  let levels: UnsafeMutablePointer<Double>
  let areCensored: UnsafeMutablePointer<Bool>
  /// The workspace for eight points at once, created on first use.
  var lanes: CurveLanes {
    if let keptLanes { return keptLanes }
    let lanes = CurveLanes(problem)
    keptLanes = lanes
    return lanes
  }

  private var keptLanes: CurveLanes?
  private var count = 0
  /// The capacity in readings.
  private let room: Int
  /// The last curve, at the times of the readings.
  private let samples: UnsafeMutablePointer<CurveSample>
  /// The parameters of that curve.
  private var followed = ParameterValues()
  /// True if ``samples`` holds the curve of ``followed``.
  private var isFollowed = false

  init(_ problem: FitProblem) {
    self.problem = problem
    // Enough for most series, so that the workspace can be reused.
    room = max(64, problem.observations.count)
    times = .allocate(capacity: room)
    levels = .allocate(capacity: room)
    areCensored = .allocate(capacity: room)
    samples = .allocate(capacity: room)
    load(problem)
  }

  deinit {
    times.deallocate()
    levels.deallocate()
    areCensored.deallocate()
    samples.deallocate()
  }

  /// Replaces the problem; false if the workspace is too small.
  func reload(_ next: FitProblem) -> Bool {
    guard next.observations.count <= room else { return false }
    if let lanes = keptLanes, !lanes.reload(next) { keptLanes = nil }
    problem = next
    load(next)
    return true
  }

  private func load(_ problem: FitProblem) {
    let observations = problem.observations.all
    count = observations.count
    isFollowed = false
    for (index, observation) in observations.enumerated() {
      (times + index).initialize(to: observation.elapsed)
      (levels + index).initialize(to: observation.level)
      (areCensored + index).initialize(to: observation.isCensored)
    }
  }

  /// Returns the curve at the times of the readings; nil if it cannot be computed for these values.
  ///
  /// Solvers evaluate the Jacobian at the point of the last residuals if the step is accepted, so the last curve is
  /// cached.
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

  /// Integrates the curve in one lane, the others being inactive: faster than the scalar integrator, which also controls
  /// the relative error of small concentrations. Returns false if the curve cannot be computed.
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
  /// Writes the predicted readings, gain included, in g/kg; false if the curve cannot be computed.
  func write(
    predictions: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let values = layout.values(at: coordinates)
    guard let samples = memory.samples(of: kinetics, regimen, values) else { return false }
    let gain = values[known: .gain]
    for index in 0..<count { predictions[index] = gain * samples[index].concentration }
    return true
  }

  /// Writes the rows of the Jacobian that belong to readings, row-major; false if the curve cannot be computed.
  ///
  /// - Parameter slope: The factor of the derivatives of a prediction.
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

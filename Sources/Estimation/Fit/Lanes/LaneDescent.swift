import AlcoholKinetics
private import CLanes

/// Minimises one sum of squares from many starts, eight at a time, by the Levenberg-Marquardt method.
///
/// Each SIMD lane runs a descent with its own point and damping. When one ends, the next request takes its lane, so that
/// lanes are rarely idle. The normal equations are solved with Moré's (1978) scaling, and the damping is updated by the
/// gain ratio (Nielsen 1999). A coordinate at an active bound is held for the step; steps end at bounds (projected steps
/// as in Kanzow, Yamashita & Fukushima 2004).
///
/// With large residuals the Gauss-Newton matrix J^T J lacks a substantial part of the second derivatives, and steps are
/// repeatedly too long. If the problem allows it, that part is approximated from successive gradients by the symmetric
/// rank-one update, and is used while it predicts the sum of squares better (after Dennis, Gay & Welsch 1981).
///
/// A workspace serves problems with the same number of coordinates. Minima are not polished here
/// (``LeastSquaresEngine/finish(_:of:)``).
final class LaneDescent {
  /// The iteration limit, the same as GSL's.
  static let mostIterations = 200
  /// The initial damping, step limit and tolerances of a descent.
  private struct Rule {
    /// The damping of the first step. Next to a minimum it is negligible. From farther away undamped steps may cross kinks
    /// of curves that stop at zero, and miss lower minima.
    let firstDamping: Double
    /// Converged if the cosine of the angle between the residuals and every column of the Jacobian is below this: the sum
    /// of squares is then within the square of it, relative to the minimum.
    let gradientTolerance: Double
    /// Converged if the expected decrease is below this fraction of the sum of squares.
    let fallTolerance: Double
    /// The longest step with which it counts as converged: along a flat valley the expected decrease is small far from
    /// the minimum, which may be at a bound.
    let longestRest: Double
    /// The largest step of a coordinate, usually a factor of 2, or 0.7 h. Longer steps of curves that stop at zero lead
    /// to plateaus: the curve is zero at every reading, and the gradient vanishes.
    let longestStep: Double

    init(_ startKind: StartKind, allowsLongSteps: Bool) {
      longestStep = allowsLongSteps ? 1.5 : 0.7
      firstDamping =
        switch startKind {
        case .initial: 3e-3
        case .probe: allowsLongSteps ? 3e-3 : 3e-2
        case .profile: allowsLongSteps ? 1e-6 : 1e-4
        case .warm, .reweighting: 1e-6
        }
      longestRest = startKind == .profile || startKind == .probe ? .infinity : 0.01
      (gradientTolerance, fallTolerance) =
        switch startKind {
        case .initial, .warm: (1e-5, 1e-10)
        case .reweighting: (1e-8, 1e-16)
        case .profile: (1e-4, 1e-8)
        case .probe: (1e-3, 1e-6)
        }
    }
  }

  /// The damping above which steps have been rejected repeatedly.
  private static let strongDamping = 0.1
  /// The squared cosine between residuals and columns of the Jacobian above which a descent that stopped is not at a
  /// minimum.
  private static let steepness = 1e-6
  /// The step of every coordinate below which it has converged; coordinates are logarithms, or hours.
  private static let stepTolerance = 1e-8

  private let count: Int
  private let memory: UnsafeMutablePointer<Lanes>
  /// The state of all lanes for the C code; it points to the rows below.
  private let steps: UnsafeMutablePointer<lane_descents>
  /// The current point of each lane.
  private let point: UnsafeMutablePointer<Lanes>
  /// The trial point of each lane.
  private let trial: UnsafeMutablePointer<Lanes>
  /// The largest squared norm of each column of the Jacobian so far (Moré).
  private let scales: UnsafeMutablePointer<Lanes>
  /// 1 for a coordinate that is held, 0 for a free one.
  private let isHeld: UnsafeMutablePointer<Lanes>
  /// 1 for a coordinate that is held in this step, including those at active bounds; else 0.
  private let isStopped: UnsafeMutablePointer<Lanes>
  /// The second-order part of the Hessian that the rank-one updates estimate.
  private let bend: UnsafeMutablePointer<Lanes>
  /// The normal equations at the current point.
  private let current: NormalEquations
  /// The normal equations at the trial point.
  private let candidate: NormalEquations
  /// One row for each ``Row``.
  private let rows: UnsafeMutablePointer<Lanes>
  /// The lowest value of each coordinate.
  private let lowest: UnsafeMutablePointer<Double>
  private let highest: UnsafeMutablePointer<Double>
  /// The index of the request in each lane.
  private let assigned: UnsafeMutablePointer<Int>

  /// The rows with one number for each lane; flags are 1 or 0.
  private enum Row: Int, CaseIterable {
    case damping, growth, iterations, expectedDecrease, stride, isRunning, isFresh, isCut, isBent
  }

  init(_ count: Int) {
    let triangle = count * (count + 1) / 2
    let size = NormalEquations.size(count)
    let memory = UnsafeMutablePointer<Lanes>.zeros(
      6 * count + triangle + 2 * size + Row.allCases.count)
    var free = memory
    func allocate(_ rows: Int) -> UnsafeMutablePointer<Lanes> {
      defer { free += rows }
      return free
    }
    self.count = count
    self.memory = memory
    point = allocate(count)
    trial = allocate(count)
    let step = allocate(count)
    scales = allocate(count)
    isHeld = allocate(count)
    isStopped = allocate(count)
    bend = allocate(triangle)
    current = NormalEquations(count, allocate(size))
    candidate = NormalEquations(count, allocate(size))
    let rows = allocate(Row.allCases.count)
    func row(_ row: Row) -> UnsafeMutablePointer<Double> { (rows + row.rawValue).numbers }
    self.rows = rows
    lowest = .allocate(capacity: count)
    highest = .allocate(capacity: count)
    assigned = .allocate(capacity: Lanes.scalarCount)
    steps = .allocate(capacity: 1)
    // Bounds and tolerances are set for each problem.
    lowest.initialize(repeating: 0, count: count)
    highest.initialize(repeating: 0, count: count)
    assigned.initialize(repeating: 0, count: Lanes.scalarCount)
    steps.initialize(
      to: lane_descents(
        count: Int32(count), learns: false, first_damping: 0, gradient_tolerance: 0,
        fall_tolerance: 0, longest_rest: 0, longest_step: 0, step_tolerance: Self.stepTolerance,
        most_iterations: Double(Self.mostIterations), rounding_error: 0, lowest: lowest,
        highest: highest, point: point.numbers, trial: trial.numbers, step: step.numbers,
        scales: scales.numbers, is_held: isHeld.numbers, is_stopped: isStopped.numbers,
        bend: bend.numbers, here: current.storage.numbers, there: candidate.storage.numbers,
        damping: row(.damping), growth: row(.growth), iterations: row(.iterations),
        expected_decrease: row(.expectedDecrease), stride: row(.stride),
        is_running: row(.isRunning), is_fresh: row(.isFresh), is_cut: row(.isCut),
        is_bent: row(.isBent)))
  }

  deinit {
    memory.deallocate()
    lowest.deallocate()
    highest.deallocate()
    assigned.deallocate()
    steps.deallocate()
  }

  private subscript(_ row: Row, _ lane: Int) -> Double {
    get { rows[row.rawValue][lane] }
    set { rows[row.rawValue][lane] = newValue }
  }

  /// Descends from the starts of all requests, including those that `receive` adds meanwhile.
  ///
  /// - Parameter receive: Receives the index of a request and the end of its descent; it may add further requests.
  /// - Throws: ``SeriesFailure/cancelled`` within one iteration after the task was cancelled.
  func descend(
    on problem: any LanedSumOfSquares, _ requests: inout [DescentRequest], _ startKind: StartKind,
    receive: (Int, DescentEnd, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    prepare(problem, Rule(startKind, allowsLongSteps: problem.allowsLongSteps))
    var next = 0
    var idle: UInt32 = 0xFF
    while true {
      while idle != 0, next < requests.count {
        let lane = idle.trailingZeroBitCount
        idle &= idle - 1
        problem.assign(next, to: lane)
        load(requests[next], lane)
        assigned[lane] = next
        next += 1
      }
      guard idle != 0xFF else { return }
      guard !Task.isCancelled else { throw .cancelled }
      problem.accumulate(candidate, at: trial, startKind)
      var over = take_steps(steps)
      while over != 0 {
        let lane = over.trailingZeroBitCount
        over &= over - 1
        idle |= 1 << lane
        let end = end(lane)
        deactivate(lane)
        try receive(assigned[lane], end, &requests)
      }
    }
  }

  private func prepare(_ problem: any LanedSumOfSquares, _ rule: Rule) {
    let lowestOfProblem = problem.lowest
    let highestOfProblem = problem.highest
    for index in 0..<count {
      lowest[index] = lowestOfProblem[index]
      highest[index] = highestOfProblem[index]
    }
    steps.pointee.learns = problem.allowsLongSteps
    steps.pointee.first_damping = rule.firstDamping
    steps.pointee.gradient_tolerance = rule.gradientTolerance
    steps.pointee.fall_tolerance = rule.fallTolerance
    steps.pointee.longest_rest = rule.longestRest
    steps.pointee.longest_step = rule.longestStep
    steps.pointee.rounding_error = problem.roundingError
    for lane in 0..<Lanes.scalarCount { deactivate(lane) }
  }

  /// Loads the start of a request into a lane.
  private func load(_ request: DescentRequest, _ lane: Int) {
    for index in 0..<count {
      let start = min(max(request.start[index], lowest[index]), highest[index])
      point[index][lane] = start
      trial[index][lane] = start
      isHeld[index][lane] = request.held.contains(index) ? 1 : 0
      scales[index][lane] = 0
    }
    current.sumOfSquares[lane] = .infinity
    for element in 0..<count * (count + 1) / 2 { bend[element][lane] = 0 }
    self[.isRunning, lane] = 1
    self[.isFresh, lane] = 1
    self[.isBent, lane] = 0
    self[.damping, lane] = steps.pointee.first_damping
    self[.growth, lane] = 2
    self[.iterations, lane] = 0
  }

  /// Deactivates a lane; its trial point becomes NaN.
  private func deactivate(_ lane: Int) {
    self[.isRunning, lane] = 0
    for index in 0..<count { trial[index][lane] = .nan }
  }

  /// Returns true if the Jacobian of a lane by all free coordinates is zero.
  private func isStationary(_ lane: Int) -> Bool {
    var diagonal = 0
    for index in 0..<count {
      guard isStopped[index][lane] == 1 || current.matrix[diagonal][lane] == 0 else { return false }
      diagonal += index + 2
    }
    return true
  }

  /// Returns true if the gradient of a lane that stopped is not negligible: it is at a kink, such as that of a curve that
  /// reaches zero at a reading, and lower points lie along the kink.
  private func isSteep(_ lane: Int) -> Bool {
    var diagonal = 0
    for index in 0..<count {
      let score = current.gradient[index][lane] * (1 - isStopped[index][lane])
      let bar = Self.steepness * current.matrix[diagonal][lane] * current.sumOfSquares[lane]
      if score * score > bar { return true }
      diagonal += index + 2
    }
    return false
  }

  /// Returns true if a coordinate is at a bound and the sum of squares does not fall inwards.
  private func isAtBound(_ index: Int, _ lane: Int) -> Bool {
    let coordinate = point[index][lane]
    let slope = current.gradient[index][lane]
    return (coordinate <= lowest[index] && slope >= 0)
      || (coordinate >= highest[index] && slope <= 0)
  }

  /// Returns the end of the descent of a lane.
  private func end(_ lane: Int) -> DescentEnd {
    let sum = current.sumOfSquares[lane]
    let iterations = self[.iterations, lane]
    let exit: DescentExit =
      if !sum.isFinite {
        .evaluationFailed
      } else if sum <= steps.pointee.rounding_error {
        .roundingLimit
      } else if iterations >= steps.pointee.most_iterations {
        .iterationLimit
      } else if self[.damping, lane] > Self.strongDamping, isSteep(lane) {
        .noProgress
      } else {
        self[.stride, lane] <= Self.stepTolerance ? .smallStep : .smallGradient
      }
    var coordinates = Coordinates.zero
    var atBound: CoordinateSet = []
    for index in 0..<count {
      coordinates[index] = point[index][lane]
      if isHeld[index][lane] == 0, isAtBound(index, lane) {
        atBound.insert(CoordinateSet(index))
      }
    }
    return DescentEnd(
      coordinates: coordinates, objective: sum, exit: exit, iterations: Int(iterations),
      isStationary: iterations == 0 && isStationary(lane), atBound: atBound)
  }
}

import AlcoholKinetics
private import CLanes

/// Descends to minima of one sum of squares, eight at a time, by the Levenberg-Marquardt method.
///
/// Each lane has a descent of its own: its point, its damping, its end. Where one ends, the next of a queue
/// begins in its lane, so that lanes hardly ever stand idle. The normal equations are solved with Moré's
/// (1978) scaling and Nielsen's (1999) control of the damping by the gain ratio. A coordinate at a bound
/// beyond which the sum of squares falls is held there for the step; steps end at bounds (a projected
/// step as in Kanzow, Yamashita & Fukushima 2004).
///
/// Where residuals are large beside what bends them, the matrix J^T J of Gauss and Newton lacks a part of the second
/// derivatives, and steps go too far again and again. Where a problem allows it, that part is learnt from the gradients
/// along the way by the symmetric update of rank one, and is used while it foretells the sum of squares better (after
/// Dennis, Gay & Welsch 1981).
///
/// It keeps its memory for problems with the same number of coordinates. It does not know what a digit
/// more is worth: minima are finished elsewhere.
final class LaneDescent {
  /// Iterations after which a descent is given up, as GSL's are.
  static let mostIterations = 200
  /// What is asked of a descent.
  private struct Rule {
    /// The damping of its first step: next to a minimum steps can be taken whole. Where curves stop at zero, whole steps
    /// from farther away lead over folds, past lower minima.
    let firstDamping: Double
    /// It is at its end where the cosine of the angle between the residuals and every column of the
    /// Jacobian is below this: the sum of squares is then within the square of it, relative to itself.
    let gradientTolerance: Double
    /// Or where the expected decrease is below this part of the sum of squares.
    let fallTolerance: Double
    /// And only while no coordinate would move by more than this: at the bottom of a flat valley little is to be
    /// gained, but its end, which may be a bound, is the minimum.
    let longestRest: Double
    /// A step takes no coordinate farther: usually a factor of 2, or 0.7 h. Where curves stop at zero, longer steps lead
    /// to plateaus, where the curve is zero at every reading and nothing leads back.
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

  /// Steps that are damped by more have been refused again and again.
  private static let strongDamping = 0.1
  /// The square of the cosine between residuals and columns of the Jacobian from which on a descent that
  /// stopped is no minimum.
  private static let steepness = 1e-6
  /// Or where no coordinate moves by more than this; coordinates are logarithms, or hours.
  private static let stepTolerance = 1e-8

  private let count: Int
  private let memory: UnsafeMutablePointer<Lanes>
  /// What steps are taken with. Its rows are the ones below.
  private let steps: UnsafeMutablePointer<lane_descents>
  /// Where each lane is.
  private let point: UnsafeMutablePointer<Lanes>
  /// Where its next step leads.
  private let trial: UnsafeMutablePointer<Lanes>
  /// The largest squares of the norms of the columns of the Jacobian so far.
  private let scales: UnsafeMutablePointer<Lanes>
  /// 1 for a coordinate that is held, 0 for one that moves.
  private let isHeld: UnsafeMutablePointer<Lanes>
  /// The same for this step, coordinates at bounds included.
  private let isStopped: UnsafeMutablePointer<Lanes>
  private let bend: UnsafeMutablePointer<Lanes>
  private let here: NormalEquations
  private let there: NormalEquations
  /// One row for each ``Row``.
  private let rows: UnsafeMutablePointer<Lanes>
  /// The lowest value of each coordinate.
  private let lowest: UnsafeMutablePointer<Double>
  private let highest: UnsafeMutablePointer<Double>
  /// Which request each lane serves.
  private let served: UnsafeMutablePointer<Int>

  /// What is one number for each lane; answers are 1 or 0.
  private enum Row: Int, CaseIterable {
    case damping, growth, iterations, expectedDecrease, stride, isRunning, isFresh, isCut, isBent
  }

  init(_ count: Int) {
    let triangle = count * (count + 1) / 2
    let size = NormalEquations.size(count)
    let memory = UnsafeMutablePointer<Lanes>.zeros(
      6 * count + triangle + 2 * size + Row.allCases.count)
    var place = memory
    func take(_ rows: Int) -> UnsafeMutablePointer<Lanes> {
      defer { place += rows }
      return place
    }
    self.count = count
    self.memory = memory
    point = take(count)
    trial = take(count)
    let step = take(count)
    scales = take(count)
    isHeld = take(count)
    isStopped = take(count)
    bend = take(triangle)
    here = NormalEquations(count, take(size))
    there = NormalEquations(count, take(size))
    let rows = take(Row.allCases.count)
    func row(_ row: Row) -> UnsafeMutablePointer<Double> { (rows + row.rawValue).numbers }
    self.rows = rows
    lowest = .allocate(capacity: count)
    highest = .allocate(capacity: count)
    served = .allocate(capacity: Lanes.scalarCount)
    steps = .allocate(capacity: 1)
    // Rules and bounds are those of a problem.
    lowest.initialize(repeating: 0, count: count)
    highest.initialize(repeating: 0, count: count)
    served.initialize(repeating: 0, count: Lanes.scalarCount)
    steps.initialize(
      to: lane_descents(
        count: Int32(count), learns: false, first_damping: 0, gradient_tolerance: 0,
        fall_tolerance: 0, longest_rest: 0, longest_step: 0, step_tolerance: Self.stepTolerance,
        most_iterations: Double(Self.mostIterations), rounding_error: 0, lowest: lowest,
        highest: highest, point: point.numbers, trial: trial.numbers, step: step.numbers,
        scales: scales.numbers, is_held: isHeld.numbers, is_stopped: isStopped.numbers,
        bend: bend.numbers, here: here.storage.numbers, there: there.storage.numbers,
        damping: row(.damping), growth: row(.growth), iterations: row(.iterations),
        expected_decrease: row(.expectedDecrease), stride: row(.stride),
        is_running: row(.isRunning), is_fresh: row(.isFresh), is_cut: row(.isCut),
        is_bent: row(.isBent)))
  }

  deinit {
    memory.deallocate()
    lowest.deallocate()
    highest.deallocate()
    served.deallocate()
    steps.deallocate()
  }

  private subscript(_ row: Row, _ lane: Int) -> Double {
    get { rows[row.rawValue][lane] }
    set { rows[row.rawValue][lane] = newValue }
  }

  /// Descends from the places that are requested, and from those that are added meanwhile: a lane that is done takes
  /// the next one.
  ///
  /// - Parameter take: Takes in where a request led to, by its place among all; it may add further ones.
  /// - Throws: ``SeriesFailure/cancelled`` within one iteration after the task was cancelled.
  func descend(
    on problem: any LanedSumOfSquares, _ requests: inout [DescentRequest], _ startKind: StartKind,
    take: (Int, DescentEnd, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    prepare(problem, Rule(startKind, allowsLongSteps: problem.allowsLongSteps))
    var next = 0
    var idle: UInt32 = 0xFF
    while true {
      while idle != 0, next < requests.count {
        let lane = idle.trailingZeroBitCount
        idle &= idle - 1
        problem.serve(next, in: lane)
        load(requests[next], lane)
        served[lane] = next
        next += 1
      }
      guard idle != 0xFF else { return }
      guard !Task.isCancelled else { throw .cancelled }
      problem.accumulate(there, at: trial, startKind)
      var over = take_steps(steps)
      while over != 0 {
        let lane = over.trailingZeroBitCount
        over &= over - 1
        idle |= 1 << lane
        let end = end(lane)
        rest(lane)
        try take(served[lane], end, &requests)
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
    for lane in 0..<Lanes.scalarCount { rest(lane) }
  }

  /// Begins with a request in a lane.
  private func load(_ request: DescentRequest, _ lane: Int) {
    for index in 0..<count {
      let start = min(max(request.start[index], lowest[index]), highest[index])
      point[index][lane] = start
      trial[index][lane] = start
      isHeld[index][lane] = request.held.contains(index) ? 1 : 0
      scales[index][lane] = 0
    }
    here.sumOfSquares[lane] = .infinity
    for place in 0..<count * (count + 1) / 2 { bend[place][lane] = 0 }
    self[.isRunning, lane] = 1
    self[.isFresh, lane] = 1
    self[.isBent, lane] = 0
    self[.damping, lane] = steps.pointee.first_damping
    self[.growth, lane] = 2
    self[.iterations, lane] = 0
  }

  /// Lets a lane wait for the others.
  private func rest(_ lane: Int) {
    self[.isRunning, lane] = 0
    for index in 0..<count { trial[index][lane] = .nan }
  }

  /// Whether nothing that moves changes any residual of a lane.
  private func isStationary(_ lane: Int) -> Bool {
    var diagonal = 0
    for index in 0..<count {
      guard isStopped[index][lane] == 1 || here.matrix[diagonal][lane] == 0 else { return false }
      diagonal += index + 2
    }
    return true
  }

  /// Whether the sum of squares still falls where a lane stands, though no step does better: it is at an edge
  /// of the curve, as where it comes to zero at a reading, and lower places lie along the edge.
  private func isSteep(_ lane: Int) -> Bool {
    var diagonal = 0
    for index in 0..<count {
      let score = here.gradient[index][lane] * (1 - isStopped[index][lane])
      let bar = Self.steepness * here.matrix[diagonal][lane] * here.sumOfSquares[lane]
      if score * score > bar { return true }
      diagonal += index + 2
    }
    return false
  }

  /// Whether a coordinate stands at a bound, and the sum of squares does not fall inwards.
  private func isAtBound(_ index: Int, _ lane: Int) -> Bool {
    let place = point[index][lane]
    let slope = here.gradient[index][lane]
    return (place <= lowest[index] && slope >= 0)
      || (place >= highest[index] && slope <= 0)
  }

  /// What came of a lane.
  private func end(_ lane: Int) -> DescentEnd {
    let sum = here.sumOfSquares[lane]
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

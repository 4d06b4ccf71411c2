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
    /// The damping of its first step: next to a minimum steps can be taken whole.
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

    init(_ reach: Reach, isPlain: Bool) {
      longestStep = isPlain ? 1.5 : 0.7
      firstDamping = reach == .far || reach == .probing ? 3e-3 : 1e-6
      longestRest = reach == .along || reach == .probing ? .infinity : 0.01
      (gradientTolerance, fallTolerance) =
        switch reach {
        case .far, .near: (1e-5, 1e-10)
        case .settling: (1e-8, 1e-16)
        case .along: (1e-4, 1e-8)
        case .probing: (1e-3, 1e-6)
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
  /// The bounds of each coordinate.
  private let bounds: (lowest: UnsafeMutablePointer<Double>, highest: UnsafeMutablePointer<Double>)
  /// Which request each lane serves.
  private let served: UnsafeMutablePointer<Int>

  /// What is one number for each lane; answers are 1 or 0.
  private enum Row: Int, CaseIterable {
    case damping, growth, iterations, expectedDecrease, stride, isRunning, isFresh, isCut, isBent
  }

  init(_ count: Int) {
    self.count = count
    let (triangle, size) = (count * (count + 1) / 2, NormalEquations.size(count))
    let sizes = [
      count, count, count, count, count, count, triangle, size, size, Row.allCases.count,
    ]
    memory = .zeros(sizes.reduce(0, +))
    var parts: [UnsafeMutablePointer<Lanes>] = []
    var offset = 0
    for size in sizes {
      parts.append(memory + offset)
      offset += size
    }
    (point, trial, scales, isHeld) = (parts[0], parts[1], parts[3], parts[4])
    (isStopped, bend, rows) = (parts[5], parts[6], parts[9])
    (here, there) = (NormalEquations(count, parts[7]), NormalEquations(count, parts[8]))
    bounds = (.allocate(capacity: count), .allocate(capacity: count))
    bounds.lowest.initialize(repeating: 0, count: count)
    bounds.highest.initialize(repeating: 0, count: count)
    func row(_ row: Row) -> UnsafeMutablePointer<Double> { (rows + row.rawValue).numbers }
    served = .allocate(capacity: Lanes.scalarCount)
    served.initialize(repeating: 0, count: Lanes.scalarCount)
    steps = .allocate(capacity: 1)
    steps.initialize(to: lane_descents())
    steps.pointee.count = Int32(count)
    (steps.pointee.lowest, steps.pointee.highest) = (
      UnsafePointer(bounds.lowest), UnsafePointer(bounds.highest)
    )
    (steps.pointee.point, steps.pointee.trial, steps.pointee.step) = (
      point.numbers, trial.numbers, parts[2].numbers
    )
    (steps.pointee.scales, steps.pointee.is_held, steps.pointee.is_stopped) = (
      scales.numbers, isHeld.numbers, isStopped.numbers
    )
    (steps.pointee.bend, steps.pointee.here, steps.pointee.there) = (
      bend.numbers, parts[7].numbers, parts[8].numbers
    )
    (steps.pointee.damping, steps.pointee.growth, steps.pointee.iterations) = (
      row(.damping), row(.growth), row(.iterations)
    )
    (steps.pointee.expected_decrease, steps.pointee.stride) = (row(.expectedDecrease), row(.stride))
    (steps.pointee.is_running, steps.pointee.is_fresh) = (row(.isRunning), row(.isFresh))
    (steps.pointee.is_cut, steps.pointee.is_bent) = (row(.isCut), row(.isBent))
  }

  deinit {
    memory.deallocate()
    bounds.lowest.deallocate()
    bounds.highest.deallocate()
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
    on problem: any LanedSumOfSquares, _ requests: inout [DescentRequest], _ reach: Reach,
    take: (Int, DescentEnd, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    prepare(problem, Rule(reach, isPlain: problem.isPlain))
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
      problem.accumulate(there, at: trial, reach)
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
    for (index, (lowest, highest)) in zip(problem.lowest, problem.highest).enumerated() {
      (bounds.lowest[index], bounds.highest[index]) = (lowest, highest)
    }
    steps.pointee.learns = problem.isPlain
    steps.pointee.first_damping = rule.firstDamping
    steps.pointee.gradient_tolerance = rule.gradientTolerance
    steps.pointee.fall_tolerance = rule.fallTolerance
    steps.pointee.longest_rest = rule.longestRest
    steps.pointee.longest_step = rule.longestStep
    steps.pointee.step_tolerance = Self.stepTolerance
    steps.pointee.most_iterations = Double(Self.mostIterations)
    steps.pointee.rounding_error = problem.roundingError
    for lane in 0..<Lanes.scalarCount { rest(lane) }
  }

  /// Begins with a request in a lane.
  private func load(_ request: DescentRequest, _ lane: Int) {
    for index in 0..<count {
      let start = min(max(request.start[index], bounds.lowest[index]), bounds.highest[index])
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
  private func isFlat(_ lane: Int) -> Bool {
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
    let (place, slope) = (point[index][lane], here.gradient[index][lane])
    return (place <= bounds.lowest[index] && slope >= 0)
      || (place >= bounds.highest[index] && slope <= 0)
  }

  /// What came of a lane.
  private func end(_ lane: Int) -> DescentEnd {
    let (sum, iterations) = (here.sumOfSquares[lane], self[.iterations, lane])
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
      isFlat: iterations == 0 && isFlat(lane), atBound: atBound)
  }
}

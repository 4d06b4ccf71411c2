import AlcoholKinetics

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
  /// The longest step from which the bend is learnt.
  private static let longestLesson = 0.5

  private let count: Int
  private let memory: UnsafeMutablePointer<Lanes>
  /// Where each lane is.
  private let point: UnsafeMutablePointer<Lanes>
  /// Where its next step leads.
  private let trial: UnsafeMutablePointer<Lanes>
  private let step: UnsafeMutablePointer<Lanes>
  /// The largest squares of the norms of the columns of the Jacobian so far.
  private let scales: UnsafeMutablePointer<Lanes>
  /// 1 for a coordinate that is held, 0 for one that moves.
  private let isHeld: UnsafeMutablePointer<Lanes>
  /// The same for this step, coordinates at bounds included.
  private let isStopped: UnsafeMutablePointer<Lanes>
  private let factor: UnsafeMutablePointer<Lanes>
  /// What J^T J lacks, as far as it was learnt; rows of the lower triangle.
  private let bend: UnsafeMutablePointer<Lanes>
  /// J^T J, with the bend where that is used.
  private let model: UnsafeMutablePointer<Lanes>
  /// By how much a change of the gradient was not foretold.
  private let miss: UnsafeMutablePointer<Lanes>
  private let here: NormalEquations
  private let there: NormalEquations

  init(_ count: Int) {
    self.count = count
    let triangle = count * (count + 1) / 2
    let sizes =
      [count, count, count, count, count, count, triangle, triangle, triangle, count]
      + Array(repeating: NormalEquations.size(count), count: 2)
    let total = sizes.reduce(0, +)
    memory = .allocate(capacity: total)
    memory.initialize(repeating: .zero, count: total)
    var parts: [UnsafeMutablePointer<Lanes>] = []
    var offset = 0
    for size in sizes {
      parts.append(memory + offset)
      offset += size
    }
    (point, trial, step, scales, isHeld) = (parts[0], parts[1], parts[2], parts[3], parts[4])
    (isStopped, factor, bend, model, miss) = (parts[5], parts[6], parts[7], parts[8], parts[9])
    (here, there) = (NormalEquations(count, parts[10]), NormalEquations(count, parts[11]))
  }

  deinit {
    memory.deallocate()
  }

  /// The lowest and the highest value of each coordinate.
  private typealias Bounds = (lowest: [Double], highest: [Double])

  /// What the lanes of a run know beside their points.
  private struct Run {
    let rule: Rule
    /// Which request each lane serves; -1 for none.
    var served = SIMD8<Int>(repeating: -1)
    var isRunning = LaneMask(repeating: false)
    /// Whether a lane has not been evaluated yet.
    var isFresh = LaneMask(repeating: false)
    var damping = Lanes.zero
    var growth = Lanes.zero
    var iterations = Lanes.zero
    /// The expected decrease of the next step.
    var expectedDecrease = Lanes.zero
    /// The longest way of a coordinate in the next step.
    var stride = Lanes.zero
    /// Whether bounds cut the next step short.
    var isCut = LaneMask(repeating: false)
    /// Where the bend is used.
    var isBent = LaneMask(repeating: false)
  }

  /// Where the requests lead to, in their order.
  ///
  /// - Throws: ``SeriesFailure/cancelled`` within one iteration after the task was cancelled.
  func ends(
    of problem: any LanedSumOfSquares, _ requests: [DescentRequest], reach: Reach
  ) throws(SeriesFailure) -> [DescentEnd] {
    let bounds = (lowest: problem.lowest, highest: problem.highest)
    let roundingError = problem.roundingError
    var ends = requests.map { request in
      DescentEnd(
        coordinates: request.start, objective: .nan, exit: .evaluationFailed, iterations: 0,
        isFlat: false, atBound: [])
    }
    var run = Run(rule: Rule(reach, isPlain: problem.isPlain))
    var next = 0
    for lane in 0..<Lanes.scalarCount { load(requests, of: problem, bounds, &next, lane, &run) }
    while run.isRunning.isAnywhere {
      guard !Task.isCancelled else { throw .cancelled }
      problem.accumulate(there, at: trial, reach)
      judge(&run, learning: problem.isPlain)
      takeStep(&run, bounds)
      let isOver = run.isRunning .& over(run, roundingError)
      guard isOver.isAnywhere else { continue }
      for lane in 0..<Lanes.scalarCount where isOver[lane] {
        ends[run.served[lane]] = end(lane, run, bounds, roundingError)
        load(requests, of: problem, bounds, &next, lane, &run)
      }
    }
    return ends
  }

  /// Begins with the next request in a lane.
  private func load(
    _ requests: [DescentRequest], of problem: any LanedSumOfSquares, _ bounds: Bounds,
    _ next: inout Int, _ lane: Int, _ run: inout Run
  ) {
    guard next < requests.count else {
      run.isRunning[lane] = false
      for index in 0..<count { trial[index][lane] = .nan }
      return
    }
    let request = requests[next]
    problem.serve(next, in: lane)
    for index in 0..<count {
      let start = min(max(request.start[index], bounds.lowest[index]), bounds.highest[index])
      point[index][lane] = start
      trial[index][lane] = start
      isHeld[index][lane] = request.held.contains(index) ? 1 : 0
      scales[index][lane] = 0
    }
    here.sumOfSquares[lane] = .infinity
    run.served[lane] = next
    run.isRunning[lane] = true
    run.isFresh[lane] = true
    run.isBent[lane] = false
    for place in 0..<count * (count + 1) / 2 { bend[place][lane] = 0 }
    run.damping[lane] = run.rule.firstDamping
    run.growth[lane] = 2
    run.iterations[lane] = 0
    next += 1
  }

  /// Keeps the trial points that are better, and damps the next steps as they have earned.
  private func judge(_ run: inout Run, learning: Bool) {
    let (before, after) = (here.sumOfSquares, there.sumOfSquares)
    let isBetter = (after .< before) .| run.isFresh
    let gain = (before - after) / run.expectedDecrease
    let turn = 2 * gain - 1
    let relief = (1 - turn * turn * turn).kept(where: gain .< 1, else: .zero)
      .orMore(Lanes(repeating: 1.0 / 3)).orLess(Lanes(repeating: 2))
    let eased = (run.damping * relief).kept(where: run.expectedDecrease .> 0, else: run.damping)
    run.damping = eased.kept(where: isBetter .& .!run.isFresh, else: run.damping)
    run.damping = run.damping.kept(where: isBetter, else: run.damping * run.growth)
    run.growth = Lanes(repeating: 2).kept(where: isBetter, else: 2 * run.growth)
    run.iterations = run.iterations.kept(where: run.isFresh, else: run.iterations + 1)
    if learning { learn(&run, where: isBetter .& .!run.isFresh) }
    run.isFresh = LaneMask(repeating: false)
    here.take(there, where: isBetter)
    var diagonal = 0
    for index in 0..<count {
      point[index].take(trial[index], where: isBetter)
      scales[index] = here.matrix[diagonal].orMore(scales[index])
      diagonal += index + 2
    }
  }

  /// Solves the damped equations for the next step.
  private func takeStep(_ run: inout Run, _ bounds: Bounds) {
    let (lowest, highest) = (bounds.lowest, bounds.highest)
    let gradient = here.gradient
    for index in 0..<count {
      let isAtBound =
        ((point[index] .<= lowest[index]) .& (gradient[index] .> 0))
        .| ((point[index] .>= highest[index]) .& (gradient[index] .< 0))
      isStopped[index] = Lanes(repeating: 1).kept(where: isAtBound, else: isHeld[index])
    }
    bendModel(where: run.isBent)
    let isIndefinite = factorise(run.damping) .& run.isBent
    if isIndefinite.isAnywhere {
      run.isBent .&= .!isIndefinite
      bendModel(where: run.isBent)
      _ = factorise(run.damping)
    }
    solve()
    shorten(to: run.rule.longestStep)
    run.stride = .zero
    run.isCut = LaneMask(repeating: false)
    for index in 0..<count {
      let aim = point[index] + step[index]
      let landing = Lanes(repeating: highest[index])
        .orLess(Lanes(repeating: lowest[index]).orMore(aim))
      run.isCut .|= (landing .!= aim)
      // Lanes that have nothing left to do wait.
      trial[index] = landing.kept(where: run.isRunning, else: Lanes(repeating: .nan))
      step[index] = landing - point[index]
      run.stride = step[index].magnitudes.orMore(run.stride)
    }
    run.expectedDecrease = .zero
    var place = 0
    for row in 0..<count {
      var product = 2 * gradient[row]
      for column in 0..<row { product += 2 * model[place + column] * step[column] }
      product += model[place + row] * step[row]
      run.expectedDecrease -= step[row] * product
      place += row + 1
    }
  }

  /// Learns from steps that were taken what J^T J lacks.
  private func learn(_ run: inout Run, where isTaken: LaneMask) {
    var (foretold, byBend) = (Lanes.zero, Lanes.zero)
    var (product, misses, length) = (Lanes.zero, Lanes.zero, Lanes.zero)
    for i in 0..<count {
      var (before, after, bent) = (Lanes.zero, Lanes.zero, Lanes.zero)
      for j in 0..<count {
        let place = max(i, j) * (max(i, j) + 1) / 2 + min(i, j)
        before += here.matrix[place] * step[j]
        after += there.matrix[place] * step[j]
        bent += bend[place] * step[j]
      }
      foretold += step[i] * (2 * here.gradient[i] + before)
      byBend += step[i] * bent
      miss[i] = there.gradient[i] - here.gradient[i] - after - bent
      product += miss[i] * step[i]
      misses += miss[i] * miss[i]
      length += step[i] * step[i]
    }
    let rest = there.sumOfSquares - here.sumOfSquares - foretold
    let isForetold = (rest - byBend).magnitudes .<= 0.5 * rest.magnitudes
    run.isBent = run.isBent.replacing(with: isForetold, where: isTaken)
    // What long steps tell is of elsewhere, and where step and miss are across, nothing is told.
    let isShort = length .< Self.longestLesson * Self.longestLesson
    let isTold = product * product .> 1e-6 * misses * length
    var place = 0
    for i in 0..<count {
      for j in 0...i {
        let told = (bend[place] + miss[i] * miss[j] / product).kept(
          where: isTold, else: bend[place])
        bend[place].take(told.kept(where: isShort, else: .zero), where: isTaken)
        place += 1
      }
    }
  }

  private func bendModel(where isBent: LaneMask) {
    for place in 0..<count * (count + 1) / 2 {
      model[place] = here.matrix[place] + bend[place].kept(where: isBent, else: .zero)
    }
  }

  /// Factors J^T J + damping D^2 into L Delta L^T, with the rows and columns that do not move left out. Below
  /// the diagonal the factor holds L, on it the reciprocals of Delta: no root is taken, and a division for each
  /// coordinate is all.
  ///
  /// - Returns: Where it is not positive.
  private func factorise(_ damping: Lanes) -> LaneMask {
    var isIndefinite = LaneMask(repeating: false)
    var row = 0
    for i in 0..<count {
      let isMovingRow = 1 - isStopped[i]
      var column = 0
      for j in 0..<i {
        // L times Delta, until the row is complete.
        var rest = model[row + j] * (isMovingRow * (1 - isStopped[j]))
        for k in 0..<j { rest -= factor[row + k] * factor[column + k] }
        factor[row + j] = rest
        column += j + 1
      }
      let scale = scales[i].kept(where: scales[i] .> 0, else: Lanes(repeating: 1))
      var pivot = model[row + i] * isMovingRow + (damping * scale + isStopped[i])
      var other = 0
      for k in 0..<i {
        let full = factor[row + k]
        factor[row + k] = full * factor[other + k]
        pivot -= full * factor[row + k]
        other += k + 1
      }
      let inverse = 1 / pivot
      factor[row + i] = inverse.kept(where: pivot .> 0, else: .zero)
      isIndefinite .|= .!(pivot .> 1e-12 * here.matrix[row + i])
      row += i + 1
    }
    return isIndefinite
  }

  /// Solves for the step, forward and back.
  private func solve() {
    var row = 0
    for i in 0..<count {
      var rest = -here.gradient[i] * (1 - isStopped[i])
      for k in 0..<i { rest -= factor[row + k] * step[k] }
      step[i] = rest
      row += i + 1
    }
    row = 0
    for i in 0..<count {
      step[i] *= factor[row + i]
      row += i + 1
    }
    for i in stride(from: count - 1, through: 0, by: -1) {
      row -= i + 1
      for k in 0..<i { step[k] -= factor[row + k] * step[i] }
    }
  }

  /// Shortens steps in which a coordinate would go too far, all of it by the same factor.
  private func shorten(to longestStep: Double) {
    var longest = Lanes(repeating: longestStep)
    for index in 0..<count {
      longest = step[index].magnitudes.orMore(longest)
    }
    guard (longest .> longestStep).isAnywhere else { return }
    let share = longestStep / longest
    for index in 0..<count { step[index] *= share }
  }

  /// Where nothing is left to do.
  private func over(_ run: Run, _ roundingError: Double) -> LaneMask {
    let sum = here.sumOfSquares
    let tolerance = run.rule.gradientTolerance
    var isFlat = LaneMask(repeating: true)
    var diagonal = 0
    for index in 0..<count {
      let score = here.gradient[index] * (1 - isStopped[index])
      let bar = tolerance * tolerance * here.matrix[diagonal] * sum
      isFlat .&= (score * score .<= bar)
      diagonal += index + 2
    }
    let isDone = (run.expectedDecrease .<= run.rule.fallTolerance * sum) .& .!run.isCut
    let isAtRest = run.stride .<= run.rule.longestRest
    return ((isFlat .| isDone) .& isAtRest) .| (run.stride .<= Self.stepTolerance)
      .| (sum .<= roundingError)
      .| .!(sum .< .infinity) .| (run.iterations .>= Double(Self.mostIterations))
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
  private func isSteep(_ lane: Int, _ run: Run) -> Bool {
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
  private func isAtBound(
    _ index: Int, _ lane: Int, _ bounds: Bounds
  ) -> Bool {
    let (place, slope) = (point[index][lane], here.gradient[index][lane])
    return (place <= bounds.lowest[index] && slope >= 0)
      || (place >= bounds.highest[index] && slope <= 0)
  }

  /// What came of a lane.
  private func end(
    _ lane: Int, _ run: Run, _ bounds: Bounds,
    _ roundingError: Double
  ) -> DescentEnd {
    let sum = here.sumOfSquares[lane]
    let exit: DescentExit =
      if !sum.isFinite {
        .evaluationFailed
      } else if sum <= roundingError {
        .roundingLimit
      } else if run.iterations[lane] >= Double(Self.mostIterations) {
        .iterationLimit
      } else if run.damping[lane] > Self.strongDamping, isSteep(lane, run) {
        .noProgress
      } else {
        run.stride[lane] <= Self.stepTolerance ? .smallStep : .smallGradient
      }
    var coordinates = Coordinates.zero
    var atBound: CoordinateSet = []
    for index in 0..<count {
      coordinates[index] = point[index][lane]
      if isHeld[index][lane] == 0, isAtBound(index, lane, bounds) {
        atBound.insert(CoordinateSet(index))
      }
    }
    return DescentEnd(
      coordinates: coordinates, objective: sum, exit: exit, iterations: Int(run.iterations[lane]),
      isFlat: run.iterations[lane] == 0 && isFlat(lane), atBound: atBound)
  }
}

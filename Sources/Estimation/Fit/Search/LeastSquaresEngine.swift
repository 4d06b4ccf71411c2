package import GSL

/// What looks for the minima of a fit.
public enum FitEngine: String, CaseIterable, Codable, Hashable, Sendable {
  /// The Levenberg-Marquardt method on eight points at once; GSL finishes what is reported, and solves what
  /// does not converge.
  case lanes
  /// GNU GSL for everything.
  case gsl
}

/// Minimises a sum of squares within the bounds of its coordinates: a problem goes in, and out comes where it is least
/// and how that was found out.
///
/// Fits, profiles, bootstrap replicates, the benchmark's kernel and the certification on NIST's problems
/// all go through it: descend, and ``finish(_:of:)`` what is reported.
///
/// Many descents are made eight at a time where the engine has lanes and the problem can be evaluated so
/// (``LaneDescent``). What they find is where GSL begins, so that what is reported is GSL's. All else, and what does not
/// arrive, is done by the trust-region solvers of GSL.
///
/// GSL knows no bounds. Beyond a bound the residuals stay as they are at the bound, so that a solve can
/// end there but never gains by it. A coordinate that ends beyond its bound is put on it and held while
/// the others are solved again, and is let go if the objective would fall inwards (an active set, as in
/// Gill, Murray & Wright 1981, section 5.2). Where no bound is met, which is the rule, all this costs a
/// comparison.
///
/// It keeps the solvers' memory for problems of the same size; use one for each thread.
package final class LeastSquaresEngine {
  /// Where absorption is slow or was not sampled, the minimum lies at the end of a long, narrow and
  /// curved valley, in which plain Levenberg-Marquardt and dogleg steps are cut short. On the worst
  /// of the Wilkinson (1977) series, geodesic acceleration (Transtrum & Sethna 2012) converges in
  /// half the iterations that the others spend without converging, and on simulated cohorts it ends
  /// in a wrong minimum eight times less often. QR keeps the digits that the normal equations would
  /// lose there. Should it not converge, the usual method is tried.
  package static let farStages = [accelerated, LeastSquaresOptions()]

  /// Next to a minimum all methods arrive, and the usual one costs half.
  private static let nearStages = [LeastSquaresOptions(), accelerated]

  private static let accelerated = LeastSquaresOptions(
    method: .geodesicAcceleration, scaling: .more, linearSolver: .qr)

  /// The size of a problem, and how far away its minimum may be.
  private struct Size: Hashable {
    let residuals: Int
    let parameters: Int
    let startKind: StartKind
  }

  private let kind: FitEngine
  private let farStages: [LeastSquaresOptions]
  private var sequences: [Size: FallbackSequence] = [:]
  /// By the number of coordinates.
  private var idleDescents: [[LaneDescent]] = []
  /// The memory of the last problem.
  private var curveMemory: CurveMemory?

  /// Prepares to descend.
  ///
  /// - Parameter far: The methods of GSL from a far start, the first choice first.
  package init(
    _ kind: FitEngine, far: [LeastSquaresOptions] = LeastSquaresEngine.farStages
  ) {
    self.kind = kind
    farStages = far
  }

  /// Memory for a problem: that of the last one, if nobody uses it any more.
  func memory(for problem: FitProblem) -> CurveMemory {
    if isKnownUniquelyReferenced(&curveMemory), let curveMemory, curveMemory.serve(problem) {
      return curveMemory
    }
    let memory = CurveMemory(problem)
    curveMemory = memory
    return memory
  }

  /// Descends from a start to a minimum within the bounds of a problem, by GSL.
  ///
  /// That no descent converges, or that the model cannot be evaluated at the start, is no error but an
  /// outcome: see ``Minimum/exit``.
  package func minimum(
    of problem: any SumOfSquares, from start: [Double], holding held: CoordinateSet = [],
    startKind: StartKind
  ) throws(SeriesFailure) -> Minimum {
    let start = problem.clamped(start)
    // From a bound beyond which the objective falls, a first step inwards would be a step uphill, and might
    // end in another minimum.
    let activeBounds = problem.activeBounds(at: start).subtracting(held)
    var minimum = try descend(problem, from: start, holding: held.union(activeBounds), startKind)
    minimum.atBound = activeBounds
    // Each pass holds or frees at least one coordinate; two passes for each are ample, and the
    // objective never rises.
    for _ in 0..<2 * start.count {
      let outside = problem.outside(minimum.coordinates)
      minimum.coordinates = problem.clamped(minimum.coordinates)
      guard !outside.isEmpty || !minimum.atBound.isEmpty else { break }
      let stopped = minimum.atBound.union(outside)
      let inward = stopped.subtracting(problem.holdingBounds(at: minimum.coordinates))
      guard !outside.isEmpty || !inward.isEmpty else { break }
      let iterations = minimum.iterations
      let atBound = stopped.subtracting(inward)
      minimum = try descend(
        problem, from: minimum.coordinates, holding: held.union(atBound), startKind)
      minimum.atBound = atBound
      minimum.iterations += iterations
    }
    minimum.coordinates = problem.clamped(minimum.coordinates)
    if minimum.objective <= problem.roundingError { minimum.exit = .roundingLimit }
    if minimum.coordinates == start {
      minimum.isStationary = problem.isStationary(at: start, holding: held)
    }
    return minimum
  }

  /// Descends from many starts; an end for each, as ``minimum(of:from:holding:startKind:)`` would find it. A probe that is
  /// still on its way after many iterations, or stopped though nothing is in its way, found nothing.
  func ends(
    of problem: any SumOfSquares, _ requests: [DescentRequest], startKind: StartKind
  ) throws(SeriesFailure) -> [DescentEnd] {
    var requests = requests
    var ends = requests.map { DescentEnd(of: $0) }
    try descend(on: problem, &requests, startKind) { place, end, _ in ends[place] = end }
    return ends
  }

  /// The same, for those that ask for more once they know where a request led to.
  ///
  /// - Parameter take: Takes in where a request led to, by its place among all; it may add further ones.
  func descend(
    on problem: any SumOfSquares, _ requests: inout [DescentRequest], _ startKind: StartKind,
    take: (Int, DescentEnd, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    guard kind == .lanes, let lanes = problem.lanes else {
      return try requests.answerEach(
        { request throws(SeriesFailure) in
          DescentEnd(try minimum(of: problem, request, startKind: startKind))
        }, take: take)
    }
    let allowsLongSteps = problem.allowsLongSteps
    try inLanes(lanes, &requests, startKind) { place, end, requests throws(SeriesFailure) in
      let isFinal =
        end.exit.isConverged
        || (startKind == .probe && (end.exit == .iterationLimit || allowsLongSteps))
      let end =
        isFinal ? end : DescentEnd(try minimum(of: problem, requests[place], startKind: startKind))
      try take(place, end, &requests)
    }
  }

  /// The sums of squares at points within the bounds; not finite where the model cannot be evaluated.
  func values(of problem: any SumOfSquares, at points: [Coordinates]) -> [Double] {
    if kind == .lanes, let lanes = problem.lanes { return lanes.values(at: points) }
    return points.map { problem.value(at: $0.array(problem.coordinateCount)) }
  }

  /// What descents in lanes alone find; nil if the engine or the problem has none.
  func laneEnds(
    of problem: any SumOfSquares, _ requests: [DescentRequest], startKind: StartKind
  ) throws(SeriesFailure) -> [DescentEnd]? {
    guard kind == .lanes, let lanes = problem.lanes else { return nil }
    var requests = requests
    var ends = requests.map { DescentEnd(of: $0) }
    try inLanes(lanes, &requests, startKind) { place, end, _ in ends[place] = end }
    return ends
  }

  /// Descends in lanes that no other descents use, as those from which somebody asks for others.
  private func inLanes(
    _ problem: any LanedSumOfSquares, _ requests: inout [DescentRequest], _ startKind: StartKind,
    take: (Int, DescentEnd, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    let count = problem.coordinateCount
    while idleDescents.count <= count { idleDescents.append([]) }
    let descent = idleDescents[count].popLast() ?? LaneDescent(count)
    defer { idleDescents[count].append(descent) }
    try descent.descend(on: problem, &requests, startKind, take: take)
  }

  private func minimum(
    of problem: any SumOfSquares, _ request: DescentRequest, startKind: StartKind
  ) throws(SeriesFailure) -> Minimum {
    try minimum(
      of: problem, from: request.start.array(problem.coordinateCount), holding: request.held,
      startKind: startKind)
  }

  /// Gives a minimum its last digits, if it converged, and its covariance.
  ///
  /// Steps that believe the residuals smooth do so, unless it lies next to a kink, such as that of a curve that touches
  /// zero between drinks. Then a descent goes on from there, and then along the kink.
  package func finish(
    _ minimum: Minimum, of problem: any SumOfSquares
  ) throws(SeriesFailure) -> Minimum {
    var (finished, isSettled) = try polished(minimum, of: problem)
    guard !isSettled else { return finished }
    let near = try self.minimum(
      of: problem, from: finished.coordinates, holding: finished.atBound, startKind: .warm)
    if near.objective < finished.objective, near.atBound.isEmpty {
      (finished.coordinates, finished.objective) = (near.coordinates, near.objective)
      (finished, isSettled) = try polished(finished, of: problem)
      guard !isSettled else { return finished }
    }
    guard problem.hasKinks, let lower = KinkDescent.minimum(of: problem, from: finished) else {
      return finished
    }
    return try polished(lower, of: problem).minimum
  }

  /// A minimum with its last digits, if it converged, and its covariance; and whether no step is left that would
  /// change it noticeably.
  private func polished(
    _ minimum: Minimum, of problem: any SumOfSquares
  ) throws(SeriesFailure) -> (minimum: Minimum, isSettled: Bool) {
    var finished = minimum
    let descent = Descent(problem, from: minimum.coordinates, holding: minimum.atBound)
    guard !descent.moved.isEmpty else { return (finished, true) }
    let fit: LeastSquaresFit
    do {
      fit = try sequence(descent, .warm).finished(
        descent.leastSquares, at: descent.start, rss: minimum.objective,
        isConverged: minimum.exit.isConverged)
    } catch {
      throw .solver(error.description)
    }
    finished.covariance = fit.covariance
    let polished = descent.all(fit.parameters)
    // A step beyond a bound says that the minimum is at the bound, where it stays.
    guard problem.outside(polished).isEmpty else { return (finished, true) }
    guard fit.polishingSteps > 0 else { return (finished, !fit.isUnsettled) }
    finished.coordinates = polished
    finished.objective = fit.rss
    return (finished, !fit.isUnsettled)
  }

  /// Solves for all coordinates but some, which stay where they are.
  private func descend(
    _ problem: any SumOfSquares, from start: [Double], holding held: CoordinateSet,
    _ startKind: StartKind
  ) throws(SeriesFailure) -> Minimum {
    let descent = Descent(problem, from: start, holding: held)
    guard !descent.moved.isEmpty else {
      return Minimum(
        coordinates: start, objective: problem.value(at: start), exit: .smallStep, iterations: 0)
    }
    do {
      let sequence = try sequence(descent, startKind)
      let fit = try sequence.solve(descent.leastSquares, from: descent.start, finish: false)
      return Minimum(
        coordinates: descent.all(fit.parameters), objective: fit.rss,
        exit: try DescentExit(fit.exit),
        iterations: fit.iterations, method: sequence.stages[fit.stage].name)
    } catch let error as GSLError {
      throw .solver(error.description)
    } catch {
      throw .cancelled
    }
  }

  private func sequence(
    _ descent: Descent, _ startKind: StartKind
  ) throws(GSLError) -> FallbackSequence {
    let size = Size(
      residuals: descent.problem.residualCount, parameters: descent.moved.count,
      startKind: startKind)
    if let sequence = sequences[size] { return sequence }
    let sequence = try FallbackSequence(
      residualCount: size.residuals, parameterCount: size.parameters,
      stages: startKind == .initial ? farStages : Self.nearStages)
    sequences[size] = sequence
    return sequence
  }
}

extension SumOfSquares {
  /// Whether no coordinate but those that are held changes any residual, as where a curve is zero at every
  /// reading.
  fileprivate func isStationary(at coordinates: [Double], holding held: CoordinateSet) -> Bool {
    guard let gradient = gradient(at: coordinates) else { return false }
    return gradient.indices.allSatisfy { held.contains($0) || gradient[$0] == 0 }
  }

  /// The coordinates that are beyond their bounds.
  fileprivate func outside(_ coordinates: [Double]) -> CoordinateSet {
    var outside: CoordinateSet = []
    for (index, value) in coordinates.enumerated()
    where value < lowest[index] || value > highest[index] {
      outside.insert(CoordinateSet(index))
    }
    return outside
  }

  /// Active bounds (non-zero multiplier).
  fileprivate func activeBounds(at coordinates: [Double]) -> CoordinateSet {
    let isAnyAtBound = coordinates.indices.contains {
      coordinates[$0] <= lowest[$0] || coordinates[$0] >= highest[$0]
    }
    guard isAnyAtBound, let gradient = gradient(at: coordinates) else { return [] }
    return holdingBounds(at: coordinates).intersection(
      CoordinateSet(gradient.indices.filter { gradient[$0] != 0 }))
  }

  /// Bounds whose multiplier has the sign that keeps them active.
  fileprivate func holdingBounds(at coordinates: [Double]) -> CoordinateSet {
    guard let gradient = gradient(at: coordinates) else {
      return CoordinateSet(coordinates.indices)
    }
    return CoordinateSet(
      coordinates.indices.filter { index in
        (coordinates[index] <= lowest[index] && gradient[index] >= 0)
          || (coordinates[index] >= highest[index] && gradient[index] <= 0)
      })
  }
}

/// A problem as GSL's callbacks find it: some coordinates are moved, the others held.
private final class Descent {
  let problem: any SumOfSquares
  /// The coordinates that are moved, in order.
  let moved: [Int]

  private let count: Int
  /// All coordinates, the held ones at their place.
  private let point: UnsafeMutablePointer<Double>
  /// The Jacobian by all coordinates, if some are held.
  private let jacobian: UnsafeMutablePointer<Double>?

  init(_ problem: any SumOfSquares, from start: [Double], holding held: CoordinateSet) {
    self.problem = problem
    count = start.count
    moved = held.isEmpty ? Array(start.indices) : start.indices.filter { !held.contains($0) }
    point = .allocate(capacity: max(1, count))
    point.initialize(from: start, count: count)
    jacobian =
      moved.count == count
      ? nil : .allocate(capacity: max(1, problem.residualCount * count))
  }

  deinit {
    point.deallocate()
    jacobian?.deallocate()
  }

  /// The coordinates that are moved, where the descent began.
  var start: [Double] { moved.map { point[$0] } }

  /// All coordinates, given those that are moved.
  func all(_ coordinates: [Double]) -> [Double] {
    guard jacobian != nil else { return coordinates }
    var all = Array(UnsafeBufferPointer(start: point, count: count))
    for (index, value) in zip(moved, coordinates) { all[index] = value }
    return all
  }

  /// Valid while the descent lives.
  var leastSquares: LeastSquaresProblem {
    LeastSquaresProblem(
      residualCount: problem.residualCount, parameterCount: moved.count,
      context: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      residuals: { coordinates, context, residuals in
        Unmanaged<Descent>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.problem.write(residuals: residuals, at: $0.all(coordinates))
        }
      },
      jacobian: { coordinates, context, jacobian in
        Unmanaged<Descent>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.write(jacobian: jacobian, at: coordinates)
        }
      })
  }

  private func all(_ coordinates: UnsafePointer<Double>) -> UnsafePointer<Double> {
    guard jacobian != nil else { return coordinates }
    for index in moved.indices { point[moved[index]] = coordinates[index] }
    return UnsafePointer(point)
  }

  private func write(
    jacobian output: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    guard let jacobian else { return problem.write(jacobian: output, at: coordinates) }
    guard problem.write(jacobian: jacobian, at: all(coordinates)) else { return false }
    let width = moved.count
    for row in 0..<problem.residualCount {
      for column in 0..<width {
        output[row * width + column] = jacobian[row * count + moved[column]]
      }
    }
    return true
  }
}

extension LeastSquaresOptions {
  /// The method, and the scaling where it is not the default one.
  fileprivate var name: String {
    let method =
      switch method {
      case .levenbergMarquardt: "levenberg_marquardt"
      case .geodesicAcceleration: "geodesic_acceleration"
      case .dogleg: "dogleg"
      case .doubleDogleg: "double_dogleg"
      case .subspace2D: "subspace_2d"
      }
    return scaling == .more ? method : "\(method)/\(scaling.rawValue)"
  }
}

extension DescentExit {
  /// - Throws: ``SeriesFailure/cancelled``.
  fileprivate init(_ exit: LeastSquaresExit) throws(SeriesFailure) {
    self =
      switch exit {
      case .smallStep: .smallStep
      case .smallGradient: .smallGradient
      case .roundingLimit: .roundingLimit
      case .noProgress: .noProgress
      case .iterationLimit: .iterationLimit
      case .evaluationFailed: .evaluationFailed
      case .linearSolverFailed: .linearSolverFailed
      case .cancelled: throw .cancelled
      }
  }
}

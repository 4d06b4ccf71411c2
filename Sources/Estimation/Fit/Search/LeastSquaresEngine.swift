package import GSL

/// The optimiser of a fit.
public enum FitEngine: String, CaseIterable, Codable, Hashable, Sendable {
  /// The Levenberg-Marquardt method on eight points at once; GSL polishes reported minima, and solves descents that do not
  /// converge.
  case lanes
  /// GNU GSL for everything.
  case gsl
}

/// Minimises a sum of squares within the bounds of its coordinates.
///
/// Fits, profiles, bootstrap replicates, the benchmark's kernel and the certification on NIST's problems use it in two
/// steps: descents find minima, and ``finish(_:of:)`` polishes those that are reported.
///
/// Descents are made eight at a time if the engine and the problem have lanes (``LaneDescent``); GSL then starts from
/// their ends, so that reported digits are always GSL's. Other problems, and descents that do not converge, are solved by
/// the trust-region methods of GSL.
///
/// GSL has no bounds. Residuals are constant beyond a bound, so that a solve can end there but never gains by it. A
/// coordinate that ends beyond its bound is clamped and held while the others are solved again, and is freed if the
/// objective would fall inwards (an active-set method, as in Gill, Murray & Wright 1981, section 5.2). A descent that
/// reaches no bound, which is the rule, pays only for a comparison.
///
/// An engine keeps the workspaces of solvers for problems of the same size; use one for each thread.
package final class LeastSquaresEngine {
  /// Where absorption is slow or was not sampled, the minimum lies at the end of a long, narrow and
  /// curved valley, in which plain Levenberg-Marquardt and dogleg steps are cut short. On the worst
  /// of the Wilkinson (1977) series, geodesic acceleration (Transtrum & Sethna 2012) converges in
  /// half the iterations that the others spend without converging, and on simulated cohorts it ends
  /// in a wrong minimum eight times less often. QR keeps the digits that the normal equations would
  /// lose there. The default method is tried if it does not converge.
  package static let farStages = [accelerated, LeastSquaresOptions()]

  /// Next to a minimum all methods converge, and the default one costs half.
  private static let nearStages = [LeastSquaresOptions(), accelerated]

  private static let accelerated = LeastSquaresOptions(
    method: .geodesicAcceleration, scaling: .more, linearSolver: .qr)

  /// The size of a problem and the kind of start, which select a solver.
  private struct Size: Hashable {
    let residuals: Int
    let parameters: Int
    let startKind: StartKind
  }

  private let kind: FitEngine
  private let farStages: [LeastSquaresOptions]
  private var sequences: [Size: FallbackSequence] = [:]
  /// Unused lane workspaces, by the number of coordinates.
  private var idleDescents: [[LaneDescent]] = []
  /// The curve workspace of the last problem.
  private var curveMemory: CurveMemory?

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - kind: The optimiser.
  ///   - far: The methods of GSL from a distant start, the first choice first.
  package init(
    _ kind: FitEngine, far: [LeastSquaresOptions] = LeastSquaresEngine.farStages
  ) {
    self.kind = kind
    farStages = far
  }

  /// Returns a curve workspace for a problem, reusing that of the last problem if it is no longer referenced.
  func memory(for problem: FitProblem) -> CurveMemory {
    if isKnownUniquelyReferenced(&curveMemory), let curveMemory, curveMemory.reload(problem) {
      return curveMemory
    }
    let memory = CurveMemory(problem)
    curveMemory = memory
    return memory
  }

  /// Descends from a start to a minimum within the bounds of a problem, by GSL.
  ///
  /// Failure to converge, or to evaluate the model at the start, is not thrown but reported in ``Minimum/exit``.
  package func minimum(
    of problem: any SumOfSquares, from start: [Double], holding held: CoordinateSet = [],
    startKind: StartKind
  ) throws(SeriesFailure) -> Minimum {
    let start = problem.clamped(start)
    // At an active bound a first step inwards would go uphill, and might end in another minimum.
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

  /// Descends from many starts and returns the end of each, as ``minimum(of:from:holding:startKind:)`` would find it. Probes
  /// that do not converge are not repeated by GSL.
  func ends(
    of problem: any SumOfSquares, _ requests: [DescentRequest], startKind: StartKind
  ) throws(SeriesFailure) -> [DescentEnd] {
    var requests = requests
    var ends = requests.map { DescentEnd(of: $0) }
    try descend(on: problem, &requests, startKind) { index, end, _ in ends[index] = end }
    return ends
  }

  /// Descends from many starts, and from those that `receive` adds meanwhile.
  ///
  /// - Parameter receive: Receives the index of a request and the end of its descent; it may add further requests.
  func descend(
    on problem: any SumOfSquares, _ requests: inout [DescentRequest], _ startKind: StartKind,
    receive: (Int, DescentEnd, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    guard kind == .lanes, let lanes = problem.lanes else {
      return try requests.answerEach(
        { request throws(SeriesFailure) in
          DescentEnd(try minimum(of: problem, request, startKind: startKind))
        }, receive: receive)
    }
    let allowsLongSteps = problem.allowsLongSteps
    try inLanes(lanes, &requests, startKind) { index, end, requests throws(SeriesFailure) in
      let isFinal =
        end.exit.isConverged
        || (startKind == .probe && (end.exit == .iterationLimit || allowsLongSteps))
        // A profile needs no more than the kink; GSL finds none lower.
        || (startKind == .profile && end.exit == .noProgress)
      let end =
        isFinal ? end : DescentEnd(try minimum(of: problem, requests[index], startKind: startKind))
      try receive(index, end, &requests)
    }
  }

  /// Returns the sums of squares at points within the bounds; not finite where the model cannot be evaluated.
  func values(of problem: any SumOfSquares, at points: [Coordinates]) -> [Double] {
    if kind == .lanes, let lanes = problem.lanes { return lanes.values(at: points) }
    return points.map { problem.value(at: $0.array(problem.coordinateCount)) }
  }

  /// Descends in lanes without a fallback to GSL; nil if the engine or the problem has no lanes.
  func laneEnds(
    of problem: any SumOfSquares, _ requests: [DescentRequest], startKind: StartKind
  ) throws(SeriesFailure) -> [DescentEnd]? {
    guard kind == .lanes, let lanes = problem.lanes else { return nil }
    var requests = requests
    var ends = requests.map { DescentEnd(of: $0) }
    try inLanes(lanes, &requests, startKind) { index, end, _ in ends[index] = end }
    return ends
  }

  /// Descends in an unused lane workspace: `receive` may itself start other descents.
  private func inLanes(
    _ problem: any LanedSumOfSquares, _ requests: inout [DescentRequest], _ startKind: StartKind,
    receive: (Int, DescentEnd, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    let count = problem.coordinateCount
    while idleDescents.count <= count { idleDescents.append([]) }
    let descent = idleDescents[count].popLast() ?? LaneDescent(count)
    defer { idleDescents[count].append(descent) }
    try descent.descend(on: problem, &requests, startKind, receive: receive)
  }

  private func minimum(
    of problem: any SumOfSquares, _ request: DescentRequest, startKind: StartKind
  ) throws(SeriesFailure) -> Minimum {
    try minimum(
      of: problem, from: request.start.array(problem.coordinateCount), holding: request.held,
      startKind: startKind)
  }

  /// Polishes a converged minimum to full precision, and adds its covariance.
  ///
  /// Gauss-Newton steps do so unless the minimum is next to a kink, such as that of a curve that touches zero between
  /// drinks. In that case a further descent follows, and then one along the kink (``KinkDescent``).
  package func finish(
    _ minimum: Minimum, of problem: any SumOfSquares
  ) throws(SeriesFailure) -> Minimum {
    var (finished, isSettled) = try polished(minimum, of: problem)
    guard !isSettled else { return finished }
    let near = try self.minimum(
      of: problem, from: finished.coordinates, holding: finished.atBound, startKind: .warm)
    if near.objective < finished.objective, near.atBound.isEmpty {
      finished.coordinates = near.coordinates
      finished.objective = near.objective
      (finished, isSettled) = try polished(finished, of: problem)
      guard !isSettled else { return finished }
    }
    guard problem.hasKinks, let lower = KinkDescent.minimum(of: problem, from: finished) else {
      return finished
    }
    return try polished(lower, of: problem).minimum
  }

  /// Returns a minimum polished by Gauss-Newton steps, with its covariance; `isSettled` is false if a further step would
  /// still change it noticeably.
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
    // A step beyond a bound means that the minimum is at the bound; it stays there.
    guard problem.outside(polished).isEmpty else { return (finished, true) }
    guard fit.polishingSteps > 0 else { return (finished, !fit.isUnsettled) }
    finished.coordinates = polished
    finished.objective = fit.rss
    return (finished, !fit.isUnsettled)
  }

  /// Solves for all coordinates that are not held.
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
  /// Returns true if the gradient by all coordinates that are not held is zero, as where a curve is zero at every
  /// reading.
  fileprivate func isStationary(at coordinates: [Double], holding held: CoordinateSet) -> Bool {
    guard let gradient = gradient(at: coordinates) else { return false }
    return gradient.indices.allSatisfy { held.contains($0) || gradient[$0] == 0 }
  }

  /// Returns the coordinates that are beyond their bounds.
  fileprivate func outside(_ coordinates: [Double]) -> CoordinateSet {
    var outside: CoordinateSet = []
    for (index, value) in coordinates.enumerated()
    where value < lowest[index] || value > highest[index] {
      outside.insert(CoordinateSet(index))
    }
    return outside
  }

  /// Returns the active bounds (non-zero multiplier).
  fileprivate func activeBounds(at coordinates: [Double]) -> CoordinateSet {
    let isAnyAtBound = coordinates.indices.contains {
      coordinates[$0] <= lowest[$0] || coordinates[$0] >= highest[$0]
    }
    guard isAnyAtBound, let gradient = gradient(at: coordinates) else { return [] }
    return holdingBounds(at: coordinates).intersection(
      CoordinateSet(gradient.indices.filter { gradient[$0] != 0 }))
  }

  /// Returns the bounds whose multiplier has the sign that keeps them active.
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

/// The context of GSL's callbacks: maps the free coordinates of a solve to all coordinates of a problem.
private final class Descent {
  let problem: any SumOfSquares
  /// The indices of the free coordinates, in order.
  let moved: [Int]

  private let count: Int
  /// All coordinates, including the held ones.
  private let point: UnsafeMutablePointer<Double>
  /// The Jacobian by all coordinates; nil if none is held.
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

  /// The free coordinates of the start.
  var start: [Double] { moved.map { point[$0] } }

  /// Returns all coordinates, given the free ones.
  func all(_ coordinates: [Double]) -> [Double] {
    guard jacobian != nil else { return coordinates }
    var all = Array(UnsafeBufferPointer(start: point, count: count))
    for (index, value) in zip(moved, coordinates) { all[index] = value }
    return all
  }

  /// The problem for GSL; valid as long as this object.
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
  /// The name of the method, with the scaling unless it is the default one.
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

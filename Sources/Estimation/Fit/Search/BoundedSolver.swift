import AlcoholKinetics
import GSL

/// Minimises a sum of squares within bounds.
///
/// GSL knows no bounds. Beyond a bound the model stays as it is at the bound, so that a solve can
/// end there but never gains by it. A parameter that ends beyond its bound is put on it and held
/// while the others are solved again, and is let go if the objective would fall inwards (an active
/// set, as in Gill, Murray & Wright 1981, section 5.2). Where no bound is met, which is the rule,
/// all this costs a comparison.
final class BoundedSolver {
  /// The size of a problem.
  private struct Size: Hashable {
    let residuals: Int
    let parameters: Int
  }

  /// How a descent is tried, one way after the other, until one converges.
  private let rungs: [LeastSquaresOptions]
  private var ladders: [Size: LeastSquaresLadder] = [:]

  init(_ rungs: [LeastSquaresOptions]) {
    self.rungs = rungs
  }

  /// Descends from a start to a minimum within the bounds of the objective's layout.
  ///
  /// - Throws: ``SeriesFailure/solver(_:)`` if the solver could not be run.
  func minimum(
    of objective: CurveObjective, from start: [Double]
  ) throws(SeriesFailure) -> Minimum {
    let layout = objective.layout
    defer { objective.layout = layout }
    var minimum = try descend(objective, layout, from: layout.clamped(start), holding: [])
    // Each pass holds or frees at least one parameter; two passes for each are ample, and the
    // objective never rises.
    for _ in 0..<2 * layout.count {
      let outside = layout.outside(minimum.coordinates)
      minimum.coordinates = layout.clamped(minimum.coordinates)
      guard !outside.isEmpty || !minimum.atBound.isEmpty else { break }
      let held = minimum.atBound.union(outside)
      objective.layout = layout
      let inward = held.subtracting(objective.pushedOut(at: minimum.coordinates))
      guard !outside.isEmpty || !inward.isEmpty else { break }
      let iterations = minimum.iterations
      minimum = try descend(
        objective, layout, from: minimum.coordinates, holding: held.subtracting(inward))
      minimum.iterations += iterations
    }
    minimum.coordinates = layout.clamped(minimum.coordinates)
    if minimum.objective <= objective.roundingError { minimum.exit = .roundingLimit }
    return minimum
  }

  /// The minimum within the bounds with one parameter held where a start at its bound has it.
  func minimum(
    of objective: CurveObjective, from start: [Double], holding index: Int
  ) throws(SeriesFailure) -> Minimum {
    let layout = objective.layout
    defer { objective.layout = layout }
    let parameter = layout.free[index]
    objective.layout = layout.holding([parameter: parameter.value(at: start[index])])
    var others = start
    let bound = others.remove(at: index)
    var minimum = try minimum(of: objective, from: others)
    minimum.coordinates.insert(bound, at: index)
    minimum.atBound.insert(parameter)
    return minimum
  }

  /// The minimum with one parameter held at a bound.
  func minimum(
    of objective: CurveObjective, near minimum: Minimum, holding index: Int, at bound: Double
  ) throws(SeriesFailure) -> Minimum {
    let layout = objective.layout
    defer { objective.layout = layout }
    var start = minimum.coordinates
    start[index] = bound
    var held = try descend(
      objective, layout, from: start, holding: minimum.atBound.union([layout.free[index]]))
    held.coordinates = layout.clamped(held.coordinates)
    held.iterations += minimum.iterations
    return held
  }

  /// Solves for all parameters but some, which stay where they are.
  private func descend(
    _ objective: CurveObjective, _ layout: ParameterLayout, from start: [Double],
    holding held: Set<FitParameter>
  ) throws(SeriesFailure) -> Minimum {
    let values = layout.values(at: start)
    let reduced =
      held.isEmpty
      ? layout
      : layout.holding(
        Dictionary(uniqueKeysWithValues: held.map { ($0, values[known: $0]) }))
    objective.layout = reduced
    let moved = layout.free.indices.filter { !held.contains(layout.free[$0]) }
    guard !moved.isEmpty else {
      return Minimum(
        coordinates: start, objective: objective.value(at: []), exit: .smallStep, iterations: 0,
        atBound: held)
    }
    let fit = try solve(objective, from: moved.map { start[$0] })
    var coordinates = start
    for (index, coordinate) in zip(moved, fit.parameters) { coordinates[index] = coordinate }
    return Minimum(
      coordinates: coordinates, objective: fit.rss, exit: fit.exit, iterations: fit.iterations,
      atBound: held)
  }

  private func solve(
    _ objective: CurveObjective, from start: [Double]
  ) throws(SeriesFailure) -> LeastSquaresFit {
    do {
      let ladder = try ladder(
        Size(residuals: objective.count, parameters: objective.layout.count))
      // The problem is handed over as a bare address.
      return try withExtendedLifetime(objective) { () throws(GSLError) in
        try ladder.solve(objective.leastSquares, from: start, finish: false)
      }
    } catch {
      throw .solver(error)
    }
  }

  private func ladder(_ size: Size) throws(GSLError) -> LeastSquaresLadder {
    if let ladder = ladders[size] { return ladder }
    let ladder = try LeastSquaresLadder(
      residualCount: size.residuals, parameterCount: size.parameters, rungs: rungs)
    ladders[size] = ladder
    return ladder
  }
}

extension ParameterLayout {
  /// The free parameters whose coordinates are beyond their bounds.
  fileprivate func outside(_ coordinates: [Double]) -> Set<FitParameter> {
    Set(free.indices.filter { isOutside($0, coordinates[$0]) }.map { free[$0] })
  }
}

extension CurveObjective {
  /// The parameters at a bound beyond which the objective would fall.
  fileprivate func pushedOut(at coordinates: [Double]) -> Set<FitParameter> {
    guard let gradient = gradient(at: coordinates) else { return Set(layout.free) }
    return Set(
      layout.free.indices.filter { index in
        (coordinates[index] <= layout.lowest[index] && gradient[index] >= 0)
          || (coordinates[index] >= layout.highest[index] && gradient[index] <= 0)
      }.map { layout.free[$0] })
  }
}

extension BoundedSolver {
  /// A relative rise of the objective that cannot be told from rounding.
  static let negligibleRise = 1e-9

  /// The minimum at a bound, if a descent that did not converge is running there.
  ///
  /// Where the data set a parameter no end, the objective falls ever more slowly towards a limit and
  /// no descent arrives. If the limit at the bound is as good, that is where the minimum is.
  func atBoundIfRunaway(
    _ minimum: Minimum, of objective: CurveObjective
  ) throws(SeriesFailure) -> Minimum {
    guard !minimum.exit.isConverged else { return minimum }
    let layout = objective.layout
    let bar = minimum.objective * (1 + Self.negligibleRise)
    var best = minimum
    for index in layout.free.indices where !minimum.atBound.contains(layout.free[index]) {
      for bound in [layout.lowest[index], layout.highest[index]] {
        let limit = try self.minimum(of: objective, near: minimum, holding: index, at: bound)
        guard limit.exit.isConverged, limit.objective <= bar else { continue }
        if limit.objective < best.objective || !best.exit.isConverged { best = limit }
      }
    }
    return best
  }
}

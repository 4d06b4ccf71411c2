package import AlcoholKinetics

/// The result of a multi-start search.
struct Search {
  /// The objective.
  let objective: CurveObjective
  /// The lowest minimum.
  let best: Minimum
  /// The distinct minima, the lowest first.
  let minima: [Minimum]
  /// The outcome of each start, in order.
  let outcomes: [StartOutcome]
  /// The relative difference below which two objectives count as equal.
  ///
  /// Solves stop when a step is below 1e-8 of the parameters, which changes the objective by far less than this;
  /// distinct minima differ by far more.
  private static let sameObjective = 1e-6
  /// The largest number of continuations across zero.
  private static let mostCrossings = 4

  /// Descends from all starts.
  ///
  /// - Throws: ``SeriesFailure/notConverged(_:)`` if no start can be evaluated.
  static func search(
    _ objective: CurveObjective, from starts: [[Double]], using engine: LeastSquaresEngine
  ) throws(SeriesFailure) -> Search {
    var ends = try engine.ends(
      of: objective, starts.map { DescentRequest(start: Coordinates($0)) }, startKind: .initial)
    let left = try goAcrossZero(&ends, objective, engine)
    guard let best = best(of: ends, slack: objective.roundingError) else {
      throw .notConverged(ends.first?.exit ?? .evaluationFailed)
    }
    let layout = objective.layout
    let outcomes = zip(starts, ends).map { start, end in
      StartOutcome(
        start: layout.values(at: start),
        end: layout.values(at: end.coordinates),
        objective: end.objective,
        iterations: end.iterations,
        exit: end.exit,
        foundBest: areSame(end.objective, best.objective, objective.roundingError),
        atLimit: layout.free.indices.filter(end.atBound.contains).map { layout.free[$0] })
    }
    return Search(
      objective: objective, best: Minimum(best, count: layout.count),
      minima: distinct(ends + left, slack: objective.roundingError).map {
        Minimum($0, count: layout.count)
      },
      outcomes: outcomes)
  }

  /// Continues the descents that ended at the best minimum if there is a lower one across zero (``ZeroCrossing``).
  ///
  /// - Returns: The minima that were left.
  private static func goAcrossZero(
    _ ends: inout [DescentEnd], _ objective: CurveObjective, _ engine: LeastSquaresEngine
  ) throws(SeriesFailure) -> [DescentEnd] {
    var left: [DescentEnd] = []
    let slack = objective.roundingError
    while left.count < mostCrossings, let best = best(of: ends, slack: slack) {
      let starts = ZeroCrossing.starts(across: objective, from: best)
      guard !starts.isEmpty else { break }
      let beyond = try engine.ends(
        of: objective, starts.map { DescentRequest(start: $0) }, startKind: .initial)
      guard let lower = Self.best(of: beyond, slack: slack),
        best.objective - lower.objective > max(sameObjective * best.objective, slack)
      else { break }
      left.append(best)
      for index in ends.indices
      where areSame(ends[index].objective, best.objective, slack)
        && areNear(ends[index].coordinates, best.coordinates)
      {
        let iterations = ends[index].iterations
        ends[index] = lower
        ends[index].iterations += iterations
      }
    }
    return left
  }

  /// Returns true if a converged minimum is as low as the best one, and not at a bound.
  func fitsAsWell(_ minimum: Minimum) -> Bool {
    minimum.exit.isConverged && minimum.atBound.isEmpty
      && Self.areSame(minimum.objective, best.objective, objective.roundingError)
  }

  /// Returns true if an objective is lower than that of the best minimum by more than rounding.
  static func isBetter(_ objective: Double, than best: Minimum) -> Bool {
    objective < best.objective * (1 - sameObjective)
  }

  /// Returns the lowest end that could be evaluated, of equal ones a converged one; nil if there is none.
  static func best(of ends: [DescentEnd], slack: Double) -> DescentEnd? {
    let usable = ends.lazy.filter(\.objective.isFinite)
    guard let lowest = usable.min(by: { $0.objective < $1.objective }) else { return nil }
    guard !lowest.exit.isConverged else { return lowest }
    let equals = usable.filter {
      $0.exit.isConverged && areSame($0.objective, lowest.objective, slack)
    }
    return equals.min { $0.objective < $1.objective } ?? lowest
  }

  /// Returns the distinct minima, the lowest first, without duplicates and ends that could not be evaluated.
  ///
  /// Minima at different points are distinct even with equal objectives, as along a flat valley, since they lead to
  /// different fits where standard deviations depend on predictions. So are a descent that converged and one that did
  /// not, which may be on its way to a bound. Of duplicates the first is kept, so that more starts only add minima.
  ///
  /// - Parameter ends: The ends of the descents, in the order of their starts.
  private static func distinct(_ ends: [DescentEnd], slack: Double) -> [DescentEnd] {
    var kept: [DescentEnd] = []
    for end in ends where end.objective.isFinite {
      let isKnown = kept.contains {
        areSame(end.objective, $0.objective, slack)
          && end.exit.isConverged == $0.exit.isConverged
          && areNear(end.coordinates, $0.coordinates)
      }
      if !isKnown { kept.append(end) }
    }
    return kept.sorted { $0.objective < $1.objective }
  }

  /// Returns true if no coordinate differs by more than 1 %, or a lag by 0.6 min.
  private static func areNear(_ point: Coordinates, _ other: Coordinates) -> Bool {
    let distances = point - other
    return all(distances .< 0.01 .& distances .> -0.01)
  }

  private static func areSame(_ objective: Double, _ other: Double, _ slack: Double) -> Bool {
    abs(objective - other) <= max(sameObjective * max(abs(objective), abs(other)), slack)
  }
}

/// The outcome of one start of a search.
package struct StartOutcome: Codable, Hashable, Sendable {
  /// The parameters at the start.
  package let start: ParameterValues
  /// The parameters at its end.
  package let end: ParameterValues
  /// The sum of squared residuals where it ended; not finite if the model could not be evaluated.
  ///
  /// In (g/kg)^2 for additive errors, otherwise without unit. Robust losses and censored likelihoods are used only
  /// later, from the best minima on.
  package let objective: Double
  /// The number of iterations.
  package let iterations: Int
  /// The reason why it ended.
  package let exit: DescentExit
  /// True if it ended at the best minimum of all starts.
  package let foundBest: Bool
  /// The parameters that hit a search limit.
  package var atLimit: [FitParameter] = []

  /// The reason why it ended, as results and messages show it.
  package var exitName: String { exit.rawValue }
}

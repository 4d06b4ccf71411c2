package import AlcoholKinetics

/// The descents from several starts.
struct Search {
  /// What was minimised.
  let objective: CurveObjective
  /// The lowest minimum that was found.
  let best: Minimum
  /// The different minima that were found, the lowest first.
  let minima: [Minimum]
  /// What became of each start, in order.
  let outcomes: [StartOutcome]
  /// Objectives that differ relatively by less than this are those of one minimum.
  ///
  /// Solves stop when a step is below 1e-8 of the parameters; about a minimum that changes the
  /// objective by far less than this, and different minima differ by far more.
  private static let sameObjective = 1e-6

  /// Descends from all starts.
  static func search(
    _ objective: CurveObjective, from starts: [[Double]], using engine: LeastSquaresEngine
  ) throws(SeriesFailure) -> Search {
    let found = try engine.ends(
      of: objective, starts.map { DescentRequest(start: Coordinates($0)) }, startKind: .initial)
    guard let best = best(of: found, slack: objective.roundingError) else {
      throw .notConverged(found.first?.exit ?? .evaluationFailed)
    }
    let layout = objective.layout
    let outcomes = zip(starts, found).map { start, end in
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
      minima: different(found, slack: objective.roundingError).map {
        Minimum($0, count: layout.count)
      },
      outcomes: outcomes)
  }

  /// Whether a minimum is as low as the best, and no bound stopped it.
  func fitsAsWell(_ minimum: Minimum) -> Bool {
    minimum.exit.isConverged && minimum.atBound.isEmpty
      && Self.areSame(minimum.objective, best.objective, objective.roundingError)
  }

  /// Whether an objective is that of another minimum than the best one so far, and lower.
  static func isBetter(_ objective: Double, than best: Minimum) -> Bool {
    objective < best.objective * (1 - sameObjective)
  }

  /// The lowest of those that could be evaluated; of equals, one that converged. Nil of none.
  static func best(of ends: [DescentEnd], slack: Double) -> DescentEnd? {
    let usable = ends.lazy.filter(\.objective.isFinite)
    guard let lowest = usable.min(by: { $0.objective < $1.objective }) else { return nil }
    guard !lowest.exit.isConverged else { return lowest }
    let equals = usable.filter {
      $0.exit.isConverged && areSame($0.objective, lowest.objective, slack)
    }
    return equals.min { $0.objective < $1.objective } ?? lowest
  }

  /// One of each that could be evaluated, the lowest first.
  ///
  /// Minima at different points are different, however alike their objectives are, as at the bottom of a flat
  /// valley, and so are a descent that converged and one that did not, which may be on its way to a bound.
  /// Where standard deviations follow the predictions they lead to different fits. Of those that are the same
  /// the first one stays, whatever starts come later: so the minima of more starts are others besides.
  ///
  /// - Parameter found: In the order of their starts.
  private static func different(_ found: [DescentEnd], slack: Double) -> [DescentEnd] {
    var kept: [DescentEnd] = []
    for end in found where end.objective.isFinite {
      let isKnown = kept.contains {
        areSame(end.objective, $0.objective, slack)
          && end.exit.isConverged == $0.exit.isConverged
          && areNear(end.coordinates, $0.coordinates)
      }
      if !isKnown { kept.append(end) }
    }
    return kept.sorted { $0.objective < $1.objective }
  }

  /// Whether no coordinate differs by more than 1 %, or 0.6 min of a lag.
  private static func areNear(_ point: Coordinates, _ other: Coordinates) -> Bool {
    let distances = point - other
    return all(distances .< 0.01 .& distances .> -0.01)
  }

  private static func areSame(_ objective: Double, _ other: Double, _ slack: Double) -> Bool {
    abs(objective - other) <= max(sameObjective * max(abs(objective), abs(other)), slack)
  }
}

/// What became of one starting point.
package struct StartOutcome: Codable, Hashable, Sendable {
  /// Where it began.
  package let start: ParameterValues
  /// Where it ended.
  package let end: ParameterValues
  /// The sum of squared residuals where it ended; not finite if the model could not be evaluated.
  ///
  /// In (g/kg)^2 for additive errors, otherwise without unit. Losses and censored likelihoods come
  /// into play after the starts, from the best minima on.
  package let objective: Double
  /// Iterations it took.
  package let iterations: Int
  /// How it ended.
  package let exit: DescentExit
  /// Whether it ended at the best minimum of all starts.
  package let foundBest: Bool
  /// The parameters that hit a search limit.
  package var atLimit: [FitParameter] = []

  /// How it ended, in the words of results and messages.
  package var exitName: String { exit.rawValue }
}

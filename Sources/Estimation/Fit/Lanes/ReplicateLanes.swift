import AlcoholKinetics

/// Replicates of a series as the lanes of one sum of squares: the same curve and times, other readings.
final class ReplicateLanes: LanedSumOfSquares {
  private let objective: CurveObjective
  private let replicates: [Observations]
  /// For each reading what the lanes measured, or their limits of detection.
  private let levels: UnsafeMutablePointer<Lanes>
  /// For each reading 1 in lanes where it is censored, else 0.
  private let areCensored: UnsafeMutablePointer<Lanes>

  /// Prepares the lanes.
  ///
  /// - Parameters:
  ///   - objective: That of the series: squares, one-sided for censored readings, with standard deviations
  ///     that do not depend on the readings.
  ///   - replicates: The readings of each request.
  init(_ objective: CurveObjective, _ replicates: [Observations]) {
    self.objective = objective
    self.replicates = replicates
    levels = .allocate(capacity: objective.count)
    levels.initialize(repeating: .zero, count: objective.count)
    areCensored = .allocate(capacity: objective.count)
    areCensored.initialize(repeating: .zero, count: objective.count)
  }

  deinit {
    levels.deallocate()
    areCensored.deallocate()
  }

  var lowest: [Double] { objective.lowest }
  var highest: [Double] { objective.highest }
  var roundingError: Double { objective.roundingError }
  var hasLanes: Bool { objective.hasLanes }

  func serve(_ request: Int, in lane: Int) {
    for (index, observation) in replicates[request].all.enumerated() {
      levels[index][lane] = observation.level
      areCensored[index][lane] = observation.isCensored ? 1 : 0
    }
  }

  func accumulate(_ equations: NormalEquations, at coordinates: UnsafePointer<Lanes>) {
    let (levels, areCensored) = (levels, areCensored)
    let precisions = objective.rule.precisions
    objective.accumulate(equations, at: coordinates) { prediction, reading in
      let residual = (prediction - levels[reading]) * precisions[reading]
      // A reading below its limit says nothing of a prediction that is, too.
      let counts = (residual .> 0) .| (areCensored[reading] .== 0)
      return (
        residual.kept(where: counts, else: .zero),
        Lanes(repeating: precisions[reading]).kept(where: counts, else: .zero)
      )
    }
  }
}

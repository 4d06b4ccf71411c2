/// Walks along the curve of a regimen under Michaelis-Menten elimination, forward in time, without
/// allocating.
///
/// This is how a fit evaluates the model: one walk gives the concentration and its sensitivities
/// at every reading in one pass over drinks and readings. Beside ``CurveWalk``, which has a closed
/// form, it integrates: see <doc:MichaelisMenten>.
public struct MichaelisMentenWalk: Sendable {
  private let changes: [InputChange]
  private let concentrationPerDose: Double
  private let lag: Double

  private var nextChange = 0
  /// Where the walk is on the regimen's clock, lag taken off; before the first change nothing has
  /// happened and the value does not matter.
  private var time: Double
  private var solution: MichaelisMentenSolution

  /// Starts a walk before the first dose.
  public init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    changes = regimen.changes
    concentrationPerDose = parameters.concentrationPerDose
    lag = parameters.lag.value
    time = regimen.changes.first?.time ?? 0
    solution = MichaelisMentenSolution(parameters)
  }

  /// Goes on to a time, in h; times must not decrease from call to call.
  public mutating func advance(toHours hours: Double) {
    let target = hours - lag
    while nextChange < changes.count, changes[nextChange].time <= target {
      let change = changes[nextChange]
      step(to: change.time)
      nextChange += 1
      let end = nextChange < changes.count ? changes[nextChange].time : .infinity
      solution.change(
        bolus: change.bolus * concentrationPerDose, inputRate: change.rate * concentrationPerDose,
        duration: end - change.time)
    }
    if nextChange > 0 {
      step(to: target)
    }
  }

  /// Blood concentration where the walk is, in g/kg; NaN if it has failed.
  public var concentration: Double { solution.hasFailed ? .nan : solution.state.blood }

  /// Sensitivities of the concentration where the walk is; NaN if it has failed.
  public var sensitivities: MichaelisMentenSensitivities {
    MichaelisMentenSensitivities(solution)
  }

  /// Whether the steps allowed between two readings did not suffice, or the doses are beyond the
  /// range of numbers.
  public var hasFailed: Bool { solution.hasFailed }

  private mutating func step(to target: Double) {
    let tau = target - time
    guard tau > 0 else { return }
    solution.advance(by: tau)
    time = target
  }
}

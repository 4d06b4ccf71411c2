/// Walks along the exact curve of a regimen, forward in time, without allocating.
///
/// This is how a fit evaluates the model: one walk gives the concentration and its sensitivities
/// at every reading in one pass over drinks and readings.
public struct CurveWalk: Sendable {
  private let changes: [InputChange]
  private let concentrationPerDose: Double
  private let ka: Double
  private let beta: Double
  private let lag: Double

  private var nextChange = 0
  private var inputRate = 0.0
  /// What was drunk up to the last change of the input, in g per kg of body weight.
  private var given = 0.0
  /// Where the walk is on the regimen's clock, lag taken off; before the first change nothing has
  /// happened and the value does not matter.
  private var time: Double
  private var state = CompartmentState()

  /// Starts a walk before the first dose.
  public init(_ regimen: Regimen, _ parameters: KineticParameters) {
    changes = regimen.changes
    concentrationPerDose = parameters.concentrationPerDose
    ka = parameters.ka.value
    beta = parameters.beta.value
    lag = parameters.lag.value
    time = regimen.changes.first?.time ?? 0
  }

  /// Goes on to a time, in h; times must not decrease from call to call.
  public mutating func advance(toHours hours: Double) {
    let target = hours - lag
    while nextChange < changes.count, changes[nextChange].time <= target {
      let change = changes[nextChange]
      step(to: change.time)
      if nextChange > 0 {
        let last = changes[nextChange - 1]
        given += last.bolus + last.rate * (change.time - last.time)
      }
      state.gut += change.bolus * concentrationPerDose
      inputRate = change.rate * concentrationPerDose
      nextChange += 1
    }
    if nextChange > 0 {
      step(to: target)
    }
  }

  /// Blood concentration where the walk is, in g/kg.
  public var concentration: Double { state.blood }

  /// Sensitivities of the concentration where the walk is.
  public var sensitivities: Sensitivities {
    Sensitivities(state, ka: ka, beta: beta)
  }

  /// What the concentration would be had it never stopped at zero: all that was absorbed less beta
  /// times the time since the first dose.
  ///
  /// It is below ``concentration`` by what could not be eliminated while the blood was empty, which
  /// does not change while it is not.
  public var unstoppedSample: CurveSample {
    guard let first = changes.first, nextChange > 0 else {
      return CurveSample(concentration: concentration, sensitivities: sensitivities)
    }
    let last = changes[nextChange - 1]
    let given = given + (last.bolus + last.rate * (time - last.time))
    var unstopped = state
    unstopped.blood = given * concentrationPerDose - state.gut - beta * (time - first.time)
    unstopped.bloodByKa = -state.gutByKa
    unstopped.bloodByBeta = first.time - time
    return CurveSample(
      concentration: unstopped.blood, sensitivities: Sensitivities(unstopped, ka: ka, beta: beta))
  }

  private mutating func step(to target: Double) {
    let tau = target - time
    guard tau > 0 else { return }
    state.advance(by: tau, inputRate: inputRate, ka: ka, beta: beta)
    time = target
  }
}

/// Walks along the exact curve of a regimen, forward in time, without allocating.
///
/// This is how a fit evaluates the model: one walk gives the concentration and its sensitivities
/// at every reading in one pass over drinks and readings.
public struct CurveWalk: Sendable {
  private let changes: [InputChange]
  private let concentrationPerDose: Double
  /// The same of doses into the blood.
  private let concentrationPerBloodDose: Double
  private let ka: Double
  private let beta: Double
  private let lag: Double

  private var nextChange = 0
  private var inputRate = 0.0
  /// beta less what flows into the blood.
  private var net: Double
  /// What was drunk up to the last change of the input, in g per kg of body weight.
  private var given = 0.0
  /// What had gone straight into the blood by then.
  private var givenIntoBlood = 0.0
  /// Where the walk is on the regimen's clock, lag taken off; before the first change nothing has
  /// happened and the value does not matter.
  private var time: Double
  private var state = CompartmentState()

  /// Starts a walk before the first dose.
  public init(_ regimen: Regimen, _ parameters: KineticParameters) {
    lag = parameters.lag.value
    changes = regimen.changes(lag: lag)
    concentrationPerDose = parameters.concentrationPerDose
    concentrationPerBloodDose = 1 / parameters.r.value
    ka = parameters.ka.value
    beta = parameters.beta.value
    net = beta
    time = changes.first?.time ?? 0
  }

  /// Goes on to a time, in h; times must not decrease from call to call.
  public mutating func advance(toHours hours: Double) {
    let target = hours - lag
    while nextChange < changes.count, changes[nextChange].time <= target {
      let change = changes[nextChange]
      step(to: change.time)
      if nextChange > 0 {
        let last = changes[nextChange - 1]
        let (drunk, infused) = Self.given(from: last, to: change.time)
        given += drunk
        givenIntoBlood += infused
      }
      state.gut += change.bolus * concentrationPerDose
      state.blood += change.bloodBolus * concentrationPerBloodDose
      inputRate = change.rate * concentrationPerDose
      net = beta - change.bloodRate * concentrationPerBloodDose
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
    Sensitivities(state, ka: ka, beta: beta, net: net)
  }

  /// What the concentration would be had it never stopped at zero: all that was absorbed less beta
  /// times the time since the first dose.
  ///
  /// It is below ``concentration`` by what could not be eliminated while the blood was empty, which
  /// does not change while it is not.
  public var unstoppedSample: CurveSample {
    guard let first = changes.first, nextChange > 0 else { return sample }
    let (drunk, infused) = Self.given(from: changes[nextChange - 1], to: time)
    var unstopped = state
    unstopped.blood =
      (given + drunk) * concentrationPerDose - state.gut - beta * (time - first.time)
      + (givenIntoBlood + infused) * concentrationPerBloodDose
    unstopped.bloodByKa = -state.gutByKa
    unstopped.bloodByBeta = first.time - time
    return CurveSample(
      concentration: unstopped.blood,
      derivatives: Sensitivities(unstopped, ka: ka, beta: beta, net: net).ordered)
  }

  /// The concentration and its derivatives where the walk is.
  var sample: CurveSample {
    CurveSample(concentration: concentration, derivatives: sensitivities.ordered)
  }

  /// What has been taken since a change of the input, in g per kg of body weight: drunk, and straight
  /// into the blood.
  private static func given(
    from change: InputChange, to time: Double
  ) -> (drunk: Double, infused: Double) {
    let elapsed = time - change.time
    return (change.bolus + change.rate * elapsed, change.bloodBolus + change.bloodRate * elapsed)
  }

  /// Walks on through many times and writes what is there.
  mutating func follow(
    _ times: UnsafePointer<Double>, _ count: Int, _ samples: UnsafeMutablePointer<CurveSample>
  ) {
    for index in 0..<count {
      advance(toHours: times[index])
      (samples + index).initialize(to: sample)
    }
  }

  private mutating func step(to target: Double) {
    let tau = target - time
    guard tau > 0 else { return }
    state.advance(by: tau, inputRate: inputRate, ka: ka, beta: net)
    time = target
  }
}

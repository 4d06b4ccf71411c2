public import AlcoholKinetics

/// A curve: a model with its parameters and what was drunk.
public struct FittedCurve: Hashable, Sendable {
  /// How ethanol is eliminated.
  public let model: EliminationModel
  /// What was drunk.
  public let regimen: Regimen
  /// All parameters of the model.
  public let values: ParameterValues

  /// What the instrument would show at a time on the clock of the series: the gain times the
  /// concentration; nil where the curve cannot be followed.
  public func concentration(at time: Hours) -> GramsPerKilogram? {
    guard time.value.isFinite, let value = predictions(at: [time.value]).first, value.isFinite
    else {
      return nil
    }
    return GramsPerKilogram(value)
  }

  /// What the instrument would show, in g/kg; NaN where the curve cannot be followed.
  ///
  /// - Parameter times: In h, ascending.
  func predictions(at times: [Double]) -> [Double] {
    switch model {
    case .widmark:
      values.kinetics.map { predictions(at: times, CurveWalk(regimen, $0)) } ?? nothing(times)
    case .michaelisMenten:
      values.michaelisMenten.map { predictions(at: times, MichaelisMentenWalk(regimen, $0)) }
        ?? nothing(times)
    }
  }

  private func predictions(at times: [Double], _ start: some ModelWalk) -> [Double] {
    var walk = start
    let gain = values[known: .gain]
    return times.map { time in
      walk.advance(toHours: time)
      return walk.hasFailed ? .nan : gain * walk.concentration
    }
  }

  private func nothing(_ times: [Double]) -> [Double] {
    times.map { _ in .nan }
  }
}

import AlcoholKinetics

/// A model with its parameters, for predictions outside of a fit.
struct FittedCurve {
  let model: EliminationModel
  let regimen: Regimen
  let values: ParameterValues

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

@testable import AlcoholKinetics

extension CurveWalk where State.Number == Double {
  /// The concentration where the walk is, in g/kg.
  var concentration: Double { state.sample.concentration }

  /// The derivatives of the concentration where the walk is.
  var sensitivities: KineticSample<Double> { state.sample }

  var hasFailed: Bool { state.hasFailed }

  /// The derivatives at a time that is not before where the walk is.
  func sensitivities(at time: Hours) -> KineticSample<Double> {
    var walk = self
    walk.advance(toHours: time.value)
    return walk.state.sample
  }
}

extension KineticSample<Double> {
  var byBeta: Double { byOwn.0 }
  var byVmax: Double { byOwn.0 }
  var byKm: Double { byOwn.1 }
}

extension CurveWalk<MichaelisMentenSolution> {
  /// Starts a walk before the first dose.
  init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    self.init(regimen, MichaelisMentenSolution(parameters), lag: parameters.lag.value)
  }
}

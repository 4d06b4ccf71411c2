@testable import AlcoholKinetics

extension CurveWalk {
  /// The concentration where the walk is, in g/kg.
  var concentration: Double { state.sample.concentration }

  /// The derivatives of the concentration where the walk is.
  var sensitivities: CurveSample { state.sample }

  var hasFailed: Bool { state.hasFailed }

  /// The derivatives at a time that is not before where the walk is.
  func sensitivities(at time: Hours) -> CurveSample {
    var walk = self
    walk.advance(toHours: time.value)
    return walk.state.sample
  }
}

extension CurveSample {
  var byKa: Double { derivatives[0] }
  var byDoseScale: Double { derivatives[1] }
  var byLag: Double { derivatives[2] }
  var byBeta: Double { derivatives[4] }
  var byVmax: Double { derivatives[4] }
  var byKm: Double { derivatives[5] }
}

extension CurveWalk<MichaelisMentenKinetics> {
  /// Starts a walk before the first dose.
  init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    self.init(regimen, MichaelisMentenKinetics(parameters), lag: parameters.lag.value)
  }
}

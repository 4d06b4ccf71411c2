import AlcoholKinetics

/// The reference for curves in these tests: the same equations, integrated step by step.
extension IntegratedCurve {
  init(_ regimen: Regimen, _ parameters: KineticParameters) {
    self.init(
      regimen, scale: parameters.absorbedFraction / parameters.r.value, ka: parameters.ka.value,
      lag: parameters.lag.value, .constant(parameters.beta.value))
  }

  init(_ random: MichaelisMentenCase) {
    let parameters = random.parameters
    self.init(
      random.regimen, scale: random.scale, ka: parameters.ka.value, lag: parameters.lag.value,
      .saturable(vmax: parameters.vmax.value, km: parameters.km.value))
  }
}

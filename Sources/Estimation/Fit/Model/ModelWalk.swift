import AlcoholKinetics

/// A curve that a fit can follow from reading to reading.
protocol ModelWalk {
  /// Goes on to a time in h, never back.
  mutating func advance(toHours hours: Double)
  /// The concentration there, in g/kg.
  var concentration: Double { get }
  /// Whether the curve could not be followed this far.
  var hasFailed: Bool { get }
  /// Derivatives of the concentration there, all at once since they share work.
  var derivatives: ParameterDerivatives { get }
  /// Both had the curve never stopped at zero.
  var unstopped: (concentration: Double, derivatives: ParameterDerivatives) { get }
}

/// The derivatives of a concentration by the parameters of a model, in g/kg per unit of the
/// parameter; 0 for parameters that the model does not have.
struct ParameterDerivatives {
  var byKa = 0.0
  var byBeta = 0.0
  /// By a factor on all doses, at factor 1.
  var byDoseScale = 0.0
  var byLag = 0.0
  var byVmax = 0.0
  var byKm = 0.0
}

extension ParameterDerivatives {
  /// Those of Widmark's model.
  init(_ sensitivities: Sensitivities) {
    self.init(
      byKa: sensitivities.byKa, byBeta: sensitivities.byBeta,
      byDoseScale: sensitivities.byDoseScale, byLag: sensitivities.byLag)
  }
}

extension CurveWalk: ModelWalk {
  /// A closed form can always be followed.
  var hasFailed: Bool { false }

  var derivatives: ParameterDerivatives { ParameterDerivatives(sensitivities) }

  var unstopped: (concentration: Double, derivatives: ParameterDerivatives) {
    let sample = unstoppedSample
    return (sample.concentration, ParameterDerivatives(sample.sensitivities))
  }
}

extension MichaelisMentenWalk: ModelWalk {
  var derivatives: ParameterDerivatives {
    let sensitivities = self.sensitivities
    return ParameterDerivatives(
      byKa: sensitivities.byKa, byDoseScale: sensitivities.byDoseScale,
      byLag: sensitivities.byLag, byVmax: sensitivities.byVmax, byKm: sensitivities.byKm)
  }

  /// This curve falls ever more slowly and does not stop.
  var unstopped: (concentration: Double, derivatives: ParameterDerivatives) {
    (concentration, derivatives)
  }
}

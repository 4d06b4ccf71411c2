public import AlcoholKinetics

/// A curve: a model with its parameters and what was drunk.
public struct FittedCurve: Codable, Hashable, Sendable {
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
    ModelParameters(model, known: values).predictions(of: regimen, at: times)
  }
}

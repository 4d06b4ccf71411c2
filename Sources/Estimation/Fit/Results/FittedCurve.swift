public import AlcoholKinetics

/// A curve: a model with its parameters and what was drunk.
public struct FittedCurve: Codable, Hashable, Sendable {
  /// The model of elimination.
  public let model: EliminationModel
  /// The doses.
  public let regimen: Regimen
  /// All parameters of the model.
  public let values: ParameterValues

  /// Returns the predicted reading at a time on the clock of the series: the gain times the concentration; nil if the curve
  /// cannot be computed.
  public func concentration(at time: Hours) -> GramsPerKilogram? {
    guard time.value.isFinite, let value = predictions(at: [time.value]).first, value.isFinite
    else {
      return nil
    }
    return GramsPerKilogram(value)
  }

  /// Returns the predicted readings, in g/kg; NaN if the curve cannot be computed.
  ///
  /// - Parameter times: The times in h, ascending.
  func predictions(at times: [Double]) -> [Double] {
    ModelParameters(model, known: values).predictions(of: regimen, at: times)
  }
}

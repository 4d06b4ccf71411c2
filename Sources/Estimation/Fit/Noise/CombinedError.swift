/// The two parameters of the combined error model.
public struct CombinedError: Hashable, Sendable {
  /// The standard deviation a at zero, in g/kg.
  public var sd: Double
  /// The coefficient of variation b at high concentrations.
  public var cv: Double

  /// Puts the two together.
  public init(sd: Double, cv: Double) {
    self.sd = sd
    self.cv = cv
  }

  /// sqrt(a^2 + (b f)^2) at a prediction f, in g/kg.
  func deviation(at prediction: Double) -> Double {
    (sd * sd + cv * cv * prediction * prediction).squareRoot()
  }
}

public import AlcoholKinetics

/// A range of k_a and beta over which a method has to predict better before it is called so.
///
/// Which of two methods looks better depends on the k_a and beta that both predict with: where beta is
/// too large, the method with the smaller r makes up for it. What is true of methods must not.
public struct KineticRange: Hashable, Sendable {
  /// The absorption rate constants.
  public let ka: ClosedRange<PerHour>
  /// The elimination rates.
  public let beta: ClosedRange<GramsPerKilogramHour>

  /// k_a 1-20 /h and beta 0.10-0.25 g/kg/h, within which nearly everybody is who drinks: beta of 95 %
  /// of people is 0.085-0.275 g/kg/h (Jones and Andersson 1996).
  public static let plausible = KineticRange(ka: 1...20, beta: 0.10...0.25)

  /// Chooses a range of positive values.
  public init(ka: ClosedRange<PerHour>, beta: ClosedRange<GramsPerKilogramHour>) {
    self.ka = ka
    self.beta = beta
  }

  /// The k_a in the middle, as the geometric mean of the ends.
  public var middleKa: PerHour {
    PerHour((ka.lowerBound.value * ka.upperBound.value).squareRoot())
  }

  /// The beta in the middle, as the geometric mean of the ends.
  public var middleBeta: GramsPerKilogramHour {
    GramsPerKilogramHour((beta.lowerBound.value * beta.upperBound.value).squareRoot())
  }

  /// The corners of the range and its middle.
  var points: [PredictionParameters] {
    [
      .given(ka: ka.lowerBound, beta: beta.lowerBound),
      .given(ka: ka.lowerBound, beta: beta.upperBound),
      .given(ka: ka.upperBound, beta: beta.lowerBound),
      .given(ka: ka.upperBound, beta: beta.upperBound),
      .given(ka: middleKa, beta: middleBeta),
    ]
  }
}

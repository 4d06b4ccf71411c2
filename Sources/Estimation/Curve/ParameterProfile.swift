public import AlcoholKinetics

/// How much worse the best fit gets as a parameter is moved away from its estimate.
///
/// The rise is (S - S_min) / s^2 or what stands for it (see <doc:FittingAndUncertainty>); values whose
/// rise is not above the threshold are in the interval.
public struct ParameterProfile: Hashable, Sendable {
  /// A value and how much worse the best fit with it is.
  public struct Point: Hashable, Sendable {
    /// The value, in the parameter's unit.
    public let value: Double
    /// The rise above the minimum; not below 0.
    public let rise: Double
  }

  /// Which parameter.
  public let parameter: FitParameter
  /// In order of their values, as far as no other parameter is stopped by a bound of the search: how
  /// well a fit could do beyond it is not known.
  public let points: [Point]
  /// The rise up to which values are not ruled out.
  public let threshold: Double
}

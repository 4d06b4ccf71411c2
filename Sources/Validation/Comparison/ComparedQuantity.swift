/// What predictions are judged by.
public enum ComparedQuantity: String, CaseIterable, Sendable {
  /// The concentration at every reading, in g/kg.
  case concentration
  /// The height of the peak, in g/kg.
  case peak
  /// The time to sobriety, in min; of what is measured limits are known (``SobrietyError``).
  case sobriety
  /// The r factor itself, in kg/kg, against the observed one.
  case r

  /// What a predicted curve is judged by.
  public static let ofCurves: [ComparedQuantity] = [.concentration, .peak, .sobriety]

  /// The unit of its errors.
  public var unit: String {
    switch self {
    case .concentration, .peak: "g/kg"
    case .sobriety: "min"
    case .r: "kg/kg"
    }
  }

  /// The errors of a comparison, predicted minus measured; empty where there is nothing to compare, and
  /// for times to sobriety, whose errors are not known exactly.
  func errors(of comparison: Comparison) -> [Double] {
    switch self {
    case .concentration: comparison.agreement?.errors ?? []
    case .peak: comparison.agreement.map { [$0.peakError] } ?? []
    case .sobriety, .r: []
    }
  }
}

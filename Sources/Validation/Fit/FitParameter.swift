/// A parameter of the model that a fit can estimate.
///
/// All are positive and estimated as logarithms.
public enum FitParameter: String, CaseIterable, Comparable, Hashable, Sendable {
  /// The absorption rate constant k_a, in 1/h.
  case ka
  /// The elimination rate beta, in g/kg/h.
  case beta
  /// The distribution factor r, in kg/kg.
  case r

  /// The order of results: k_a, beta, r.
  public static func < (left: Self, right: Self) -> Bool {
    left.position < right.position
  }

  private var position: Int {
    switch self {
    case .ka: 0
    case .beta: 1
    case .r: 2
    }
  }
}

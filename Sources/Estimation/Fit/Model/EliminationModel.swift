/// How ethanol is eliminated; absorption is of first order in both.
public enum EliminationModel: String, CaseIterable, Hashable, Sendable {
  /// At the constant rate beta until nothing is left (Widmark 1932).
  case widmark
  /// At the rate V_max c / (K_m + c) (Michaelis & Menten 1913; for ethanol Lundquist & Wolthers
  /// 1958).
  case michaelisMenten = "michaelis-menten"

  /// What there is to estimate.
  public var parameters: Set<FitParameter> {
    switch self {
    case .widmark: [.ka, .beta, .r, .lag, .gain]
    case .michaelisMenten: [.ka, .r, .lag, .gain, .vmax, .km]
    }
  }

  /// What is estimated unless told otherwise.
  public var defaultEstimate: Set<FitParameter> {
    switch self {
    case .widmark: [.ka, .beta]
    case .michaelisMenten: [.ka, .vmax, .km]
    }
  }
}

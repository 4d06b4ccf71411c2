/// Elimination at the rate V_max c / (K_m + c), in g/kg/h (Michaelis, Menten 1913).
struct MichaelisMentenElimination: Hashable, Sendable {
  let vmax: Double
  let km: Double

  /// The rate at a concentration.
  func rate(at blood: Double) -> Double {
    vmax * (blood / (km + blood))
  }

  /// The derivative of the rate by the concentration, V_max K_m / (K_m + c)^2.
  func slope(at blood: Double) -> Double {
    let sum = km + blood
    return (vmax / sum) * (km / sum)
  }

  /// What one backward Euler step leaves of an amount: the positive root c of
  ///
  ///     c + tau V_max c / (K_m + c) = amount
  ///
  /// It is no more than the amount and, however long the step, not negative.
  func left(of amount: Double, after tau: Double) -> Double {
    let half = (km + vmax * tau - amount) / 2
    let product = km * amount
    let root = (half * half + product).squareRoot()
    return half > 0 ? product / (half + root) : root - half
  }
}

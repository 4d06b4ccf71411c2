import RealModule

/// Gut content g, in g per kg of blood, and its derivative by k.
struct MichaelisMentenGut: Hashable, Sendable {
  var content = 0.0
  var byKa = 0.0

  /// The gut `tau` hours later, under a constant input rate R:
  ///
  ///     g(tau) = g e^(-k tau) + (R/k)(1 - e^(-k tau))
  func after(_ tau: Double, inputRate: Double, ka: Double) -> Self {
    let gone = -Double.expMinusOne(-ka * tau)
    let kept = 1 - gone
    let steady = inputRate / ka
    return Self(
      content: content * kept + steady * gone,
      byKa: (byKa - tau * content) * kept + steady * (tau * kept - gone / ka))
  }
}

import AlcoholKinetics
import RealModule

/// Which parameters a fit estimates, where their logarithms stand in the solver's vector, and what
/// the others are fixed to.
struct ParameterLayout {
  /// The estimated parameters in the order of the vector.
  let free: [FitParameter]

  private let fixed: KineticParameters
  private let ka: Int?
  private let beta: Int?
  private let r: Int?

  init(estimating parameters: Set<FitParameter>, fixed: KineticParameters) {
    free = parameters.sorted()
    self.fixed = fixed
    ka = free.firstIndex(of: .ka)
    beta = free.firstIndex(of: .beta)
    r = free.firstIndex(of: .r)
  }

  /// Number of estimated parameters.
  var count: Int { free.count }

  /// The model's parameters, or nil if a logarithm is so large or small that its parameter is not
  /// a positive finite number.
  func parameters(at logarithms: UnsafePointer<Double>) -> KineticParameters? {
    try? KineticParameters(
      ka: ka.map { PerHour(.exp(logarithms[$0])) } ?? fixed.ka,
      beta: beta.map { GramsPerKilogramHour(.exp(logarithms[$0])) } ?? fixed.beta,
      r: r.map { RFactor(.exp(logarithms[$0])) } ?? fixed.r,
      lag: fixed.lag,
      absorbedFraction: fixed.absorbedFraction)
  }

  /// Writes one row of the Jacobian: derivatives by logarithms, p dc/dp.
  func write(
    _ sensitivities: Sensitivities,
    at parameters: KineticParameters,
    into row: UnsafeMutablePointer<Double>
  ) {
    if let ka { row[ka] = sensitivities.byKa * parameters.ka.value }
    if let beta { row[beta] = sensitivities.byBeta * parameters.beta.value }
    // Every dose is divided by r.
    if let r { row[r] = -sensitivities.byDoseScale }
  }
}

import AlcoholKinetics

/// What the curve was at the last point at which it was followed.
///
/// Solvers ask for residuals and then, if they like what they see, for the Jacobian at the same
/// point; the curve is followed once for both.
struct CurveScratch {
  /// One sample of Widmark's model for each observation.
  let samples: UnsafeMutablePointer<CurveSample>
  /// One sample of the model with Michaelis-Menten elimination for each.
  let saturable: UnsafeMutablePointer<SaturableSample>
  /// The parameters of the last point; nil before the first one.
  private var parameters: KineticParameters?
  private var saturableParameters: MichaelisMentenParameters?

  /// A concentration, in g/kg, and its derivatives.
  struct SaturableSample {
    let concentration: Double
    let derivatives: ParameterDerivatives
  }

  init(count: Int) {
    samples = .allocate(capacity: max(1, count))
    saturable = .allocate(capacity: max(1, count))
  }

  func deallocate() {
    samples.deallocate()
    saturable.deallocate()
  }

  /// Follows a curve, unless it is the last one.
  mutating func follow(
    _ regimen: Regimen, _ parameters: KineticParameters, at times: UnsafePointer<Double>, count: Int
  ) {
    guard parameters != self.parameters else { return }
    var walk = CurveWalk(regimen, parameters)
    walk.samples(atHours: times, count: count, into: samples)
    self.parameters = parameters
  }

  /// Follows a curve, unless it is the last one; false if it cannot be followed.
  mutating func follow(
    _ regimen: Regimen, _ parameters: MichaelisMentenParameters, at times: UnsafePointer<Double>,
    count: Int
  ) -> Bool {
    guard parameters != saturableParameters else { return true }
    saturableParameters = nil
    var walk = MichaelisMentenWalk(regimen, parameters)
    for index in 0..<count {
      walk.advance(toHours: times[index])
      (saturable + index).initialize(
        to: SaturableSample(concentration: walk.concentration, derivatives: walk.derivatives))
    }
    guard !walk.hasFailed else { return false }
    saturableParameters = parameters
    return true
  }
}

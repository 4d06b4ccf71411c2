import AlcoholKinetics

/// What the curve was at the last point at which it was followed.
///
/// Solvers ask for residuals and then, if they like what they see, for the Jacobian at the same
/// point; the curve is followed once for both.
struct CurveScratch {
  /// One sample for each observation.
  let samples: UnsafeMutablePointer<CurveSample>
  /// The parameters of the last point; nil before the first one.
  var parameters: KineticParameters?

  init(count: Int) {
    samples = .allocate(capacity: max(1, count))
  }

  func deallocate() {
    samples.deallocate()
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
}

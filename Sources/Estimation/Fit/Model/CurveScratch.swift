import AlcoholKinetics

/// What the curve was at the last point at which it was followed.
///
/// Solvers ask for residuals and then, if they like what they see, for the Jacobian at the same
/// point; the curve is followed once for both.
struct CurveScratch {
  /// One sample for each observation.
  let samples: UnsafeMutablePointer<CurveSample>
  /// The parameters of the last point; nil before the first one, and where there was no curve.
  private var values: ParameterValues?

  init(count: Int) {
    samples = .allocate(capacity: max(1, count))
  }

  func deallocate() {
    samples.deallocate()
  }

  /// Follows a curve, unless it is the last one; false if it cannot be followed.
  mutating func follow(
    _ kinetics: any EliminationKinetics.Type, _ regimen: Regimen, _ values: ParameterValues,
    at times: UnsafePointer<Double>, count: Int
  ) -> Bool {
    var values = values
    // The instrument does not change the curve.
    values[known: .gain] = 1
    guard values != self.values else { return true }
    self.values = nil
    guard kinetics.follow(regimen, values, at: times, count: count, into: samples) else {
      return false
    }
    self.values = values
    return true
  }
}

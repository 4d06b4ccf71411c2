import GSL

/// What a reading below its limit of detection says by its likelihood alone (method M3, Beal 2001).
package enum BelowLimit {
  /// -2 ln Phi(z), and the inverse Mills ratio phi(z) / Phi(z), half the slope at which it falls.
  ///
  /// - Parameter z: The limit minus the prediction, in standard deviations.
  package static func cost(_ z: Double) -> (cost: Double, hazard: Double) {
    (-2 * StandardNormal.logLowerTail(z), StandardNormal.inverseMillsRatio(z))
  }
}

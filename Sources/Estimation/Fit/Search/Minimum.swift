import AlcoholKinetics
import GSL

/// Where a descent ended.
struct Minimum {
  /// The coordinates of the free parameters, each within its bounds.
  var coordinates: [Double]
  /// The sum of squared residuals there.
  var objective: Double
  /// How it ended.
  var exit: LeastSquaresExit
  /// Iterations of the solver in all.
  var iterations: Int
  /// The parameters that stand at a bound and would go beyond it.
  var atBound: Set<FitParameter> = []
}

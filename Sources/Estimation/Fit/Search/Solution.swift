/// A minimum together with the noise about it.
struct Solution {
  /// Where the minimum is.
  var minimum: Minimum
  /// The predictions there, in g/kg.
  var predictions: [Double]
  /// The standard deviations of the readings; nil if there are too few readings to estimate them.
  var noise: Noise?
  /// By what solutions are compared: the restricted deviance, or with a loss what it costs at the one
  /// scale that all share; infinite without noise.
  var deviance: Double
  /// How often predictions and standard deviations were brought into line; 0 if they do not depend
  /// on each other.
  var rounds = 0
  /// Whether they are in line.
  var isSettled = true

  /// Whether there is a reading at which the curve is not zero; else it is no fit.
  var predictsAlcohol: Bool { predictions.contains { $0 > 0 } }
}

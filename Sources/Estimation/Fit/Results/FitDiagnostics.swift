public import AlcoholKinetics

/// What the residuals and the Jacobian say about a fit.
public struct FitDiagnostics: Hashable, Sendable {
  /// The 2-norm condition number of the Jacobian with columns of length 1; infinite if the data
  /// cannot tell parameters apart.
  public let conditionNumber: Double
  /// The estimated parameters, in the order of ``correlation``.
  public let parameters: [FitParameter]
  /// The correlation of the estimates, row-major; nil if the covariance does not exist.
  public let correlation: [Double]?
  /// Whether residuals of equal sign come in longer runs than by chance; nil if all have one sign.
  public let runs: RunsTest?
  /// The correlation of each residual with the one before; nil for fewer than 3.
  public let autocorrelation: Autocorrelation?
  /// Whether standardised residuals other than zero look normal; nil for fewer than 3.
  public let normality: ShapiroWilk?
  /// What the residuals add to those of the study; nil if none counts.
  public var sums: ResidualSums?

  /// The largest correlation of two parameters by size, and of which; nil with one parameter.
  public var strongestCorrelation: (first: FitParameter, second: FitParameter, value: Double)? {
    guard let correlation else { return nil }
    let count = parameters.count
    let pairs = (0..<count).flatMap { row in (0..<row).map { (row, $0) } }
    let strongest = pairs.max {
      abs(correlation[$0.0 * count + $0.1]) < abs(correlation[$1.0 * count + $1.1])
    }
    return strongest.map { row, column in
      (parameters[column], parameters[row], correlation[row * count + column])
    }
  }
}

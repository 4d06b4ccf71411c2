public import Estimation

/// How large some errors of prediction are: predicted minus measured, so that the bias is positive
/// where too much is predicted.
///
/// All results but the count are in the unit of the errors, and computed when they are asked for.
public struct ErrorSummary: Codable, Hashable, Sendable {
  public let errors: Sample

  /// Summarises errors; nil if there are none, or one is NaN, infinite or beyond ±1e150.
  public init?(errors: [Double]) {
    guard let errors = Sample(errors) else { return nil }
    self.errors = errors
  }

  public var count: Int { errors.count }

  public var bias: Double { errors.mean }

  public var mae: Double { errors.meanMagnitude }

  public var rmse: Double { errors.rootMeanSquare }

  public var median: Double { errors.median }

  /// The standard deviation of the errors, with divisor n - 1; nil for a single error.
  public var standardDeviation: Double? { errors.standardDeviation }

  /// Where 95 % of the errors are expected if they are normal: bias ± 1.96 standard deviations;
  /// nil for a single error.
  ///
  /// Source: Bland and Altman (1986), who round 1.96 to 2 in their example.
  public var limitsOfAgreement: Interval? {
    standardDeviation.map { Interval(low: bias - 1.96 * $0, high: bias + 1.96 * $0) }
  }
}

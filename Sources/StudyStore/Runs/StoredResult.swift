/// A row of a run: what came out for a series, by a method if there are several.
public struct StoredResult: Hashable, Sendable {
  /// Who.
  public var subject: String
  /// On which occasion, where there are several.
  public var occasion: String?
  /// By which method, where there are several.
  public var method: String?
  /// `ok`, or why not.
  public var status: String
  /// More about a failure.
  public var reason: String?
  /// The parameters of a fit.
  public var fits: [StoredFit]
  /// All other numbers.
  public var metrics: [StoredMetric]

  /// Describes a row.
  public init(
    subject: String,
    occasion: String? = nil,
    method: String? = nil,
    status: String,
    reason: String? = nil,
    fits: [StoredFit] = [],
    metrics: [StoredMetric] = []
  ) {
    self.subject = subject
    self.occasion = occasion
    self.method = method
    self.status = status
    self.reason = reason
    self.fits = fits
    self.metrics = metrics
  }
}

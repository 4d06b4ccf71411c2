/// A number that may be censored: its value, or limits.
public struct CensoredValue: Codable, Hashable, Sendable {
  /// The kind of censoring.
  public enum Kind: String, CaseIterable, Codable, Sendable {
    /// The number.
    case exact
    /// A lower limit.
    case atLeast = "at-least"
    /// An upper limit.
    case atMost = "at-most"
    /// Both limits, but not the number.
    case between
    /// Nothing.
    case unknown
  }

  /// The lower limit; minus infinity if there is none.
  public let low: Double
  /// The upper limit; infinity if there is none.
  public let high: Double
  /// The number itself, if it was determined; between the limits.
  public let value: Double?

  /// Creates a number.
  ///
  /// - Parameters:
  ///   - low: The lower limit; nil if there is none.
  ///   - high: The upper limit; nil if there is none.
  ///   - value: The number, if it was determined. The limits are then those of its uncertainty.
  public init(low: Double?, high: Double?, value: Double? = nil) {
    self.value = value
    self.low = low ?? value ?? -.infinity
    self.high = high ?? value ?? .infinity
  }

  /// The kind of censoring.
  public var kind: Kind {
    if value != nil { return .exact }
    switch (low.isFinite, high.isFinite) {
    case (true, true): return .between
    case (true, false): return .atLeast
    case (false, true): return .atMost
    case (false, false): return .unknown
    }
  }

  /// The value without limits of its own uncertainty; censored numbers are unchanged.
  package var withoutOwnLimits: CensoredValue {
    value.map { CensoredValue(low: nil, high: nil, value: $0) } ?? self
  }

  /// Returns the mean of several numbers, ignoring those of which nothing is known.
  ///
  /// The mean of limits is a limit of the mean. If all numbers are exact, so is their mean, and its
  /// uncertainty is that for independent errors: the root of the summed squares over their count.
  public static func mean(of several: [CensoredValue]) -> CensoredValue {
    let limited = several.filter { $0.kind != .unknown }
    guard !limited.isEmpty else { return CensoredValue(low: nil, high: nil) }
    let count = Double(limited.count)
    let values = limited.compactMap(\.value)
    guard values.count == limited.count else {
      let mean = { (limit: (CensoredValue) -> Double) in
        limited.reduce(0) { $0 + ($1.value ?? limit($1)) } / count
      }
      return CensoredValue(low: mean(\.low), high: mean(\.high))
    }
    let mean = values.reduce(0, +) / count
    let margin = { (width: (CensoredValue) -> Double) in
      limited.reduce(0) { $0 + width($1) * width($1) }.squareRoot() / count
    }
    return CensoredValue(
      low: mean - margin { ($0.value ?? 0) - $0.low },
      high: mean + margin { $0.high - ($0.value ?? 0) }, value: mean)
  }
}

/// What is known of a number: itself, or limits between which it lies.
public struct CensoredValue: Codable, Hashable, Sendable {
  /// How much is known.
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

  /// Describes prior knowledge.
  ///
  /// - Parameters:
  ///   - low: The lower limit; nil if there is none.
  ///   - high: The upper limit; nil if there is none.
  ///   - value: The number, if it was determined. Limits are then those of its own uncertainty.
  public init(low: Double?, high: Double?, value: Double? = nil) {
    self.value = value
    self.low = low ?? value ?? -.infinity
    self.high = high ?? value ?? .infinity
  }

  /// How much is known.
  public var kind: Kind {
    if value != nil { return .exact }
    switch (low.isFinite, high.isFinite) {
    case (true, true): return .between
    case (true, false): return .atLeast
    case (false, true): return .atMost
    case (false, false): return .unknown
    }
  }

  /// The same, the number for exact if it was determined.
  package var withoutOwnLimits: CensoredValue {
    value.map { CensoredValue(low: nil, high: nil, value: $0) } ?? self
  }

  /// What is known of the mean of several numbers; those of which nothing is known are passed over.
  ///
  /// The mean of limits is a limit of the mean. Where all numbers are determined, so is their mean, and
  /// its uncertainty is that of independent ones: the root of the summed squares over their count.
  public static func mean(of several: [CensoredValue]) -> CensoredValue {
    let known = several.filter { $0.kind != .unknown }
    guard !known.isEmpty else { return CensoredValue(low: nil, high: nil) }
    let count = Double(known.count)
    let values = known.compactMap(\.value)
    guard values.count == known.count else {
      let mean = { (limit: (CensoredValue) -> Double) in
        known.reduce(0) { $0 + ($1.value ?? limit($1)) } / count
      }
      return CensoredValue(low: mean(\.low), high: mean(\.high))
    }
    let mean = values.reduce(0, +) / count
    let margin = { (width: (CensoredValue) -> Double) in
      known.reduce(0) { $0 + width($1) * width($1) }.squareRoot() / count
    }
    return CensoredValue(
      low: mean - margin { ($0.value ?? 0) - $0.low },
      high: mean + margin { $0.high - ($0.value ?? 0) }, value: mean)
  }
}

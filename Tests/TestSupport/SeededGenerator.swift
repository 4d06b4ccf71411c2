public import Foundation

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every run, so that property tests can be
/// run again.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Begins a sequence; equal seeds give equal numbers.
  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }

  /// A finite double of any sign and magnitude.
  public mutating func nextFinite() -> Double {
    while true {
      let number = Double(bitPattern: next())
      if number.isFinite { return number }
    }
  }

  /// A UUID of any version, or none.
  public mutating func maybeUUID() -> UUID? {
    guard Bool.random(using: &self) else { return nil }
    return UUID(uuid: unsafeBitCast((next(), next()), to: uuid_t.self))
  }

  /// A number from a range, all of which are equally likely.
  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    .random(in: range, using: &self)
  }

  /// A number with mean 0 and variance 1 that is normal but for its tails: the sum of twelve uniform
  /// ones less 6.
  public mutating func nearlyNormal() -> Double {
    (0..<12).reduce(0) { sum, _ in sum + uniform(-0.5...0.5) }
  }

  /// A number from a range above zero, whose logarithms are equally likely.
  public mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
    exp(uniform(log(range.lowerBound)...log(range.upperBound)))
  }
}

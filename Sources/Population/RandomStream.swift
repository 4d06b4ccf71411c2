import Estimation

/// SplitMix64 (Steele, Lea & Flood 2014) as functions of 64 bits, from which streams are built, and random numbers
/// that depend on their seed and place alone.
package enum SplitMix64 {
  /// The step of a stream's state: 2^64 over the golden ratio, made odd.
  package static let increment: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// The output function: every bit of the input changes about half of the output.
  package static func mixed(_ bits: UInt64) -> UInt64 {
    var z = bits
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A number of (0, 1) from random bits, never 0 or 1, so that it has a normal quantile.
  package static func uniform(_ bits: UInt64) -> Double { (Double(bits >> 12) + 0.5) * 0x1p-52 }
}

/// A stream of random numbers that its seeds determine, so that every person can have one.
struct RandomStream {
  private var state: UInt64 = 0

  /// Begins with some seeds; each of them counts.
  init(_ seeds: UInt64...) {
    for seed in seeds { state = SplitMix64.mixed((state ^ seed) &+ SplitMix64.increment) }
  }

  /// A number of (0, 1).
  mutating func uniform() -> Double {
    state &+= SplitMix64.increment
    return SplitMix64.uniform(SplitMix64.mixed(state))
  }

  /// A normal deviate: the quantile of a uniform one.
  mutating func normal() -> Double { NormalScores.quantile(uniform()) }

  /// The sum of the squares of so many normal deviates.
  mutating func chiSquared(_ degreesOfFreedom: Int) -> Double {
    (0..<degreesOfFreedom).reduce(0) { sum, _ in
      let deviate = normal()
      return sum + deviate * deviate
    }
  }
}

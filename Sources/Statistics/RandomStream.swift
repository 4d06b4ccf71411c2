/// The mixing functions of the SplitMix64 generator (Steele, Lea & Flood 2014).
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

/// A generator of uniform numbers in (0, 1), and deviates derived from them.
package protocol UniformNumbers {
  /// The next number, above 0 and below 1.
  mutating func uniform() -> Double
}

extension UniformNumbers {
  /// A normal deviate: the quantile of a uniform one.
  package mutating func normal() -> Double { NormalScores.quantile(uniform()) }

  /// A chi-squared deviate: the sum of squares of so many normal deviates.
  package mutating func chiSquared(_ degreesOfFreedom: Int) -> Double {
    (0..<degreesOfFreedom).reduce(0) { sum, _ in
      let deviate = normal()
      return sum + deviate * deviate
    }
  }
}

/// A stream of random numbers determined by its seeds, so that every subject can have its own.
package struct RandomStream: UniformNumbers {
  private var state: UInt64 = 0

  /// Creates a stream from seeds, all of which matter.
  package init(_ seeds: UInt64...) { self.init(seeds) }

  init(_ seeds: [UInt64]) {
    for seed in seeds { state = SplitMix64.mixed((state ^ seed) &+ SplitMix64.increment) }
  }

  /// A number of (0, 1).
  package mutating func uniform() -> Double {
    state &+= SplitMix64.increment
    return SplitMix64.uniform(SplitMix64.mixed(state))
  }
}

/// Uniform random numbers by row and column (a counter-based generator): each depends on the seed, the
/// row and the column alone, so that results do not depend on the order or the thread of drawing.
///
/// Source: the output function of SplitMix64 (Steele, Lea and Flood 2014), twice over a Weyl sequence.
package struct PlacedRandom {
  private let key: UInt64

  package init(seed: UInt64) { key = SplitMix64.mixed(seed &+ SplitMix64.increment) }

  /// A number above 0 and below 1.
  package func uniform(row: Int, column: Int) -> Double {
    let ofRow = SplitMix64.mixed(
      key &+ UInt64(bitPattern: Int64(row)) &* SplitMix64.increment)
    return SplitMix64.uniform(
      SplitMix64.mixed(ofRow &+ UInt64(bitPattern: Int64(column)) &* 0xD1B5_4A32_D192_ED03))
  }
}

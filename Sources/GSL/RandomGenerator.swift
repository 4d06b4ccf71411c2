internal import CGSL

/// A source of random numbers: the Mersenne Twister MT19937.
///
/// Equal seeds give equal numbers, bit for bit, on every machine. It is a class because it owns
/// GSL's generator state, and not `Sendable`: one per task.
///
/// Source: Matsumoto and Nishimura, "Mersenne Twister", ACM Trans. Model. Comput. Simul. 8 (1998)
/// 3-30, with the initialisation of 2002; computed by GSL's `gsl_rng_mt19937`.
package final class RandomGenerator {
  private let generator: UnsafeMutablePointer<gsl_rng>

  /// Creates a generator that starts at the first number of its seed.
  ///
  /// The algorithm has 2³² sequences. The upper half of a seed is therefore folded onto the lower
  /// one; a seed below 2³² is taken as it is, except that GSL takes 0 for 4357.
  package init(seed: UInt64) throws(GSLError) {
    ErrorHandler.disable()
    guard let generator = gsl_rng_alloc(cgsl_rng_mt19937()) else {
      throw .outOfMemory("a random generator")
    }
    gsl_rng_set(generator, UInt((seed ^ seed >> 32) & 0xffff_ffff))
    self.generator = generator
  }

  deinit {
    gsl_rng_free(generator)
  }

  /// Returns the next 32 random bits.
  package func next() -> UInt32 {
    UInt32(truncatingIfNeeded: gsl_rng_get(generator))
  }

  /// Returns a number of [0, 1), each multiple of 2⁻⁵³ being equally likely.
  ///
  /// Two steps of the twister, as in `genrand_res53` of its authors (2002) and in NumPy.
  package func nextUniform() -> Double {
    let high = Double(next() >> 5)
    let low = Double(next() >> 6)
    return (high * 0x1p26 + low) * 0x1p-53
  }

  /// Returns a number of (0, 1); zeros are skipped.
  package func nextOpenUniform() -> Double {
    while true {
      let number = nextUniform()
      if number > 0 { return number }
    }
  }

  /// Returns a normal deviate of mean 0 and standard deviation 1.
  ///
  /// The quantile of ``nextOpenUniform()``, so that each takes the same two steps of the twister and
  /// grows with it. Source: Wichura, "Algorithm AS 241", Appl. Statist. 37 (1988) 477-484; computed
  /// by GSL's `gsl_cdf_ugaussian_Pinv`.
  package func nextNormal() -> Double {
    gsl_cdf_ugaussian_Pinv(nextOpenUniform())
  }

  /// Fills an array with random numbers, each of 0, 1, ..., bound − 1 being equally likely.
  package func fill(_ numbers: inout [Int], below bound: Int) throws(GSLError) {
    guard (1...0xffff_ffff).contains(bound) else {
      throw .invalid("a random number below \(bound)")
    }
    for i in numbers.indices {
      numbers[i] = Int(gsl_rng_uniform_int(generator, UInt(bound)))
    }
  }
}

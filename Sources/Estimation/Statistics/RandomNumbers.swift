import GSL

/// Random numbers for modules that do not know GSL: equal seeds give equal numbers on every machine
/// (`RandomGenerator` of the module GSL). Not `Sendable`: one per task.
package final class RandomNumbers {
  private let generator: RandomGenerator

  /// Stands at the first number of a seed.
  ///
  /// - Throws: ``SeriesFailure/solver(_:)`` without memory.
  package init(seed: UInt64) throws(SeriesFailure) {
    do { generator = try RandomGenerator(seed: seed) } catch { throw .solver(error.description) }
  }

  /// A number of (0, 1).
  package func uniform() -> Double { generator.nextOpenUniform() }

  /// A normal deviate of mean 0 and standard deviation 1.
  package func normal() -> Double { generator.nextNormal() }

  /// The sum of the squares of so many normal deviates.
  package func chiSquared(_ degreesOfFreedom: Int) -> Double {
    (0..<degreesOfFreedom).reduce(0) { sum, _ in
      let deviate = normal()
      return sum + deviate * deviate
    }
  }
}

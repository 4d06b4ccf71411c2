import GSL
import TestSupport
import Testing

/// GSL's Mersenne Twister against NumPy's (Tests/Tools/statistics_scipy.py).
@Suite struct RandomStatisticsTests {
  @Test func randomNumbersAgreeWithNumPy() throws {
    for row in try PackageFolder.expectations("statistics-random") {
      let seed = UInt64(try #require(try row.number("seed")))
      let generator = try RandomGenerator(seed: seed)
      let numbers = (0..<1000).map { _ in Double(generator.next()) }
      #expect(Array(numbers.prefix(4)) == (try row.numbers("first")))
      #expect(numbers.last == (try row.number("thousandth")))
      for bound in [7, 3_000_000_000] {
        let expected = try row.numbers("below_\(bound)")
        var found = [Int](repeating: 0, count: expected.count)
        try RandomGenerator(seed: seed).fill(&found, below: bound)
        #expect(found.map(Double.init) == expected)
      }
    }
  }
}

import GSL
import Testing

@Suite("Random numbers")
struct RandomGeneratorTests {
  /// The C++ standard requires it of `mt19937`, whose seed is 5489 unless set ([rand.predef]).
  @Test func tenThousandthNumber() throws {
    let generator = try RandomGenerator(seed: 5489)
    for _ in 1..<10_000 {
      _ = generator.next()
    }
    #expect(generator.next() == 4_123_659_995)
  }

  private func numbers(seed: UInt64, below bound: Int = 1000) throws -> [Int] {
    var numbers = [Int](repeating: -1, count: 20)
    try RandomGenerator(seed: seed).fill(&numbers, below: bound)
    return numbers
  }

  @Test func seedsDifferInAllBits() throws {
    #expect(try numbers(seed: 6) == numbers(seed: 6))
    for bit in [0, 1, 31, 32, 63] {
      #expect(try numbers(seed: 6) != numbers(seed: 6 ^ 1 << bit), "bit \(bit)")
    }
    // As documented: GSL's stand-in for 0, and the folding of the upper half.
    #expect(try numbers(seed: 0) == numbers(seed: 4357))
    #expect(try numbers(seed: 5 << 32) == numbers(seed: 5))
  }

  @Test func allNumbersBelowTheBoundAreEquallyLikely() throws {
    var numbers = [Int](repeating: -1, count: 7000)
    try RandomGenerator(seed: 1).fill(&numbers, below: 7)
    let counts = (0..<7).map { number in numbers.count { $0 == number } }
    #expect(counts.reduce(0, +) == 7000)
    // Chi-squared with 6 degrees of freedom; 22.5 is exceeded once in a thousand times.
    #expect(counts.reduce(0) { $0 + Double(($1 - 1000) * ($1 - 1000)) / 1000 } < 22.5)
  }

  @Test func boundsAreFrom1To32Bits() throws {
    #expect(try numbers(seed: 1, below: 1) == [Int](repeating: 0, count: 20))
    #expect(try numbers(seed: 1, below: 0xffff_ffff).contains { $0 > 0x7fff_ffff })
    for bound in [0, -1, 0x1_0000_0000, .max] {
      let error = #expect(throws: GSLError.self) { try numbers(seed: 1, below: bound) }
      #expect(error?.name == "GSL_EINVAL")
    }
  }
}

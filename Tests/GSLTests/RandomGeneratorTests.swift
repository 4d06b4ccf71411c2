import GSL
import Statistics
import Testing

@Suite("Random numbers")
struct RandomGeneratorTests {
  /// The C++ standard requires it of `mt19937`, whose seed is 5489 unless set ([rand.predef]).
  @Test func tenThousandthNumberIsAsPublished() throws {
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

  @Test func boundedIntegersAreUniform() throws {
    var numbers = [Int](repeating: -1, count: 7000)
    try RandomGenerator(seed: 1).fill(&numbers, below: 7)
    let counts = (0..<7).map { number in numbers.count { $0 == number } }
    #expect(counts.reduce(0, +) == 7000)
    // Chi-squared with 6 degrees of freedom; 22.5 is exceeded once in a thousand times.
    #expect(counts.reduce(0) { $0 + Double(($1 - 1000) * ($1 - 1000)) / 1000 } < 22.5)
  }

  /// The mean of a power of the numbers.
  private func moment(_ power: Int, of numbers: [Double]) -> Double {
    let powers = numbers.map { number in
      (0..<power).reduce(1) { product, _ in product * number }
    }
    return powers.reduce(0, +) / Double(numbers.count)
  }

  @Test func uniformDeviatesHaveTheirMoments() throws {
    let generator = try RandomGenerator(seed: 3)
    let numbers = (0..<10_000).map { _ in generator.nextUniform() }
    #expect(numbers.allSatisfy { (0..<1).contains($0) })
    // Four standard errors of the mean and of the mean square.
    #expect(abs(moment(1, of: numbers) - 1 / 2.0) < 4 * 0.00289)
    #expect(abs(moment(2, of: numbers) - 1 / 3.0) < 4 * 0.00298)
    // All 53 bits are used.
    #expect(numbers.contains { ($0 * 0x1p52).rounded() != $0 * 0x1p52 })
    let open = try RandomGenerator(seed: 3)
    #expect((0..<10_000).map { _ in open.nextOpenUniform() } == numbers)
  }

  @Test func normalDeviatesHaveTheirMoments() throws {
    let generator = try RandomGenerator(seed: 4)
    let numbers = (0..<10_000).map { _ in generator.nextNormal() }
    // Four standard errors of the first, second and fourth moment.
    #expect(abs(moment(1, of: numbers)) < 4 * 0.01)
    #expect(abs(moment(2, of: numbers) - 1) < 4 * 0.01414)
    #expect(abs(moment(4, of: numbers) - 3) < 4 * 0.098)
    let other = try RandomGenerator(seed: 4)
    #expect(numbers == (0..<10_000).map { _ in NormalScores.quantile(other.nextOpenUniform()) })
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

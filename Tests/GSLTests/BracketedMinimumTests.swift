import GSL
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Minima in an interval")
struct BracketedMinimumTests {
  @Test func knownMinimaAreFound() throws {
    // x log x has its minimum −1/e at 1/e.
    let entropy = try BracketedMinimum.find(from: 0.01, to: 4) { $0 * log($0) }
    #expect(abs(entropy.x - 0.367879441171442322) < 4e-8)
    #expect(abs(entropy.value + 0.367879441171442322) < 1e-14)
    #expect(!entropy.isAtEnd)
    // The gamma function's, sequences A030169 and A030171 of the OEIS.
    let gamma = try BracketedMinimum.find(from: 0.1, to: 5, of: tgamma)
    #expect(abs(gamma.x - 1.46163214496836234) < 1.5e-7)
    #expect(abs(gamma.value - 0.885603194410888700) < 1e-14)
  }

  @Test func minimumAtZeroIsFound() throws {
    let minimum = try BracketedMinimum.find(from: -1, to: 3) { $0 * $0 }
    #expect(abs(minimum.x) < 1e-10)
  }

  @Test("The lower of two minima is found")
  func lowerOfTwoMinimaIsFound() throws {
    // Its minima are near −1 and 1; the tilt makes the one at the left deeper.
    let minimum = try BracketedMinimum.find(from: -2, to: 2) { x in
      (x * x - 1) * (x * x - 1) + 0.3 * x
    }
    #expect(minimum.x < -1)
    // f′(x) = 4x³ − 4x + 0.3
    #expect(abs(4 * minimum.x * minimum.x * minimum.x - 4 * minimum.x + 0.3) < 1e-6)
  }

  @Test func minimumAtAnEndIsMarked() throws {
    let left = try BracketedMinimum.find(from: 2, to: 3) { $0 }
    #expect(left == (try BracketedMinimum.find(from: 2, to: 9) { $0 }))
    #expect(left.x == 2 && left.value == 2 && left.isAtEnd)
    let right = try BracketedMinimum.find(from: 2, to: 3) { -$0 }
    #expect(right.x == 3 && right.value == -3 && right.isAtEnd)
  }

  @Test("A constant function has its minimum at an end, a flat bottom inside")
  func plateausGiveTheirMinimum() throws {
    let flat = try BracketedMinimum.find(from: 0, to: 1) { _ in 7 }
    #expect(flat.x == 0 && flat.value == 7 && flat.isAtEnd)
    let shelf = try BracketedMinimum.find(from: 0, to: 1, points: 11) { max(0.45 - $0, 0) }
    #expect(shelf.value == 0 && shelf.x == 0.5 && !shelf.isAtEnd)
    let bottom = try BracketedMinimum.find(from: -1, to: 1, points: 21) { max(abs($0), 0.35) }
    #expect(bottom.value == 0.35 && abs(bottom.x) <= 0.35)
  }

  @Test("Values that are not finite are avoided")
  func nonFiniteValuesAreAvoided() throws {
    let minimum = try BracketedMinimum.find(from: -2, to: 3) { x in
      x < 0 ? .nan : x > 2 ? .infinity : (x - 0.1) * (x - 0.1)
    }
    #expect(abs(minimum.x - 0.1) < 1e-7)
    let error = #expect(throws: GSLError.self) {
      try BracketedMinimum.find(from: 0, to: 1) { _ in .nan }
    }
    #expect(error?.name == "GSL_EBADFUNC")
  }

  @Test("The tightest tolerances are met, and tighter ones are no error")
  func tolerancesAreKept() throws {
    for relative in [1e-2, 1e-5, 0] {
      let minimum = try BracketedMinimum.find(
        from: 1, to: 10, absoluteTolerance: 0, relativeTolerance: relative
      ) { ($0 - 4.123) * ($0 - 4.123) + 1 }
      #expect(abs(minimum.x / 4.123 - 1) <= max(relative, 6e-8))
    }
  }

  @Test func invalidArgumentsAreErrors() {
    func name(
      _ lower: Double = 0, _ upper: Double = 1, points: Int = 5, absolute: Double = 0,
      relative: Double = 1e-6, limit: Int = 100
    ) -> String? {
      let error = #expect(throws: GSLError.self) {
        try BracketedMinimum.find(
          from: lower, to: upper, points: points, absoluteTolerance: absolute,
          relativeTolerance: relative, iterationLimit: limit
        ) { exp($0) - 2 * $0 }
      }
      return error?.name
    }
    #expect(name(1, 0) == "GSL_EINVAL")
    #expect(name(0, .nan) == "GSL_EINVAL")
    #expect(name(points: 2) == "GSL_EINVAL")
    #expect(name(absolute: .infinity) == "GSL_EBADTOL")
    #expect(name(relative: -0.1) == "GSL_EBADTOL")
    #expect(name(limit: 0) == "GSL_EINVAL")
    #expect(name(limit: 1) == "GSL_EMAXITER")
  }
}

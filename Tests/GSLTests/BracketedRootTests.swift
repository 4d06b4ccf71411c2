import GSL
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Roots in an interval")
struct BracketedRootTests {
  @Test func knownRootsAreFound() throws {
    let squareRoot = try #require(try BracketedRoot.find(from: 1, to: 2) { $0 * $0 - 2 })
    #expect(abs(squareRoot - 2.0.squareRoot()) < 4e-12)
    // The fixed point of the cosine, falling this time.
    let fixedPoint = try #require(try BracketedRoot.find(from: 0, to: 1) { cos($0) - $0 })
    #expect(abs(fixedPoint - 0.739085133215160642) < 2e-12)
    // Wallis' equation.
    let wallis = try #require(try BracketedRoot.find(from: 2, to: 3) { $0 * $0 * $0 - 2 * $0 - 5 })
    #expect(abs(wallis - 2.09455148154232659) < 4e-12)
  }

  @Test("Tolerances are kept, and looser ones cost fewer calls")
  func tolerancesAreKept() throws {
    var calls: [Int] = []
    for tolerance in [1e-2, 1e-6, 1e-14] {
      var count = 0
      let root = try BracketedRoot.find(
        from: -3, to: 40, absoluteTolerance: 0, relativeTolerance: tolerance
      ) { x in
        count += 1
        return exp(x) - 10
      }
      #expect(abs(try #require(root) / log(10.0) - 1) <= tolerance)
      calls.append(count)
    }
    #expect(calls[0] < calls[1] && calls[1] < calls[2])
    #expect(calls[2] < 80)
  }

  @Test func rootsAtTheEndsAreFound() throws {
    #expect(try BracketedRoot.find(from: 0, to: 5) { $0 } == 0)
    #expect(try BracketedRoot.find(from: -5, to: 0) { $0 } == 0)
  }

  @Test func sameSignsHaveNoRoot() throws {
    #expect(try BracketedRoot.find(from: -1, to: 1) { $0 * $0 + 1 } == nil)
    #expect(try BracketedRoot.find(from: -1, to: 1) { _ in -.infinity } == nil)
  }

  @Test("Infinities count as signs")
  func infiniteValuesBracketRoots() throws {
    let root = try BracketedRoot.find(from: 0, to: 1000) { x in x > 700 ? .infinity : x - 3 }
    #expect(abs(try #require(root) - 3) < 1e-11)
    let pole = try BracketedRoot.find(from: 0, to: 1) { x in x < 0.25 ? -.infinity : .infinity }
    #expect(abs(try #require(pole) - 0.25) < 1e-11)
  }

  @Test func invalidArgumentsAreErrors() throws {
    func name(
      _ lower: Double = 0, _ upper: Double = 1, absolute: Double = 0, relative: Double = 1e-9,
      limit: Int = 100, _ function: (Double) -> Double = { $0 - 0.3 }
    ) -> String? {
      let error = #expect(throws: GSLError.self) {
        try BracketedRoot.find(
          from: lower, to: upper, absoluteTolerance: absolute, relativeTolerance: relative,
          iterationLimit: limit, of: function)
      }
      return error?.name
    }
    #expect(name(1, 0) == "GSL_EINVAL")
    #expect(name(1, 1) == "GSL_EINVAL")
    #expect(name(.nan, 1) == "GSL_EINVAL")
    #expect(name(0, .infinity) == "GSL_EINVAL")
    #expect(name(-.greatestFiniteMagnitude, .greatestFiniteMagnitude) == "GSL_EINVAL")
    #expect(name(absolute: -1) == "GSL_EBADTOL")
    #expect(name(absolute: .nan) == "GSL_EBADTOL")
    #expect(name(relative: 1) == "GSL_EBADTOL")
    #expect(name(limit: 0) == "GSL_EINVAL")
    #expect(name(limit: 2) { exp($0) - 2 } == "GSL_EMAXITER")
    #expect(name { _ in .nan } == "GSL_EBADFUNC")
    #expect(name { x in x == 0 ? -1 : x == 1 ? 1 : .nan } == "GSL_EBADFUNC")
  }
}

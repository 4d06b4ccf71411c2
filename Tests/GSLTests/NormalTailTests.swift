import GSL
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The numbers are those of printed tables; mpmath's are met in CertificationTests/Certification.
@Suite("The normal distribution in inner loops")
struct NormalTailTests {
  @Test func tailsMatchPublishedValues() {
    #expect(StandardNormal.logLowerTail(0) == -0.693147180559945309)
    // Abramowitz and Stegun (1964), table 26.2: −log₁₀ Q(x).
    for (x, digits) in [(5.0, 6.54265), (10, 23.11805), (50, 544.96634), (500, 54289.90830)] {
      #expect(abs(-StandardNormal.logLowerTail(-x) / log(10) - digits) < 0.00001)
    }
    // √(2/π)
    #expect(abs(StandardNormal.inverseMillsRatio(0) - 0.797884560802865356) < 1e-15)
  }

  @Test("Logarithm and ratio agree with tail and slope on both sides of every seam")
  func logarithmAndMillsRatioAreConsistent() throws {
    for x in stride(from: -9.0, through: 9, by: 0.125) {
      let logarithm = StandardNormal.logLowerTail(x)
      #expect(abs(exp(logarithm) / (try StandardNormal.lowerTail(x)) - 1) < 1e-13, "\(x)")
      let h = 1e-4
      let slope =
        (StandardNormal.logLowerTail(x + h) - StandardNormal.logLowerTail(x - h)) / (2 * h)
      #expect(abs(StandardNormal.inverseMillsRatio(x) / slope - 1) < 1e-6, "\(x)")
    }
  }

  @Test func infiniteArgumentsGiveLimits() {
    #expect(StandardNormal.logLowerTail(-.infinity) == -.infinity)
    #expect(StandardNormal.logLowerTail(.infinity) == 0)
    #expect(StandardNormal.logLowerTail(.nan).isNaN)
    #expect(abs(StandardNormal.logLowerTail(-1e150) / -5e299 - 1) < 1e-15)
    #expect(StandardNormal.logLowerTail(1e150) == 0)
    #expect(StandardNormal.inverseMillsRatio(-.infinity) == .infinity)
    #expect(StandardNormal.inverseMillsRatio(.infinity) == 0)
    #expect(StandardNormal.inverseMillsRatio(.nan).isNaN)
    #expect(StandardNormal.inverseMillsRatio(-1e150) == 1e150)
    #expect(StandardNormal.inverseMillsRatio(1e150) == 0)
  }
}

import GSL
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Lambert's W")
struct LambertWTests {
  /// −1/e rounded to a double, which is just above −1/e.
  private static let branchPoint = -0.367879441171442322

  @Test func publishedValues() throws {
    #expect(abs(try LambertW.w0(1) - 0.5671432904097838) < 1e-15)
    #expect(abs(try LambertW.w0(-0.1) + 0.11183255915896297) < 1e-15)
    #expect(abs(try LambertW.wMinus1(-0.1) + 3.577152063957297) < 1e-14)
    #expect(try LambertW.w0(0) == 0)
    #expect(try LambertW.w0(Self.branchPoint) == -1)
    #expect(try LambertW.wMinus1(Self.branchPoint) == -1)
  }

  // An error of one ulp in w moves w e^w by about |w + 1| ulps of x.
  private func expectIdentity(_ w: Double, _ x: Double) {
    #expect(abs(w * exp(w) / x - 1) <= 1e-15 * (4 + abs(w)), "x = \(x)")
  }

  @Test("w e^w = x on the principal branch, away from the branch point")
  func principalIdentity() throws {
    for i in 1...200 {
      let negative = -0.36 * pow(10, -1.5 * Double(i - 1))
      let positive = pow(10, 1.5 * Double(i) - 150)
      for x in [negative, positive] {
        let w = try LambertW.w0(x)
        #expect(w >= -1)
        expectIdentity(w, x)
      }
    }
  }

  @Test("w e^w = x on the lower branch, away from the branch point")
  func lowerIdentity() throws {
    for i in 1...200 {
      let x = -0.36 * pow(10, -1.5 * Double(i - 1))
      let w = try LambertW.wMinus1(x)
      #expect(w <= -1)
      expectIdentity(w, x)
    }
  }

  @Test(arguments: [-0.3678794411714424, -1, -.infinity, .infinity, .nan])
  func outsideW0(_ x: Double) {
    let error = #expect(throws: GSLError.self) { try LambertW.w0(x) }
    #expect(error?.name == "GSL_EDOM")
  }

  @Test(arguments: [-0.3678794411714424, 0, 0.1, .infinity, .nan])
  func outsideWMinus1(_ x: Double) {
    let error = #expect(throws: GSLError.self) { try LambertW.wMinus1(x) }
    #expect(error?.name == "GSL_EDOM")
  }
}

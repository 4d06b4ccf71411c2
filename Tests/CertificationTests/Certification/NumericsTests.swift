import GSL
import TestSupport
import Testing

/// GSL's face against mpmath and NumPy (Tests/Tools/numerics_mpmath.py).
@Suite struct NumericsTests {
  /// Relatively to 1e-14, as promised; the table is exact.
  @Test func normalTailsAgreeWithMpmath() throws {
    for row in try PackageFolder.expectations("numerics-normal-tails") {
      let x = try #require(try row.number("x"))
      let logarithm = StandardNormal.logLowerTail(x)
      let ratio = StandardNormal.inverseMillsRatio(x)
      #expect(agree(logarithm, try row.number("log_lower_tail"), relative: 1e-14, absolute: 0))
      #expect(agree(ratio, try row.number("inverse_mills"), relative: 1e-14, absolute: 0), "\(x)")
    }
  }

  /// The smallest condition number that is not computed well is far beyond these.
  @Test func jacobiansAgreeWithNumPy() throws {
    for row in try PackageFolder.expectations("numerics-jacobians") {
      let columns = Int(try #require(try row.number("columns")))
      let analysis = try JacobianAnalysis(of: try row.numbers("jacobian"), columns: columns)
      let condition = try row.number("condition")
      #expect(agree(analysis.leverages, try row.numbers("leverages")), "\(row)")
      if condition == nil {
        #expect(analysis.conditionNumber > 1e14)
        #expect(analysis.covariance == nil && analysis.correlation == nil)
      } else {
        #expect(agree(analysis.conditionNumber, condition, relative: 1e-11))
        #expect(agree(analysis.covariance, try row.numbers("covariance")), "\(row)")
        #expect(agree(analysis.correlation, try row.numbers("correlation")), "\(row)")
      }
    }
  }

  /// The uniform deviates to the last bit.
  @Test func deviatesAgreeWithNumPy() throws {
    for row in try PackageFolder.expectations("numerics-deviates") {
      let seed = UInt64(try #require(try row.number("seed")))
      let generator = try RandomGenerator(seed: seed)
      let uniform = (0..<1000).map { _ in generator.nextUniform() }
      #expect(Array(uniform.prefix(6)) == (try row.numbers("uniform")))
      #expect(uniform.last == (try row.number("thousandth")))
      let other = try RandomGenerator(seed: seed)
      let normal = (0..<1000).map { _ in other.nextNormal() }
      #expect(agree(Array(normal.prefix(6)), try row.numbers("normal")))
      #expect(agree(normal.last, try row.number("thousandth_normal")))
    }
  }

  private func agree(_ found: [Double]?, _ expected: [Double]) -> Bool {
    guard let found, found.count == expected.count else { return false }
    return zip(found, expected).allSatisfy { found, expected in
      TestSupport.agree(found, expected, relative: 1e-11, absolute: 1e-13)
    }
  }

  private func agree(
    _ found: Double?, _ expected: Double?, relative: Double = 1e-13, absolute: Double = 1e-15
  ) -> Bool {
    TestSupport.agree(found, expected, relative: relative, absolute: absolute)
  }
}

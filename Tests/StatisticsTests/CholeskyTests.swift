import Testing

@testable import Statistics

@Suite struct CholeskyTests {
  /// 4 12 -16; 12 37 -43; -16 -43 98 = L L^T with L = 2; 6 1; -8 5 3, the textbook's example.
  private static let matrix = [4.0, 12, -16, 12, 37, -43, -16, -43, 98]

  @Test func factorMatchesHandCalculation() throws {
    let factor = try #require(Cholesky.factor(of: Self.matrix, size: 3))
    #expect(factor == [2, 0, 0, 6, 1, 0, -8, 5, 3])
    let inverse = Cholesky.inverse(of: factor, size: 3)
    for row in 0..<3 {
      for column in 0..<3 {
        let product = (0..<3).reduce(0.0) { $0 + factor[3 * row + $1] * inverse[3 * $1 + column] }
        #expect(abs(product - (row == column ? 1 : 0)) < 1e-14)
      }
    }
    // 4 + 24 - 48, 12 + 74 - 129, -16 - 86 + 294.
    let solution = Cholesky.solve(factor, [-20, -43, 192])
    for (one, other) in zip(solution, [1.0, 2, 3]) { #expect(abs(one - other) < 1e-12) }
    #expect(Cholesky.factor(of: [], size: 0) == [])
  }

  @Test func refusesIndefiniteMatrices() {
    #expect(Cholesky.factor(of: [1, 2, 2, 1], size: 2) == nil)
    #expect(Cholesky.factor(of: [0], size: 1) == nil)
    #expect(Cholesky.factor(of: [.nan], size: 1) == nil)
    #expect(Cholesky.factor(of: [.infinity], size: 1) == nil)
    // What rounding leaves of nothing.
    let nearly = [1, 1, 1, 1 + 4e-16]
    #expect(Cholesky.factor(of: nearly, size: 2) != nil)
    #expect(Cholesky.factor(of: nearly, size: 2, least: 1e-14) == nil)
  }
}

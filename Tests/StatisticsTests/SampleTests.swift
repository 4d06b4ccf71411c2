import Foundation
import TestSupport
import Testing

@testable import Statistics

@Suite struct QuantileTests {
  /// SciPy: `norm.ppf`. That it is GSL's to the last bit, GSLTests check.
  @Test func normalQuantilesAgreeWithSciPy() {
    #expect(agree(NormalScores.quantile(0.975), 1.959963984540054, relative: 1e-15))
    #expect(agree(NormalScores.quantile(1e-12), -7.034483825301132, relative: 1e-13))
    #expect(agree(NormalScores.quantile(0.3), -0.5244005127080409, relative: 1e-14))
    #expect(NormalScores.quantile(0) == -.infinity && NormalScores.quantile(1) == .infinity)
    for p in [-0.1, 1.1, .nan] { #expect(NormalScores.quantile(p).isNaN) }
  }

  /// R: `quantile(c(1, 2, 4, 8), c(0.2, 0.5, 0.8), type = 7)`, and type 5.
  @Test func empiricalQuantilesAgreeWithR() {
    let sorted = [1.0, 2, 4, 8]
    for (p, type7, type5) in [(0.2, 1.6, 1.3), (0.5, 3, 3), (0.8, 5.6, 6.8)] {
      #expect(agree(EmpiricalQuantile.type7(p, ofSorted: sorted), type7))
      #expect(agree(EmpiricalQuantile.type5(p, ofSorted: sorted), type5))
    }
  }

  @Test func mediansHandleInfinity() {
    #expect([3.0, 1, 2].median == 2 && [4.0, 1, 2, 3].median == 2.5)
    #expect([Double.infinity, 1, .infinity, .infinity].median == .infinity)
    #expect([Double]().median == nil && [Double]().middle == nil)
  }
}

@Suite struct DenseTests {
  @Test func eigenvaluesMatchKnownMatrix() {
    // Eigenvalues of the second difference of n points: 2 - 2 cos(k pi / (n + 1)).
    let size = 5
    var matrix = Dense(diagonal: [Double](repeating: 2, count: size))
    for index in 1..<size {
      matrix[index, index - 1] = -1
      matrix[index - 1, index] = -1
    }
    for (index, value) in matrix.eigenvalues.enumerated() {
      let expected = 2 - 2 * cos(Double(index + 1) * .pi / Double(size + 1))
      #expect(abs(value - expected) < 1e-13)
    }
  }
}

@Suite struct PlacedRandomTests {
  /// Uniform numbers are uniform, and neighbours are independent: means and products to 4 standard errors.
  @Test func placedNumbersAreUniformAndIndependent() {
    let random = PlacedRandom(seed: 1)
    let count = 100_000
    for column in [0, 1, 7] {
      let numbers = (0..<count).map { random.uniform(row: $0, column: column) - 0.5 }
      let next = (0..<count).map { random.uniform(row: $0, column: column + 1) - 0.5 }
      let error = (1 / 12.0 / Double(count)).squareRoot()
      #expect(abs(numbers.reduce(0, +) / Double(count)) < 4 * error)
      let product = zip(numbers, next).reduce(0) { $0 + $1.0 * $1.1 } / Double(count)
      #expect(abs(product) < 4 / 12 / Double(count).squareRoot())
      let lagged = zip(numbers, numbers.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / Double(count)
      #expect(abs(lagged) < 4 / 12 / Double(count).squareRoot())
      #expect(numbers.allSatisfy { $0 > -0.5 && $0 < 0.5 })
    }
  }
}

import Foundation
import RealModule
import TestSupport
import Testing

@testable import Certification

/// The problems are NIST's, and their derivatives are right.
@Suite struct NISTProblemTests {
  @Test func all27ProblemsAreThere() {
    let problems = NISTProblem.all
    #expect(Set(problems.map(\.name)).count == 27)
    #expect(problems.count == NISTProblem.count)
    let counts = NISTProblem.Difficulty.allCases.map { difficulty in
      problems.count { $0.difficulty == difficulty }
    }
    #expect(counts == [8, 11, 8])
  }

  @Test(arguments: NISTProblem.all)
  func problemDimensionsAreConsistent(_ problem: NISTProblem) {
    let p = problem.parameters.count
    let columns = [problem.responses] + problem.predictors
    #expect(columns.count == (problem.name == "Nelson" ? 3 : 2))
    #expect(columns.allSatisfy { $0.count == problem.degreesOfFreedom + p })
    #expect(columns.joined().allSatisfy { $0.isFinite })
    #expect(problem.starts.map(\.count) == [p, p])
    #expect(problem.standardDeviations.count == p)
    let sd = (problem.rss / Double(problem.degreesOfFreedom)).squareRoot()
    // Both have 11 digits.
    #expect(agree(sd, problem.residualSD, relative: 1e-10, absolute: 0))
  }

  /// Residuals of the certified solution: a slip in a formula or a number would show here. Those of
  /// Lanczos1 are 1e-13, less than the certified parameters were rounded by.
  @Test(arguments: NISTProblem.all)
  func residualsHaveTheCertifiedSumOfSquares(_ problem: NISTProblem) throws {
    let residuals = try values(of: problem, at: problem.parameters).residuals
    let rss = residuals.reduce(0) { $0 + $1 * $1 }
    #expect(problem.name == "Lanczos1" ? rss < 1e-20 : NISTScore.digits(rss, problem.rss) > 8)
  }

  /// Central differences of five points, whose error is of the fourth order.
  @Test(arguments: NISTProblem.all)
  func jacobiansAgreeWithCentralDifferences(_ problem: NISTProblem) throws {
    for point in [problem.parameters, problem.starts[1]] {
      let jacobian = try values(of: problem, at: point).jacobian
      let p = point.count
      for j in 0..<p {
        let h = 1e-4 * abs(point[j])
        let column = stride(from: j, to: jacobian.count, by: p).map { jacobian[$0] }
        let differences = try self.differences(of: problem, at: point, j, step: h)
        let size = column.map { abs($0) }.max() ?? 0
        let error = zip(column, differences).map { abs($0 - $1) }.max() ?? 0
        #expect(error <= 1e-5 * size, "b\(j + 1) at \(point)")
      }
    }
  }

  @Test(arguments: ["", "NIST/ITL StRD\n", String(repeating: "\n", count: 80)])
  func refusesOtherFilesThanNISTs(_ text: String) {
    #expect(NISTProblem(file: Array(text.utf8)) == nil)
  }

  private func differences(
    of problem: NISTProblem, at point: [Double], _ j: Int, step h: Double
  ) throws -> [Double] {
    let sides = try [-2.0, -1, 1, 2].map { factor in
      var moved = point
      moved[j] += factor * h
      return try values(of: problem, at: moved).residuals
    }
    return sides[0].indices.map { i in
      (sides[0][i] - 8 * sides[1][i] + 8 * sides[2][i] - sides[3][i]) / (12 * h)
    }
  }

  private func values(
    of problem: NISTProblem, at point: [Double]
  ) throws -> (residuals: [Double], jacobian: [Double]) {
    let sum = NISTSum(problem)
    var residuals = [Double](repeating: .nan, count: sum.residualCount)
    var jacobian = [Double](repeating: .nan, count: residuals.count * point.count)
    try #require(sum.write(residuals: &residuals, at: point))
    try #require(sum.write(jacobian: &jacobian, at: point))
    return (residuals, jacobian)
  }
}

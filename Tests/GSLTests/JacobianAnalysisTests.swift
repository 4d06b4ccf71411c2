import GSL
import Testing

/// Small cases by hand; NumPy's are met in CertificationTests/Certification.
@Suite("Analysis of a Jacobian")
struct JacobianAnalysisTests {
  @Test("A straight line has its known leverages and condition")
  func straightLineHasKnownLeverages() throws {
    let analysis = try JacobianAnalysis(of: [1, 0, 1, 1, 1, 2], columns: 2)
    let leverages: [Double] = [5 / 6, 1 / 3, 5 / 6]
    #expect(zip(analysis.leverages, leverages).allSatisfy { abs($0 - $1) < 1e-15 })
    let neighbours = try #require(analysis.neighbourLeverages)
    #expect(zip(neighbours, [0, 1.0 / 3, 1.0 / 3]).allSatisfy { abs($0 - $1) < 1e-15 })
    // The columns have the cosine 3/√15, and the singular values are √(1 ± cosine).
    let cosine = 3 / 15.0.squareRoot()
    let condition = ((1 + cosine) / (1 - cosine)).squareRoot()
    #expect(abs(analysis.conditionNumber / condition - 1) < 1e-14)
    #expect(correctDigits(try #require(analysis.covariance), [5 / 6, -0.5, -0.5, 0.5]) > 14)
    #expect(correctDigits(try #require(analysis.correlation), [1, -cosine, -cosine, 1]) > 14)
  }

  @Test("Units change the covariance only")
  func unitsDoNotChangeTheAnalysis() throws {
    let plain = try JacobianAnalysis(of: [1, 0, 1, 1, 1, 2], columns: 2)
    let scaled = try JacobianAnalysis(of: [1e8, 0, 1e8, 1e-5, 1e8, 2e-5], columns: 2)
    #expect(abs(scaled.conditionNumber / plain.conditionNumber - 1) < 1e-13)
    #expect(correctDigits(scaled.leverages, plain.leverages) > 13)
    let covariance = try #require(scaled.covariance)
    let expected: [Double] = [5 / 6 * 1e-16, -0.5e-3, -0.5e-3, 0.5e10]
    #expect(correctDigits(covariance, expected) > 13)
  }

  @Test("Columns that are nearly the same leave elements of the hat matrix below 1")
  func nearlyDependentColumnsHaveBoundedLeverages() throws {
    // The second column is the first plus 1e-12 (0, 1, 2), so that both span the columns of a straight line.
    let analysis = try JacobianAnalysis(of: [1, 1, 1, 1 + 1e-12, 1, 1 + 2e-12], columns: 2)
    #expect(analysis.conditionNumber > 1e11 && analysis.covariance != nil)
    let neighbours = try #require(analysis.neighbourLeverages)
    #expect(zip(neighbours, [0, 1.0 / 3, 1.0 / 3]).allSatisfy { abs($0 - $1) < 1e-3 })
  }

  @Test("The covariance matches that of a fit")
  func covarianceMatchesThatOfAFit() throws {
    let certified = CertifiedProblem.thurber
    let curve = certified.curve
    let fit = try certified.solver().solve(curve.problem, from: certified.starts[1])
    var jacobian = [Double](repeating: 0, count: 37 * 7)
    #expect(curve.problem.jacobian(fit.parameters, curve.problem.context, &jacobian))
    let analysis = try JacobianAnalysis(of: jacobian, columns: 7)
    let covariance = try #require(analysis.covariance)
    #expect(correctDigits(covariance, try #require(fit.covariance)) > 9)
    #expect(abs(analysis.leverages.reduce(0, +) - 7) < 1e-12)
    // The fit's is an estimate in another norm, which is within a factor of √p.
    let reciprocal = try #require(fit.reciprocalCondition)
    #expect((1.0 / 7...7).contains(analysis.conditionNumber * reciprocal))
  }

  @Test("Without rank there is no covariance, but there are leverages")
  func rankDeficientJacobianHasNoCovariance() throws {
    for jacobian: [Double] in [[1, 2, 1, 2, 1, 2], [1, 0, 1, 0, 1, 0]] {
      let analysis = try JacobianAnalysis(of: jacobian, columns: 2)
      #expect(analysis.covariance == nil)
      #expect(analysis.correlation == nil)
      #expect(analysis.neighbourLeverages == nil)
      #expect(analysis.conditionNumber > 1e15)
      #expect(analysis.leverages.allSatisfy { abs($0 - 1.0 / 3) < 1e-15 })
    }
    let nothing = try JacobianAnalysis(of: [0, 0], columns: 1)
    #expect(nothing.conditionNumber == .infinity)
    #expect(nothing.leverages == [0, 0])
    #expect(nothing.covariance == nil)
  }

  @Test func invalidArgumentsAreErrors() {
    let inputs: [([Double], Int, String)] = [
      ([1, 2, 3], 2, "GSL_EBADLEN"), ([1, 2], 2, "GSL_EINVAL"), ([], 1, "GSL_EINVAL"),
      ([1, 2], 0, "GSL_EINVAL"), ([1, 2], -1, "GSL_EINVAL"), ([1, .nan], 1, "GSL_EINVAL"),
      ([.infinity, 1], 1, "GSL_EINVAL"), ([1e308, 1e308, 1e308, 1e308], 1, "GSL_EINVAL"),
    ]
    for (jacobian, columns, name) in inputs {
      let error = #expect(throws: GSLError.self) {
        try JacobianAnalysis(of: jacobian, columns: columns)
      }
      #expect(error?.name == name, "\(jacobian), \(columns)")
    }
  }
}

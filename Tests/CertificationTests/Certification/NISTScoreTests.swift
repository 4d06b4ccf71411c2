import Estimation
import GSL
import RealModule
import Testing

@testable import Certification

@Suite struct NISTScoreTests {
  @Test(arguments: [
    (1.0001, 1, 4), (0.9999, 1, 4), (-1.001, -1, 3), (2e-9, 1e-9, 0), (5, 1, 0), (-1, 1, 0),
    (1, 1, 11), (1 + 1e-13, 1, 11), (.nan, 1, 0), (.infinity, 1, 0),
  ])
  func digitsAreLogRelativeErrors(_ value: Double, _ certified: Double, _ expected: Double) {
    // 1.0001 itself is rounded by 1e-16, a part of 1e-12 of the error.
    #expect(abs(NISTScore.digits(value, certified) - expected) < 1e-11)
  }

  /// Misra1a solved with these options.
  private func score(_ options: LeastSquaresOptions) throws -> NISTScore {
    let problem = try #require(NISTProblem.all.first)
    let engine = LeastSquaresEngine(.gsl, far: [options])
    let minimum = try engine.minimum(
      of: NISTSum(problem), from: problem.starts[0], startKind: .initial)
    return NISTScore(minimum, of: problem, start: 1)
  }

  @Test func convergedSolveScoresOK() throws {
    let score = try score(.init(scaling: .marquardt))
    #expect(score.status == .ok)
    #expect(score.digits == score.parameterDigits.min())
    #expect(score.digits > 6 && score.rssDigits > 9)
    #expect(score.method == "double_dogleg/marquardt")
  }

  @Test func iterationLimitScoresNotConverged() throws {
    let score = try score(.init(method: .subspace2D, iterationLimit: 2))
    #expect(score.status == .notConverged)
    #expect(score.iterations == 2)
    #expect(score.method == "subspace_2d")
  }

  /// So loose a tolerance that the solver is content too early.
  @Test func prematureStopScoresWrong() throws {
    let score = try score(.init(stepTolerance: 0.3))
    #expect(score.exit.isConverged)
    #expect(score.digits < 4)
    #expect(score.status == .wrong)
  }

  @Test func averagesAreGroupedByDifficulty() throws {
    let good = try score(.init())
    let bad = try score(.init(iterationLimit: 1))
    let average = NISTAverage(of: [good, bad], difficulty: .lower)
    #expect(average.count == 2 && average.solved == 1)
    #expect(abs(average.digits - (good.digits + bad.digits) / 2) < 1e-12)
    #expect(average.fewestDigits == bad.digits)
    #expect(abs(average.rssDigits - (good.rssDigits + bad.rssDigits) / 2) < 1e-12)
    let none = NISTAverage(of: [good, bad], difficulty: .higher)
    #expect(none.count == 0 && none.digits == 0 && none.fewestDigits == 0)
  }
}

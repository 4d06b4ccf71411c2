import Estimation
import GSL
import Testing

@testable import Certification

/// The bars that the engine is held to. What it reaches is a little above each.
@Suite struct NISTCertificationTests {
  private static let certification = Result { try NISTCertification() }

  private func certification() throws -> NISTCertification {
    try Self.certification.get()
  }

  @Test func everyNISTProblemIsSolvedFromBothStarts() throws {
    let scores = try certification().scores
    #expect(scores.count == 54)
    #expect(scores.map(\.problem.name) == NISTProblem.all.flatMap { [$0.name, $0.name] })
    #expect(scores.map(\.start) == (0..<54).map { $0 % 2 + 1 })
    for score in scores {
      #expect(score.status == .ok, "\(score.problem.name), start \(score.start)")
      // 10.3 digits are the most that are certified of a number that begins with 1.
      #expect(score.digits >= 10, "\(score.problem.name), start \(score.start)")
    }
  }

  /// The residuals of Lanczos1 are of the size of a hundred roundings of the model.
  @Test func standardDeviationsAndSumsOfSquaresAreCertified() throws {
    for score in try certification().scores {
      let bar = score.problem.name == "Lanczos1" ? 2 : 10.0
      #expect(score.standardDeviationDigits >= bar, "\(score.problem.name) \(score.start)")
      #expect(score.rssDigits >= bar, "\(score.problem.name) \(score.start)")
    }
  }

  @Test func averageDigitsReachTheTarget() throws {
    let certification = try certification()
    #expect(certification.isPassed)
    #expect(certification.average.digits >= 10.5)
    #expect(certification.averages.map(\.count) == [16, 22, 16, 54])
    #expect(certification.averages.map(\.difficulty) == [.lower, .average, .higher, nil])
    #expect(certification.averages.allSatisfy { $0.digits >= 10.5 && $0.solved == $0.count })
  }

  /// The first stage solves most starts, as the documentation states.
  @Test func firstStageSolvesMostStarts() throws {
    let later = try certification().scores.filter { $0.method != "geodesic_acceleration" }
    #expect(later.allSatisfy { $0.method == "double_dogleg" })
    #expect(later.count < 10)
  }

  /// The descent that follows a profile or refits a replicate is held to the same bars.
  @Test func nearDescentPassesToo() throws {
    let certification = try NISTCertification(by: LeastSquaresEngine(.gsl), .warm)
    #expect(certification.isPassed)
    #expect(certification.scores.allSatisfy { $0.digits >= 10 })
    let later = certification.scores.filter { $0.method != "double_dogleg" }
    #expect(later.map(\.problem.name) == ["MGH17"])
  }

  private func certification(by stages: [LeastSquaresOptions]) throws -> NISTCertification {
    try NISTCertification(by: LeastSquaresEngine(.gsl, far: stages), .initial)
  }

  /// Geodesic acceleration by QR runs Rat43 onto a plain, where it is content with a sum of squares
  /// a hundred times too large. Its Jacobian being rank deficient, the engine goes on to the next stage.
  @Test func convergenceOnAPlainIsRejected() throws {
    let alone = try certification(by: [LeastSquaresEngine.farStages[0]])
    #expect(alone.scores.contains { $0.status == .wrong })
  }

  @Test func anEngineThatGivesUpDoesNotPass() throws {
    let certification = try certification(by: [.init(iterationLimit: 3)])
    #expect(!certification.isPassed)
    #expect(certification.average.digits < 9.4)
    #expect(certification.scores.contains { $0.status == .notConverged })
  }

  /// Levenberg's scaling is known to end at wrong points; this is what the status is for.
  @Test func anEngineThatStopsTooEarlyDoesNotPass() throws {
    let certification = try certification(
      by: [.init(method: .levenbergMarquardt, scaling: .levenberg)])
    #expect(!certification.isPassed)
    #expect(certification.scores.contains { $0.status == .wrong })
  }

  @Test func engineWithoutStageIsRefused() {
    let error = #expect(throws: SeriesFailure.self) { try certification(by: []) }
    #expect(error?.code == "E_SOLVER")
    #expect(error?.description.contains("GSL_EINVAL") == true)
  }
}

public import GSL

/// How well the least-squares engine solves the 27 nonlinear regression problems of NIST.
///
/// Each is solved from both of its starts, with analytic derivatives and one set of options; see
/// <doc:CertifiedOnNIST>.
///
/// ```swift
/// let certification = try NISTCertification()
/// print(certification.average.digits)  // 10.7
/// ```
public struct NISTCertification: Sendable {
  /// The average that Ceres Solver states for itself, and that is to be reached.
  public static let averageToReach = 9.4

  /// The 54 scores, problem by problem in the order of ``NISTProblem/all``.
  public let scores: [NISTScore]

  /// Solves all problems.
  ///
  /// - Parameter rungs: How to solve, the same for every problem.
  /// - Throws: `GSLError` if there is no rung, its options make no sense, or without memory. That
  ///   a problem is not solved is no error.
  public init(rungs: [LeastSquaresOptions] = LeastSquaresOptions.standardRungs) throws(GSLError) {
    var scores: [NISTScore] = []
    for problem in NISTProblem.all {
      scores += try problem.scores(rungs: rungs)
    }
    self.scores = scores
  }

  /// The mean over all 54 solves.
  public var average: NISTAverage {
    NISTAverage(of: scores)
  }

  /// The means by difficulty, and of all at the end.
  public var averages: [NISTAverage] {
    NISTProblem.Difficulty.allCases.map { NISTAverage(of: scores, difficulty: $0) } + [average]
  }

  /// Whether every problem is solved from both starts and the average is reached.
  public var isPassed: Bool {
    scores.allSatisfy { $0.status == .ok } && average.digits >= Self.averageToReach
  }
}

extension NISTProblem {
  /// Solves the problem from each start.
  fileprivate func scores(rungs: [LeastSquaresOptions]) throws(GSLError) -> [NISTScore] {
    try withLeastSquares { (problem) throws(GSLError) in
      let ladder = try LeastSquaresLadder(
        residualCount: problem.residualCount, parameterCount: problem.parameterCount, rungs: rungs)
      var scores: [NISTScore] = []
      for (index, start) in starts.enumerated() {
        let fit = try ladder.solve(problem, from: start)
        scores.append(
          NISTScore(fit, of: self, start: index + 1, method: ladder.rungs[fit.rung]))
      }
      return scores
    }
  }
}

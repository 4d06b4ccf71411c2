package import Estimation

/// Accuracy of the least-squares engine on the 27 nonlinear regression problems of NIST.
///
/// Each is solved from both of its starts, with analytic derivatives and one set of options; see
/// <doc:CertifiedOnNIST>.
package struct NISTCertification: Codable, Hashable, Sendable {
  /// The average number of digits to reach, which is that stated by Ceres Solver.
  package static let averageToReach = 9.4

  package let scores: [NISTScore]

  /// Solves all problems as a fit is solved: with the same options and finishing steps.
  package init(
    by engine: LeastSquaresEngine = LeastSquaresEngine(.gsl), _ startKind: StartKind = .initial
  ) throws(SeriesFailure) {
    var scores: [NISTScore] = []
    for problem in NISTProblem.all {
      let sum = NISTSum(problem)
      for (index, start) in problem.starts.enumerated() {
        let minimum = try engine.minimum(of: sum, from: start, startKind: startKind)
        scores.append(
          NISTScore(try engine.finish(minimum, of: sum), of: problem, start: index + 1))
      }
    }
    self.scores = scores
  }

  package var average: NISTAverage { NISTAverage(of: scores) }

  package var averages: [NISTAverage] {
    NISTProblem.Difficulty.allCases.map { NISTAverage(of: scores, difficulty: $0) } + [average]
  }

  /// Whether every problem is solved from both starts and the average is reached.
  package var isPassed: Bool {
    scores.allSatisfy { $0.status == .ok } && average.digits >= Self.averageToReach
  }
}

/// The mean digits of scores.
package struct NISTAverage: Codable, Hashable, Sendable {
  /// The difficulty of the problems; nil for all.
  package let difficulty: NISTProblem.Difficulty?
  package let count: Int
  package let solved: Int
  package let digits: Double
  package let fewestDigits: Double
  package let standardDeviationDigits: Double
  package let rssDigits: Double

  init(of scores: [NISTScore], difficulty: NISTProblem.Difficulty? = nil) {
    let scores = scores.filter { difficulty == nil || $0.problem.difficulty == difficulty }
    func mean(_ value: (NISTScore) -> Double) -> Double {
      scores.isEmpty ? 0 : scores.map(value).reduce(0, +) / Double(scores.count)
    }
    self.difficulty = difficulty
    count = scores.count
    solved = scores.count { $0.status == .ok }
    digits = mean(\.digits)
    fewestDigits = scores.map(\.digits).min() ?? 0
    standardDeviationDigits = mean(\.standardDeviationDigits)
    rssDigits = mean(\.rssDigits)
  }
}

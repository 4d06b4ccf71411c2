public import Estimation

/// How well the least-squares engine solves the 27 nonlinear regression problems of NIST.
///
/// Each is solved from both of its starts, with analytic derivatives and one set of options; see
/// <doc:CertifiedOnNIST>.
///
/// ```swift
/// let certification = try NISTCertification()
/// print(certification.average.digits)  // 10.7
/// ```
public struct NISTCertification: Codable, Hashable, Sendable {
  /// The average that Ceres Solver states for itself, and that is to be reached.
  public static let averageToReach = 9.4

  /// The 54 scores, problem by problem in the order of ``NISTProblem/all``.
  public let scores: [NISTScore]

  /// Solves all problems as a fit is solved: by the same engine, with the same options and finishing
  /// steps.
  ///
  /// - Throws: `SeriesFailure.solver(_:)` if the solver could not be run. That a problem is
  ///   not solved is no error.
  public init() throws(SeriesFailure) {
    try self.init(by: LeastSquaresEngine(.gsl), .initial)
  }

  /// Solves all problems by an engine.
  package init(by engine: LeastSquaresEngine, _ startKind: StartKind) throws(SeriesFailure) {
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

/// The mean digits of several scores.
public struct NISTAverage: Codable, Hashable, Sendable {
  /// The difficulty of the problems; nil for all.
  public let difficulty: NISTProblem.Difficulty?

  /// How many solves there are, two per problem.
  public let count: Int

  /// How many of them are solved.
  public let solved: Int

  /// The mean over solves of the digits of the worst parameter.
  public let digits: Double

  /// The digits of the worst parameter of all.
  public let fewestDigits: Double

  /// The mean digits of the worst standard deviation.
  public let standardDeviationDigits: Double

  /// The mean digits of the residual sum of squares.
  public let rssDigits: Double

  /// Averages scores; those of one difficulty if it is given.
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

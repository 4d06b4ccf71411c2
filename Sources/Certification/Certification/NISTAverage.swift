/// The mean digits of several scores.
public struct NISTAverage: Hashable, Sendable {
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

import AlcoholKinetics
import GSL

/// Covariance and intervals of a solution, in coordinates.
struct FitIntervals {
  /// Leverages, condition and covariance of the parameters that are not at a bound; nil if the
  /// Jacobian cannot be evaluated.
  let analysis: JacobianAnalysis?
  /// The elements h(i, i - 1) of the hat matrix; nil without a covariance.
  let neighbourLeverages: [Double]?
  /// The parameters that the analysis is about.
  let analysed: [FitParameter]
  /// Standard errors of the coordinates of all free parameters, where they exist.
  let standardErrors: [Double?]
  /// Intervals of the coordinates of all free parameters.
  let intervals: [ParameterInterval]

  /// How often a profile may find a better fit and send the search back.
  private static let mostReturns = 3

  /// Computes both. If a profile meets a better fit than the solution, the solution becomes that.
  ///
  /// - Parameter seed: Tells the random numbers of one series from those of another.
  init(
    _ problem: SeriesProblem, _ solution: inout Solution, _ options: IntervalOptions?,
    _ errors: StandardErrors, seed: UInt64
  ) throws(SeriesFailure) {
    var covariance = CoordinateCovariance(problem, solution, errors)
    var intervals = problem.layout.free.map { _ in ParameterInterval() }
    if let options {
      switch options.kind {
      case .wald:
        intervals = covariance.waldIntervals(problem, solution, level: options.level)
      case .profile:
        intervals = try Self.profiled(problem, &solution, &covariance, level: options.level)
      case .residualBootstrap, .parametricBootstrap:
        guard let noise = solution.noise, let analysis = covariance.analysis else { break }
        intervals = try FitBootstrap(
          problem: problem, solution: solution, noise: noise, leverages: analysis.leverages,
          options: options
        ).intervals(seed: options.seed ^ seed)
      }
    }
    analysis = covariance.analysis
    neighbourLeverages = covariance.neighbourLeverages
    analysed = covariance.parameters
    standardErrors = covariance.standardErrors
    self.intervals = zip(problem.layout.free, intervals).map { $1.closed(for: $0) }
  }

  /// Profiles of all parameters, begun again where one of them finds a better solution.
  private static func profiled(
    _ problem: SeriesProblem, _ solution: inout Solution, _ covariance: inout CoordinateCovariance,
    level: Double
  ) throws(SeriesFailure) -> [ParameterInterval] {
    var pass = try ProfilePass(problem, solution, covariance, level: level)
    for _ in 0..<mostReturns {
      guard let next = try pass.improved(problem, solution) else { break }
      solution = next
      covariance = CoordinateCovariance(problem, solution)
      pass = try ProfilePass(problem, solution, covariance, level: level)
    }
    return pass.intervals
  }
}

extension ParameterInterval {
  /// A lag cannot be below zero: where nothing rules zero out, zero is the low end.
  fileprivate func closed(for parameter: FitParameter) -> Self {
    guard parameter == .lag, let high, low.map({ $0 < 0 }) ?? true else { return self }
    return ParameterInterval(low: 0, high: high, isIdentifiable: isIdentifiable.map { _ in true })
  }
}

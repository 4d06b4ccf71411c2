/// The profiles of all free parameters at one solution.
struct ProfilePass {
  /// Intervals of the coordinates.
  private(set) var intervals: [ParameterInterval]
  /// A better fit that a profile met, in coordinates.
  private var better: [Double]?
  /// A parameter and its bound, up to which the fit gets no worse.
  private var flat: (index: Int, bound: Double)?

  init(
    _ problem: SeriesProblem, _ solution: Solution, _ covariance: CoordinateCovariance,
    level: Double
  ) throws(SeriesFailure) {
    // A perfect fit has no profile; next to it the covariance says all.
    intervals = covariance.waldIntervals(problem, solution, level: level).map { interval in
      ParameterInterval(
        low: interval.low, high: interval.high, isIdentifiable: interval.low.map { _ in true })
    }
    guard let profiled = ProfiledSeries(problem, solution, level: level) else { return }
    for index in intervals.indices {
      var profile = ProfileLikelihood(profiled, index: index)
      intervals[index] = try profile.interval(standardError: covariance.standardErrors[index])
      better = better ?? profile.better
      let isAtBound = solution.minimum.atBound.contains(problem.layout.free[index])
      if let limit = profile.flatLimit, !isAtBound {
        flat = (index, limit)
      }
    }
  }

  /// The solution that the profiles point to; nil if they point to none.
  func improved(
    _ problem: SeriesProblem, _ solution: Solution
  ) throws(SeriesFailure) -> Solution? {
    if let better {
      let minimum = try problem.solver.minimum(of: problem.objective, from: better)
      var improved = try problem.solution(from: minimum)
      improved.minimum.iterations += solution.minimum.iterations
      if improved.deviance < solution.deviance { return improved }
      if let noise = solution.noise { problem.use(noise) }
    }
    guard let flat else { return nil }
    // Where the fit gets no worse up to a bound, any value is as good, and the bound says so.
    var atBound = solution
    atBound.minimum = try problem.solver.minimum(
      of: problem.objective, near: solution.minimum, holding: flat.index, at: flat.bound)
    atBound.predictions =
      problem.objective.predictions(at: atBound.minimum.coordinates) ?? solution.predictions
    return atBound
  }
}

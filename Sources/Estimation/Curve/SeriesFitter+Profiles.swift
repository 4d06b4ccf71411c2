import AlcoholKinetics
public import StudyData

extension SeriesFitter {
  private static let profilePoints = 33
  /// How far beyond the ends of an interval a profile is followed, in parts of the way to the end.
  private static let margin = 0.4
  /// How far it is followed where there is no end, in units of the coordinate.
  private static let openReach = 2.5

  /// The profiles of all estimated parameters around a fit.
  ///
  /// - Parameters:
  ///   - fit: A fit of the series by this fitter, with profile intervals.
  ///   - series: The series.
  ///   - instrument: What the study says of the instrument.
  /// - Returns: One for each parameter, in their order; none where there is nothing to profile, as for
  ///   a perfect fit.
  /// - Throws: ``SeriesFailure`` as ``fit(_:instrument:)``.
  public func profiles(
    around fit: SeriesFit, of series: Series, instrument: Instrument? = nil
  ) throws(SeriesFailure) -> [ParameterProfile] {
    try series.requireUsable()
    let uses = options.uses(of: series, instrument)
    let problem = try problem(series, uses, instrument)
    let layout = problem.layout
    let center = layout.free.map { $0.coordinate(of: fit.values[known: $0]) }
    let start = try problem.solver.minimum(of: problem.objective, from: center)
    let solution = try problem.solution(from: start)
    let level = options.interval?.level ?? 0.95
    guard let profiled = ProfiledSeries(problem, solution, level: level) else { return [] }
    // What was met on the way to the ends leads the points in between to the lowest branch.
    let pass = try ProfilePass(
      problem, solution, CoordinateCovariance(problem, solution), level: level)
    var profiles: [ParameterProfile] = []
    for index in pass.profiles.indices {
      var likelihood = pass.profiles[index]
      profiles.append(try Self.profile(&likelihood, index, layout, fit, profiled))
    }
    return profiles
  }

  private static func profile(
    _ likelihood: inout ProfileLikelihood<ProfiledSeries>, _ index: Int, _ layout: ParameterLayout,
    _ fit: SeriesFit, _ profiled: ProfiledSeries
  ) throws(SeriesFailure) -> ParameterProfile {
    let parameter = layout.free[index]
    let center = profiled.center[index]
    let span = span(of: fit.estimates[parameter], parameter, center, profiled.range(of: index))
    let step = (span.upperBound - span.lowerBound) / Double(profilePoints - 1)
    let grid = (0..<profilePoints).map { span.lowerBound + Double($0) * step } + [center]
    let coordinates = grid.filter(span.contains).sorted()
    var points: [ParameterProfile.Point] = []
    // From the estimate outwards, so that each point begins next to one that is known.
    for side in [
      coordinates.filter { $0 >= center }, coordinates.filter { $0 < center }.reversed(),
    ] {
      for coordinate in side {
        let rise = max(0, try likelihood.rise(at: coordinate))
        if coordinate != center, try likelihood.isCutShort(at: coordinate) { break }
        points.append(
          ParameterProfile.Point(value: parameter.value(at: coordinate), rise: rise))
      }
    }
    return ParameterProfile(
      parameter: parameter, points: points.sorted { $0.value < $1.value },
      threshold: profiled.threshold)
  }

  /// The coordinates between which there is something to see: a little beyond the ends of the
  /// interval, and not all the way to an estimate that stands at a bound far away.
  private static func span(
    of estimate: ParameterEstimate?, _ parameter: FitParameter, _ center: Double,
    _ range: ClosedRange<Double>
  ) -> ClosedRange<Double> {
    let low = estimate?.low.map(parameter.coordinate(of:))
    let high = estimate?.high.map(parameter.coordinate(of:))
    var bottom = low.map { $0 - margin * min(center - $0, openReach) } ?? center - openReach
    var top = high.map { $0 + margin * min($0 - center, openReach) } ?? center + openReach
    if estimate?.isAtBound == true {
      if let low { top = min(center, low + openReach) }
      if let high { bottom = max(center, high - openReach) }
    }
    bottom = min(max(bottom, range.lowerBound), range.upperBound)
    return bottom...max(bottom, min(top, range.upperBound))
  }
}

public import StudyData

extension SeriesFitter {
  /// Points on each side of the estimate.
  private static let profileSteps = 16
  /// How far beyond the ends of an interval a profile is followed.
  private static let profileReach = 1.4
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
    let uses = options.selection.uses(of: series, instrument)
    let problem = try problem(series, uses, instrument)
    let layout = problem.layout
    let center = layout.free.map { $0.coordinate(of: fit.values[known: $0]) }
    let start = try problem.solver.minimum(of: problem.objective, from: center)
    let solution = try problem.solution(from: start)
    guard let profiled = ProfiledSeries(problem, solution, level: options.interval?.level ?? 0.95)
    else { return [] }
    var profiles: [ParameterProfile] = []
    for index in layout.free.indices {
      var likelihood = ProfileLikelihood(profiled, index: index)
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
    let estimate = fit.estimates[parameter]
    let range = profiled.range(of: index)
    func reach(_ end: Double?) -> Double {
      let coordinate = end.map { parameter.coordinate(of: $0) }
      return coordinate.map { profileReach * abs($0 - center) } ?? openReach
    }
    // From the estimate outwards, so that each point begins next to one that is known.
    let down = max(range.lowerBound, center - reach(estimate?.low))
    let up = min(range.upperBound, center + reach(estimate?.high))
    var points = [ParameterProfile.Point(value: parameter.value(at: center), rise: 0)]
    for end in [down, up] where end != center {
      for step in 1...profileSteps {
        let part = Double(step) / Double(profileSteps)
        let coordinate = step == profileSteps ? end : center + part * (end - center)
        points.append(
          ParameterProfile.Point(
            value: parameter.value(at: coordinate),
            rise: max(0, try likelihood.rise(at: coordinate))))
      }
    }
    return ParameterProfile(
      parameter: parameter, points: points.sorted { $0.value < $1.value },
      threshold: profiled.threshold)
  }
}

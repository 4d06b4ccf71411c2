public import AlcoholKinetics
public import Estimation
package import Population
public import StudyData

/// Replays a study as if it were live, and scores the forecasts after 0, 1, 2, ... readings
/// (rolling origin: Tashman 2000), with baseline predictions.
package struct ForecastReplay: Sendable {
  /// Settings of a replay.
  package struct Options: Sendable {
    /// The concentration whose time is forecast.
    package var threshold: GramsPerKilogram
    /// Settings of the draws from each posterior.
    package var posterior = Posterior.Options()
    /// The r-factor methods that predict without readings.
    package var methods = RFactorMethods.all(bloodWater: .perKilogram)
    package var jobs = 1

    /// Everything but the threshold has a default.
    package init(threshold: GramsPerKilogram) { self.threshold = threshold }
  }

  /// Forecast and observed times to the threshold: a row per series, origin and method.
  package let times: [TimeScore]
  /// Forecast and observed readings: a row per series, origin, method and later reading.
  package let readings: [ReadingScore]
  /// Series that could not be replayed.
  package let failures: [SeriesResult]

  /// A series without scores, and why.
  package struct SeriesResult: Sendable {
    package let series: Series
    package let failure: SeriesFailure

    package init(series: Series, failure: SeriesFailure) {
      self.series = series
      self.failure = failure
    }
  }

  /// Replays every series of a study.
  ///
  /// - Parameters:
  ///   - study: The study to replay.
  ///   - prior: Returns the population prior for the subject of a series; called from several threads.
  ///   - options: The threshold, posterior settings and baselines.
  /// - Throws: `SeriesFailure/cancelled`.
  package init(
    of study: Study, prior: @escaping @Sendable (Series) -> PopulationPrior, options: Options
  ) throws(SeriesFailure) {
    let instrument = study.instrument
    let each = try ParallelMap.map(study.series, jobs: options.jobs) {
    } _: { (_: Void, series) -> Result<SeriesReplay, SeriesFailure> in
      Result { () throws(SeriesFailure) in
        try SeriesReplay(series, prior(series), instrument, options)
      }
    }
    var times: [TimeScore] = []
    var readings: [ReadingScore] = []
    var failures: [SeriesResult] = []
    for (series, result) in zip(study.series, each) {
      switch result {
      case .success(let replay):
        times += replay.times
        readings += replay.readings
      case .failure(let failure): failures.append(SeriesResult(series: series, failure: failure))
      }
    }
    self.times = times
    self.readings = readings
    self.failures = failures
  }
}

/// The readings that a forecast is based on.
package struct ForecastOrigin: Codable, Hashable, Sendable {
  /// The number of readings used.
  package let readings: Int
  /// The number of these taken after the highest reading of the whole series.
  package let afterPeak: Int
  /// The time of the last of them since the first drink; nil without readings.
  package let time: Hours?
}

/// A predictive distribution and its score against the observation.
package struct ForecastScore: Hashable, Sendable {
  /// The levels of the reported intervals.
  package static let levels = [0.5, 0.8, 0.9, 0.95]
  /// Tolerance of interval ends, in g/kg or min: far below the reported digits.
  private static let rounding = 1e-9

  /// The median of the predictive distribution.
  package let median: Double
  /// The interval at each level; empty for a point forecast.
  package let intervals: [Interval]
  /// The continuous ranked probability score, in the unit of the forecast quantity: for a reading, above
  /// the limit of detection; for a time, at the times of the readings
  /// (``/Population/Draws/crps(at:since:reached:)``).
  package let crps: Double
  /// The median minus the nearer end of the true interval; 0 inside it.
  package let error: Double
  /// Whether each interval overlaps the true interval; empty for a point forecast.
  package let isCovered: [Bool]
  /// The rank of the truth in the distribution, from 0 to 1; nil if it is unbounded, or for a point forecast.
  package let rank: Double?

  /// Scores a distribution, or a single draw as a number, against a truth between two ends. `point`
  /// is its best value, for the rank; nil where an end is open. `worth` is the effective number of
  /// independent draws, which determines the digits reported.
  init(
    of draws: Draws, against truth: Interval, point: Double?, crps: Double, worth: Double = 1
  ) {
    let isNumber = draws.values.count == 1
    median = draws.settledQuantile(0.5, worth: worth)
    intervals = isNumber ? [] : Self.levels.map { draws.settledInterval($0, worth: worth) }
    self.crps = crps
    error = median - min(max(median, truth.low), truth.high)
    // Ends count as inside: unit conversions round them by a few ulps.
    isCovered = intervals.map {
      $0.low <= truth.high + Self.rounding && $0.high >= truth.low - Self.rounding
    }
    rank = isNumber ? nil : point.map { draws.settledRank(of: $0, worth: worth) }
  }
}

/// A forecast and the observed time to the threshold, in min since the first drink.
public struct TimeScore: Sendable {
  public let series: Series
  /// After which readings.
  package let origin: ForecastOrigin
  /// `forecast`, or the name of a baseline.
  public let method: String
  /// The observed time as an interval; the upper end may be infinite.
  public let truth: Interval
  /// The observed time by linear interpolation between the two readings; nil if there is no second one.
  public let crossing: Double?
  /// The predictive distribution and its score.
  package let score: ForecastScore
  /// The continuous ranked probability score as if the time were ``crossing``, in min; of a number, the absolute
  /// error. Nil where there is no crossing. Interpolation errors count against the forecast.
  public let interpolatedCRPS: Double?

  /// Returns nil if no reading after the origin could show the time.
  init?(
    _ series: Series, _ origin: ForecastOrigin, _ method: String, _ draws: Draws,
    _ outcome: Outcome, worth: Double
  ) {
    let begin = origin.time?.minutes ?? 0
    let times = outcome.times.filter { $0 > begin + 1e-9 }
    guard !times.isEmpty else { return nil }
    self.series = series
    self.origin = origin
    self.method = method
    truth = outcome.truth
    crossing = outcome.crossing
    score = ForecastScore(
      of: draws, against: outcome.truth, point: outcome.crossing,
      crps: draws.settledCRPS(
        at: times, since: begin, reached: outcome.truth.high, worth: worth),
      worth: worth)
    interpolatedCRPS = outcome.crossing.map { draws.settledCRPS(against: $0, worth: worth) }
  }

  /// The observed time at which a series fell to the threshold.
  struct Outcome {
    let truth: Interval
    let crossing: Double?
    /// The times of readings after the last drink ended, in min since the first drink.
    let times: [Double]

    /// Reads the time from readings; nil if they do not bound it, or only from above.
    init?(
      _ readings: [Reading], of series: Series, _ threshold: GramsPerKilogram,
      _ factors: ConversionFactors
    ) {
      let end = series.drinks.map(\.end).max()
      let measured = MeasuredSobriety(
        readings: readings, threshold: threshold, start: series.start, end: end, factors: factors)
      guard measured.knowledge == .between || measured.knowledge == .atLeast,
        let truth = measured.minutes
      else { return nil }
      self.truth = truth
      times = MeasuredSobriety.afterDrinking(
        MeasuredSobriety.used(readings), start: series.start, end: end
      ).map { ($0.time - series.start).minutes }
      func level(at minutes: Double) -> Double? {
        let reading = readings.first {
          !$0.isExcluded && abs(($0.time - series.start).minutes - minutes) < 1e-6
        }
        return reading?.bloodConcentration(using: factors).value
      }
      guard truth.high.isFinite, let above = level(at: truth.low),
        let below = level(at: truth.high), above > below
      else {
        crossing = nil
        return
      }
      let share = (above - threshold.value) / (above - below)
      crossing = truth.low + min(max(share, 0), 1) * (truth.high - truth.low)
    }
  }
}

/// A forecast and the observed reading, in g/kg.
public struct ReadingScore: Sendable {
  public let series: Series
  /// After which readings.
  package let origin: ForecastOrigin
  /// `forecast`, or the name of a baseline.
  public let method: String
  /// When the reading was taken, since the first drink.
  public let time: Hours
  /// The measured value; an upper limit if it was below detection.
  public let observed: Double
  /// Whether it was below detection.
  public let isCensored: Bool
  /// The predictive distribution and its score.
  package let score: ForecastScore
  /// The logarithm of the density forecast for it, in ln(kg/g); nil for a number.
  public let logScore: Double?

  /// The forecast horizon, from the last known reading to this one; nil without a reading before.
  public var horizon: Hours? { origin.time.map { time - $0 } }

  /// The error in percent of the reading; nil where that was below detection or zero.
  public var percentError: Double? {
    isCensored || observed <= 0 ? nil : 100 * score.error / observed
  }
}

private struct SeriesReplay {
  var times: [TimeScore] = []
  var readings: [ReadingScore] = []

  private let series: Series
  private let prior: PopulationPrior
  private let instrument: Instrument?
  private let options: ForecastReplay.Options
  private let observations: [Observations.Observation]
  private let regimen: Regimen
  private let outcome: TimeScore.Outcome?

  init(
    _ series: Series, _ prior: PopulationPrior, _ instrument: Instrument?,
    _ options: ForecastReplay.Options
  ) throws(SeriesFailure) {
    self.series = series
    self.prior = prior
    self.instrument = instrument
    self.options = options
    try series.requireUsable()
    let posterior = options.posterior
    var fit = FitOptions(selection: posterior.selection, interval: nil, factors: posterior.factors)
    prior.apply(to: &fit)
    let uses = fit.uses(of: series, instrument)
    observations = Observations(series, uses: uses, fit.selection, instrument, fit.factors).all
    guard !observations.isEmpty else { throw .nothingMeasured }
    regimen = try series.regimen()
    let good = zip(series.readings, uses).filter { $0.1 != .mouthAlcohol }.map(\.0)
    outcome = TimeScore.Outcome(good, of: series, options.threshold, posterior.factors)
    try replay()
  }

  private mutating func replay() throws(SeriesFailure) {
    let peak = observations.indices.max { observations[$0].level < observations[$1].level } ?? 0
    let curves = try typicalCurves()
    let beta =
      prior.elimination == .widmark
      ? try prior.typicalValue(of: .beta, for: series.subject) : nil
    let nothingKnown = try forecast(knowing: 0)
    for count in observations.indices {
      let last = count > 0 ? Hours(observations[count - 1].time) - series.start : nil
      let origin = ForecastOrigin(
        readings: count, afterPeak: max(0, count - 1 - peak), time: last)
      // Skip the time once the crossing has been observed.
      let isAhead = outcome.map { (last?.minutes ?? 0) <= $0.truth.low + 1e-9 } ?? false
      let current = count == 0 ? nothingKnown : try forecast(knowing: count)
      try score(current, "forecast", from: origin, isAhead)
      try score(nothingKnown, "prior", from: origin, isAhead)
      for (name, curve) in curves { score(curve, name, from: origin, isAhead) }
      if count > 0, let beta { scoreLine(falling: beta, from: origin, isAhead) }
      if let curve = leastSquares(knowing: count) {
        score(curve, "least-squares", from: origin, isAhead)
      }
    }
  }

  private func forecast(knowing count: Int) throws(SeriesFailure) -> Forecast {
    let indices = Set(observations.prefix(count).map(\.index))
    let posterior = try Posterior(
      of: series, prior: prior, knowing: { indices.contains($0) }, instrument: instrument,
      options: options.posterior)
    return try Forecast(posterior, seed: options.posterior.seed)
  }

  // MARK: Baselines

  /// The curve by each method's r and the prior's typical rates.
  private func typicalCurves() throws(SeriesFailure) -> [(String, any BloodCurve)] {
    let rates = try prior.typicalValues(
      of: prior.elimination.traits.map(\.parameter).filter { $0 != .r }, for: series.subject)
    return options.methods.compactMap { method in
      // Some methods have no formula for some subjects; skip them.
      guard let parameters = try? method.parameters(for: series.subject, prior.elimination, rates),
        let curve = try? parameters.curve(of: regimen)
      else { return nil }
      return (method.name, curve)
    }
  }

  /// Fits k_a, beta and r within plausible bounds to the readings so far by least squares; nil where
  /// the fit fails. Without these bounds a few readings give times of days.
  private func leastSquares(knowing count: Int) -> (any BloodCurve)? {
    guard count > 0, prior.elimination == .widmark else { return nil }
    var truncated = series
    let kept = Set(observations.prefix(count).map(\.index))
    truncated.readings = series.readings.indices.filter(kept.contains).map { series.readings[$0] }
    let fit = FitOptions(
      estimate: [.ka, .beta, .r], bounds: PlausibleRange.bounds,
      selection: options.posterior.selection, interval: nil,
      factors: options.posterior.factors)
    guard let value = try? SeriesFitter(options: fit).fit(truncated, instrument: instrument) else {
      return nil
    }
    return try? value.parameters.curve(of: regimen)
  }

  // MARK: Scores

  private mutating func score(
    _ forecast: Forecast, _ method: String, from origin: ForecastOrigin, _ isAhead: Bool
  ) throws(SeriesFailure) {
    let minutes = isAhead ? try forecast.minutesToThreshold(options.threshold) : nil
    let worth = forecast.posterior.diagnostics.effectiveSampleSize
    score(method, from: origin, minutes, worth: worth) { later in
      let reading = forecast.reading(at: Hours(later.time))
      return (
        reading.draws,
        reading.logScore(of: later.level, limit: later.isCensored ? later.level : nil)
      )
    }
  }

  private mutating func score(
    _ curve: any BloodCurve, _ method: String, from origin: ForecastOrigin, _ isAhead: Bool
  ) {
    let time = curve.timeToThreshold(options.threshold).map {
      max(0, ($0 - series.start).minutes)
    }
    score(method, from: origin, isAhead ? Draws([time ?? 0]) : nil) { later in
      (Draws([curve.concentration(at: Hours(later.time)).value]), nil)
    }
  }

  /// Scores the straight line from the last reading.
  private mutating func scoreLine(
    falling beta: Double, from origin: ForecastOrigin, _ isAhead: Bool
  ) {
    let last = observations[origin.readings - 1]
    let begin = Hours(last.time) - series.start
    let minutes = begin.minutes + 60 * max(0, last.level - options.threshold.value) / beta
    score("last-reading", from: origin, isAhead ? Draws([minutes]) : nil) { [series] later in
      let time = Hours(later.time) - series.start
      return (Draws([max(0, last.level - beta * (time - begin).value)]), nil)
    }
  }

  /// Scores a time, nil once the threshold has been reached, and later readings with their predictive density.
  private mutating func score(
    _ method: String, from origin: ForecastOrigin, _ minutes: Draws?, worth: Double = 1,
    _ reading: (Observations.Observation) -> (draws: Draws, logScore: Double?)
  ) {
    if let minutes, let outcome,
      let score = TimeScore(series, origin, method, minutes, outcome, worth: worth)
    {
      times.append(score)
    }
    let hasLimits = options.posterior.selection.censoring != .none
    for later in observations.dropFirst(origin.readings) {
      let (draws, logScore) = reading(later)
      let truth = Interval(low: later.isCensored ? 0 : later.level, high: later.level)
      readings.append(
        ReadingScore(
          series: series, origin: origin, method: method, time: Hours(later.time) - series.start,
          observed: later.level, isCensored: later.isCensored,
          score: ForecastScore(
            of: draws, against: truth, point: later.isCensored ? nil : later.level,
            crps: draws.settledCRPS(
              against: later.level, from: hasLimits ? later.limit ?? 0 : 0, worth: worth),
            worth: worth),
          logScore: logScore))
    }
  }
}

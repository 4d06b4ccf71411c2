import AlcoholKinetics
import GSL
import StudyData

/// Assembles the result of a fit.
struct FitSummary {
  let series: Series
  let plan: FitPlan
  let instrument: Instrument?
  let problem: FitProblem
  let search: Search
  let intervals: FitIntervals
  let values: ParameterValues

  init(
    series: Series, plan: FitPlan, instrument: Instrument?, problem: FitProblem,
    search: Search, intervals: FitIntervals
  ) {
    self.series = series
    self.plan = plan
    self.instrument = instrument
    self.problem = problem
    self.search = search
    values = problem.layout.values(at: intervals.solution.minimum.coordinates)
    self.intervals = intervals
  }

  var options: FitOptions { plan.options }
  var solution: Solution { intervals.solution }

  var fit: SeriesFit {
    let readings = fittedReadings
    let estimates = self.estimates
    let diagnostics = diagnostics(readings)
    let above = problem.observations.count(above: largestReading)
    return SeriesFit(
      model: options.model,
      values: values,
      estimates: estimates,
      noise: noise,
      readings: readings,
      rss: readings.reduce(0) { sum, reading in
        reading.use == .quantified
          ? sum + reading.residual.value * reading.residual.value : sum
      },
      objective: solution.minimum.objective,
      criteria: InformationCriteria(problem, solution),
      diagnostics: diagnostics,
      starts: search.outcomes,
      isConverged: solution.minimum.exit.isConverged,
      iterations: solution.minimum.iterations,
      readingsAboveDose: above,
      covariance: intervals.covariance.values.map {
        EstimateCovariance(parameters: intervals.covariance.parameters, values: $0)
      },
      profiles: intervals.profiles,
      curve: curve,
      warnings: warnings(estimates, readings, diagnostics, readingsAboveDose: above),
      derived: intervals.derived)
  }

  private var curve: FittedCurve {
    FittedCurve(model: problem.model, regimen: problem.regimen, values: values)
  }

  var noise: NoiseEstimate? {
    solution.noise.map { noise in
      NoiseEstimate(
        model: options.error.name, sd: noise.sd, cv: noise.cv,
        smallestSD: problem.noiseModel.smallestSD ?? options.studyError?.smallestSD,
        correlationTime: noise.correlation.map { Hours($0.time) },
        degreesOfFreedom: problem.degreesOfFreedom(of: solution), rounds: solution.rounds,
        isSettled: solution.isSettled)
    }
  }

  /// The largest possible reading: that of the whole dose in the blood at once.
  private var largestReading: GramsPerKilogram {
    problem.regimen.total * values[known: .gain] / values[known: .r]
  }

  private var estimates: [FitParameter: ParameterEstimate] {
    let valley = valley
    var estimates: [FitParameter: ParameterEstimate] = [:]
    estimates.reserveCapacity(problem.layout.count)
    for (index, parameter) in problem.layout.free.enumerated() {
      let value = values[known: parameter]
      let isInValley = valley.contains(index)
      var interval = intervals.intervals[index]
      if isInValley {
        // Only profiles follow a curved valley to its ends.
        let isFollowed = options.interval?.kind == .profile
        interval = ParameterInterval(
          low: isFollowed ? interval.low : nil, high: isFollowed ? interval.high : nil,
          isIdentifiable: false)
      }
      let error =
        isInValley
        ? nil
        : intervals.covariance.standardErrors[index].map {
          parameter.standardError(ofCoordinate: $0, at: value)
        }
      let ratio = priorRatio(of: parameter, intervals.covariance.standardErrors[index])
      estimates[parameter] = ParameterEstimate(
        value: value,
        standardError: error.flatMap { $0.isFinite ? $0 : nil },
        low: interval.low.map { parameter.value(at: $0) },
        high: interval.high.map { parameter.value(at: $0) },
        isIdentifiable: ratio.map { $0 <= ParameterEstimate.largestPriorRatio }
          ?? interval.isIdentifiable,
        priorRatio: ratio,
        isAtBound: solution.atBound.contains(index), isInValley: isInValley)
    }
    return estimates
  }

  /// The prediction, in g/kg, below which a reading carries no information besides that the curve is at zero.
  private static let leastPrediction = 1e-6

  /// The free parameters along which the minimum is a flat valley.
  ///
  /// Where the curve is at zero, small changes of parameters have no effect, so only readings at which it is above zero
  /// carry information. If these are fewer than parameters, many curves pass through them. A parameter is the same for all
  /// of these curves only if its direction lies in the span of their derivatives.
  private var valley: CoordinateSet {
    let count = problem.layout.count
    let predictions = solution.predictions
    guard problem.prior == nil,
      predictions.count(where: { $0 > Self.leastPrediction }) < count,
      let derivatives = solution.objective.derivatives(
        at: solution.minimum.coordinates, by: Array(0..<count))
    else { return CoordinateSet([]) }
    let rows = predictions.indices.filter { predictions[$0] > Self.leastPrediction }
    let (basis, rank) = NoiseCorrelation.orthonormal(
      (0..<count).flatMap { index in rows.map { derivatives[$0 * count + index] } },
      columns: rows.count)
    return CoordinateSet(
      (0..<count).filter { index in
        basis[index * rank..<(index + 1) * rank].reduce(0) { $0 + $1 * $1 } < 1 - 1e-8
      })
  }

  private func priorRatio(of parameter: FitParameter, _ error: Double?) -> Double? {
    guard let prior = problem.prior?.standardDeviation(of: parameter), let error else { return nil }
    return error / prior
  }

  private func diagnostics(_ readings: [FittedReading]) -> FitDiagnostics? {
    guard let analysis = intervals.covariance.analysis else { return nil }
    var standardised: [Double] = []
    standardised.reserveCapacity(readings.count)
    for reading in readings {
      if let residual = reading.standardisedResidual { standardised.append(residual) }
    }
    return FitDiagnostics(
      conditionNumber: analysis.conditionNumber,
      parameters: intervals.covariance.parameters,
      correlation: analysis.correlation,
      runs: RunsTest(residuals: standardised),
      autocorrelation: Autocorrelation(residuals: standardised),
      // A zero where the curve is zero has a residual of exactly zero, which is not normally distributed.
      normality: ShapiroWilk(
        standardised.contains(0) ? standardised.filter { $0 != 0 } : standardised),
      sums: residualSums)
  }
}

// MARK: - Residuals of the study

extension FitSummary {
  /// The sums of residuals to be pooled over the study; nil without standard deviations or a hat matrix.
  var residualSums: ResidualSums? {
    guard let noise = solution.noise, let leverages = intervals.covariance.analysis?.leverages,
      let neighbours = intervals.covariance.neighbourLeverages
    else { return nil }
    let deviations = noise.standardDeviations
    let white = whiteResiduals
    let beginning = series.drinks.lazy.map(\.time).min() ?? 0
    var residuals: [ResidualSums.Residual] = []
    residuals.reserveCapacity(problem.observations.count)
    var last: Int?
    for (index, observation) in problem.observations.all.enumerated() {
      let predicted = solution.predictions[index]
      let clear = (observation.limit ?? 0) + ResidualSums.clearance * deviations[index]
      guard !observation.isCensored, predicted > clear, deviations[index] > 0 else { continue }
      let error = white?[index] ?? observation.level - predicted
      residuals.append(
        ResidualSums.Residual(
          time: observation.time - beginning.value, concentration: predicted,
          value: error / deviations[index], leverage: leverages[index],
          // With correlated errors, the innovations depend on the estimated correlation.
          shared: white == nil && last == index - 1 ? neighbours[index] : nil))
      last = index
    }
    return ResidualSums(residuals)
  }
}

// MARK: - Readings

extension FitSummary {
  private var fittedReadings: [FittedReading] {
    let observations = problem.observations.all
    let predictions =
      observations.count == series.readings.count
      ? solution.predictions : curve.predictions(at: series.readings.map(\.time.value))
    let white = whiteResiduals
    // Both are in order of time.
    var next = 0
    return series.readings.indices.map { index in
      let isFitted = next < observations.count && observations[next].index == index
      defer { if isFitted { next += 1 } }
      return reading(
        index, predicted: predictions[index], position: isFitted ? next : nil, white)
    }
  }

  /// Returns one reading of the series; `position` is its index among the fitted ones, nil if it is not fitted.
  private func reading(
    _ index: Int, predicted: Double, position: Int?, _ white: [Double]?
  ) -> FittedReading {
    let reading = series.readings[index]
    let observed = reading.bloodConcentration(using: options.factors)
    let observation = position.map { problem.observations.all[$0] }
    let deviation = position.flatMap { position in
      solution.noise.map { $0.shape[position] * $0.scale }
    }
    let leverage = position.flatMap { intervals.covariance.analysis?.leverages[$0] }
    let error = position.flatMap { white?[$0] } ?? observed.value - predicted
    let standardised =
      problem.uses[index] == .quantified ? standardised(error, deviation, leverage) : nil
    let parameters = Double(problem.layout.count)
    return FittedReading(
      time: reading.time,
      observed: observed,
      limit: observation.flatMap { $0.isCensored ? GramsPerKilogram($0.level) : nil },
      use: problem.uses[index],
      predicted: GramsPerKilogram(predicted),
      standardDeviation: deviation,
      standardisedResidual: standardised,
      leverage: leverage,
      cookDistance: standardised.flatMap { residual in
        leverage.map { residual * residual * $0 / (parameters * (1 - $0)) }
      })
  }

  /// The whitened residuals of the fitted readings, in g/kg; nil if errors are independent.
  private var whiteResiduals: [Double]? {
    guard let noise = solution.noise, let correlation = noise.correlation, correlation.time > 0
    else { return nil }
    let deviations = noise.standardDeviations
    let residuals = problem.observations.all.enumerated().map { index, observation in
      (observation.level - solution.predictions[index]) / deviations[index]
    }
    return zip(correlation.chain.whitened(residuals, time: correlation.time), deviations).map(*)
  }

  /// Returns a residual over its standard error; nil where that is zero.
  private func standardised(
    _ residual: Double, _ deviation: Double?, _ leverage: Double?
  ) -> Double? {
    guard let deviation, let leverage, deviation > 0, leverage < 1 - 1e-9 else { return nil }
    return residual / (deviation * (1 - leverage).squareRoot())
  }
}

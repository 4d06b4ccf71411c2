public import AlcoholKinetics
public import Estimation
import RealModule
public import StudyData

/// Draws from the posterior distribution of a subject's parameters, given some of the readings.
///
/// The prior is a ``PopulationPrior``, the likelihood that of the readings with the prior's ``ReadingErrors``.
/// ``diagnostics`` measure the quality of the draws.
public struct Posterior: Sendable {
  /// The quality of the draws.
  public typealias Diagnostics = SampleDiagnostics

  /// The series of the subject.
  public let series: Series
  /// The doses of the series.
  public let regimen: Regimen
  /// The times of the known readings, in order.
  public var readingTimes: [Hours] { observations.map { Hours($0.time) } }
  /// The number of known readings.
  public var readingCount: Int { observations.count }
  /// The time of the last known reading; nil without any.
  public var lastReading: Hours? { readingTimes.last }
  /// The known readings, in order of time.
  let observations: [Observations.Observation]
  /// Draws of equal weight, each with all parameters of a curve.
  public let draws: [ModelParameters]
  /// The quality of the draws.
  public let diagnostics: Diagnostics
  /// The residual error model.
  public let errors: ReadingErrors
  /// The distribution of each draw's errors after the last known reading.
  let ahead: [ErrorAhead]

  /// Settings of the sampling.
  public struct Options: Sendable {
    /// The number of draws.
    public var draws: Int
    /// The seed of the quasi-random numbers, common to all series, so that similar data have similar forecasts.
    public var seed: UInt64
    /// The readings to use and the treatment of those below detection.
    public var selection: ReadingSelection
    /// The factors for conversion to g per kg of blood.
    public var factors: ConversionFactors

    /// Everything has a default.
    public init(
      draws: Int = 1000, seed: UInt64 = 1,
      selection: ReadingSelection = ReadingSelection(censoring: .m3),
      factors: ConversionFactors = ConversionFactors()
    ) {
      self.draws = draws
      self.seed = seed
      self.selection = selection
      self.factors = factors
    }
  }

  /// Draws from the posterior of a subject by importance sampling.
  ///
  /// Candidates come in equal parts from the prior and from Student's t about the mode, with the covariance by its
  /// information. They are weighted and resampled. Since the prior is a proposal, no weight exceeds twice the relative
  /// likelihood (defensive sampling: Hesterberg 1995), even with few readings or curves at zero.
  ///
  /// - `known`: Whether a reading of the series is known, by its index; nil for all.
  /// - Throws: `SeriesFailure` if the data have an error, or something that the prior needs is missing.
  public init(
    of series: Series, prior: PopulationPrior, knowing known: (@Sendable (Int) -> Bool)? = nil,
    instrument: Instrument? = nil, options: Options = Options()
  ) throws(SeriesFailure) {
    let density = try SeriesDensity(series, prior, knowing: known, instrument, options)
    let sample = try density.sample(options.draws, seed: options.seed)
    self.series = series
    regimen = density.regimen
    errors = prior.errors
    observations = density.observations
    draws = sample.points.map(density.parameters)
    ahead = density.ahead(sample.points, seed: options.seed)
    diagnostics = sample.diagnostics
  }
}

extension Posterior {
  /// The standard deviation of a reading at a prediction, in g/kg, with the posterior size of the subject's errors.
  public func deviation(at prediction: Double) -> Double {
    let squares = ahead.reduce(0) { $0 + $1.size * $1.size }
    return errors.deviation(at: prediction) * (squares / Double(ahead.count)).squareRoot()
  }
}

/// The density of one series' random effects, given some of its readings.
struct SeriesDensity {
  let regimen: Regimen
  /// The known readings, in order of time.
  let observations: [Observations.Observation]
  private let readings: ReadingsLikelihood
  private let filter: ErrorFilter
  private let likelihood: SubjectLikelihood
  private let prepared: PreparedPopulation
  private let prior: PopulationPrior
  private let held: ParameterValues

  init(
    _ series: Series, _ prior: PopulationPrior, knowing known: (@Sendable (Int) -> Bool)?,
    _ instrument: Instrument?, _ options: Posterior.Options
  ) throws(SeriesFailure) {
    var fit = FitOptions(selection: options.selection, interval: nil, factors: options.factors)
    prior.apply(to: &fit)
    let observed = try ObservedSeries(series, fit, instrument)
    let all = observed.observations.all
    let observations = (known.map { isKnown in all.filter { isKnown($0.index) } } ?? all)
      .sorted { ($0.time, $0.index) < ($1.time, $1.index) }
    self.observations = observations
    filter = ErrorFilter(
      prior.errors, times: observations.map(\.elapsed), areCensored: observations.map(\.isCensored))
    regimen = observed.regimen
    held = observed.heldValues
    self.prior = prior
    let mean = try prior.mean(for: series.subject)
    let spread = prior.covariance(for: series.subject)
    let random = RandomEffects { level in
      level == .person ? (0..<spread.rows).filter { spread[$0, $0] > 0 } : []
    }
    readings = ReadingsLikelihood(
      observations, of: observed.elapsedRegimen, held: held, prior.structure)
    likelihood = SubjectLikelihood(
      0, [readings], offsets: [mean.map { _ in 0 }], covariates: [[]], random, size: mean.count)
    guard let between = spread.submatrix(random.person).inverted else {
      throw .badOptions("the covariance of the prior is not positive definite")
    }
    prepared = PreparedPopulation(
      means: [[mean]],
      residual: prior.errors.typical, estimatedResiduals: [],
      spreads: PerLevel {
        $0 == .person ? (between.inverse, between.logDeterminant) : (Dense(0, 0), 0)
      })
  }

  /// The parameters at random effects.
  func parameters(_ effects: [Double]) -> ModelParameters {
    let logarithms = prior.structure.map * likelihood.logarithms(effects, on: 0, prepared)
    var values = held
    for (parameter, logarithm) in zip(prior.structure.kinetic, logarithms) {
      let bounds = parameter.defaultBounds
      values[known: parameter] = min(max(.exp(logarithm), bounds.lowerBound), bounds.upperBound)
    }
    return ModelParameters(prior.elimination, known: values)
  }

  func sample(_ count: Int, seed: UInt64) throws(SeriesFailure) -> ImportanceSample {
    guard let covariance = prepared.spreads.person.precision.inverted?.inverse else {
      throw .badOptions("the covariance of the prior is not positive definite")
    }
    let zero = [Double](repeating: 0, count: likelihood.count)
    var proposals = [
      ImportanceSample.Proposal(center: zero, covariance: covariance, isNormal: true)
    ].compactMap(\.self)
    if !observations.isEmpty, let mode = mode(),
      let covariance = mode.information.inverted?.inverse,
      let about = ImportanceSample.Proposal(
        center: mode.effects, covariance: widening * covariance, isNormal: false)
    {
      proposals.append(about)
    }
    func sample(_ proposals: [ImportanceSample.Proposal], seed: UInt64) -> ImportanceSample {
      ImportanceSample(
        of: logDensities, proposals, keeping: count,
        candidates: (observations.isEmpty ? 1 : 4) * count,
        seed: seed)
    }
    let first = sample(proposals, seed: seed)
    guard !observations.isEmpty, !first.diagnostics.isReliable else { return first }
    let second = sample(first.improved(proposals), seed: seed &+ 1)
    return second.diagnostics.effectiveSampleSize > first.diagnostics.effectiveSampleSize
      ? second : first
  }
}

// MARK: - Errors that differ between subjects, or are correlated

extension SeriesDensity {
  /// The logarithms of the joint density of random effects and readings, up to a constant.
  func logDensities(_ points: [[Double]]) -> [Double] {
    guard !prior.errors.isPlain else {
      return likelihood.values(at: points, prepared).map { -0.5 * $0 }
    }
    let precision = prepared.spreads.person.precision
    return zip(points, results(points)).map { point, result in
      result.logDensity - 0.5 * dot(point, precision * point)
    }
  }

  /// The likelihood of the curves at random effects.
  private func results(_ points: [[Double]]) -> [ErrorFilter.Result] {
    let logarithms = points.map { likelihood.logarithms($0, on: 0, prepared) }
    return stride(from: 0, to: points.count, by: Lanes.scalarCount).flatMap { first in
      let batch = logarithms[first..<min(points.count, first + Lanes.scalarCount)]
      let predictions = readings.predictions(at: SubjectLikelihood.lanes(batch, likelihood.size))
      return batch.indices.map { index in
        result(of: predictions.map { $0[index - first] }, points[index])
      }
    }
  }

  private func result(of predictions: [Double], _ effects: [Double]) -> ErrorFilter.Result {
    filter.result(
      zip(observations, predictions).map { $0.level - $1 }, deviations(of: predictions, effects))
  }

  /// The typical standard deviations of the readings about a curve.
  private func deviations(of predictions: [Double], _ effects: [Double]) -> [Double] {
    guard prior.errors.absorption > 0 else {
      return predictions.map { prior.errors.deviation(at: $0) }
    }
    let unabsorbed = regimen.unabsorbed(at: observations.map(\.time), parameters(effects))
    return zip(predictions, unabsorbed).map(prior.errors.deviation)
  }

  /// The factor of the covariance of proposals. Correlated readings inform less than the independent ones assumed for the
  /// mode.
  private var widening: Double { prior.errors.isPlain ? 1 : 2 }

  /// The mode for independent errors, re-estimated with the size of the errors about it.
  private func mode() -> SubjectLikelihood.Mode? {
    let independent = likelihood.mode(prepared)
    guard let first = independent, !prior.errors.isPlain else { return independent }
    let predictions = readings.predictions(
      at: likelihood.logarithms(first.effects, on: 0, prepared)
    ).values
    let deviations = deviations(of: predictions, first.effects)
    let squares = zip(zip(observations, predictions), deviations).map { pair, deviation in
      let distance = (pair.0.level - pair.1) / deviation
      return pair.0.isCensored ? 0 : distance * distance
    }
    let nu = Double(prior.errors.degreesOfFreedom ?? 0)
    let size =
      nu > 0 ? (nu + squares.reduce(0, +)) / (nu + Double(readings.quantifiedCount)) : 1
    return likelihood.mode(
      prepared, near: first.effects, fixed: [deviations.map { size * $0 * $0 }]) ?? first
  }

  /// The distribution of future errors of draws.
  func ahead(_ points: [[Double]], seed: UInt64) -> [ErrorAhead] {
    var numbers = RandomStream(seed, 0xe44)
    return results(points).map { result in
      let (size, state) = filter.draw(result, &numbers)
      return ErrorAhead(size: size, state: state, deviate: numbers.normal())
    }
  }
}

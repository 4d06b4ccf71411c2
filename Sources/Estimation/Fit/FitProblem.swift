package import AlcoholKinetics
package import StudyData

/// The estimation problem of one series: regimen, readings, free and fixed parameters, and error model.
///
/// It is immutable and independent of the optimiser.
package final class FitProblem: Hashable, Sendable {
  /// The doses, on the clock of the series.
  package let regimen: Regimen
  /// The doses with times since the first drink, as for the curves of fits.
  let elapsedRegimen: Regimen
  /// The use of each reading of the series.
  package let uses: [ReadingUse]
  /// The prior of the parameters; nil for none.
  package let prior: Prior?
  /// The first start of the search: values of parameters, such as those of an earlier fit, each in its unit. Other
  /// parameters start at the mean of the prior or at the value of a typical subject.
  package let start: [FitParameter: Double]

  /// The free parameters with their bounds, and the values of the fixed ones.
  let layout: ParameterLayout
  /// The readings with their error model.
  let noiseModel: NoiseModel
  /// The correlation of the errors of neighbouring readings.
  let correlation: ErrorCorrelation
  /// The degrees of freedom of the variance of a reading by the study's error model; nil if the error model is not that of
  /// the study.
  let studyDegreesOfFreedom: Int?

  /// Sets up the problem of a series.
  ///
  /// - Parameters:
  ///   - series: The drinks and readings.
  ///   - options: The parameters to estimate, and the error model.
  ///   - instrument: The instrument that the study states; nil for none.
  /// - Throws: ``SeriesFailure`` if the options or the data have an error, or something needed is missing.
  package convenience init(
    _ series: Series, options: FitOptions, instrument: Instrument? = nil
  ) throws(SeriesFailure) {
    try options.check()
    try self.init(series, checked: options, instrument)
  }

  /// Sets up the problem of a series with options that were checked before.
  ///
  /// - Parameter cache: The values that are the same for every series; nil to compute them.
  init(
    _ series: borrowing Series, checked options: FitOptions, _ instrument: Instrument?,
    _ cache: OptionsCache? = nil
  ) throws(SeriesFailure) {
    let observed = try ObservedSeries(series, options, instrument, cache)
    let estimated = try options.estimated(of: observed.regimen)
    let prior = try options.prior?.prior(of: series).marginal(of: estimated)
    // Each parameter with a prior needs one reading less.
    try observed.requireReadings(
      max(1, estimated.count - (prior?.parameters.count ?? 0)), error: options.error)
    regimen = observed.regimen
    elapsedRegimen = observed.elapsedRegimen
    uses = observed.uses
    let observations = observed.observations
    layout =
      cache?.layout(of: observed)
      ?? ParameterLayout(
        options.model, free: estimated, held: observed.heldValues, bounds: options.bounds)
    let study = options.studyError
    correlation = study?.filled(options.correlation) ?? options.correlation
    noiseModel = NoiseModel(
      error: study?.filled(options.error) ?? options.error, loss: options.loss,
      tuning: options.lossTuning ?? options.loss.defaultTuning, instrument: observed.statedError,
      censoring: options.selection.censoring, observations: observations,
      chain: CorrelationChain(observations, correlation), size: options.errorSize)
    studyDegreesOfFreedom = study.flatMap { $0.degreesOfFreedom(of: options.error) }
    self.prior = prior
    start = options.start
  }

  /// Returns the problem with other concentrations, for a bootstrap replicate.
  func replicate(_ observations: Observations) -> FitProblem { FitProblem(self, observations) }

  private init(_ problem: FitProblem, _ observations: Observations) {
    regimen = problem.regimen
    elapsedRegimen = problem.elapsedRegimen
    uses = problem.uses
    prior = problem.prior
    start = problem.start
    layout = problem.layout
    correlation = problem.correlation
    studyDegreesOfFreedom = problem.studyDegreesOfFreedom
    noiseModel = problem.noiseModel.replicate(
      observations, CorrelationChain(observations, correlation))
  }

  package static func == (left: FitProblem, right: FitProblem) -> Bool {
    (left.regimen, left.uses, left.prior, left.start)
      == (right.regimen, right.uses, right.prior, right.start)
      && (left.layout, left.noiseModel, left.correlation, left.studyDegreesOfFreedom)
        == (right.layout, right.noiseModel, right.correlation, right.studyDegreesOfFreedom)
  }

  package func hash(into hasher: inout Hasher) {
    // Only the properties that differ between problems of a study.
    hasher.combine(regimen)
    hasher.combine(layout)
    hasher.combine(noiseModel)
  }

  /// The model of elimination.
  package var model: EliminationModel { layout.model }
  var loss: Loss { noiseModel.loss }
  var observations: Observations { noiseModel.observations }

  /// True if standard deviations and parameters have to be estimated in turns.
  ///
  /// With a prior even a common scale matters, since the residuals of the prior do not have it.
  var needsPredictions: Bool {
    noiseModel.needsPredictions || (prior != nil && noiseModel.error == .additive(sd: nil))
  }

  /// The relative change of standard deviations below which reweighting has converged. A correlation time cannot be
  /// located as exactly.
  var settledChange: Double { noiseModel.chain == nil ? 1e-7 : 1e-6 }

  /// Returns the degrees of freedom n - p of the scale of the noise, summed over the series of a study if they share it;
  /// nil if the scale is known.
  func degreesOfFreedom(of solution: Solution) -> Int? {
    guard let noise = solution.noise, noise.isScaleEstimated else { return studyDegreesOfFreedom }
    return noiseModel.degreesOfFreedom(
      of: noiseModel.effectiveCount(solution.predictions), parameterCount: layout.count)
  }
}

/// The regimen and observations of a series, as fits, populations and posteriors use them.
package struct ObservedSeries {
  /// The doses, on the clock of the series.
  package let regimen: Regimen
  /// The doses with times since the first drink, the clock of ``Observations/Observation/elapsed``.
  package let elapsedRegimen: Regimen
  /// The use of each reading of the series.
  package let uses: [ReadingUse]
  /// The readings that are used.
  package let observations: Observations
  /// The values of the parameters that are not estimated; any value for the others.
  package let heldValues: ParameterValues
  /// The error that the study states for its instrument.
  package let statedError: ObservationModel

  /// Extracts regimen and observations from a series.
  ///
  /// - Throws: ``SeriesFailure`` if the data have an error, or something needed is missing.
  package init(
    _ series: borrowing Series, _ options: FitOptions, _ instrument: Instrument?
  ) throws(SeriesFailure) {
    try self.init(series, options, instrument, nil)
  }

  init(
    _ series: borrowing Series, _ options: FitOptions, _ instrument: Instrument?,
    _ cache: OptionsCache?
  ) throws(SeriesFailure) {
    try series.requireUsable()
    uses = options.uses(of: series, instrument)
    observations = Observations(
      series, uses: uses, options.selection, instrument, options.factors, isForFit: true)
    let subject = series.subject
    heldValues = try options.heldValues(
      for: subject, cache?.typicalValues(of: subject) ?? options.typicalValues(for: subject))
    let regimen = try series.regimen()
    let beginning = series.start
    self.regimen = regimen
    elapsedRegimen =
      RoundedInput.isBeginning(beginning)
      ? regimen : regimen.moved { Hours(RoundedInput.elapsed($0, since: beginning)) }
    statedError = ObservationModel(
      instrument, unit: series.readings.first?.unit ?? .bloodGramsPerKilogram, options.factors)
  }

  /// Throws if a series has fewer readings than needed, or lacks what its error model needs.
  package func requireReadings(_ needed: Int, error: ErrorModel) throws(SeriesFailure) {
    guard observations.count > 0 || !uses.contains(.beforeDrinking) else { throw .nothingPredicted }
    // Only the first final zero is used: without this check a series of zeros would be reported as too short.
    guard observations.count == 0 || observations.largest > 0 else { throw .nothingMeasured }
    guard observations.count >= needed else {
      throw .tooFewReadings(found: observations.count, needed: needed)
    }
    if error == .instrument, !statedError.isStated { throw .instrumentErrorMissing }
  }
}

/// A cache of values that depend only on the options, or on options, sex and food state.
final class OptionsCache {
  private struct Kind: Hashable {
    let sex: Sex?
    let food: FoodState?
  }

  private let options: FitOptions
  private let layout: ParameterLayout
  private var typical: [Kind: ParameterValues] = [:]

  init(_ options: FitOptions) {
    self.options = options
    layout = ParameterLayout(
      options.model, free: options.estimate, held: ParameterValues(), bounds: options.bounds)
  }

  /// Returns the layout of a series; nil if the series does not allow to estimate all parameters of the options.
  func layout(of observed: ObservedSeries) -> ParameterLayout? {
    observed.regimen.hasIntravenous ? nil : ParameterLayout(layout, holding: observed.heldValues)
  }

  func typicalValues(of subject: Subject) -> ParameterValues {
    let kind = Kind(sex: subject.sex, food: subject.food)
    if let values = typical[kind] { return values }
    let values = options.typicalValues(for: subject)
    typical[kind] = values
    return values
  }
}

extension FitOptions {
  /// Returns the use of each reading of a series. An estimated lag counts as 0 here.
  package func uses(of series: Series, _ instrument: Instrument?) -> [ReadingUse] {
    let lag =
      estimate.contains(.lag) || series.drinks.contains { $0.route == .intravenous }
      ? 0 : fixed[.lag] ?? 0
    return selection.uses(of: series, instrument, lag: Hours(lag))
  }

  /// Returns the parameters to estimate from a regimen: without k_a and lag if all doses are intravenous.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if no parameter is left, or a lag is to be estimated from a mix of oral and
  ///   intravenous doses: its derivative is not computed.
  package func estimated(of regimen: Regimen) throws(SeriesFailure) -> Set<FitParameter> {
    guard regimen.hasIntravenous else { return estimate }
    let estimated = regimen.isIntravenous ? estimate.subtracting([.ka, .lag]) : estimate
    guard !estimated.isEmpty else {
      throw .badOptions(
        "all doses are intravenous, so the readings contain no information about absorption; estimate "
          + "beta or another parameter of elimination")
    }
    guard !estimated.contains(.lag) else {
      throw .badOptions(
        "some doses are intravenous and others oral, and the lag of the oral doses cannot be "
          + "estimated; fix the lag")
    }
    return estimated
  }
}

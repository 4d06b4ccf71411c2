package import AlcoholKinetics
package import StudyData

/// What there is to fit of one series: regimen, readings, parameters, and what is believed of errors.
///
/// It knows no solver, and nothing about it ever changes.
package final class FitProblem: Hashable, Sendable {
  /// What was drunk.
  package let regimen: Regimen
  /// The same since the first drink, as curves are followed beside readings.
  let elapsedRegimen: Regimen
  /// What a fit does with each reading of the series.
  package let uses: [ReadingUse]
  /// What is known of the parameters before there are readings; nil for nothing.
  package let prior: Prior?
  /// Where the search begins, before all other starts: values of parameters, such as those of an earlier
  /// fit. What has no value here begins at that of a typical person, or at the mean of the prior.
  package let start: [FitParameter: Double]

  /// What is estimated, what is held, and between which bounds.
  let layout: ParameterLayout
  /// The readings, and how their standard deviations follow from a curve.
  let noiseModel: NoiseModel
  /// Whether the errors of neighbouring readings go together.
  let correlation: ErrorCorrelation
  /// The degrees of freedom of the variance of a reading by the study's error model; nil if errors are not
  /// its.
  let studyDegreesOfFreedom: Int?

  /// Takes from a series what is fitted.
  ///
  /// - Parameters:
  ///   - series: Whose drinks and readings.
  ///   - options: What to estimate, and what to believe of the readings.
  ///   - instrument: What the study says of the instrument.
  /// - Throws: ``SeriesFailure`` if the options or the data have an error, or something needed is missing.
  package convenience init(
    _ series: Series, options: FitOptions, instrument: Instrument? = nil
  ) throws(SeriesFailure) {
    try options.check()
    try self.init(series, checked: options, instrument)
  }

  /// The same with options that were checked before.
  ///
  /// - Parameter known: What of them is the same for every series, if somebody keeps it.
  init(
    _ series: borrowing Series, checked options: FitOptions, _ instrument: Instrument?,
    _ known: KnownOfOptions? = nil
  ) throws(SeriesFailure) {
    let observed = try ObservedSeries(series, options, instrument, known)
    let estimated = try options.estimated(of: observed.regimen)
    let prior = try options.prior?.prior(for: series.subject).marginal(of: estimated)
    // What a prior is about needs no reading.
    try observed.requireReadings(
      max(1, estimated.count - (prior?.parameters.count ?? 0)), error: options.error)
    regimen = observed.regimen
    elapsedRegimen = observed.elapsedRegimen
    uses = observed.uses
    let observations = observed.observations
    layout =
      known?.layout(of: observed)
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

  /// The same problem with other concentrations.
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
    // What differs between problems of a study.
    hasher.combine(regimen)
    hasher.combine(layout)
    hasher.combine(noiseModel)
  }

  /// How ethanol is eliminated.
  package var model: EliminationModel { layout.model }
  var loss: Loss { noiseModel.loss }
  var observations: Observations { noiseModel.observations }

  /// Whether standard deviations can only be had from predictions, round after round.
  ///
  /// Beside a prior the scale matters, even if it is that of all readings.
  var needsPredictions: Bool {
    noiseModel.needsPredictions || (prior != nil && noiseModel.error == .additive(sd: nil))
  }

  /// Relative change of standard deviations below which they and predictions agree. The minimum of a
  /// time constant is hidden by rounding sooner.
  var settledChange: Double { noiseModel.chain == nil ? 1e-7 : 1e-6 }

  /// The degrees of freedom n - p with which the scale of the noise was estimated, those of all series
  /// of a study where they share it; nil where it was known.
  func degreesOfFreedom(of solution: Solution) -> Int? {
    guard let noise = solution.noise, noise.isScaleEstimated else { return studyDegreesOfFreedom }
    return noiseModel.degreesOfFreedom(
      of: noiseModel.effectiveCount(solution.predictions), lost: layout.count)
  }
}

/// What was drunk and measured on an occasion, as fits, populations and posteriors take it from a series.
package struct ObservedSeries {
  /// What was drunk.
  package let regimen: Regimen
  /// The same since the first drink, in which ``Observations/Observation/elapsed`` is told.
  package let elapsedRegimen: Regimen
  /// What is done with each reading of the series.
  package let uses: [ReadingUse]
  /// The readings that count.
  package let observations: Observations
  /// The values of the parameters that are not estimated; any value for the others.
  package let heldValues: ParameterValues
  /// What the study says of the error of its instrument.
  package let statedError: ObservationModel

  /// Takes from a series what options ask for.
  package init(
    _ series: borrowing Series, _ options: FitOptions, _ instrument: Instrument?
  ) throws(SeriesFailure) {
    try self.init(series, options, instrument, nil)
  }

  init(
    _ series: borrowing Series, _ options: FitOptions, _ instrument: Instrument?,
    _ known: KnownOfOptions?
  ) throws(SeriesFailure) {
    try series.requireUsable()
    uses = options.uses(of: series, instrument)
    observations = Observations(
      series, uses: uses, options.selection, instrument, options.factors, isForFit: true)
    let subject = series.subject
    heldValues = try options.heldValues(
      for: subject, known?.typicalValues(of: subject) ?? options.typicalValues(for: subject))
    let regimen = try series.regimen()
    let beginning = series.start
    self.regimen = regimen
    elapsedRegimen =
      SettledNumber.isBeginning(beginning)
      ? regimen : regimen.moved { Hours(SettledNumber.elapsed($0, since: beginning)) }
    statedError = ObservationModel(
      instrument, unit: series.readings.first?.unit ?? .bloodGramsPerKilogram, options.factors)
  }

  /// Refuses a series with fewer readings than are needed, or without what an error model needs.
  package func requireReadings(_ needed: Int, error: ErrorModel) throws(SeriesFailure) {
    guard observations.count > 0 || !uses.contains(.beforeDrinking) else { throw .nothingPredicted }
    // Zeros count once, so that where there is nothing else there are too few readings, too.
    guard observations.count == 0 || observations.largest > 0 else { throw .nothingMeasured }
    guard observations.count >= needed else {
      throw .tooFewReadings(found: observations.count, needed: needed)
    }
    if error == .instrument, !statedError.isStated { throw .instrumentErrorMissing }
  }
}

/// What options say of every series, or of all people of a sex and food, worked out once.
final class KnownOfOptions {
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

  /// The layout of a series; nil if not all is estimated that the options ask for.
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
  /// Says for each reading of a series what a fit does with it. A lag that is estimated may be none.
  package func uses(of series: Series, _ instrument: Instrument?) -> [ReadingUse] {
    let lag =
      estimate.contains(.lag) || series.drinks.contains { $0.route == .intravenous }
      ? 0 : fixed[.lag] ?? 0
    return selection.uses(of: series, instrument, lag: Hours(lag))
  }

  /// What is estimated from a regimen: nothing about absorption where nothing is absorbed.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if nothing is left, or a lag is to be estimated that some
  ///   doses have and others have not: its derivative is not carried along.
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

public import AlcoholKinetics

/// The options of a fit: parameters to estimate and to fix, the error model, and the search for the minimum.
public struct FitOptions: Sendable {
  /// The model of elimination. Default Widmark's constant rate.
  public var model: EliminationModel
  /// The parameters to estimate; the others are fixed.
  public var estimate: Set<FitParameter>
  /// Values of parameters that are not estimated, each in its unit.
  ///
  /// Without a value, k_a and beta are those of ``typical``, the lag is 0 (unless k_a is typical, too) and the
  /// gain 1; r comes from ``rFactor``. V_max, K_m and k_e must be estimated or fixed.
  public var fixed: [FitParameter: Double]
  /// The values of k_a, beta and the lag where they are neither estimated nor fixed, as in predictions. Default nil: by the
  /// food state that the study gives for each subject, fasted if it gives none.
  public var typical: TypicalKinetics?
  /// Bounds of estimated parameters, each in its unit; `FitParameter/defaultBounds` unless set.
  public var bounds: [FitParameter: ClosedRange<Double>]
  /// The method for r where it is neither estimated nor fixed.
  public var rFactor: any RFactorMethod
  /// The selection of readings, and the treatment of those below detection.
  public var selection: ReadingSelection
  /// The error of a reading as a function of the concentration. Default additive, estimated.
  public var error: ErrorModel
  /// The correlation of the errors of neighbouring readings. Default automatic.
  public var correlation: ErrorCorrelation
  /// The source of estimated error parameters other than the SD of additive errors. Default the study, for fits of a study
  /// (``StudyFit``).
  public var errorSource: ErrorSource
  /// The error model of the study, as estimated by ``withStudyError(of:jobs:)``; nil to estimate it from each series.
  public var studyError: StudyErrorModel?
  /// The loss function of a residual. Default the square.
  public var loss: Loss
  /// The tuning constant of the loss in residual SDs; nil for ``Loss/defaultTuning``.
  public var lossTuning: Double?
  /// The starts of the search.
  public var starts: StartDesign
  /// The search engine. Default lanes.
  public var engine: FitEngine
  /// The kind of intervals; nil for none, which leaves identifiability undecided.
  public var interval: IntervalOptions?
  /// The source of standard errors and Wald intervals. Default the error model.
  public var standardErrors: StandardErrors
  /// Factors that turn readings into g per kg of blood.
  public var factors: ConversionFactors
  /// A prior of the parameters; nil for none.
  public var prior: (any PriorSource)?
  /// A prior of the size of additive errors that are estimated; nil for none.
  public var errorSize: ErrorSizePrior?
  /// The first start of the search: values of parameters, such as those of an earlier fit, each in its unit. Other
  /// parameters start at the mean of the prior or at the value of a typical subject.
  public var start: [FitParameter: Double]
  /// True to keep the profiles of the parameters (``SeriesFit/profiles``), for figures.
  public var keepsProfiles: Bool
  /// The derived quantities to report, with intervals of the same kind. Default none: each takes about as long as the
  /// fit.
  public var derived: DerivedOptions

  /// Creates options; everything has a default.
  public init(
    model: EliminationModel = .widmark,
    estimate: Set<FitParameter>? = nil,
    fixed: [FitParameter: Double] = [:],
    bounds: [FitParameter: ClosedRange<Double>] = [:],
    rFactor: any RFactorMethod = Watson(),
    selection: ReadingSelection = ReadingSelection(),
    error: ErrorModel = .additive(sd: nil),
    loss: Loss = .linear,
    lossTuning: Double? = nil,
    starts: StartDesign = StartDesign(),
    engine: FitEngine = .lanes,
    interval: IntervalOptions? = IntervalOptions(),
    correlation: ErrorCorrelation = .automatic,
    factors: ConversionFactors = ConversionFactors(),
    standardErrors: StandardErrors = .model,
    typical: TypicalKinetics? = nil,
    prior: (any PriorSource)? = nil,
    errorSize: ErrorSizePrior? = nil,
    start: [FitParameter: Double] = [:],
    keepsProfiles: Bool = false,
    derived: DerivedOptions = DerivedOptions(),
    errorSource: ErrorSource = .study,
    studyError: StudyErrorModel? = nil
  ) {
    self.model = model
    self.estimate = estimate ?? model.defaultEstimate
    self.fixed = fixed
    self.typical = typical
    self.bounds = bounds
    self.rFactor = rFactor
    self.selection = selection
    self.error = error
    self.correlation = correlation
    self.errorSource = errorSource
    self.studyError = studyError
    self.loss = loss
    self.lossTuning = lossTuning
    self.starts = starts
    self.engine = engine
    self.interval = interval
    self.factors = factors
    self.standardErrors = standardErrors
    self.prior = prior
    self.errorSize = errorSize
    self.start = start
    self.keepsProfiles = keepsProfiles
    self.derived = derived
  }
}

extension FitOptions {
  /// Checks options that do not depend on the readings.
  ///
  /// - Parameter ofStudy: True if the error model of a study may still be estimated.
  /// - Throws: ``SeriesFailure/badOptions(_:)``.
  public func check(ofStudy: Bool = false) throws(SeriesFailure) {
    guard !estimate.isEmpty else {
      throw .badOptions("no parameter is left to estimate; choose at least one")
    }
    guard starts.count >= 1 else {
      throw .badOptions("a fit needs at least 1 start, not \(starts.count)")
    }
    try checkParameters()
    try checkBounds()
    try checkNoise()
    try checkCorrelation()
    if !(ofStudy && usesStudyError) { try checkOwnCorrelation() }
    try checkStandardErrors()
    try checkInterval()
    try checkPrior()
    guard derived.threshold >= 0, derived.threshold.value.isFinite else {
      throw .badOptions(
        "the threshold is \(derived.threshold.value) g/kg; it must be 0 or more")
    }
  }

  private func checkPrior() throws(SeriesFailure) {
    for (parameter, value) in start.sorted(by: { $0.key < $1.key }) {
      guard model.parameters.contains(parameter) else {
        throw .badOptions("the \(model.rawValue) model has no \(parameter.rawValue)")
      }
      guard parameter.allows(value) else {
        throw .badOptions("a fit cannot start from a \(parameter.rawValue) of \(value)")
      }
    }
    if let errorSize {
      guard error == .additive(sd: nil), loss == .linear, errorSize.sd > 0, errorSize.sd.isFinite,
        errorSize.degreesOfFreedom > 0
      else {
        throw .badOptions(
          "a prior of the size of errors needs additive errors that are estimated, the linear loss, and a "
            + "standard deviation and degrees of freedom above zero")
      }
    }
    guard let prior else { return }
    if let parameter = prior.parameters.first(where: { !estimate.contains($0) }) {
      throw .badOptions("the prior is about \(parameter.rawValue), which is not estimated")
    }
    guard loss == .linear else {
      throw .badOptions(
        "a prior needs a likelihood, and the \(loss.rawValue) loss has none; choose the linear loss"
      )
    }
    guard standardErrors == .model else {
      throw .badOptions(
        "robust standard errors follow from residuals, and a prior has none; choose model standard "
          + "errors")
    }
  }

  private func checkParameters() throws(SeriesFailure) {
    for parameter in estimate.union(fixed.keys).union(bounds.keys).sorted()
    where !model.parameters.contains(parameter) {
      throw .badOptions("the \(model.rawValue) model has no \(parameter.rawValue)")
    }
    for (parameter, value) in fixed.sorted(by: { $0.key < $1.key }) {
      guard !estimate.contains(parameter) else {
        throw .badOptions("\(parameter.rawValue) cannot be both estimated and fixed")
      }
      guard parameter.allows(value) else {
        throw .badOptions("\(parameter.rawValue) cannot be fixed to \(value)")
      }
    }
    let given = estimate.union(fixed.keys)
    for traits in model.kinetics.ownParameters
    where traits.parameter != .beta && !given.contains(traits.parameter) {
      throw .badOptions("\(traits.name) must be estimated or fixed")
    }
  }

  private func checkBounds() throws(SeriesFailure) {
    for (parameter, range) in bounds.sorted(by: { $0.key < $1.key }) {
      guard estimate.contains(parameter) else {
        throw .badOptions("\(parameter.rawValue) has bounds but is not estimated")
      }
      guard parameter.allows(range.lowerBound), parameter.allows(range.upperBound),
        range.lowerBound < range.upperBound
      else {
        throw .badOptions(
          "\(parameter.rawValue) cannot be bounded from \(range.lowerBound) to \(range.upperBound)")
      }
    }
  }

  private func checkNoise() throws(SeriesFailure) {
    guard error.givenValues.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw .badOptions("the parameters of the \(error.name) error must be positive")
    }
    guard (lossTuning ?? 1) > 0, (lossTuning ?? 1).isFinite else {
      throw .badOptions("the tuning constant of a loss must be positive")
    }
    if loss != .linear, selection.censoring == .m3 {
      throw .badOptions(
        "the censored likelihood m3 and the \(loss.rawValue) loss cannot be combined; "
          + "choose one-sided censoring, or drop or keep readings below detection")
    }
    if let limit = selection.limitOfDetection, !(limit >= 0 && limit.isFinite) {
      throw .badOptions("the limit of detection is \(limit); it must be 0 or more")
    }
    if let window = selection.mouthAlcoholWindow, !(window >= 0 && window.value.isFinite) {
      throw .badOptions("the window after a drink is \(window.minutes) min; it must be 0 or more")
    }
  }

  private func checkCorrelation() throws(SeriesFailure) {
    guard case .exponential(let time, let nugget) = correlation else { return }
    if let time, !(time > 0 && time.value.isFinite) {
      throw .badOptions(
        "the time constant of a correlation must be positive, not \(time.minutes) min")
    }
    guard nugget >= 0, nugget < 1 else {
      throw .badOptions("the nugget is \(nugget); it must be from 0 to below 1")
    }
    guard loss == .linear else {
      throw .badOptions(
        "exponential correlation and the \(loss.rawValue) loss cannot be combined; choose the linear "
          + "loss")
    }
    guard selection.censoring != .oneSided else {
      throw .badOptions(
        "exponential correlation needs a likelihood, but one-sided censoring has none; choose m3")
    }
    guard interval?.kind != .residualBootstrap else {
      throw .badOptions(
        "a residual bootstrap assumes independent residuals; with exponential correlation, choose "
          + "profile, wald or parametric-bootstrap intervals")
    }
  }

  /// Wald intervals treat the correlation time as known. Estimated from one series it is so uncertain that their coverage is
  /// 87 to 93 % instead of 95.
  private func checkOwnCorrelation() throws(SeriesFailure) {
    guard interval?.kind == .wald, studyError == nil, correlation == .exponential(time: nil) else {
      return
    }
    throw .badOptions(
      "wald intervals take the correlation time as known, and one series does not tell it; choose "
        + "profile intervals, or state the time. (A study of five series or more does tell it.)")
  }

  private func checkStandardErrors() throws(SeriesFailure) {
    guard standardErrors == .robust else { return }
    guard interval.map({ $0.kind == .wald }) ?? true else {
      throw .badOptions(
        "robust standard errors cannot be combined with \(interval?.kind.rawValue ?? "other") intervals; "
          + "choose wald intervals, or none")
    }
    guard loss == .linear else {
      throw .badOptions(
        "robust standard errors allow for correlated errors, but the \(loss.rawValue) loss assumes "
          + "independent errors; choose the linear loss")
    }
    guard !correlation.isExponential else {
      throw .badOptions(
        "robust standard errors and exponential correlation both allow for correlated errors; "
          + "choose one")
    }
  }

  private func checkInterval() throws(SeriesFailure) {
    guard let interval else { return }
    guard interval.level > 0, interval.level < 1 else {
      throw .badOptions("the level of an interval is \(interval.level); it must be between 0 and 1")
    }
    guard interval.replicates >= 1 else {
      throw .badOptions("a bootstrap needs at least 1 replicate, not \(interval.replicates)")
    }
  }
}

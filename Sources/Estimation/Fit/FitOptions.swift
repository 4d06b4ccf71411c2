public import AlcoholKinetics

/// What a fit estimates, what it holds fixed, what it believes of the readings, and how it looks for
/// the minimum.
public struct FitOptions: Sendable {
  /// How ethanol is eliminated. Default Widmark's constant rate.
  public var model: EliminationModel
  /// The parameters to estimate; the others are fixed.
  public var estimate: Set<FitParameter>
  /// Values of parameters that are not estimated, each in its unit.
  ///
  /// Without a value a parameter is what it usually is (``FitParameter/Traits/usualValue``): k_a 18 /h
  /// and beta 0.15 g/kg/h (Nacar 2021), the lag 0 and the gain 1; r comes from ``rFactor``. What has no
  /// usual value, as V_max and K_m, must be estimated or fixed.
  public var fixed: [FitParameter: Double]
  /// Bounds of estimated parameters, each in its unit; ``FitParameter/defaultBounds`` unless set.
  public var bounds: [FitParameter: ClosedRange<Double>]
  /// Gives r where it is neither estimated nor fixed.
  public var rFactor: any RFactorMethod
  /// Which readings are fitted and what those below detection say.
  public var selection: ReadingSelection
  /// How the error of a reading depends on the concentration. Default additive, estimated.
  public var error: ErrorModel
  /// Whether the errors of neighbouring readings go together. Default independent.
  public var correlation: ErrorCorrelation
  /// How much a residual costs. Default its square.
  public var loss: Loss
  /// The tuning constant of the loss in residual SDs; nil for ``Loss/defaultTuning``.
  public var lossTuning: Double?
  /// Where the search starts from.
  public var starts: StartDesign
  /// Which intervals; nil for none, and no verdicts.
  public var interval: IntervalOptions?
  /// Where standard errors, and the Wald intervals from them, come from. Default the model.
  public var standardErrors: StandardErrors
  /// How readings are turned into g per kg of blood.
  public var factors: ConversionFactors

  /// Chooses what to fit; everything has a default.
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
    interval: IntervalOptions? = IntervalOptions(),
    correlation: ErrorCorrelation = .independent,
    factors: ConversionFactors = ConversionFactors(),
    standardErrors: StandardErrors = .model
  ) {
    self.model = model
    self.estimate = estimate ?? model.defaultEstimate
    self.fixed = fixed
    self.bounds = bounds
    self.rFactor = rFactor
    self.selection = selection
    self.error = error
    self.correlation = correlation
    self.loss = loss
    self.lossTuning = lossTuning
    self.starts = starts
    self.interval = interval
    self.factors = factors
    self.standardErrors = standardErrors
  }
}

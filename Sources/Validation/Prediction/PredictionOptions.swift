public import AlcoholKinetics
public import Estimation

/// Settings of predicted curves and times to sobriety.
public struct PredictionOptions: Sendable {
  /// The elimination model. Default Widmark's constant rate.
  public var model: EliminationModel
  /// The source of k_a and beta, or of the parameters of other models. Default typical values.
  public var parameters: PredictionParameters
  /// The typical values. Default nil: those for each subject's food intake as stated by the study,
  /// and fasted values where it is not stated.
  public var typical: TypicalKinetics?
  public var methods: [any RFactorMethod]
  /// The names of the models computed elsewhere, whose predictions come with each series
  /// (`Series.predictions`). None by default.
  public var models: [String]
  /// The concentration at or below which somebody counts as sober; nil, the default, for the limit
  /// of each series' instrument, see ``SobrietyThreshold``.
  public var threshold: GramsPerKilogram?
  /// The selection of readings to compare with, which is also that of fits that give k_a and beta.
  public var selection: ReadingSelection
  /// The factors that convert readings to g per kg of blood.
  public var factors: ConversionFactors
  /// The minimiser of fits that give k_a and beta. Default lanes.
  public var engine: FitEngine

  /// Creates options; everything has a default.
  public init(
    parameters: PredictionParameters = .typical, typical: TypicalKinetics? = nil,
    methods: [any RFactorMethod] = RFactorMethods.all(), models: [String] = [],
    threshold: GramsPerKilogram? = nil,
    selection: ReadingSelection = ReadingSelection(),
    factors: ConversionFactors = ConversionFactors(), model: EliminationModel = .widmark,
    engine: FitEngine = .lanes
  ) {
    self.engine = engine
    self.model = model
    self.parameters = parameters
    self.typical = typical
    self.methods = methods
    self.models = models
    self.threshold = threshold
    self.selection = selection
    self.factors = factors
  }

  /// The names of all predictors: the given models, then the r-factor methods.
  public var names: [String] { models + methods.map(\.name) }

  /// The typical values for a subject.
  public func typical(of subject: Subject) -> TypicalKinetics {
    typical ?? TypicalKinetics(of: subject.food)
  }

  /// Whether the prediction for a series depends on other series.
  public var needsWholeStudy: Bool {
    if case .leftOut = parameters { true } else { false }
  }
}

public import AlcoholKinetics
public import Estimation

/// How curves and times to sobriety are predicted.
public struct PredictionOptions: Sendable {
  /// How ethanol is eliminated. Default Widmark's constant rate.
  public var model: EliminationModel
  /// Where k_a and beta, or what the model has in their place, come from. Default typical values.
  public var parameters: PredictionParameters
  /// What is typical. Default nil: of subjects like each subject, by what the study says that they had eaten, and
  /// of fasted subjects where it says nothing.
  public var typical: TypicalKinetics?
  public var methods: [any RFactorMethod]
  /// The names of the models whose predictions were computed elsewhere, and come with each series
  /// (`Series.predictions`). None by default.
  public var models: [String]
  /// The concentration at or below which somebody counts as sober; nil, the default, for what each
  /// series' instrument can tell, see ``SobrietyThreshold``.
  public var threshold: GramsPerKilogram?
  /// Which readings predictions are compared with: those that a fit would use. Fits that give k_a and
  /// beta use the same.
  public var selection: ReadingSelection
  /// How readings are turned into g per kg of blood.
  public var factors: ConversionFactors
  /// What looks for the minima of fits that give k_a and beta. Default lanes.
  public var engine: FitEngine

  /// Chooses how to predict; everything has a default.
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

  /// The names of all that is compared: the given models, then the r-factor methods.
  public var names: [String] { models + methods.map(\.name) }

  /// What is typical of subjects like a subject.
  public func typical(of subject: Subject) -> TypicalKinetics {
    typical ?? TypicalKinetics(of: subject.food)
  }

  /// Whether what is predicted for a series depends on other series.
  public var needsWholeStudy: Bool {
    if case .leftOut = parameters { true } else { false }
  }
}

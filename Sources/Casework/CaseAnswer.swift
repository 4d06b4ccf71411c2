public import AlcoholKinetics

/// The answer to a case, with its uncertainty.
public struct CaseAnswer: Sendable {
  /// A quantity with its range or distribution.
  public struct Value: Sendable {
    /// Which.
    public let quantity: CaseQuantity
    /// The value at the most likely inputs.
    public let likeliest: Double
    /// The lower end: of all combinations of the inputs' ends, or of the interval.
    public let low: Double
    /// The upper end.
    public let high: Double
    /// The distribution; nil in guideline mode.
    public let distribution: CaseDistribution?
  }

  /// A limit that the concentration is compared with.
  public struct Limit: Sendable {
    /// In the unit of answers.
    public let limit: Double
    /// Whether the most likely value, and both ends, are above it.
    public let isAbove: (likeliest: Bool, low: Bool, high: Bool)
    /// The fraction of draws above it, with its standard error; nil in guideline mode.
    public let chance: (value: Double, error: Double)?
  }

  /// How much of an answer's variance comes from an input.
  public struct Sensitivity: Hashable, Sendable {
    /// Which input.
    public let input: CaseInput.Name
    /// First-order index: from the input alone.
    public let first: Double
    /// Its standard error.
    public let firstError: Double
    /// Total index: from the input with all its interactions.
    public let total: Double
    /// Its standard error.
    public let totalError: Double
  }

  /// A point of the band of curves, in the unit of answers.
  public struct BandPoint: Hashable, Sendable {
    /// When.
    public let time: Hours
    /// The curve of the most likely inputs.
    public let likeliest: Double
    /// The lower edge.
    public let low: Double
    /// The upper edge.
    public let high: Double
  }

  /// The case.
  public let one: Case
  /// How it was computed.
  public let options: CaseOptions
  /// The answer and what belongs to it; the first is what was asked.
  public let values: [Value]
  /// The limits that the concentration is compared with.
  public let limits: [Limit]
  /// The first value worked out, then in guideline mode its lower and upper end; empty where no sum gives them.
  public let sums: [CaseSum]
  /// What went in.
  public let inputs: [CaseInput]
  /// Which input contributes how much to the first value; empty in guideline mode.
  public let sensitivities: [Sensitivity]
  /// The curves behind the answer.
  public let band: [BandPoint]
  /// What a reader has to know.
  public let warnings: [CaseWarning]
  /// Whether the measurement leaves the answer open downwards: the drinks after the event may have found the blood
  /// empty. The answer's most likely value and its distribution are then the least that goes with the measurement,
  /// its upper end the most.
  public let isOpen: Bool

  /// Answers a case.
  ///
  /// - Throws: ``CaseFailure`` for what guidelines refuse, and for what is missing or cannot be true.
  public init(_ one: Case, options: CaseOptions = CaseOptions()) throws(CaseFailure) {
    let warnings = try one.check()
    try one.checkGuideline(options.mode)
    let model = CaseModel(one)
    let inputs = try CaseInputs(one, options.mode, explains: model.explains)
    try options.check()
    let findings =
      switch options.mode {
      case .guideline: CaseFindings(rangeOf: model, inputs)
      case .monteCarlo: CaseFindings(distributionOf: model, inputs, options)
      }
    self.one = one
    self.options = options
    self.inputs = inputs.all
    (values, sensitivities, band) = (findings.values, findings.sensitivities, findings.band)
    isOpen = findings.isOpen
    sums = findings.sums
    self.warnings = warnings + findings.warnings(one, inputs.all)
    let concentration = values.first { $0.quantity.name == .concentration }
    limits = one.limits.compactMap { limit in
      concentration.map { Limit($0, limit) }
    }
    try refuseTheImpossible()
  }

  /// Refuses results that only wrong inputs give.
  private func refuseTheImpossible() throws(CaseFailure) {
    guard values.allSatisfy({ $0.likeliest.isFinite && $0.low.isFinite && $0.high.isFinite }) else {
      throw .input(
        "no curve agrees with these inputs; check times, weights, amounts and ranges")
    }
    guard one.question == .forward else { return }
    let blood = one.unit.bloodConcentration(
      of: main.likeliest, using: one.assumptions.factors
    ).value
    guard blood <= Case.highest else {
      throw .input(
        "the drinks give \(blood.brief) g/kg of blood, above \(Case.highest.brief), which "
          + "nobody survives; check amounts, strengths and the weight")
    }
  }

  /// What was asked.
  public var main: Value { values[0] }
}

extension CaseAnswer.Limit {
  init(_ value: CaseAnswer.Value, _ limit: Double) {
    self.limit = limit
    isAbove = (value.likeliest > limit, value.low > limit, value.high > limit)
    chance = value.distribution?.chance(above: limit)
  }
}

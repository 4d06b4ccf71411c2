/// One value for each parameter of a model, estimated or fixed, kept without allocating.
public struct ParameterValues: Hashable, Sendable {
  /// By position of the parameter; NaN where the model has no such parameter.
  private var storage = SIMD16<Double>(repeating: .nan)

  /// Begins without values.
  package init() {}

  /// The values that are given.
  package init(_ values: [FitParameter: Double]) {
    for (parameter, value) in values { self[known: parameter] = value }
  }

  /// The value of a parameter in its unit; nil if the model does not have it.
  public subscript(parameter: FitParameter) -> Double? {
    let value = storage[parameter.position]
    return value.isNaN ? nil : value
  }

  /// The value of a parameter that the model is known to have, NaN otherwise.
  package subscript(known parameter: FitParameter) -> Double {
    get { storage[parameter.position] }
    set { storage[parameter.position] = newValue }
  }

  /// How many slots there are.
  package static let slotCount = 16

  /// The value in a ``FitParameter/slot``, for loops that have looked it up before.
  package subscript(slot slot: Int) -> Double {
    get { storage[slot] }
    set { storage[slot] = newValue }
  }

  /// The bits, so that values which are missing are equal, too.
  private var bits: SIMD16<UInt64> { unsafeBitCast(storage, to: SIMD16<UInt64>.self) }

  public static func == (left: Self, right: Self) -> Bool { left.bits == right.bits }
  public func hash(into hasher: inout Hasher) { hasher.combine(bits) }
}

extension ParameterValues: Codable {
  /// Decodes the values that there are, by the names of their parameters.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([FitParameter: Double].self))
  }

  /// Encodes the values that there are, by the names of their parameters.
  public func encode(to encoder: any Encoder) throws {
    let values = FitParameter.allCases.compactMap { parameter in
      self[parameter].map { (parameter, $0) }
    }
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(uniqueKeysWithValues: values))
  }
}

extension FitParameter {
  /// The slot of ``ParameterValues``.
  package var slot: Int { position }
}

extension ParameterValues {
  /// Whether a model with these parameters of its own has a curve for the values.
  func areAllowed(with own: [FitParameter.Traits]) -> Bool {
    FitParameter.ka.allows(self[known: .ka]) && FitParameter.r.allows(self[known: .r])
      && FitParameter.lag.allows(self[known: .lag])
      && own.indices.allSatisfy { own[$0].parameter.allows(self[known: own[$0].parameter]) }
  }
}

/// The parameters of one model for one person.
public struct ModelParameters: Codable, Hashable, Sendable {
  /// The model.
  public let model: EliminationModel
  /// A value for each of its parameters.
  public let values: ParameterValues
  /// Those that hit a search limit in the fit they come from: curves follow from their values, but they are
  /// not known. In order, so that a value is always written in the same way.
  public let atLimit: [FitParameter]

  /// Checks and keeps values; a parameter that is not among them is what it usually is.
  ///
  /// - Throws: ``KineticsError/outOfRange(name:value:allowed:)`` for a value that is missing, not finite,
  ///   negative, or zero where it cannot be.
  public init(
    _ model: EliminationModel, _ values: [FitParameter: Double]
  ) throws(KineticsError) {
    var checked = ParameterValues()
    for traits in model.traits {
      let parameter = traits.parameter
      let value = values[parameter] ?? traits.usualValue ?? .nan
      try parameter.check(value)
      checked[known: parameter] = value
    }
    self.init(model, known: checked)
  }

  /// Keeps values that are those of a fit.
  package init(
    _ model: EliminationModel, known values: ParameterValues, atLimit: Set<FitParameter> = []
  ) {
    self.model = model
    self.values = values
    self.atLimit = atLimit.sorted()
  }

  /// The same with another r.
  package func with(_ r: RFactor) throws(KineticsError) -> ModelParameters {
    try FitParameter.r.check(r.value)
    var values = values
    values[known: .r] = r.value
    return ModelParameters(model, known: values)
  }

  /// The value of a parameter in its unit; nil if the model does not have it.
  public subscript(parameter: FitParameter) -> Double? { values[parameter] }

  /// The value of a parameter in its unit, for people and tables; nil also where it is ``atLimit``.
  public func stated(_ parameter: FitParameter) -> Double? {
    atLimit.contains(parameter) ? nil : values[parameter]
  }

  /// The distribution factor.
  public var r: RFactor { RFactor(values[known: .r]) }

  /// The curve of a regimen, as it is in the blood: the gain is not in it.
  ///
  /// - Throws: ``KineticsError/outOfRange(name:value:allowed:)`` for a value that no curve can have.
  public func curve(of regimen: Regimen) throws(KineticsError) -> any BloodCurve {
    try model.kinetics.curve(of: regimen, values)
  }
}

extension ModelParameters {
  /// The curve and its derivatives at ascending times in h; nil where it cannot be followed.
  ///
  /// - Parameter isUnstopped: Whether to follow the curve that would never have stopped at zero.
  package func samples(
    of regimen: Regimen, at times: [Double], isUnstopped: Bool = false
  ) -> [CurveSample]? {
    var isFollowed = times.isEmpty
    let samples = [CurveSample](unsafeUninitializedCapacity: times.count) { buffer, count in
      guard let base = buffer.baseAddress, !times.isEmpty else { return }
      isFollowed =
        isUnstopped
        ? model.kinetics.followUnstopped(regimen, values, at: times, count: times.count, into: base)
        : model.kinetics.follow(regimen, values, at: times, count: times.count, into: base)
      count = isFollowed ? times.count : 0
    }
    return isFollowed ? samples : nil
  }

  /// What the instrument would show, in g/kg, at ascending times in h; NaN where the curve cannot be
  /// followed.
  package func predictions(of regimen: Regimen, at times: [Double]) -> [Double] {
    let gain = values[known: .gain]
    return samples(of: regimen, at: times)?.map { gain * $0.concentration }
      ?? times.map { _ in .nan }
  }
}

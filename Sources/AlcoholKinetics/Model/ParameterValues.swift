/// The value of each parameter of a model, estimated or fixed, stored inline.
public struct ParameterValues: Hashable, Sendable {
  /// The values by position of the parameter; NaN if the model does not have it.
  private var storage = SIMD16<Double>(repeating: .nan)

  /// Makes an empty set of values.
  package init() {}

  /// Makes a set of values.
  package init(_ values: [FitParameter: Double]) {
    for (parameter, value) in values { self[known: parameter] = value }
  }

  /// The value of a parameter in its unit; nil if the model does not have it.
  public subscript(parameter: FitParameter) -> Double? {
    let value = storage[parameter.position]
    return value.isNaN ? nil : value
  }

  /// The value of a parameter of the model; NaN if the model does not have it.
  package subscript(known parameter: FitParameter) -> Double {
    get { storage[parameter.position] }
    set { storage[parameter.position] = newValue }
  }

  /// The number of slots.
  package static let slotCount = 16

  /// The value in a ``FitParameter/slot``.
  package subscript(slot slot: Int) -> Double {
    get { storage[slot] }
    set { storage[slot] = newValue }
  }

  /// The bit patterns, by which missing values compare equal.
  private var bits: SIMD16<UInt64> { unsafeBitCast(storage, to: SIMD16<UInt64>.self) }

  public static func == (left: Self, right: Self) -> Bool { left.bits == right.bits }
  public func hash(into hasher: inout Hasher) { hasher.combine(bits) }
}

extension ParameterValues: Codable {
  /// Decodes values by the names of their parameters.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([FitParameter: Double].self))
  }

  /// Encodes the values by the names of their parameters, without missing ones.
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
  /// Whether the values are valid for a model with these parameters of elimination.
  func areAllowed(with traits: [FitParameter.Traits]) -> Bool {
    FitParameter.ka.allows(self[known: .ka]) && FitParameter.r.allows(self[known: .r])
      && FitParameter.lag.allows(self[known: .lag])
      && traits.indices.allSatisfy {
        traits[$0].parameter.allows(self[known: traits[$0].parameter])
      }
  }
}

/// The parameters of one model for one person.
public struct ModelParameters: Codable, Hashable, Sendable {
  /// The model.
  public let model: EliminationModel
  /// The value of each parameter.
  public let values: ParameterValues
  /// The parameters that hit a search limit in their fit. Their values define the curve but are not determined. Sorted, so
  /// that encoding is deterministic.
  public let atLimit: [FitParameter]

  /// Checks and keeps values; missing parameters have their default values.
  ///
  /// - Throws: ``Problem`` for a value that is missing without a default, not finite,
  ///   negative, or zero where that is not allowed.
  public init(
    _ model: EliminationModel, _ values: [FitParameter: Double]
  ) throws(Problem) {
    var checked = ParameterValues()
    for traits in model.traits {
      let parameter = traits.parameter
      let value = values[parameter] ?? traits.usualValue ?? .nan
      try parameter.check(value)
      checked[known: parameter] = value
    }
    self.init(model, known: checked)
  }

  /// Keeps values that were checked before, such as those of a fit.
  package init(
    _ model: EliminationModel, known values: ParameterValues, atLimit: Set<FitParameter> = []
  ) {
    self.model = model
    self.values = values
    self.atLimit = atLimit.sorted()
  }

  /// A copy with another r.
  package func with(_ r: RFactor) throws(Problem) -> ModelParameters {
    try FitParameter.r.check(r.value)
    var values = values
    values[known: .r] = r.value
    return ModelParameters(model, known: values)
  }

  /// The value of a parameter in its unit; nil if the model does not have it.
  public subscript(parameter: FitParameter) -> Double? { values[parameter] }

  /// The value of a parameter in its unit, for reports; nil also if it is in ``atLimit``.
  public func stated(_ parameter: FitParameter) -> Double? {
    atLimit.contains(parameter) ? nil : values[parameter]
  }

  /// The distribution factor.
  public var r: RFactor { RFactor(values[known: .r]) }

  /// The blood curve of a regimen, without the gain.
  ///
  /// - Throws: ``Problem`` for an invalid value.
  public func curve(of regimen: Regimen) throws(Problem) -> any BloodCurve {
    try model.kinetics.curve(of: regimen, values)
  }
}

extension ModelParameters {
  /// The curve and its derivatives at ascending times in h; nil where it cannot be followed.
  ///
  /// - Parameter isUnstopped: Whether to follow the curve without its floor at zero.
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

  /// The predicted readings, with the gain, in g/kg at ascending times in h; NaN if the curve cannot be
  /// followed.
  package func predictions(of regimen: Regimen, at times: [Double]) -> [Double] {
    let gain = values[known: .gain]
    return samples(of: regimen, at: times)?.map { gain * $0.concentration }
      ?? times.map { _ in .nan }
  }
}

extension Subject {
  func require<Measure>(
    _ measure: KeyPath<Subject, Measure?>, named column: String, for method: some RFactorMethod
  ) throws(RFactorError) -> Measure {
    guard let value = self[keyPath: measure] else {
      throw .missing(method: method.name, measure: column)
    }
    return value
  }

  func requireSex(for method: some RFactorMethod) throws(RFactorError) -> Sex {
    try require(\.sex, named: "sex", for: method)
  }

  /// Age in years.
  func requireAge(for method: some RFactorMethod) throws(RFactorError) -> Double {
    try require(\.age, named: "age_y", for: method).value
  }

  /// Height in metres.
  func requireHeight(for method: some RFactorMethod) throws(RFactorError) -> Double {
    try require(\.height, named: "height_cm", for: method).value
  }

  /// Weight in kg.
  func requireWeight(for method: some RFactorMethod) throws(RFactorError) -> Double {
    try require(\.weight, named: "weight_kg", for: method).value
  }
}

extension RFactorMethod {
  /// Labels a formula's value as r, refusing what no body can have.
  func checked(_ value: Double) throws(RFactorError) -> RFactor {
    guard value > 0, value.isFinite else {
      throw .notPositive(method: name, value: value)
    }
    return RFactor(value)
  }
}

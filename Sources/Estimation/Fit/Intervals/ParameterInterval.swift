/// The ends of an interval; nil where the data set no end.
struct ParameterInterval {
  var low: Double?
  var high: Double?
  /// Whether the data determine the parameter; nil if this kind of interval cannot tell.
  var isIdentifiable: Bool?

  /// Whether a value is not beyond an end.
  func contains(_ value: Double) -> Bool {
    value >= low ?? -.infinity && value <= high ?? .infinity
  }
}

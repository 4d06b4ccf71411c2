/// A value that the model cannot be built from.
public enum KineticsError: Error, Codable, Hashable, Sendable {
  /// A parameter or a drink's property is outside the numbers it may take.
  case outOfRange(name: String, value: Double, allowed: String)
  /// A dose is given as a mass, and the body weight that it must be divided by is not known.
  case weightMissing

  /// The stable code of the error.
  public var code: String {
    switch self {
    case .outOfRange: "E_RANGE"
    case .weightMissing: "E_MEASURE_MISSING"
    }
  }
}

extension KineticsError: CustomStringConvertible {
  /// The problem and the remedy.
  public var description: String {
    switch self {
    case .outOfRange(let name, let value, let allowed):
      "\(name) is \(value); it must be \(allowed)"
    case .weightMissing:
      "the dose is in grams and the body weight is not known; add the weight, or give the "
        + "dose per kg of body weight"
    }
  }
}

extension Quantity {
  /// Passes the quantity on if it is finite and satisfies a condition.
  func checked(
    _ name: String, _ allowed: String = "positive", where isAllowed: (Double) -> Bool = { $0 > 0 }
  ) throws(KineticsError) -> Self {
    _ = try value.checked("\(name) in \(Unit.symbol)", allowed, where: isAllowed)
    return self
  }
}

extension Double {
  /// Passes the number on if it is finite and satisfies a condition.
  func checked(
    _ name: @autoclosure () -> String, _ allowed: String = "positive",
    where isAllowed: (Double) -> Bool = { $0 > 0 }
  ) throws(KineticsError) -> Double {
    guard isFinite, isAllowed(self) else {
      throw .outOfRange(name: name(), value: self, allowed: allowed)
    }
    return self
  }
}

/// An input or a request that cannot be used, with a stable code.
public struct Problem: Error, Codable, Hashable, Sendable, CustomStringConvertible {
  /// The stable code, such as `E_RANGE`.
  public let code: String
  /// The problem and the remedy.
  public let description: String

  /// Describes a problem, with its remedy, under a stable code.
  public init(_ code: String, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension Problem {
  /// A parameter or a drink's property is outside the numbers it may take.
  package static func outOfRange(name: String, value: Double, allowed: String) -> Self {
    Self("E_RANGE", "\(name) is \(value); it must be \(allowed)")
  }

  /// A dose is given as a mass, and the body weight that it must be divided by is not known.
  package static let weightMissing = Self(
    "E_MEASURE_MISSING",
    "the dose is in grams and the body weight is not known; add the weight, or give the "
      + "dose per kg of body weight")

  /// Options that contradict each other, or ask for something impossible.
  package static func badOptions(_ text: String) -> Self { Self("E_OPTION", text) }
  /// A file whose contents cannot be used.
  package static func file(_ text: String) -> Self { Self("E_FILE_FORMAT", text) }
}

extension Quantity {
  /// Passes the quantity on if it is finite and satisfies a condition.
  func checked(
    _ name: String, _ allowed: String = "positive", where isAllowed: (Double) -> Bool = { $0 > 0 }
  ) throws(Problem) -> Self {
    _ = try value.checked("\(name) in \(Unit.symbol)", allowed, where: isAllowed)
    return self
  }
}

extension Double {
  /// Passes the number on if it is finite and satisfies a condition.
  func checked(
    _ name: @autoclosure () -> String, _ allowed: String = "positive",
    where isAllowed: (Double) -> Bool = { $0 > 0 }
  ) throws(Problem) -> Double {
    guard isFinite, isAllowed(self) else {
      throw .outOfRange(name: name(), value: self, allowed: allowed)
    }
    return self
  }
}

/// Why an r factor could not be estimated for a subject.
public enum RFactorError: Error, Hashable, Sendable {
  /// The method needs a body measure that is not known; `measure` is its column name.
  case missing(method: String, measure: String)
  /// The method has no formula for this sex.
  case notDefined(method: String, sex: Sex)
  /// The formula gives a value that is not a positive number for this body.
  case notPositive(method: String, value: Double)

  /// The stable code of the error.
  public var code: String {
    switch self {
    case .missing: "E_MEASURE_MISSING"
    case .notDefined: "E_R_NOT_DEFINED"
    case .notPositive: "E_R_NOT_POSITIVE"
    }
  }
}

extension RFactorError: CustomStringConvertible {
  /// What was found and what to do about it.
  public var description: String {
    switch self {
    case .missing(let method, let measure):
      "the \(method) method needs \(measure); add it to the study or choose another method"
    case .notDefined(let method, let sex):
      "the \(method) method has no formula for a \(sex.rawValue) subject; choose another method"
    case .notPositive(let method, let value):
      "the \(method) formula gives r = \(value) for this body; check height and weight"
    }
  }
}

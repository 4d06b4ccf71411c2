/// Why a population could not be fitted.
public enum PopulationFailure: Error, Hashable, Sendable {
  /// The options ask for something impossible.
  case badOptions(String)
  /// There are too few people with readings that can be used.
  case tooFewPeople(found: Int, needed: Int)
  /// At no start could everybody's curve be followed.
  case notEvaluated(String)
  /// A file of values has an error.
  case badFile(String)
  /// The task was cancelled.
  case cancelled

  /// The stable code.
  public var code: String {
    switch self {
    case .badOptions: "E_POPULATION_OPTIONS"
    case .tooFewPeople: "E_TOO_FEW_PEOPLE"
    case .notEvaluated: "E_POPULATION_NOT_EVALUATED"
    case .badFile: "E_POPULATION_FILE"
    case .cancelled: "E_CANCELLED"
    }
  }
}

extension PopulationFailure: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .badOptions(let reason): reason
    case .tooFewPeople(let found, let needed):
      "\(found) people have readings that can be used, and \(needed) are needed; see what was left out, or "
        + "estimate fewer parameters"
    case .notEvaluated(let reason): reason
    case .badFile(let reason): reason
    case .cancelled: "cancelled"
    }
  }
}

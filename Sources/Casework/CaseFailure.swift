/// Why a case has no answer: what a guideline refuses, or what is missing or wrong.
public enum CaseFailure: Error, Hashable, Sendable {
  /// The time asked about is before absorption has finished, where nobody can calculate back.
  case absorption(String)
  /// The measured concentration is too low to calculate from.
  case belowLimit(String)
  /// A value cannot be true, or is written in another unit.
  case input(String)
  /// Something that the question needs is not given.
  case missing(String)
  /// Times are in the wrong order or far apart.
  case order(String)
  /// A file is not a case.
  case file(String)
  /// The person's readings could not be used.
  case readings(String)

  /// The stable code.
  public var code: String {
    switch self {
    case .absorption: "E_CASE_ABSORPTION"
    case .belowLimit: "E_CASE_BELOW_LIMIT"
    case .input: "E_CASE_INPUT"
    case .missing: "E_CASE_MISSING"
    case .order: "E_CASE_ORDER"
    case .file: "E_CASE_FILE"
    case .readings: "E_CASE_READINGS"
    }
  }
}

extension CaseFailure: CustomStringConvertible {
  /// What was found, and what to do.
  public var description: String {
    switch self {
    case .absorption(let text), .belowLimit(let text), .input(let text), .missing(let text),
      .order(let text), .file(let text), .readings(let text):
      text
    }
  }
}

/// What a reader of an answer has to know before relying on it.
public struct CaseWarning: Hashable, Sendable {
  /// The stable code.
  public let code: String
  /// What was found, and what to do.
  public let message: String

  static func body(_ message: String) -> CaseWarning {
    CaseWarning(code: "W_CASE_BODY", message: message)
  }

  /// Without the end of drinking, nobody knows whether absorption had finished.
  static let drinkingEnd = CaseWarning(
    code: "W_CASE_DRINKING_END",
    message: "the end of drinking is not given; the answer holds only if absorption had finished "
      + "at the time asked about. State the drinks, or when drinking ended")

  static func absorbing(_ message: String) -> CaseWarning {
    CaseWarning(code: "W_CASE_ABSORBING", message: message)
  }

  static func far(_ hours: Double) -> CaseWarning {
    CaseWarning(
      code: "W_CASE_FAR",
      message:
        "the answer goes back \(CaseClock.hours(hours)) h; on measured people it was checked "
        + "over 4 h only")
  }

  static func nearZero(_ lowest: Double) -> CaseWarning {
    CaseWarning(
      code: "W_CASE_NEAR_ZERO",
      message:
        "elimination slows down below about \(lowest) g/kg; times to lower limits are too early")
  }

  static let unexplained = CaseWarning(
    code: "W_CASE_UNEXPLAINED",
    message:
      "the stated drinks do not explain the measured concentration: it is above all that they "
      + "can give. Check amounts, times and the unit, or ask for further drinks")

  static let overexplained = CaseWarning(
    code: "W_CASE_OVEREXPLAINED",
    message:
      "the measured concentration is below all that the stated drinks can give. Check amounts, "
      + "times and the unit; less may have been drunk")
}

import AlcoholKinetics

/// Why a case has no answer: what a guideline refuses, or what is missing or wrong.
public struct CaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public let code: String
  public let description: String

  static func absorption(_ text: String) -> Self { Self("E_CASE_ABSORPTION", text) }
  public static func input(_ text: String) -> Self { Self("E_CASE_INPUT", text) }
  public static func missing(_ text: String) -> Self { Self("E_CASE_MISSING", text) }
  public static func file(_ text: String) -> Self { Self("E_FILE_FORMAT", text) }

  private init(_ code: String, _ description: String) {
    self.code = code
    self.description = description
  }
}

/// Refuses a case unless something holds.
func require(_ holds: Bool, _ failure: @autoclosure () -> CaseFailure) throws(CaseFailure) {
  if !holds { throw failure() }
}

/// Refuses what cannot be true.
func require(_ holds: Bool, _ message: @autoclosure () -> String) throws(CaseFailure) {
  if !holds { throw .input(message()) }
}

/// What a reader of an answer has to know before relying on it.
public struct CaseWarning: Hashable, Sendable {
  public let code: String
  /// What was found, in words that stand in a statement.
  public let finding: String
  /// What to do; empty for nothing.
  public let advice: String

  public var message: String { advice.isEmpty ? finding : "\(finding). \(advice)" }

  init(_ code: String, _ finding: String, _ advice: String = "") {
    self.code = code
    self.finding = finding
    self.advice = advice
  }

  static func body(_ finding: String, _ advice: String = "") -> Self {
    Self("W_CASE_BODY", finding, advice)
  }
  static func absorbing(_ finding: String, _ advice: String = "") -> Self {
    Self("W_CASE_ABSORBING", finding, advice)
  }
}

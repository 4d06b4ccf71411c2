package import AlcoholKinetics

extension Problem {
  static func absorption(_ text: String) -> Self { Self("E_CASE_ABSORPTION", text) }
  package static func input(_ text: String) -> Self { Self("E_CASE_INPUT", text) }
  package static func missing(_ text: String) -> Self { Self("E_CASE_MISSING", text) }
}

/// Throws a failure unless a condition holds.
func require(_ holds: Bool, _ failure: @autoclosure () -> Problem) throws(Problem) {
  if !holds { throw failure() }
}

/// Throws ``Problem`` unless a condition holds.
func require(_ holds: Bool, _ message: @autoclosure () -> String) throws(Problem) {
  if !holds { throw .input(message()) }
}

/// A warning to consider before relying on an answer.
public struct CaseWarning: Hashable, Sendable {
  public let code: String
  /// The finding, in words for an expert statement.
  public let finding: String
  /// The advice; empty if there is none.
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

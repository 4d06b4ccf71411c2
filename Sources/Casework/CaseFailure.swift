/// Why a case has no answer: what a guideline refuses, or what is missing or wrong.
public struct CaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public let code: String
  public let description: String

  static func absorption(_ text: String) -> Self { Self("E_CASE_ABSORPTION", text) }
  static func belowLimit(_ text: String) -> Self { Self("E_CASE_BELOW_LIMIT", text) }
  public static func input(_ text: String) -> Self { Self("E_CASE_INPUT", text) }
  public static func missing(_ text: String) -> Self { Self("E_CASE_MISSING", text) }
  public static func samples(_ text: String) -> Self { Self("E_CASE_SAMPLES", text) }
  public static func order(_ text: String) -> Self { Self("E_CASE_ORDER", text) }
  public static func file(_ text: String) -> Self { Self("E_CASE_FILE", text) }
  public static func readings(_ text: String) -> Self { Self("E_CASE_READINGS", text) }

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
  public let message: String

  private init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  static func body(_ message: String) -> Self { Self("W_CASE_BODY", message) }
  static func absorbing(_ message: String) -> Self { Self("W_CASE_ABSORBING", message) }

  /// Without the end of drinking, nobody knows whether absorption had finished.
  static let drinkingEnd = Self(
    "W_CASE_DRINKING_END",
    "the end of drinking is not given; the answer holds only if absorption had finished "
      + "at the time asked about. State the drinks, or when drinking ended")

  static func far(_ hours: Double) -> Self {
    Self(
      "W_CASE_FAR",
      "the answer goes back \(hours.brief) h; on measured people it was checked over 4 h only")
  }

  static func breathRatio(_ assumed: Double) -> Self {
    Self(
      "W_BREATH_RATIO_ASSUMED",
      "the blood:breath ratio is not stated; breath is converted with \(assumed.brief). "
        + "Volunteers had 2349 (SD 176), which makes concentrations 12 % higher. State it, and its SD"
    )
  }

  /// - Parameters:
  ///   - span: The first and the last time, as they are shown.
  ///   - counted: The hours between them by these clocks.
  ///   - changes: Places where more or fewer pass, with how many.
  static func clocks(
    _ span: (String, String), counted: Double, _ changes: [(place: String, hours: Double)]
  ) -> Self {
    let places = changes.map { "\($0.place): \($0.hours.brief) h" }.joined(separator: ", ")
    return Self(
      "W_CASE_CLOCKS",
      "the times have no time zone, and in some places clocks are changed between \(span.0) and \(span.1) "
        + "(\(places)); \(counted.brief) h were counted. Give --time-zone, or write each time with its distance "
        + "from UTC, as 2024-03-31 04:00+02:00")
  }

  static func nearZero(_ lowest: Double) -> Self {
    Self(
      "W_CASE_NEAR_ZERO",
      "elimination slows down below about \(lowest) g/kg; times to lower limits are too early")
  }

  /// - Parameter difference: What was measured less what the drinks give, over the draws; nil of a range.
  static func unexplained(_ difference: CaseDistribution?) -> Self {
    Self(
      "W_CASE_UNEXPLAINED",
      "the stated drinks do not explain the measured concentration: it is above what they give in "
        + share(difference?.chance(above: 0).value)
        + ". Check amounts, times and the unit, or ask for further drinks")
  }

  /// - Parameter difference: As of ``unexplained(_:)``.
  static func overexplained(_ difference: CaseDistribution?) -> Self {
    Self(
      "W_CASE_OVEREXPLAINED",
      "the measured concentration is below what the stated drinks give in "
        + share((difference?.chance(above: 0).value).map { 1 - $0 })
        + ". Check amounts, times and the unit; less may have been drunk")
  }

  private static func share(_ fraction: Double?) -> String {
    guard let fraction else { return "all of the range" }
    return fraction == 1 ? "all draws" : "\((1000 * fraction).rounded(.down) / 10) % of the draws"
  }

  static let emptyBetween = Self(
    "W_CASE_EMPTY_BETWEEN",
    "no more was measured than the drinks after the event may have given alone: the blood may have "
      + "been empty before them, and then the measurement does not tell what was in it at the event. The most "
      + "likely value is the least that goes with the measurement, the upper end the most")
}

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

  private init(_ code: String, _ finding: String, _ advice: String = "") {
    self.code = code
    self.finding = finding
    self.advice = advice
  }

  static func body(_ finding: String, _ advice: String = "") -> Self {
    Self("W_CASE_BODY", finding, advice)
  }
  static func absorbing(_ finding: String) -> Self { Self("W_CASE_ABSORBING", finding) }

  /// Without the end of drinking, nobody knows whether absorption had finished.
  static let drinkingEnd = Self(
    "W_CASE_ABSORBING",
    "the end of drinking is not given; the answer holds only if absorption had finished "
      + "at the time asked about", "State the drinks, or when drinking ended")

  static func far(_ hours: Double) -> Self {
    Self(
      "W_CASE_FAR",
      "the answer goes back \(hours.brief) h; on measured people it was checked over 4 h only")
  }

  /// - Parameter others: The answer with the ratio of volunteers; nil if it has none.
  static func breathRatio(_ assumed: Double, others: String?) -> Self {
    Self(
      "W_BREATH_RATIO_ASSUMED",
      "the blood:breath ratio is not stated; breath is converted with \(assumed.brief). Volunteers had "
        + "\(ConversionFactors.volunteersBreathRatio.mean.brief) "
        + "(SD \(ConversionFactors.volunteersBreathRatio.sd.brief))"
        + (others.map { ", with which the answer is \($0)" } ?? ""),
      "State the ratio with --blood-breath-ratio, and its SD with --blood-breath-ratio-sd")
  }

  /// - Parameters:
  ///   - used: By what serum in g/L is divided here to get blood in g/kg.
  ///   - answers: The answer by the least and the highest divisor that courts use.
  ///   - between: Limits that lie between these, as they are shown.
  static func serumRatio(_ used: Double, answers: (String, String), between: [String]) -> Self {
    let divisors = CaseGuideline.serumDivisors
    let limits =
      between.isEmpty ? "" : "; the limit of \(between.joined(separator: " and ")) lies between"
    return Self(
      "W_CASE_SERUM_RATIO",
      "serum in g/L was divided by \(used.brief) to get blood in g/kg; German courts divide by "
        + "\(divisors.lowerBound.brief) to \(divisors.upperBound.brief) (\(CaseGuideline.serumSource)), "
        + "with which the answer is \(answers.0) to \(answers.1)\(limits)",
      "State the ratio with --serum-blood-ratio")
  }

  /// - Parameter others: The answer if r is in L/kg; nil if it has none.
  static func rUnit(_ r: Double, others: String?) -> Self {
    Self(
      "W_CASE_R_UNIT",
      "r = \(r.brief) is taken as kg/kg, and concentrations are per volume; those who publish answers in g/L, "
        + "mg/100 ml or percent mostly have r in L/kg"
        + (others.map { ", with which the answer is \($0)" } ?? ""),
      "State which with --r-unit kg-per-kg or l-per-kg")
  }

  /// - Parameter others: The answer if beta is per litre; nil if it has none.
  static func betaUnit(_ beta: Uncertainty, others: String?) -> Self {
    Self(
      "W_CASE_BETA_UNIT",
      "beta = \(beta.likeliest.brief) is taken in g/kg/h, and concentrations are per volume"
        + (others.map { "; in g/L/h the answer is \($0)" } ?? ""),
      "State which with --beta-unit, or write 0.15g/L/h")
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
      "W_TIME_CLOCKS",
      "the times have no time zone, and in some places clocks are changed between \(span.0) and \(span.1) "
        + "(\(places)); \(counted.brief) h were counted",
      "Give --time-zone, or write each time with its distance from UTC, as 2024-03-31 04:00+02:00")
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
        + share(difference?.chance(above: 0).value),
      "Check amounts, times and the unit, or ask for further drinks")
  }

  /// - Parameter difference: As of ``unexplained(_:)``.
  static func overexplained(_ difference: CaseDistribution?) -> Self {
    Self(
      "W_CASE_UNEXPLAINED",
      "the measured concentration is below what the stated drinks give in "
        + share((difference?.chance(above: 0).value).map { 1 - $0 }),
      "Check amounts, times and the unit; less may have been drunk")
  }

  static func refuted(_ alone: CaseAnswer.Refutation, _ unit: ConcentrationUnit) -> Self {
    Self(
      "W_CASE_REFUTED",
      "the drinks after the event would have given \(alone.low.brief) to \(alone.high.brief) \(unit.symbol) on their own, "
        + "which is more than was measured: they were not drunk as stated",
      "Check amounts, strengths, times and the unit; whatever the concentration at the event was, it does not follow "
        + "from this account")
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

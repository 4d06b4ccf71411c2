import AlcoholKinetics

/// A warning about an elimination line.
public enum EliminationLineWarning: String, CaseIterable, Codable, Hashable, Sendable {
  /// Fewer than 5 readings: Student's t makes the intervals wide, 4.3 standard errors with 4
  /// readings and 12.7 with 3, and a bend would hardly show.
  case fewReadings = "W_LIMB_FEW_READINGS"
  /// The interval of beta reaches zero: the readings do not show that the concentration falls.
  case betaUncertain = "W_BETA_UNCERTAIN"
  /// beta outside 0.09-0.29 g/L/h, where 95 % of people are (Jones & Andersson 1996).
  case betaRange = "W_BETA_RANGE"
  /// r outside 0.4-0.9.
  case rRange = "W_R_RANGE"

  /// A reading shows that the blood was empty between two drinks; earlier drinks do not count.
  case earlierDrinks = "W_EARLIER_DRINKS"
  /// According to the line, the first drinks were eliminated before a later one.
  case emptyBetween = "W_EMPTY_BETWEEN_DRINKS"

  /// The stable code of the warning.
  public var code: String { rawValue }
}

extension EliminationLineWarning: CustomStringConvertible {
  /// The message: the finding and its possible cause.
  public var description: String {
    switch self {
    case .fewReadings:
      "the line goes through fewer than 5 readings; measure longer or more often"
    case .betaUncertain:
      "the interval of beta reaches zero; the readings are too few or scatter too much"
    case .betaRange:
      "beta is outside 0.085-0.275 g/kg/h (0.09-0.29 g/L/h); absorption may not have been complete, "
        + "or the limb is too short"
    case .rRange:
      "r is outside 0.4-0.9; check dose, weight and the unit of the readings"
    case .earlierDrinks:
      "a reading shows that the blood was free of alcohol between two drinks; C0 and r refer to the drinks "
        + "since"
    case .emptyBetween:
      "according to this line, the first drinks were eliminated before a later drink, so C0 is too high "
        + "and r too small; split the series into two occasions"
    }
  }
}

extension EliminationLineWarning {
  /// Returns the warnings about a line.
  static func warnings(
    readings: Int,
    beta: LineEstimate<GramPerKilogramHourUnit>,
    r: ObservedRFactor?,
    _ factors: ConversionFactors
  ) -> [EliminationLineWarning] {
    var warnings: [EliminationLineWarning] = []
    if readings < 5 { warnings.append(.fewReadings) }
    if beta.low <= 0 { warnings.append(.betaUncertain) }
    let betaPerLitre = beta.value.value * factors.bloodDensityKgPerL
    if !PlausibleRange.betaPerLitre.contains(betaPerLitre) { warnings.append(.betaRange) }
    if let r, !PlausibleRange.r.contains(r.value.value) { warnings.append(.rRange) }
    return warnings
  }
}

public import AlcoholKinetics

/// A rule of a country's courts for back calculation from a blood sample. It gives not the most likely concentration, but a
/// lower or upper bound.
///
/// Only rules whose text was available are included; the article of this module lists the sources.
public enum CaseGuideline: String, CaseIterable, Codable, Hashable, Sendable {
  /// Germany, for fitness to drive: a lower bound.
  case germanLeast = "german-least"
  /// Germany, for criminal responsibility: an upper bound.
  case germanMost = "german-most"

  public var beta: GramsPerKilogramHour { self == .germanLeast ? 0.1 : 0.2 }
  /// The constant added once.
  public var surcharge: GramsPerKilogram { self == .germanLeast ? 0 : 0.2 }
  /// The time after the end of drinking for which no back calculation is made.
  public var absorbedAfter: Hours { self == .germanLeast ? 2 : 0 }
  /// Whether an event within that time is calculated back to its end instead of being refused.
  public var countsFromAbsorption: Bool { self == .germanLeast }
  /// The divisors from serum in g/L to blood in g/kg: the ratio of water contents, without and with the density of serum,
  /// 1.03 kg/L.
  public static let serumDivisors = 1.2...1.236
  static let serumSource = "Schoknecht, NZV 1990, 104; 1.2 x 1.03 kg/L"
  /// The kind of bound, in words.
  public var bound: String { self == .germanLeast ? "at least" : "at most" }
  public var purpose: String {
    self == .germanLeast
      ? "by the rule of German courts for fitness to drive"
      : "by the rule of German courts for criminal responsibility"
  }
  /// The source of the rule.
  public var source: String {
    switch self {
    case .germanLeast:
      "Bundesgerichtshof, 4 StR 130/73, BGHSt 25, 246, guiding principles 1 and 2: 0.1 g/kg/h, not in the first 120 min "
        + "after the end of drinking (read at verkehrslexikon.de/Texte/Alkohol11.php)"
    case .germanMost:
      "case law of the Bundesgerichtshof, as in 4 StR 263/20: 0.2 g/kg/h from the first hour, and 0.2 g/kg once (read as "
        + "quoted at verkehrslexikon.de/Texte/Alkohol12.php, not in a decision)"
    }
  }
}

extension Case {
  /// Refuses cases to which the guideline does not apply, and statements that contradict it.
  func checkGuideline(_ mode: CaseOptions.Mode) throws(Problem) {
    guard let guideline = assumptions.guideline else { return }
    let name = "the guideline \(guideline.rawValue)"
    try require(
      question == .back && mode == .guideline,
      "\(name) is for going back from a blood sample; leave it out for other questions and for monte-carlo"
    )
    if measurement?.unit.isBreath == true || unit.isBreath {
      throw .input("\(name) is for blood samples, not for breath")
    }
    try require(
      assumptions.beta == nil && assumptions.posterior == nil
        && assumptions.betaPopulation == .unknown
        && assumptions.absorbedAfter == guideline.absorbedAfter,
      "\(name) has the elimination rate and the time of absorption; leave out --beta, --beta-population, --study "
        + "and --absorbed-after")
    try require(
      (measurement?.sd ?? 0 == 0) && assumptions.serumRatioSD == 0,
      "\(name) takes what was measured as it is; leave out standard deviations")
    try require(
      guideline != .germanLeast || ended != nil || drinks.contains(where: { !$0.isLater }),
      .missing(
        "\(name) counts nothing within 120 min of the end of drinking; state when drinking ended"))
  }
}

public import AlcoholKinetics

/// A rule by which courts of a country go back from a blood sample. It gives no most likely concentration, but the
/// least or the most that is assumed.
///
/// Only rules whose text could be read are here; the article of this module says where, and which could not.
public enum CaseGuideline: String, CaseIterable, Codable, Hashable, Sendable {
  /// Germany, whether somebody was fit to drive: the least.
  case germanLeast = "german-least"
  /// Germany, whether somebody was criminally responsible: the most.
  case germanMost = "german-most"

  public var beta: GramsPerKilogramHour { self == .germanLeast ? 0.1 : 0.2 }
  /// What is added once.
  public var surcharge: GramsPerKilogram { self == .germanLeast ? 0 : 0.2 }
  /// How long after the end of drinking nobody goes back to.
  public var absorbedAfter: Hours { self == .germanLeast ? 2 : 0 }
  /// Whether an event within that time is counted to its end, not refused.
  public var countsFromAbsorption: Bool { self == .germanLeast }
  /// By what serum in g/L is divided to get blood in g/kg: ratios of water alone, or with the density of serum,
  /// 1.03 kg/L.
  public static let serumDivisors = 1.2...1.236
  static let serumSource = "Schoknecht, NZV 1990, 104; 1.2 x 1.03 kg/L"
  /// What the concentration was: this or more, or this or less.
  public var bound: String { self == .germanLeast ? "at least" : "at most" }
  public var purpose: String {
    self == .germanLeast
      ? "by the rule of German courts for fitness to drive"
      : "by the rule of German courts for criminal responsibility"
  }
  /// The text that has the rule, and where it was read.
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
  /// Refuses what a rule says nothing about, and what contradicts it.
  func checkGuideline(_ mode: CaseOptions.Mode) throws(CaseFailure) {
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

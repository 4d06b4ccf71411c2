public import AlcoholKinetics

/// Whose glasses, measures and standard drinks are meant where a drink is written without its size.
public enum DrinkRegion: String, CaseIterable, Codable, Hashable, Sendable {
  /// The United States.
  case us
  /// The United Kingdom.
  case uk
  /// The continent of Europe.
  case eu
  /// Australia.
  case au

  /// Its standard drink: 14 g in the United States (NIAAA), a unit of 8 g in the United Kingdom (Department of Health),
  /// 10 g in Australia (NHMRC 2020) and in most of Europe (Kalinowski & Humphreys 2016).
  public var standardDrink: Grams {
    switch self {
    case .us: 14
    case .uk: 8
    case .eu, .au: 10
    }
  }
}

/// What kind of drink it is.
public enum DrinkType: String, CaseIterable, Hashable, Sendable {
  case beer, wine, cider, liqueur, spirit, cocktail
  /// No alcohol to speak of.
  case none
}

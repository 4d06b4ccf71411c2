import AlcoholKinetics

/// A series while the tables are being read.
struct SeriesDraft {
  var occasion: String?
  /// Where it is mentioned first.
  var mention: SourceLocation
  /// Whether the table of drinks has rows for it, readable or not.
  var hasDrinkRows = false
  var drinks = Timeline<Drink>()
  var readings = Timeline<Reading>()
  /// What was found wrong with its rows.
  var findings: [Diagnostic] = []

  init(occasion: String?, mention: SourceLocation) {
    self.occasion = occasion
    self.mention = mention
  }
}

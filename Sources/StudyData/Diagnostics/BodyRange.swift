/// What bodies people have: one range for each measure, for studies and for cases.
package enum BodyRange {
  /// In years, cm and kg.
  package static let ages = 0.0...130
  package static let heights = 50.0...260
  package static let weights = 20.0...400
  /// Body mass indices in kg/m2 outside of which a unit is wrong. About 12 is the least with which people have
  /// survived starvation (Henry 1990, Eur J Clin Nutr 44, 329-335); the upper end is wide and has no source.
  package static let massIndices = 12.0...70
}

extension ClosedRange<Double> {
  /// `20 to 400`, of a range with whole ends.
  package var words: String { "\(Int(lowerBound)) to \(Int(upperBound))" }
}

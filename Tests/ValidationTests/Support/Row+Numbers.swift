extension [String: String] {
  /// A number of a row, or nil if the field is empty.
  func number(_ column: String) throws -> Double? {
    guard let text = self[column] else { throw MissingColumn(name: column) }
    guard !text.isEmpty else { return nil }
    guard let number = Double(text) else { throw MissingColumn(name: column) }
    return number
  }

  /// The numbers of a cell, which are separated by spaces.
  func numbers(_ column: String) throws -> [Double] {
    guard let text = self[column] else { throw MissingColumn(name: column) }
    return try text.split(separator: " ").map { part in
      guard let number = Double(part) else { throw MissingColumn(name: column) }
      return number
    }
  }
}

/// Whether two numbers agree but for rounding.
///
/// - Parameters:
///   - relative: the tolerance as a fraction of the expected number.
///   - absolute: the tolerance where the expected number is zero or a difference of larger ones.
func agree(
  _ found: Double?, _ expected: Double?, relative: Double = 1e-12, absolute: Double = 1e-13
) -> Bool {
  guard let found, let expected else { return found == nil && expected == nil }
  return abs(found - expected) <= max(relative * abs(expected), absolute)
}

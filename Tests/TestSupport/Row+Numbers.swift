extension [String: String] {
  /// A number of a row, or nil if the field is empty.
  public func number(_ column: String) throws -> Double? {
    guard let text = self[column] else { throw MissingColumn(name: column) }
    guard !text.isEmpty else { return nil }
    guard let number = Double(text) else { throw MissingColumn(name: column) }
    return number
  }

  /// A number of a row that must be there.
  public func known(_ column: String) throws -> Double {
    guard let number = try number(column) else { throw MissingColumn(name: column) }
    return number
  }

  /// The numbers of a cell, which are separated by spaces.
  public func numbers(_ column: String) throws -> [Double] {
    guard let text = self[column] else { throw MissingColumn(name: column) }
    return try text.split(separator: " ").map { part in
      guard let number = Double(part) else { throw MissingColumn(name: column) }
      return number
    }
  }
}

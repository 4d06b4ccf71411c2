/// One value of a table.
public enum Cell: Hashable, Sendable {
  /// Words.
  case text(String)
  /// A count.
  case integer(Int)
  /// A finite number; use ``number(_:)`` to make one.
  case real(Double)
  /// Nothing: not known, not finite or not applicable.
  case missing

  /// A number, or missing if there is none or it is not finite.
  public static func number(_ value: Double?) -> Cell {
    guard let value, value.isFinite else { return .missing }
    return .real(value)
  }

  /// Words, or missing if there are none.
  public static func words(_ text: String?) -> Cell {
    text.map(Cell.text) ?? .missing
  }

  /// Codes separated by semicolons, each once, or missing if there are none.
  public static func codes(_ codes: [String]) -> Cell {
    let unique = codes.reduce(into: [String]()) { list, code in
      if !list.contains(code) { list.append(code) }
    }
    return unique.isEmpty ? .missing : .text(unique.joined(separator: ";"))
  }

  /// A count, or missing if there is none.
  public static func count(_ count: Int?) -> Cell {
    count.map(Cell.integer) ?? .missing
  }

  /// The value in full, as CSV and JSON carry it: the shortest digits that give the same number
  /// back. Nil if missing.
  var exactText: String? {
    switch self {
    case .text(let text): text
    case .integer(let integer): String(integer)
    case .real(let number): number.description
    case .missing: nil
    }
  }
}

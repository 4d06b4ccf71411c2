import Estimation
import Foundation

/// A column of a table: its name for programs, its heading for people, and how to fill it.
public struct Column<Row>: Sendable {
  /// The stable name, snake case with the unit in it; nil keeps the column out of CSV and JSON.
  public let name: String?
  /// What stands over the column on a terminal; nil keeps the column off the terminal.
  public let heading: String?
  /// How numbers are shown to people; programs get all digits.
  public let style: NumberStyle
  /// The value of the column in a row.
  public let cell: @Sendable (Row) -> Cell

  /// Describes a column.
  public init(
    _ name: String,
    heading: String? = nil,
    style: NumberStyle = .significant(3),
    cell: @escaping @Sendable (Row) -> Cell
  ) {
    self.name = name
    self.heading = heading
    self.style = style
    self.cell = cell
  }

  /// Describes a column that only people are shown, since programs have its values in others.
  public init(
    forPeople heading: String, style: NumberStyle = .significant(3),
    cell: @escaping @Sendable (Row) -> Cell
  ) {
    name = nil
    self.heading = heading
    self.style = style
    self.cell = cell
  }
}

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

/// How many digits of a number people are shown.
public enum NumberStyle: Hashable, Sendable {
  /// So many significant digits.
  case significant(Int)
  /// So many digits after the point.
  case decimals(Int)
  /// As many digits as it has.
  case whole

  /// The number with as many digits as it has, and no `.0`, for running text.
  package static func exact(_ number: Double) -> String {
    String(format: "%.15g", number)
  }

  func format(_ number: Double) -> String {
    let text =
      switch self {
      case .significant(let digits): String(format: "%#.\(digits)g", number).trimmingPoint
      case .decimals(let digits): String(format: "%.\(digits)f", number)
      case .whole: Self.exact(number)
      }
    // What rounds to zero has no sign.
    let isZero = !text.contains { ("1"..."9").contains($0) }
    return isZero && text.hasPrefix("-") ? String(text.dropFirst()) : text
  }

  /// Both ends in brackets.
  func format(_ interval: Interval) -> String {
    "[\(format(interval.low)), \(format(interval.high))]"
  }
}

extension String {
  /// C's `%#g` keeps trailing zeros, which are significant, and a bare trailing point, which is
  /// not.
  fileprivate var trimmingPoint: String {
    hasSuffix(".") ? String(dropLast()) : replacing(".e", with: "e")
  }
}

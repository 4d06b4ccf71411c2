package import AlcoholKinetics
import Estimation
import Foundation
package import StudyData
package import Validation

/// A column of a table, declared once: tables, CSV, JSON, the list of columns and `promille explain` all take it
/// from here.
///
/// The type of a column's values says what the column holds and whether a value can be missing.
public struct Column<Row>: Sendable {
  /// The description of the column for programs; nil keeps it out of CSV and JSON.
  public let description: ColumnDescription?
  /// The heading on a terminal; nil keeps the column off the terminal.
  public let heading: String?
  /// How numbers are shown to people; programs get all digits.
  public let style: NumberStyle
  /// The value of the column in a row.
  public let cell: @Sendable (Row) -> Cell

  /// The stable name, snake case with the unit in it; nil if programs are not shown the column.
  public var name: String? { description?.name }

  /// Declares a column; `unit` is nil if it is in the name, or the name in backquotes of the column that has it.
  package init<Value: ColumnValue>(
    _ name: String, in unit: String? = nil, oneOf words: [String]? = nil, heading: String? = nil,
    style: NumberStyle = .significant(3), isDetail: Bool = false,
    _ meaning: String, _ value: @escaping @Sendable (Row) -> Value
  ) {
    description = ColumnDescription(
      name: name, unit: unit ?? ColumnDescription.unit(in: name),
      kind: words.map(ValueKind.oneOf) ?? Value.kind,
      canBeMissing: Value.canBeMissing, meaning: meaning, isDetail: isDetail)
    self.heading = heading
    self.style = style
    cell = { value($0).cell }
  }

  /// Declares a column that only people are shown, since programs have its values in others.
  package init<Value: ColumnValue>(
    forPeople heading: String, style: NumberStyle = .significant(3),
    _ value: @escaping @Sendable (Row) -> Value
  ) {
    self.init(description: nil, heading: heading, style: style) { value($0).cell }
  }

  init(
    description: ColumnDescription?, heading: String?, style: NumberStyle,
    cell: @escaping @Sendable (Row) -> Cell
  ) {
    self.description = description
    self.heading = heading
    self.style = style
    self.cell = cell
  }
}

extension Array {
  /// The columns of a table with or without details: people are shown the same headings either way.
  func shown<Row>(details: Bool) -> [Column<Row>] where Element == Column<Row> {
    details ? self : compactMap { $0.description?.isDetail == true ? $0.forPeople : $0 }
  }
}

extension Column {
  /// The column as only people are shown it; nil if they are not.
  fileprivate var forPeople: Column? {
    heading.map { Column(description: nil, heading: $0, style: style, cell: cell) }
  }
}

/// The description of a column for programs and their authors.
public struct ColumnDescription: Hashable, Codable, Sendable {
  public let name: String
  /// The unit, or the name in backquotes of the column that has it; nil without any.
  public let unit: String?
  public let kind: ValueKind
  /// Whether a value can be missing: empty in CSV and null in JSON.
  public let canBeMissing: Bool
  /// What the column tells, in a short phrase.
  public let meaning: String
  /// Whether rows have it with `--details` only.
  public let isDetail: Bool
}

extension ColumnDescription {
  /// The units that names have in them.
  private static let units = [
    "g_per_kg_h": "g/kg/h", "g_h_per_kg": "g h/kg", "g_per_kg": "g/kg", "mg_per_l": "mg/L",
    "g_per_l": "g/L",
    "per_h": "1/h", "per_s": "1/s", "pct": "%", "percent": "%", "min": "min", "ms": "ms",
    "ml": "ml",
    "days": "days",
    "kg": "kg", "cm": "cm", "g": "g", "h": "h", "y": "years",
  ]

  /// The unit of `time_min` or `error_pct_of_measured`: of the words behind the first, the first that are one.
  fileprivate static func unit(in name: String) -> String? {
    let words = name.split(separator: "_")
    for start in words.indices.dropFirst() {
      for end in stride(from: min(start + 4, words.count), to: start, by: -1) {
        let found = units[words[start..<end].joined(separator: "_")]
        if let found { return found }
      }
    }
    return nil
  }
}

/// What the values of a column are.
public enum ValueKind: Hashable, Codable, Sendable {
  case text
  /// One of these words.
  case oneOf([String])
  /// Codes of warnings, separated by semicolons.
  case codes
  /// A whole number from 0.
  case count
  case number
}

/// A value that a column can hold; its type says what the column is documented to hold.
package protocol ColumnValue: Sendable {
  static var kind: ValueKind { get }
  static var canBeMissing: Bool { get }
  var cell: Cell { get }
}

extension ColumnValue {
  package static var canBeMissing: Bool { false }
}

extension String: ColumnValue {
  package static var kind: ValueKind { .text }
  package var cell: Cell { .text(self) }
}

extension Int: ColumnValue {
  package static var kind: ValueKind { .count }
  package var cell: Cell { .integer(self) }
}

extension Double: ColumnValue {
  package static var kind: ValueKind { .number }
  package var cell: Cell { .number(self) }

  /// The number; nil if it is infinite or NaN, so that its column is declared as one that can be missing.
  var ifFinite: Double? { isFinite ? self : nil }
}

extension Bool: ColumnValue {
  package static var kind: ValueKind { .oneOf(["yes", "no"]) }
  package var cell: Cell { .text(self ? "yes" : "no") }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  package static var kind: ValueKind { Wrapped.kind }
  package static var canBeMissing: Bool { true }
  package var cell: Cell { self?.cell ?? .missing }
}

/// Words that are listed in a type.
extension ColumnValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  package static var kind: ValueKind { .oneOf(allCases.map(\.rawValue)) }
  package var cell: Cell { .text(rawValue) }
}

extension Sex: ColumnValue {}
extension FitParameter: ColumnValue {}
extension EliminationModel: ColumnValue {}
extension Diagnostic.Severity: ColumnValue {}
extension ComparedQuantity: ColumnValue {}
extension Bootstrap.Kind: ColumnValue {}
extension MethodPair.Verdict: ColumnValue {}
extension RComparison.Status: ColumnValue {}
extension Score.CurveStatus: ColumnValue {}
extension Score.TimeStatus: ColumnValue {}
extension SobrietyThreshold.Origin: ColumnValue {}
extension MeasuredSobriety.Knowledge: ColumnValue {}

/// Codes of warnings, separated by semicolons and each once; none is missing.
package struct Codes: ColumnValue {
  package static let kind = ValueKind.codes
  package static let canBeMissing = true
  package let cell: Cell

  package init(_ codes: [String]?) {
    let codes = codes?.uniqued ?? []
    cell = codes.isEmpty ? .missing : .text(codes.joined(separator: ";"))
  }
}

/// A value that is words in some rows and a number in others, for people.
extension Cell: ColumnValue {
  package static var kind: ValueKind { .text }
  package static var canBeMissing: Bool { true }
  package var cell: Cell { self }
}

/// One value of a table.
public enum Cell: Hashable, Sendable {
  case text(String)
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
  static func words(_ text: String?) -> Cell { text.map(Cell.text) ?? .missing }
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

  /// A number with so many digits at most.
  static func atMost(_ number: Double, digits: Int) -> String {
    exact(Double(String(format: "%.\(digits)g", number)) ?? number)
  }

  package func format(_ number: Double) -> String {
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

  func format(_ interval: Interval) -> String {
    "[\(format(interval.low)), \(format(interval.high))]"
  }
}

extension String {
  /// Without the bare point at the end that C's `%#g` keeps.
  fileprivate var trimmingPoint: String {
    hasSuffix(".") ? String(dropLast()) : replacing(".e", with: "e")
  }
}

/// A table of results as it is declared: its name, what a row is, and its columns.
package struct TableLayout<Row>: Sendable {
  /// The name, which is the key of its rows in JSON unless a document has another.
  package let name: String
  /// What a row is, and what else a reader must know, as Markdown.
  package let about: String
  package let columns: [Column<Row>]

  package init(_ name: String, _ about: String, columns: [Column<Row>]) {
    self.name = name
    self.about = about
    self.columns = columns
  }

  /// What is documented of the table.
  package var description: TableDescription {
    TableDescription(name: name, about: about, columns: columns.compactMap(\.description))
  }
}

/// What is documented of a table of results.
public struct TableDescription: Hashable, Codable, Sendable {
  public let name: String
  /// What a row is, and what else a reader must know, as Markdown.
  public let about: String
  /// The columns that programs are shown, in order.
  public let columns: [ColumnDescription]
}

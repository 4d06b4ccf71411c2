package import AlcoholKinetics
import Estimation
import Foundation
package import StudyData
package import Validation

/// A column of a table: tables, CSV and JSON take its name and its values from here.
///
/// The type of a column's values says what the column holds and whether a value can be missing. Units and meanings are
/// in `columns.tsv`, with which a test compares all columns; see `ResultCatalogue`.
public struct Column<Row>: Sendable {
  /// The stable name, snake case with the unit in it; nil keeps the column out of CSV and JSON.
  public private(set) var name: String?
  /// The heading on a terminal; nil keeps the column off the terminal.
  public private(set) var heading: String?
  /// The rounding of numbers for people; programs get all digits.
  package let style: NumberStyle
  /// The type of the column's values.
  package let kind: ValueKind
  /// True if a value can be missing: empty in CSV and null in JSON.
  package let canBeMissing: Bool
  /// True if rows have it with `--details` only.
  package let isDetail: Bool
  /// A value that all rows usually have; people are not shown the column then.
  private(set) var usual: Cell?
  /// The value of the column in a row.
  public let cell: @Sendable (Row) -> Cell

  /// Declares a column, of some words only if they are listed.
  package init<Value: ColumnValue>(
    _ name: String, oneOf words: [String]? = nil, heading: String? = nil,
    style: NumberStyle = .significant(3), isDetail: Bool = false,
    _ value: @escaping @Sendable (Row) -> Value
  ) {
    self.name = name
    self.heading = heading
    self.style = style
    self.isDetail = isDetail
    kind = words.map(ValueKind.oneOf) ?? Value.kind
    canBeMissing = Value.canBeMissing
    cell = { value($0).cell }
  }

  /// Declares a column that only people are shown, since programs have its values in others.
  package init<Value: ColumnValue>(
    forPeople heading: String, style: NumberStyle = .significant(3), unlessAll usual: Cell? = nil,
    _ value: @escaping @Sendable (Row) -> Value
  ) {
    self.init("", heading: heading, style: style, value)
    name = nil
    self.usual = usual
  }

  /// The column under another name, or for people only without one, and with another heading.
  func called(_ name: String?, heading: String?) -> Column {
    var column = self
    column.name = name
    column.heading = heading
    return column
  }
}

extension Array {
  /// The columns of a table with or without details: people are shown the same headings either way.
  func shown<Row>(details: Bool) -> [Column<Row>] where Element == Column<Row> {
    details
      ? self
      : compactMap { column in
        guard column.isDetail else { return column }
        return column.heading.map { column.called(nil, heading: $0) }
      }
  }
}

/// The type of the values in a column.
package enum ValueKind: Hashable, Sendable {
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
extension FitStatus: ColumnValue {}
extension DerivedQuantity: ColumnValue {}
extension EliminationModel: ColumnValue {}
extension Diagnostic.Severity: ColumnValue {}
extension ComparedQuantity: ColumnValue {}
extension ForecastSkill.Quantity: ColumnValue {}
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

/// The number of digits that people are shown.
package enum NumberStyle: Hashable, Sendable {
  /// This number of significant digits.
  case significant(Int)
  /// This number of digits after the decimal point.
  case decimals(Int)
  /// All digits.
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
      case .significant(let digits):
        Self.plain(String(format: "%#.\(digits)g", number).trimmingPoint)
      case .decimals(let digits): String(format: "%.\(digits)f", number)
      case .whole: Self.exact(number)
      }
    // What rounds to zero has no sign.
    let isZero = !text.contains { ("1"..."9").contains($0) }
    return isZero && text.hasPrefix("-") ? String(text.dropFirst()) : text
  }

  /// 2100 for 2.10e+03; numbers that only computers have keep their exponent.
  private static func plain(_ text: String) -> String {
    guard text.contains("e+"), let number = Double(text), abs(number) < 1e15 else { return text }
    return String(format: "%.0f", number)
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

/// A table of results as it is declared: its name and its columns.
package struct TableLayout<Row>: Sendable {
  /// The name, which is the key of its rows in JSON unless a document has another.
  package let name: String
  package let columns: [Column<Row>]

  package init(_ name: String, columns: [Column<Row>]) {
    self.name = name
    self.columns = columns
  }
}

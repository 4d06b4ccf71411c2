import StudyData
package import StudyFiles

/// A finished table: columns and rows of values.
public struct Table: Hashable, Sendable {
  /// The header of a column and the type of its values.
  public struct Header: Hashable, Sendable {
    /// The stable name; nil if programs are not shown the column.
    public let name: String?
    /// The heading for people; nil if people are not shown the column.
    public let heading: String?
    /// The rounding of its numbers for people.
    package let style: NumberStyle
    /// The type of the values; nil if unknown.
    let kind: ValueKind?
    /// A value that all rows usually have; people are not shown the column then.
    var usual: Cell?
  }

  public let headers: [Header]
  /// The rows, each with one cell per column.
  public let rows: [[Cell]]

}

extension Table {
  /// Fills columns from rows.
  public init<Row>(_ columns: [Column<Row>], rows: [Row]) {
    self.init(headers: columns.map(\.header), rows: rows.map(columns.cells))
  }
}

extension Column {
  package var header: Table.Header {
    Table.Header(name: name, heading: heading, style: style, kind: kind, usual: usual)
  }
}

extension Array {
  /// The values of all columns in a row; inlined, since else each column would be copied for every row.
  @inlinable
  package func cells<Row>(of row: Row) -> [Cell] where Element == Column<Row> {
    var cells: [Cell] = []
    cells.reserveCapacity(count)
    for index in indices { cells.append(self[index].cell(row)) }
    return cells
  }
}

extension Array {
  /// The columns that programs are shown: those with a name.
  package func named<Row>() -> [Column<Row>] where Element == Column<Row> {
    filter { $0.name != nil }
  }
}

extension Table {
  /// The table in a format for programs: all columns, all digits; CSV is that of RFC 4180, with line feeds.
  func bytes(as format: ReportFormat, _ provenance: Provenance? = nil) -> [UInt8] {
    var writer = RowWriter(headers, as: format, provenance)
    return writer.all(rows)
  }

  /// The table as CSV.
  public var csv: String { csv(.point) }

  /// The table as CSV with a decimal point or comma.
  public func csv(_ mark: DecimalMark) -> String {
    String(decoding: bytes(as: mark == .comma ? .csvWithDecimalComma : .csv), as: UTF8.self)
  }
}

/// The decimal mark of CSV, which decides the separator of fields.
public enum DecimalMark: String, CaseIterable, Sendable {
  /// 0.45, and commas between fields.
  case point
  /// 0,45, and semicolons between fields, as spreadsheets in many countries read them.
  case comma

  var separator: Unicode.Scalar { self == .point ? "," : ";" }
}

extension Cell {
  /// Writes the value in full as a field of CSV: the shortest digits that give a number back; nothing if it is missing.
  func write(to line: inout some TextOutputStream, _ mark: DecimalMark) {
    switch self {
    case .text(let text): line.write(text.csvField(mark))
    case .integer(let integer): line.write(String(integer))
    case .real(let number) where mark == .point: number.write(to: &line)
    case .real(let number): line.write(number.description.replacing(".", with: ","))
    case .missing: break
    }
  }
}

extension [String] {
  func csvLine(_ mark: DecimalMark) -> String {
    map { $0.csvField(mark) }.joined(separator: String(mark.separator)) + "\n"
  }
}

extension String {
  /// The text as a field, quoted where it must be; by scalars, as a quote with a combining mark is a quote to readers.
  func csvField(_ mark: DecimalMark) -> String {
    guard utf8.contains(where: Self.needsQuotes) || mark == .comma && utf8.contains(0x3B) else {
      return self
    }
    return "\"\(doublingQuotes)\""
  }

  /// The text with every quote doubled; by scalars, as CSV is read.
  var doublingQuotes: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      text.unicodeScalars.append(scalar)
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
    }
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r")
  }
}

extension Table {
  /// The rows as objects with the columns' names as keys; missing values are null.
  public var json: JSONValue {
    let names = headers.map(\.name)
    return .array(rows.map { JSONValue(names, $0) })
  }
}

extension JSONValue {
  /// A row as an object; cells without a name are left out.
  init(_ names: [String?], _ row: [Cell]) {
    self = .object(
      zip(names, row).compactMap { name, cell in name.map { ($0, JSONValue(cell)) } })
  }

  init(_ cell: Cell) {
    switch cell {
    case .text(let text): self = .string(text)
    case .integer(let integer): self = .integer(integer)
    case .real(let number): self = .number(number)
    case .missing: self = .null
    }
  }
}

extension Table {
  /// True if it has rows and a column with a heading.
  var isForPeople: Bool {
    !rows.isEmpty && headers.contains { $0.heading != nil }
  }

  /// The table as people read it: aligned, rounded, and without columns that are empty throughout.
  public var text: String { fitted(to: .plain).text }

  /// The table on a terminal, with the headings of the last columns, left out where lines would be too long.
  func fitted(to terminal: TerminalStyle) -> (text: String, leftOut: [String]) {
    var shown = shownColumns
    let widths = shown.map { index in
      rows.reduce((headers[index].heading ?? "").count) {
        max($0, displayed($1[index], index).count)
      }
    }
    if let width = terminal.width {
      while shown.count > 1, widths[..<shown.count].reduce(2 * (shown.count - 1), +) > width {
        shown.removeLast()
      }
    }
    let isRightAligned = shown.map { isNumeric($0) }
    let line = { (cells: [String], ink: (Int) -> Ink?) in
      zip(cells.indices, cells).map { index, cell in
        let space = String(repeating: " ", count: max(0, widths[index] - cell.count))
        let text = ink(index).map { terminal.painted(cell, $0) } ?? cell
        return isRightAligned[index] ? space + text : text + space
      }.joined(separator: "  ").trimmingTrailingSpaces
    }
    let head = line(shown.map { headers[$0].heading ?? "" }) { _ in .bold }
    let rule = line(shown.indices.map { String(repeating: "-", count: widths[$0]) }) { _ in nil }
    let body = rows.map { row in
      line(shown.map { displayed(row[$0], $0) }) { headers[shown[$0]].ink(of: row[shown[$0]]) }
    }
    return (
      ([head, rule] + body).joined(separator: "\n") + "\n",
      shownColumns[shown.count...].compactMap { headers[$0].heading }
    )
  }

  /// The columns that people are shown: those with a heading, unless all rows are empty or have the usual value.
  var shownColumns: [Int] {
    headers.indices.filter { index in
      headers[index].heading != nil
        && (rows.isEmpty
          || rows.contains { $0[index] != .missing && $0[index] != headers[index].usual })
    }
  }

  /// True if a column has no text in it.
  func isNumeric(_ column: Int) -> Bool {
    !rows.contains { if case .text = $0[column] { true } else { false } }
  }

  func displayed(_ cell: Cell, _ column: Int) -> String {
    switch cell {
    case .real(let number): headers[column].style.format(number)
    case .missing: "-"
    case .text(let text): text.printable
    case .integer(let integer): String(integer)
    }
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[...last])
  }
}

extension Table {
  /// A table of texts, for programs.
  package init(_ results: ResultTable) {
    self.init(
      headers: results.columns.map { Header(name: $0, heading: nil, style: .whole, kind: nil) },
      rows: results.rows.map { $0.map(Cell.text) })
  }
}

extension String {
  /// The text in lines of at most `width` characters; an option and its value stay together.
  package func wrapped(to width: Int, indent: String = "  ") -> String {
    var words: [Substring] = []
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      if let option = words.last, option.isOption, !word.isEmpty, word.first != "-" {
        words[words.count - 1] = self[option.startIndex..<word.endIndex]
      } else {
        words.append(word)
      }
    }
    var lines: [String] = []
    for word in words {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(lines.isEmpty ? String(word) : indent + word)
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension Substring {
  /// True for the name of an option alone, behind which a value can follow.
  fileprivate var isOption: Bool { wholeMatch(of: /\(?--[a-z-]+/) != nil }
}

/// The width and colours of a terminal.
public struct TerminalStyle: Sendable {
  /// The longest line in characters; nil without a limit.
  public var width: Int?
  public var isColored: Bool

  public init(width: Int? = nil, isColored: Bool = false) {
    self.width = width
    self.isColored = isColored
  }

  /// Output that is no terminal: lines of any length, without colours.
  public static let plain = TerminalStyle()

  /// The text in a colour, where there are colours.
  package func painted(_ text: String, _ ink: Ink) -> String {
    isColored ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// Highlights on a terminal, by the codes of ECMA-48 (1991), 8.3.117.
package enum Ink: String, Sendable {
  case bold = "1"
  case red = "31"
  case green = "32"
  case yellow = "33"
}

extension Table.Header {
  /// The highlight of a cell; only the status has one.
  func ink(of cell: Cell) -> Ink? {
    guard heading == "status", case .text(let status) = cell else { return nil }
    switch status {
    case "ok", "unchanged": return .green
    case "failed", "not-converged", "error": return .red
    default: return .yellow
    }
  }
}

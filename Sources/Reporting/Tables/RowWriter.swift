import StudyData
import StudyFiles

/// The formats of results.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// An aligned table with rounded numbers, for people.
  case table
  /// Comma-separated values with all digits.
  case csv
  /// A JSON document with the results and their provenance.
  case json
  /// The rows that CSV carries as JSON objects, one per line.
  case ndjson
  /// The rows that CSV carries as an Arrow IPC stream.
  case arrow

  /// CSV for spreadsheets of countries that write 0,45: semicolons separate fields.
  case csvWithDecimalComma

  /// Those that go by a name of their own.
  public static let allCases: [ReportFormat] = [.table, .csv, .json, .ndjson, .arrow]

  /// Whether each row is written by itself, so that nothing needs to be known of the others.
  public var isByRow: Bool { isCSV || self == .ndjson || self == .arrow }

  public var isCSV: Bool { self == .csv || self == .csvWithDecimalComma }

  public var mark: DecimalMark { self == .csvWithDecimalComma ? .comma : .point }
}

/// A table of which a row at a time is written, as text for programs.
///
/// The lines together are what the whole table is in the same format.
public struct RowLines<Row>: Sendable {
  private let columns: [Column<Row>]
  private let names: [String]
  private let format: ReportFormat

  /// A little more than most cells are long, separator included.
  private static var usualLength: Int { 12 }

  /// Writes columns in a format.
  ///
  /// - Parameters:
  ///   - format: NDJSON, Arrow, or one of CSV; any other is taken as CSV.
  init(_ columns: [Column<Row>], as format: ReportFormat) {
    self.columns = columns.filter { $0.name != nil }
    names = self.columns.compactMap(\.name)
    self.format = format
  }

  /// What stands before the rows: the header of CSV.
  public var head: String {
    format == .ndjson ? "" : names.csvLine(format.mark)
  }

  /// A row, as it is written.
  public func rows(_ row: Row) -> ResultRows {
    format == .arrow ? .cells([columns.map { $0.cell(row) }]) : .text(line(row))
  }

  /// What writes the rows.
  ///
  /// - Parameter provenance: What an Arrow stream says of itself.
  public func writer(_ provenance: Provenance) -> RowWriter {
    guard format == .arrow else { return RowWriter(head: head) }
    return RowWriter(
      columns.compactMap(\.description).map { ($0.name, $0.kind.inArrow) }, provenance)
  }

  /// A row, with its line feed.
  public func line(_ row: Row) -> String {
    if format == .ndjson { return JSONValue(names, columns.map { $0.cell(row) }).line + "\n" }
    var line = ""
    line.reserveCapacity(Self.usualLength * columns.count)
    for index in columns.indices {
      if index > 0 { line += format.mark.separator }
      columns[index].cell(row).write(to: &line, format.mark)
    }
    return line + "\n"
  }
}

/// Rows on their way to where they are written: as text, or as cells that a batch is made of.
public enum ResultRows: Sendable {
  /// Lines.
  case text(String)
  /// Rows with a cell for each column.
  case cells([[Cell]])

  /// Several in one, all of one kind.
  public init(_ parts: [ResultRows]) {
    var (text, cells) = ("", [[Cell]]())
    for part in parts {
      switch part {
      case .text(let lines): text += lines
      case .cells(let rows): cells += rows
      }
    }
    self = cells.isEmpty ? .text(text) : .cells(cells)
  }
}

/// Turns rows into bytes: text at once, Arrow in batches.
public struct RowWriter: Sendable {
  /// What stands before the rows.
  public let head: [UInt8]
  private var arrow: ArrowWriter?

  /// Writes text.
  public init(head: String) { self.head = Array(head.utf8) }

  /// Writes an Arrow stream.
  init(_ columns: [(name: String, kind: ArrowWriter.Kind)], _ provenance: Provenance) {
    let writer = ArrowWriter(columns, metadata: [("promille", provenance.json.line)])
    (head, arrow) = (writer.start, writer)
  }

  /// What can be written of rows, and of those before, at once.
  public mutating func bytes(of rows: ResultRows) -> [UInt8] {
    switch rows {
    case .text(let text): return Array(text.utf8)
    case .cells(let rows):
      for row in rows {
        for (index, cell) in row.enumerated() { arrow?.add(cell.inArrow, to: index) }
        arrow?.endRow()
      }
      return arrow?.isFull == true ? rest() : []
    }
  }

  /// The rows that are waiting for others.
  public mutating func rest() -> [UInt8] { arrow?.takeBatch() ?? [] }

  /// The same, and what ends the result.
  public mutating func end() -> [UInt8] { rest() + (arrow == nil ? [] : ArrowWriter.end) }
}

extension ValueKind {
  /// What a column of an Arrow stream holds.
  var inArrow: ArrowWriter.Kind {
    switch self {
    case .text, .oneOf, .codes: .text
    case .count: .integer
    case .number: .number
    }
  }
}

extension Cell {
  /// The value in an Arrow stream.
  fileprivate var inArrow: ArrowWriter.Value {
    switch self {
    case .text(let text): .text(text)
    case .integer(let integer): .integer(Int64(integer))
    case .real(let number): .number(number)
    case .missing: .missing
    }
  }

  /// The same in a column of texts, in which some values may be numbers.
  fileprivate var asText: Cell {
    switch self {
    case .text, .missing: return self
    case .integer, .real:
      var text = ""
      write(to: &text, .point)
      return .text(text)
    }
  }
}

extension Table {
  /// The table as an Arrow stream: all columns that programs are shown.
  func arrow(_ provenance: Provenance) -> [UInt8] {
    let shown = headers.indices.filter { headers[$0].name != nil }
    let kinds = shown.map { headers[$0].kind?.inArrow ?? .text }
    var writer = RowWriter(zip(shown, kinds).map { (headers[$0].name ?? "", $1) }, provenance)
    var bytes = writer.head
    for row in rows {
      let cells = zip(shown, kinds).map { $1 == .text ? row[$0].asText : row[$0] }
      bytes += writer.bytes(of: .cells([cells]))
    }
    return bytes + writer.end()
  }
}

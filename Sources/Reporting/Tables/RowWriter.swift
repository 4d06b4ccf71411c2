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
  /// The rows that CSV carries as an Arrow IPC file, for programs that open files.
  case arrowFile

  /// CSV for spreadsheets of countries that write 0,45: semicolons separate fields.
  case csvWithDecimalComma

  /// The formats that have a name of their own on the command line.
  public static let allCases: [ReportFormat] = [.table, .csv, .json, .ndjson, .arrow]

  /// True if rows can be written one by one, without knowing the others.
  public var isByRow: Bool { isCSV || self == .ndjson || isArrow }

  public var isArrow: Bool { self == .arrow || self == .arrowFile }

  public var isCSV: Bool { self == .csv || self == .csvWithDecimalComma }

  public var mark: DecimalMark { self == .csvWithDecimalComma ? .comma : .point }
}

/// Turns rows into bytes, as they come or all of a table: lines of text at once, Arrow in batches.
package struct RowWriter: Sendable {
  /// The bytes before the rows: the header of CSV, the schema of Arrow.
  package let head: [UInt8]
  private let names: [String?]
  private let format: ReportFormat
  /// The indices of the columns that programs are shown, and whether each holds texts.
  private let shown: [(index: Int, isText: Bool)]
  private var arrow: ArrowWriter?

  /// A little more than most cells are long, separator included.
  private static let usualLength = 12

  /// Writes rows with a cell for each column; a format that is not by row is taken as CSV.
  package init(
    _ columns: [Table.Header], as format: ReportFormat,
    _ provenance: @autoclosure () -> Provenance? = nil
  ) {
    self.format = format
    names = columns.map(\.name)
    let kinds = columns.compactMap { column in
      column.name.map { (name: $0, kind: column.kind?.inArrow ?? .text) }
    }
    shown = zip(columns.indices.filter { columns[$0].name != nil }, kinds).map {
      ($0, $1.kind == .text)
    }
    switch format {
    case .arrow, .arrowFile:
      let writer = ArrowWriter(
        kinds, metadata: provenance().map { [("promille", $0.json.line)] } ?? [],
        asFile: format == .arrowFile)
      head = writer.start
      arrow = writer
    case .ndjson: head = []
    case .csv, .csvWithDecimalComma, .table, .json:
      head = Array(kinds.map(\.name).csvLine(format.mark).utf8)
    }
  }

  /// Writes text that is made elsewhere.
  package init(head: String) {
    self.head = Array(head.utf8)
    names = []
    format = .csv
    shown = []
  }

  /// Encodes rows: lines at once, or an Arrow batch when one is full, else nothing.
  package mutating func bytes(of rows: some Sequence<[Cell]>) -> [UInt8] {
    guard arrow != nil else {
      var lines = ByteStream(
        capacity: Self.usualLength * shown.count * rows.underestimatedCount)
      for row in rows { write(row, to: &lines) }
      return lines.bytes
    }
    for row in rows {
      for (column, (index, isText)) in shown.enumerated() {
        arrow?.add((isText ? row[index].asText : row[index]).inArrow, to: column)
      }
      arrow?.endRow()
    }
    return arrow?.isFull == true ? rest() : []
  }

  private func write(_ row: [Cell], to lines: inout ByteStream) {
    if format == .ndjson {
      JSONValue(names, row).write(to: &lines)
    } else {
      let mark = format.mark
      let separator = mark.separator
      for column in shown.indices {
        if column > 0 { lines.append(separator) }
        row[shown[column].index].write(to: &lines, mark)
      }
    }
    lines.append("\n")
  }

  /// Encodes the rows that wait for a batch to fill.
  package mutating func rest() -> [UInt8] { arrow?.takeBatch() ?? [] }

  /// Encodes the waiting rows and the end of the file.
  package mutating func end() -> [UInt8] { rest() + (arrow?.ending ?? []) }

  /// Encodes a whole table.
  mutating func all(_ rows: some Sequence<[Cell]>) -> [UInt8] {
    guard arrow != nil else { return head + bytes(of: rows) }
    var bytes = head
    for row in rows { bytes += self.bytes(of: CollectionOfOne(row)) }
    return bytes + end()
  }
}

/// Text as bytes, so that no text is made of a row, nor of a number.
struct ByteStream: TextOutputStream {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func append(_ character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

  mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  // How numbers are written; by default they become texts first.
  mutating func _writeASCII(_ text: UnsafeBufferPointer<UInt8>) { bytes += text }
}

extension ValueKind {
  var inArrow: ArrowWriter.Kind {
    switch self {
    case .text, .oneOf, .codes: .text
    case .count: .integer
    case .number: .number
    }
  }
}

extension Cell {
  fileprivate var inArrow: ArrowWriter.Value {
    switch self {
    case .text(let text): .text(text)
    case .integer(let integer): .integer(Int64(integer))
    case .real(let number): .number(number)
    case .missing: .missing
    }
  }

  /// The value as text, for a column of texts in which some values may be numbers.
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

package import StudyData

/// A table of results in a CSV file: names of columns, and rows of texts.
package struct ResultTable: Codable, Hashable, Sendable {
  /// The names of the columns, each once.
  package let columns: [String]
  /// The rows, each with one text per column; empty where there is no value.
  package let rows: [[String]]

  /// Makes a table of rows that have one text per column.
  package init(columns: [String], rows: [[String]]) {
    self.columns = columns
    self.rows = rows
  }

  /// Reads a table.
  ///
  /// - Parameters:
  ///   - path: A CSV file.
  ///   - key: The columns that identify its rows; empty if duplicates are allowed.
  /// - Throws: `StudyError` if the file does not exist, if it is not a table, or if two rows have the
  ///   same key.
  package init(readingFrom path: String, key: [String]) throws(StudyError) {
    let file = try InputFile.existing(
      path, remedy: "make it with promille regress --update if it holds golden results")
    self = try ResultTableReader.table(in: file, key: key)
  }
}

struct ResultTableReader {
  private let key: [String]
  private var columns: [String] = []
  private var rows: [[String]] = []
  private var lines: [[String]: Int] = [:]
  private var keyIndices: [Int] = []

  static func table(in file: InputFile, key: [String]) throws(StudyError) -> ResultTable {
    let table = CSVTable(file, separator: .comma)
    var reader = ResultTableReader(key: key)
    if let header = table.readHeader() {
      reader.columns = header.columns.map(\.name)
      for name in key where !reader.columns.contains(name) {
        header.reportMissing("column \(name)")
      }
      reader.keyIndices = key.compactMap(reader.columns.firstIndex)
      if !table.row.log.hasErrors { reader.readRows(table) }
    }
    try file.requireUnchanged()
    try [table.row.log].endIfBroken(with: [])
    return ResultTable(columns: reader.columns, rows: reader.rows)
  }

  private mutating func readRows(_ table: CSVTable) {
    while true {
      do throws(CSVProblem) {
        guard try table.nextRecord() else { return }
        readRow(table.row)
      } catch {
        table.add(error)
      }
    }
  }

  private mutating func readRow(_ row: CSVRow) {
    let start = Place(line: row.firstLine, column: 1)
    guard row.count == columns.count else {
      row.log.add(
        .csv, at: start,
        "the row has \(row.count) fields and the header \(columns.count)",
        remedy: "give every row one field per column")
      return
    }
    let cells = (0..<row.count).map(row.text)
    let name = keyIndices.map { cells[$0] }
    rows.append(cells)
    if !key.isEmpty, let line = lines.updateValue(row.firstLine, forKey: name) {
      row.log.add(
        .duplicate, at: start,
        "the row has the same \(key.joined(separator: ", ")) as line \(line)",
        remedy: "name more columns in key, or remove one of the rows")
    }
  }
}

/// A table of which a row at a time is written, as text for programs.
///
/// The lines together are what the whole table is in the same format.
public struct RowLines<Row>: Sendable {
  private let columns: [Column<Row>]
  private let names: [String]
  private let isJSON: Bool

  /// Writes columns in a format.
  ///
  /// - Parameters:
  ///   - columns: The columns; those for people are left out.
  ///   - isJSON: Whether rows are JSON objects instead of lines of CSV.
  init(_ columns: [Column<Row>], isJSON: Bool) {
    self.columns = columns.filter { $0.name != nil }
    names = self.columns.compactMap(\.name)
    self.isJSON = isJSON
  }

  /// What stands before the rows: the header of CSV.
  public var head: String {
    isJSON ? "" : names.csvLine
  }

  /// A row, with its line feed.
  public func line(_ row: Row) -> String {
    if isJSON { return JSONValue(names, columns.map { $0.cell(row) }).line + "\n" }
    var line = ""
    for column in columns {
      if let text = column.cell(row).exactText { line += text.csvField }
      line += ","
    }
    line.removeLast()
    return line + "\n"
  }
}

/// A table of results as CSV files hold it: names of columns, and rows of texts.
public struct ResultTable: Hashable, Sendable {
  /// The names of the columns, each once.
  public let columns: [String]
  /// The rows, each with one text per column; empty where there is no value.
  public let rows: [[String]]

  /// Makes a table of rows that have one text per column.
  public init(columns: [String], rows: [[String]]) {
    self.columns = columns
    self.rows = rows
  }

  /// Reads a table.
  ///
  /// - Parameters:
  ///   - path: A CSV file.
  ///   - key: The columns that tell its rows apart; none if they need not be told apart.
  /// - Throws: ``StudyError`` if there is no such file, if it is no table, or if two rows have the
  ///   same key.
  public init(readingFrom path: String, key: [String]) throws(StudyError) {
    guard let file = try InputFile(opening: path) else {
      let finding = Diagnostic(
        .fileMissing, at: SourceLocation(file: path), message: "there is no such file",
        remedy: "make it with promille regress --update if it holds golden results")
      throw StudyError(kind: .noInput, diagnostics: [finding])
    }
    self = try ResultTableReader.table(in: file, key: key)
  }
}

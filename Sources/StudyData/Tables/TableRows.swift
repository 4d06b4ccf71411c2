/// Understands the rows of one kind of table.
protocol TableRows {
  /// Reads a row, which has as many fields as the header.
  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog)

  /// Whether a row, of whatever length, says that it is not to be read.
  mutating func leavesOut(_ row: CSVRow) -> Bool
}

extension TableRows {
  func leavesOut(_ row: CSVRow) -> Bool { false }
}

/// Understands the rows of a table whose header says everything about them.
protocol HeadedRows: TableRows {
  /// Finds its columns; nil, with the reason in the log, where one is missing.
  init?(header: Header, log: inout FindingLog)
}

/// Understands the rows of a table that has many for a series.
protocol SeriesRows: TableRows {
  /// Finds the series of a row.
  var series: SeriesFinder { get set }

  /// Reads those of the rows that follow a row, of the same series, that are as most rows are.
  ///
  /// - Parameters:
  ///   - fields: What follows the row.
  ///   - line: The line it begins in.
  /// - Returns: How much was read.
  mutating func readPlainRows(
    _ fields: inout PlainFields, line: Int, into draft: inout StudyDraft
  ) -> PlainSpan
}

extension SeriesRows {
  mutating func readPlainRows(
    _ fields: inout PlainFields, line: Int, into draft: inout StudyDraft
  ) -> PlainSpan {
    PlainSpan()
  }
}

extension HeadedRows {
  /// Reads a whole table; nil, with the reason in the log, if its rows could not be read at all.
  static func read(
    _ file: InputFile, into draft: inout StudyDraft, log: inout FindingLog
  ) -> Self? {
    var cursor = TableCursor<Self>(file, log: log)
    cursor.readAll(into: &draft)
    log = cursor.log
    return cursor.rows
  }
}

extension CSVRow {
  /// Whether the row has as many fields as the header; reported if not.
  func fits(_ header: Header, log: inout FindingLog) -> Bool {
    let expected = header.columns.count
    if count == expected { return true }
    let looksLikeComma = count > expected && hasSplitNumber
    let location = SourceLocation(file: log.file, line: firstLine)
    log.add(
      Diagnostic(
        .fieldCount, at: location,
        message: "the row has \(count) fields and the header \(expected)",
        remedy: looksLikeComma
          ? "write numbers with a decimal point; a decimal comma seems to split a number"
          : "give every row one field per column, empty where a value is missing"))
    return false
  }

  /// Whether a number is followed by a field of digits only, as `0,45` is where commas separate.
  private var hasSplitNumber: Bool {
    (1..<count).contains { index in
      let (whole, fraction) = (content(of: index - 1), content(of: index))
      return !fraction.isEmpty && fraction.allSatisfy(ASCII.isDigit)
        && (try? DecimalNumber.parse(whole)) != nil
    }
  }
}

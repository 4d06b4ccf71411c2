/// Recognises the rows of a table of events that NONMEM is told to leave out (`IGNORE=C`, `#`, `@`).
struct CommentRows {
  /// The column that marks such rows, by which they are known.
  static let columnName = "c"

  private let mark: Column?
  /// How many there were.
  private(set) var count = 0
  /// Where the first one begins.
  private(set) var first: Place?

  init(header: Header) {
    mark = header.column(Self.columnName)
  }

  /// Counts a row if it is one of them; whether it is.
  mutating func take(_ row: CSVRow) -> Bool {
    guard isMarked(row) || beginsAsComment(row) else { return false }
    count += 1
    first = first ?? row.place(of: 0)
    return true
  }

  private func isMarked(_ row: CSVRow) -> Bool {
    guard let mark, mark.index < row.count else { return false }
    let content = row.content(of: mark.index)
    return content.count == 1 && content.first.map { $0 | 0x20 } == UInt8(ascii: "c")
  }

  /// A name that begins so stands in quotes.
  private func beginsAsComment(_ row: CSVRow) -> Bool {
    guard row.count > 0, !row.isQuoted(0), let first = row.content(of: 0).first else {
      return false
    }
    return first == UInt8(ascii: "#") || first == UInt8(ascii: "@")
  }

  /// What to say of them; nil if there were none.
  func finding(in log: FindingLog) -> Diagnostic? {
    guard count > 0 else { return nil }
    let rows = count == 1 ? "1 row is" : "\(count) rows are"
    return log.finding(
      .rowsLeftOut, at: first,
      "\(rows) left out, because of a C in the column C, or a leading # or @",
      remedy: "if that is intended, do nothing; otherwise remove the mark, rename the column, or "
        + "put the name in quotes")
  }
}

/// Notices where rows of one subject differ in what they say of the subject.
///
/// Fields are compared as bytes with those of the row before, so that nothing is made of most rows.
struct DescriptionChanges {
  private let columns: [Column]
  private var last: [[UInt8]]

  init(of columns: [Column]) {
    self.columns = columns
    last = Array(repeating: [], count: columns.count)
  }

  /// Notes the columns that differ from the row before, unless they are missing now.
  func note(in row: CSVRow, log: inout FindingLog) {
    for (column, bytes) in zip(columns, last)
    where !row.content(of: column.index).equals(bytes) && !row.isMissing(column.index) {
      row.note(
        .descriptionChanges, in: column, "but different in the row before",
        remedy: "check it; the subject's first row is used", log: &log)
    }
  }

  /// Remembers a row's fields.
  mutating func remember(_ row: CSVRow) {
    for (index, column) in columns.enumerated()
    where !row.isMissing(column.index) || last[index].isEmpty {
      last[index].replaceAll(with: row.content(of: column.index))
    }
  }
}

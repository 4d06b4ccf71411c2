/// A subject's name as rows are compared with it.
struct SubjectKey {
  let id: String
  private let bytes: [UInt8]

  init(_ id: String) {
    self.id = id
    bytes = Array(id.utf8)
  }

  /// Whether a field holds the name, in the same bytes or in others that stand for the same text.
  func isNamed(in row: CSVRow, _ column: Column) -> Bool {
    row.content(of: column.index).equals(bytes) || row.text(of: column.index) == id
  }
}

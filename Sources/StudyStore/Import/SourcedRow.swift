/// A row whose UUID came with its record, which says where it is from.
struct SourcedRow<Row: RecordRow>: BulkRow {
  var row: Row
  var source: String

  static var table: String { Row.table }
  static var columns: [String] { GivenRow<Row>.columns + ["source"] }

  func bind(to statement: RawStatement, from first: Int32) {
    GivenRow(row: row).bind(to: statement, from: first)
    statement.bind(source, at: first + Int32(GivenRow<Row>.columns.count))
  }
}

public import StudyData

extension Table {
  /// A table of texts, for programs.
  public init(_ results: ResultTable) {
    let columns = results.columns.indices.map { index in
      Column<[String]>(results.columns[index]) { .text($0[index]) }
    }
    self.init(columns, rows: results.rows)
  }
}

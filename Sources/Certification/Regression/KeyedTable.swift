import StudyData

/// A table whose rows are told apart by some of its columns.
struct KeyedTable {
  let table: ResultTable
  /// Where each column is.
  let index: [String: Int]
  /// The key of each row, in order.
  let keys: [[String]]
  private let names: [String]

  init(_ table: ResultTable, key: [String]) {
    self.table = table
    let columns = key.compactMap(table.columns.firstIndex)
    index = Dictionary(
      zip(table.columns, table.columns.indices), uniquingKeysWith: { first, _ in first })
    keys = table.rows.map { row in columns.map { row[$0] } }
    names = key
  }

  /// The text of a column in a row; nil if there is no such column or nothing in it.
  func text(_ column: String, in row: [String]) -> String? {
    index[column].map { row[$0] }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The number of a column in a row; nil if there is none.
  func number(_ column: String, in row: [String]) -> Double? {
    text(column, in: row).flatMap { Double($0) }
  }

  /// How people are told of a row.
  func label(_ key: [String]) -> String {
    zip(names, key).filter { !$1.isEmpty }.map { "\($0) \($1)" }.joined(separator: ", ")
  }
}

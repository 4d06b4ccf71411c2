/// A row of a table that is filled in bulk.
protocol BulkRow {
  /// The table.
  static var table: String { get }
  /// The columns, in the order they are bound.
  static var columns: [String] { get }

  /// Binds the row's values from a parameter on.
  func bind(to statement: RawStatement, from first: Int32)
}

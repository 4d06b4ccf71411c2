/// A finished table: columns and rows of values.
public struct Table: Sendable {
  /// What is known of a column once it is filled.
  public struct Header: Hashable, Sendable {
    /// The stable name; nil if programs are not shown the column.
    public let name: String?
    /// The heading for people; nil if people are not shown the column.
    public let heading: String?
    /// How people are shown its numbers.
    public let style: NumberStyle
  }

  /// The columns, in order.
  public let headers: [Header]
  /// The rows, each with one cell per column.
  public let rows: [[Cell]]

  /// Fills columns from rows.
  public init<Row>(_ columns: [Column<Row>], rows: [Row]) {
    headers = columns.map { Header(name: $0.name, heading: $0.heading, style: $0.style) }
    self.rows = rows.map { row in columns.map { $0.cell(row) } }
  }

  /// Takes rows that are filled already, each with one cell per column.
  init(headers: [Header], rows: [[Cell]]) {
    self.headers = headers
    self.rows = rows
  }
}

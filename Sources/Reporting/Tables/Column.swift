/// A column of a table: its name for programs, its heading for people, and how to fill it.
public struct Column<Row>: Sendable {
  /// The stable name, snake case with the unit in it; nil keeps the column out of CSV and JSON.
  public let name: String?
  /// What stands over the column on a terminal; nil keeps the column off the terminal.
  public let heading: String?
  /// How numbers are shown to people; programs get all digits.
  public let style: NumberStyle
  /// The value of the column in a row.
  public let cell: @Sendable (Row) -> Cell

  /// Describes a column.
  public init(
    _ name: String,
    heading: String? = nil,
    style: NumberStyle = .significant(3),
    cell: @escaping @Sendable (Row) -> Cell
  ) {
    self.name = name
    self.heading = heading
    self.style = style
    self.cell = cell
  }

  /// Describes a column that only people are shown, since programs have its values in others.
  public init(
    forPeople heading: String, style: NumberStyle = .significant(3),
    cell: @escaping @Sendable (Row) -> Cell
  ) {
    name = nil
    self.heading = heading
    self.style = style
    self.cell = cell
  }
}

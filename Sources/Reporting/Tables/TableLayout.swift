/// A table of results as it is declared: its name, what a row is, and its columns.
package struct TableLayout<Row>: Sendable {
  /// The name, which is the key of its rows in JSON unless a document has another.
  package let name: String
  /// What a row is, and what else a reader must know, as Markdown.
  package let about: String
  package let columns: [Column<Row>]

  package init(_ name: String, _ about: String, columns: [Column<Row>]) {
    self.name = name
    self.about = about
    self.columns = columns
  }

  /// What is documented of the table.
  package var description: TableDescription {
    TableDescription(name: name, about: about, columns: columns.compactMap(\.description))
  }
}

/// What is documented of a table of results.
public struct TableDescription: Hashable, Codable, Sendable {
  public let name: String
  /// What a row is, and what else a reader must know, as Markdown.
  public let about: String
  /// The columns that programs are shown, in order.
  public let columns: [ColumnDescription]
}

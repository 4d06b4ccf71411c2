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

/// A number of a result, with what its column is called.
package struct NamedNumber: Hashable, Sendable {
  /// The name of the column, with the unit in it.
  package let name: String
  /// The unit; nil without any.
  package let unit: String?
  /// The number; a count is one, too.
  package let value: Double
}

extension Array {
  /// The numbers in a row by the declarations of their columns; what is missing is left out.
  package func numbers<Row>(of row: Row) -> [NamedNumber] where Element == Column<Row> {
    compactMap { column in
      guard let description = column.description else { return nil }
      let value: Double? =
        switch column.cell(row) {
        case .integer(let count): Double(count)
        case .real(let number): number
        case .text, .missing: nil
        }
      return value.map {
        NamedNumber(name: description.name, unit: description.unit, value: $0)
      }
    }
  }
}

/// Says that a row has no such column, or no number in it.
package struct MissingColumn: Error {
  /// The column.
  package let name: String

  package init(name: String) {
    self.name = name
  }
}

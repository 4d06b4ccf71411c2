/// Says that a row has no such column, or no number in it.
public struct MissingColumn: Error {
  /// The column.
  public let name: String

  public init(name: String) {
    self.name = name
  }
}

public import StudyFiles

extension StudyReader {
  /// Opens the study in a database.
  ///
  /// - Throws: ``StoreError`` if it is no database that can be read.
  public init(database path: String) throws {
    let store = try StudyStore(path: path, for: .reading)
    self.init(database: path) { try store.stream() }
  }
}

public import AlcoholKinetics
public import StudyFiles

extension StudyReader {
  /// Opens a study in any form, a database too.
  ///
  /// - Parameters:
  ///   - path: A folder, a table of events, a database by its first bytes, or `-`.
  ///   - dvUnit: Matrix and unit of `DV`, for a table that does not say so itself.
  ///   - catalogue: What is known of drinks that a folder names.
  ///   - format: How the table is written, if it is a single one.
  /// - Throws: ``StudyError`` or ``StoreError`` if there is nothing that could be a study.
  public static func opening(
    _ path: String, dvUnit: ConcentrationUnit = .bloodGramsPerKilogram,
    catalogue: DrinkCatalogue = .standard, format: StudyReader.InputFormat = .csv
  ) throws -> StudyReader {
    guard format == .csv, StudyStore.accepts(path) else {
      return try StudyReader(path, dvUnit: dvUnit, catalogue: catalogue, format: format)
    }
    let store = try StudyStore(path: path, for: .reading)
    return StudyReader(database: path) { try store.stream() }
  }
}

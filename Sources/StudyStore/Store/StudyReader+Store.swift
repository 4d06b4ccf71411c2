public import AlcoholKinetics
public import Spreadsheets
public import StudyData
public import StudyFiles

extension StudyReader {
  /// Opens a study in any form, a database too.
  ///
  /// - Parameters:
  ///   - path: A folder, a table of events, a database by its first bytes, or `-`.
  ///   - dvUnit: Matrix and unit of `DV`, for a table that does not say so itself.
  ///   - catalogue: What is known of drinks that a folder names.
  ///   - map: What is said of columns that have names of their own.
  ///   - format: How the table is written, if it is a single one.
  /// - Throws: ``StudyError`` or ``StoreError`` if there is nothing that could be a study.
  public static func opening(
    _ path: String, dvUnit: ConcentrationUnit = .bloodGramsPerKilogram,
    catalogue: DrinkCatalogue = .standard, map: ColumnMap = .empty,
    format: StudyReader.InputFormat = .csv
  ) throws -> StudyReader {
    guard format == .csv, StudyStore.accepts(path) else {
      return try StudyReader(path, dvUnit: dvUnit, catalogue: catalogue, map: map, format: format)
    }
    let store = try StudyStore(path: path, for: .reading)
    return StudyReader(database: path) { try store.stream() }
  }

  /// Opens a study that is a folder or a database; nil if the path leads to something else, or nowhere.
  ///
  /// - Throws: ``StudyError`` or ``StoreError`` if the path leads to no study.
  public static func openingUnlessTable(_ path: String) throws -> StudyReader? {
    guard StudyReader.isFolder(path) || StudyStore.accepts(path) else { return nil }
    return try opening(path)
  }
}

/// Reads studies.
///
/// ```swift
/// let study = try StudyReader.read("studies/wilkinson")
/// for series in study.series where series.firstError == nil {
///   print(series.subject.id, series.readings.count)
/// }
/// ```
public enum StudyReader {
  /// Reads a study folder: `subjects.csv`, `drinks.csv`, `readings.csv` and `datapackage.json`.
  ///
  /// What is wrong with one subject's data is kept with that subject's series. What makes a file
  /// unreadable ends reading, with everything that was found in all of the files.
  ///
  /// - Parameter path: The folder.
  /// - Returns: The study; <doc:StudyFormat> says what its files may hold.
  /// - Throws: ``StudyError`` if the study is not there or is no study.
  public static func read(_ path: String) throws(StudyError) -> Study {
    try read(StudyFolder(readingFrom: path))
  }

  /// Reads a study whose files are in memory.
  static func read(_ folder: StudyFolder) throws(StudyError) -> Study {
    var tables = StudyTables(folder)
    return try tables.study()
  }
}

import Foundation

/// A study folder whose files are in memory, to be read as if they were on disk.
package struct StudyInMemory: Sendable {
  private let folder: StudyFolder

  /// Takes the tables.
  ///
  /// - Parameters:
  ///   - subjects: What `subjects.csv` holds.
  ///   - drinks: What `drinks.csv` holds.
  ///   - readings: What `readings.csv` holds.
  package init(subjects: [UInt8], drinks: [UInt8], readings: [UInt8]) {
    var files: [StudyFile: InputFile] = [:]
    for (file, bytes) in [
      (StudyFile.subjects, subjects), (.drinks, drinks), (.readings, readings),
    ] {
      files[file] = InputFile(path: file.rawValue, bytes: Data(bytes))
    }
    folder = StudyFolder(path: ".", files: files)
  }

  /// Begins to read it.
  ///
  /// - Throws: ``StudyError`` if it is no study.
  package func stream() throws(StudyError) -> StudyStream {
    try StudyStream(.folder(folder))
  }
}

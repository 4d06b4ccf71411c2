import Foundation
public import StudyData
public import StudyFiles

extension ColumnMap {
  /// What was said of the columns of another study, for tables of the same laboratory: they need not have all of them.
  ///
  /// - Parameter path: A study folder, or its `datapackage.json`.
  /// - Throws: ``StudyError`` if it is neither, or cannot be read.
  public init(answersOf path: String) throws(StudyError) {
    let isFolder = StudyReader.isFolder(path)
    let place = isFolder ? "\(path)/\(StudyFile.descriptor.rawValue)" : path
    guard isFolder || StudyDocument.isNamed(path) || !FileManager.default.fileExists(atPath: path)
    else {
      throw StudyError(
        .badData, .fileFormat, in: path,
        message: "this is neither a study folder nor a datapackage.json",
        remedy: "name the folder that promille init made of an earlier table")
    }
    guard let file = try InputFile(opening: place) else {
      throw StudyError(
        .noInput, isFolder ? .fileMissing : .noSuchStudy, in: place,
        message: isFolder
          ? "there is no such file, so the study says nothing of columns"
          : "there is no such study",
        remedy: isFolder
          ? "name a folder that promille init made of an earlier table" : "check the path")
    }
    var log = FindingLog(file: place)
    let package = DataPackage.read(file, log: &log)
    let errors = log.findings.filter { $0.severity == .error }
    guard errors.isEmpty else { throw StudyError(kind: .badData, diagnostics: errors) }
    self = package.columns.merging(package.sourceColumns).asAnswersOfAnother
  }
}

import Foundation

/// A study folder with its files opened, none of them looked into yet.
struct StudyFolder {
  /// The path it was opened with.
  let path: String
  /// Its files; the required ones are there.
  let files: [StudyFile: InputFile]
  /// What is known of drinks that it names.
  var catalogue = DrinkCatalogue.standard
  /// The file that takes the place of the folder's own readings, if one does.
  private let readingsPath: String?

  init(path: String, files: [StudyFile: InputFile], readingsPath: String? = nil) {
    self.path = path
    self.files = files
    self.readingsPath = readingsPath
  }

  /// Opens the folder's files.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - wanted: The files to read; others in the folder are not looked at.
  ///   - readingsPath: A file to read instead of the folder's readings; then it must be there.
  init(
    opening path: String, files wanted: [StudyFile] = StudyFile.ofSeries,
    readingsPath: String? = nil
  ) throws(StudyError) {
    try Self.requireFolder(path)
    var files: [StudyFile: InputFile] = [:]
    var findings: [Diagnostic] = []
    for file in wanted {
      let place = Self.path(of: file, in: path, readingsPath)
      let isRequired = file.isRequired || (file == .readings && readingsPath != nil)
      do throws(StudyError) {
        files[file] = try InputFile(opening: place)
        if files[file] == nil, isRequired {
          findings.append(Self.missing(place, belongsToFolder: place != readingsPath))
        }
      } catch {
        findings += error.diagnostics
      }
    }
    guard findings.isEmpty else { throw StudyError(kind: .noInput, diagnostics: findings) }
    self.init(path: path, files: files, readingsPath: readingsPath)
  }

  /// The folder's name, also where the path does not end in it (`.`).
  var name: String {
    URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent
  }

  /// The files' digests.
  func inputs() throws(StudyError) -> [InputDigest] {
    var inputs: [InputDigest] = []
    for file in StudyFile.allCases.compactMap({ files[$0] }) { inputs.append(try file.digest()) }
    return inputs
  }

  /// The path that leads to a file of the folder.
  func path(of file: StudyFile) -> String {
    Self.path(of: file, in: path, readingsPath)
  }

  private static func path(
    of file: StudyFile, in folder: String, _ readingsPath: String?
  ) -> String {
    if file == .readings, let readingsPath { return readingsPath }
    return folder.hasSuffix("/") ? folder + file.rawValue : "\(folder)/\(file.rawValue)"
  }

  private static func requireFolder(_ path: String) throws(StudyError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      throw refusal(
        .noInput, .noSuchStudy, path, message: "there is no such study: \(reason)",
        remedy: "check the path")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw refusal(
        .badData, .notAFolder, path, message: "the study is a file",
        remedy: "name a folder that holds subjects.csv, drinks.csv and readings.csv")
    }
  }

  private static func missing(_ path: String, belongsToFolder: Bool) -> Diagnostic {
    let folderRemedy =
      "a study is a folder with subjects.csv, drinks.csv and, usually, readings.csv; to "
      + "compare r factors, one with estimates.csv will do"
    return Diagnostic(
      .fileMissing, at: SourceLocation(file: path), message: "there is no such file",
      remedy: belongsToFolder ? folderRemedy : "check the path")
  }

  private static func refusal(
    _ kind: StudyError.Kind, _ code: DiagnosticCode, _ path: String, message: String,
    remedy: String
  ) -> StudyError {
    let location = SourceLocation(file: path)
    return StudyError(
      kind: kind,
      diagnostics: [Diagnostic(code, at: location, message: message, remedy: remedy)])
  }
}

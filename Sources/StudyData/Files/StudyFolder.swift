import Foundation

/// A study folder with its files read into memory, none of them looked into yet.
struct StudyFolder {
  /// The path it was opened with.
  let path: String
  /// Its files; the required ones are there.
  let files: [StudyFile: InputFile]

  init(path: String, files: [StudyFile: InputFile]) {
    self.path = path
    self.files = files
  }

  /// Reads the folder's files.
  init(readingFrom path: String) throws(StudyError) {
    try Self.requireFolder(path)
    var files: [StudyFile: InputFile] = [:]
    var findings: [Diagnostic] = []
    for file in StudyFile.allCases {
      do throws(StudyError) {
        files[file] = try InputFile(readingFrom: Self.path(of: file, in: path))
        if files[file] == nil, file.isRequired { findings.append(Self.missing(file, in: path)) }
      } catch {
        findings += error.diagnostics
      }
    }
    guard findings.isEmpty else { throw StudyError(kind: .noInput, diagnostics: findings) }
    self.init(path: path, files: files)
  }

  /// The folder's name, also where the path does not end in it (`.`).
  var name: String {
    URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent
  }

  /// The files' digests.
  var inputs: [InputDigest] {
    StudyFile.allCases.compactMap { files[$0]?.digest }
  }

  /// The path that leads to a file of the folder.
  func path(of file: StudyFile) -> String {
    Self.path(of: file, in: path)
  }

  private static func path(of file: StudyFile, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + file.rawValue : "\(folder)/\(file.rawValue)"
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

  private static func missing(_ file: StudyFile, in folder: String) -> Diagnostic {
    Diagnostic(
      .fileMissing, at: SourceLocation(file: Self.path(of: file, in: folder)),
      message: "the study has no \(file.rawValue)",
      remedy: "a study is a folder with subjects.csv, drinks.csv and, usually, readings.csv")
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

import AlcoholKinetics
import Foundation
package import StudyData

/// A study folder with its files opened, none of them looked into yet.
package struct StudyFolder: StudySource {
  package let path: String
  /// Its files; the required ones are there.
  package private(set) var files: [StudyFile: InputFile]
  package var catalogue = DrinkCatalogue.standard
  /// What was found in the sheet that it was made of, if it was: in rows of series, and beside them.
  package var sheet: (sources: [InputFile], found: SheetFindings)?

  package init(path: String, files: [StudyFile: InputFile]) {
    self.path = path
    self.files = files
  }

  /// Opens the folder's files.
  package init(
    opening path: String, files wanted: [StudyFile] = StudyFile.ofSeries
  ) throws(StudyError) {
    try Self.requireFolder(path)
    var files: [StudyFile: InputFile] = [:]
    var findings: [Diagnostic] = []
    for file in wanted {
      let place = Self.path(of: file, in: path)
      do throws(StudyError) {
        files[file] = try InputFile(opening: place)
        if files[file] == nil, file.isRequired {
          findings.append(Self.missing(place, remedy: Self.remedyForMissing(in: path)))
        }
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

  var descriptor: InputFile? { files[.descriptor] }
  var tables: any StudyTables { FolderTables(self) }
  var isRereadable: Bool { true }

  func takeDigests() {
    for file in files.values { file.takeDigest() }
  }

  var inputs: [InputDigest] {
    if let sheet { return sheet.sources.compactMap(\.digest) }
    return StudyFile.allCases.compactMap { files[$0]?.digest }
  }

  package mutating func name(_ columns: ColumnMap) {
    for file in files.keys where file != .descriptor { files[file]?.columns = columns }
  }

  func requireUnchanged() throws(StudyError) {
    for file in StudyFile.allCases { try files[file]?.requireUnchanged() }
    for source in sheet?.sources ?? [] { try source.requireUnchanged() }
  }

  /// Whether its tables are the files of a folder.
  var isOfFiles: Bool { sheet == nil && files[.subjects]?.isArrow != true }

  func path(of file: StudyFile) -> String {
    if !isOfFiles, let path = files[file]?.path { return path }
    return Self.path(of: file, in: path)
  }

  private static func path(of file: StudyFile, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + file.rawValue : "\(folder)/\(file.rawValue)"
  }

  /// Whether a folder holds estimates and no drinks; one that has both holds series, which say more.
  package static func holdsEstimates(_ path: String) -> Bool {
    let holds = { (file: StudyFile) in
      access(Self.path(of: file, in: path), F_OK) == 0
    }
    return holds(.estimates) && !holds(.drinks)
  }

  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func requireFolder(_ path: String) throws(StudyError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      throw StudyError(
        .noInput, .noSuchStudy, in: path, message: "there is no such study: \(reason)",
        remedy: "check the path")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      let isFile = status.st_mode & S_IFMT == S_IFREG
      throw StudyError(
        .badData, .notAFolder, in: path,
        message: isFile ? "the study is a file" : "the study is neither a folder nor a file",
        remedy: isFile
          ? "name a folder that holds subjects.csv, drinks.csv and readings.csv"
          : "name a folder or a file, or - to read a table of events from standard input")
    }
  }

  private static func remedyForMissing(in folder: String) -> String {
    let estimates = path(of: .estimates, in: folder)
    guard access(estimates, F_OK) == 0 else {
      return "a study is a folder with subjects.csv, drinks.csv and, usually, readings.csv; "
        + "estimates.csv alone is enough to compare r factors"
    }
    return "this is a study of estimates, for `promille check` and `promille compare` only; other "
      + "commands need subjects.csv, drinks.csv and readings.csv"
  }

  private static func missing(_ path: String, remedy: String) -> Diagnostic {
    Diagnostic(.fileMissing, in: path, message: "there is no such file", remedy: remedy)
  }
}

extension StudyFolder {
  /// A folder in memory, whose tables are Arrow streams that follow each other in a file: subjects, drinks and, unless
  /// there are none, readings. They are called so.
  package init(streamsIn file: InputFile) throws(StudyError) {
    let tables: [(StudyFile, String)] = [
      (.subjects, "subjects"), (.drinks, "drinks"), (.readings, "readings"),
    ]
    let streams: [Data]
    let contents = try file.contents()
    do throws(FileProblem) {
      streams = try ArrowStream.streams(in: contents)
      guard 2...tables.count ~= streams.count else {
        throw .damaged(
          "there are \(streams.count) streams and not two or three: subjects, drinks and readings")
      }
    } catch {
      throw error.refusal(of: file.path)
    }
    let files = zip(tables, streams).map { table, stream in
      var file = InputFile(path: table.1, bytes: stream)
      file.isArrow = true
      return (table.0, file)
    }
    self.init(path: file.path, files: Dictionary(uniqueKeysWithValues: files))
  }
}

/// Whose rows a finding is about: a subject on an occasion.
package struct SeriesKey: Hashable {
  let subject: String
  package let occasion: String?

  package init(subject: String, occasion: String?) {
    self.subject = subject
    self.occasion = occasion
  }
}

/// What was found in a sheet before its rows were tables: in rows of series, and beside them.
package struct SheetFindings {
  package let series: [SeriesKey: [Diagnostic]]
  package let all: [Diagnostic]
  private let subjects: [String: [SeriesKey]]

  package init(series: [SeriesKey: [Diagnostic]], all: [Diagnostic]) {
    self.series = series
    self.all = all
    subjects = Dictionary(grouping: series.keys, by: \.subject)
  }

  /// Whether rows of a series could not be read.
  var hasErrors: Bool { series.values.joined().contains { $0.severity == .error } }

  func areAbout(_ subject: SubjectDraft) -> Bool { subjects[subject.subject.id] != nil }

  /// Adds what is about the rows of a subject.
  func add(to subject: SubjectDraft, _ keep: (Diagnostic, inout [Diagnostic]) -> Void) {
    let keys = subjects[subject.subject.id] ?? []
    for key in keys.sorted(by: { $0.occasion ?? "" < $1.occasion ?? "" }) {
      let index = subject.series.firstIndex { $0.occasion == key.occasion }
      for finding in series[key] ?? [] {
        if let index {
          keep(finding, &subject.series[index].findings)
        } else {
          // Of a series that has no row left, the subject bears it.
          keep(finding, &subject.findings)
        }
      }
    }
  }
}

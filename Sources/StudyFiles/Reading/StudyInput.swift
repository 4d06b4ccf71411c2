package import AlcoholKinetics
import Foundation
package import StudyData

/// The files of a study.
package enum StudyFile: String, CaseIterable {
  case subjects = "subjects.csv"
  case drinks = "drinks.csv"
  case readings = "readings.csv"
  case estimates = "estimates.csv"
  case descriptor = "datapackage.json"
  /// A single table of events with any name.
  case events = ""

  static let ofSeries: [StudyFile] = [.subjects, .drinks, .readings, .descriptor]
  package static let ofEstimates: [StudyFile] = [.estimates, .descriptor]

  /// Whether the file must exist.
  var isRequired: Bool { self == .subjects || self == .drinks || self == .estimates }
}

/// The opened files of a study, not read yet: those of a folder, or a table of events.
package struct StudyInput {
  package let path: String
  /// The files; the required ones exist.
  package private(set) var files: [StudyFile: InputFile]
  package var catalogue = DrinkCatalogue.standard
  /// The unit of `DV`, unless the table of events states another.
  var dvUnit = ConcentrationUnit.bloodGramsPerKilogram
  /// The source files and the findings, if the tables were converted from a sheet.
  package var sheet: (sources: [InputFile], findings: SheetFindings)?

  package init(path: String, files: [StudyFile: InputFile]) {
    self.path = path
    self.files = files
  }

  package init(events file: InputFile, dvUnit: ConcentrationUnit) {
    self.init(path: file.path, files: [.events: file])
    self.dvUnit = dvUnit
  }

  /// Opens the files of a folder.
  package init(
    opening path: String, files names: [StudyFile] = StudyFile.ofSeries
  ) throws(StudyError) {
    try Self.requireFolder(path)
    var files: [StudyFile: InputFile] = [:]
    var findings: [Diagnostic] = []
    for file in names {
      let filePath = Self.path(of: file, in: path)
      do throws(StudyError) {
        files[file] = try InputFile(opening: filePath)
        if files[file] == nil, file.isRequired {
          findings.add(
            .fileMissing, in: filePath, message: "there is no such file",
            remedy: Self.remedyForMissing(in: path))
        }
      } catch {
        findings += error.diagnostics
      }
    }
    guard findings.isEmpty else { throw StudyError(kind: .noInput, diagnostics: findings) }
    self.init(path: path, files: files)
  }

  /// Opens consecutive Arrow streams in a file: subjects, drinks and, optionally, readings.
  package init(streamsIn file: InputFile) throws(StudyError) {
    let tables: [(StudyFile, String)] = [
      (.subjects, "subjects"), (.drinks, "drinks"), (.readings, "readings"),
    ]
    let contents = try file.contents()
    do throws(FileProblem) {
      let streams = try ArrowStream.streams(in: contents)
      guard 2...tables.count ~= streams.count else {
        throw .damaged(
          "there are \(streams.count) streams and not two or three: subjects, drinks and readings")
      }
      self.init(path: file.path, files: [:])
      for (table, stream) in zip(tables, streams) {
        files[table.0] = InputFile(path: table.1, bytes: stream)
        files[table.0]?.isArrow = true
      }
    } catch {
      throw error.refusal(of: file.path)
    }
  }

  // MARK: Reading

  package func study() throws(StudyError) -> Study {
    var input = self
    // Standard input is copied to memory, because subjects out of order require a second pass.
    if let events = files[.events], !events.isRereadable {
      input.files[.events] = try events.inMemory()
    }
    input.takeDigests()
    let reader = try input.reader(ahead: .max)
    return Study(
      name: name, title: reader.package?.title, instrument: reader.package?.instrument,
      series: reader.ready, diagnostics: reader.findings, inputs: reader.inputs)
  }

  package func stream(takingDigests takesDigests: Bool = false) throws(StudyError) -> StudyStream {
    if takesDigests { takeDigests() }
    let isLive = files[.events]?.isRereadable == false
    let reader = try reader(ahead: isLive ? 0 : SeriesReader.rowsAhead) { reader in
      reader.report(
        Diagnostic(
          .subjectOrder, in: path,
          message: "the tables do not list the subjects in the same order; all were read at once",
          remedy: "to save memory, sort the rows of all tables like subjects.csv"))
    }
    return StudyStream(
      name: name, title: reader.package?.title, instrument: reader.package?.instrument,
      isLive: isLive, reader)
  }

  /// Returns a reader that has read `rows` rows; if the subjects are not in order it has read all, and `inDisorder` is
  /// called.
  private func reader(
    ahead rows: Int, inDisorder: (SeriesReader) -> Void = { _ in }
  ) throws(StudyError) -> SeriesReader {
    // The first reader is released here, before everything is read again.
    if let reader = try readInOrder(rows) { return reader }
    let reader = try inOrder()
    try reader.readAtOnce()
    inDisorder(reader)
    return reader
  }

  private func readInOrder(_ rows: Int) throws(StudyError) -> SeriesReader? {
    let reader = try inOrder()
    return try reader.readAhead(rows) ? reader : nil
  }

  /// Returns a reader of one subject at a time.
  func inOrder() throws(StudyError) -> SeriesReader {
    files[.events] == nil ? try StudyFolderReader(self) : try EventTableReader(self)
  }

  // MARK: Files

  /// The name of the folder, also for a path such as `.`, or of the file.
  var name: String { URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent }

  func takeDigests() {
    for file in files.values { file.takeDigest() }
  }

  var inputs: [InputDigest] {
    (sheet?.sources ?? StudyFile.allCases.compactMap { files[$0] }).compactMap(\.digest)
  }

  /// Replaces the table of events.
  package mutating func read(file: InputFile) { files[.events] = file }

  package func name(_ columns: ColumnMap) {
    for (file, input) in files where file != .descriptor { input.columns = columns }
  }

  /// Throws if one of the files was changed since it was opened.
  func requireUnchanged() throws(StudyError) {
    for file in StudyFile.allCases { try files[file]?.requireUnchanged() }
    for source in sheet?.sources ?? [] { try source.requireUnchanged() }
  }

  func path(of file: StudyFile) -> String { files[file]?.path ?? Self.path(of: file, in: path) }

  var layout: StudyLayout {
    let isOfFiles = sheet == nil && files[.subjects]?.isArrow != true
    let make = isOfFiles ? StudyLayout.folder : StudyLayout.sheet
    return make(path(of: .subjects), path(of: .drinks), path(of: .readings))
  }

  // MARK: Folders

  private static func path(of file: StudyFile, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + file.rawValue : "\(folder)/\(file.rawValue)"
  }

  /// Whether a folder holds estimates and no drinks; with both, the series take precedence.
  package static func holdsEstimates(_ path: String) -> Bool {
    let holds = { (file: StudyFile) in access(Self.path(of: file, in: path), F_OK) == 0 }
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
        remedy: path.hasPrefix("datasets/made-up-24")
          ? "check the path; promille init my-study --example writes this study" : "check the path")
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
    guard access(path(of: .estimates, in: folder), F_OK) == 0 else {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
      if let workbook = names.first(where: { $0.lowercased().hasSuffix(".xlsx") }) {
        let path = "\(folder)/\(workbook)".replacing("//", with: "/")
        return "or is the study \(workbook.quoted)? Then name that file: \(path)"
      }
      return "a study is a folder with subjects.csv, drinks.csv and, usually, readings.csv; "
        + "estimates.csv alone is enough to compare r factors"
    }
    return "this is a study of estimates, for `promille check` and `promille compare` only; other "
      + "commands need subjects.csv, drinks.csv and readings.csv"
  }
}

/// The subject and the occasion of a series.
package struct SeriesKey: Hashable {
  let subject: String
  package let occasion: String?

  package init(subject: String, occasion: String?) {
    self.subject = subject
    self.occasion = occasion
  }
}

/// The findings about a sheet: those of single series, and all others.
package struct SheetFindings {
  let series: [SeriesKey: [Diagnostic]]
  let all: [Diagnostic]
  private let subjects: [String: [SeriesKey]]

  package init(series: [SeriesKey: [Diagnostic]], all: [Diagnostic]) {
    self.series = series
    self.all = all
    subjects = Dictionary(grouping: series.keys, by: \.subject)
  }

  /// Whether any series has an error.
  var hasErrors: Bool { series.values.joined().contains { $0.severity == .error } }

  func areAbout(_ subject: SubjectDraft) -> Bool { subjects[subject.subject.id] != nil }

  /// Adds the findings about the rows of a subject through `record`.
  func add(to subject: SubjectDraft, _ record: (Diagnostic, inout [Diagnostic]) -> Void) {
    let keys = subjects[subject.subject.id] ?? []
    for key in keys.sorted(by: { $0.occasion ?? "" < $1.occasion ?? "" }) {
      let index = subject.series.firstIndex { $0.occasion == key.occasion }
      for finding in series[key] ?? [] {
        if let index {
          record(finding, &subject.series[index].findings)
        } else {
          // A series without remaining rows does not exist: the subject receives its findings.
          record(finding, &subject.findings)
        }
      }
    }
  }
}

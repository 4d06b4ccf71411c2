public import AlcoholKinetics
import Foundation
public import StudyData

/// Reads a study of any form: a folder, a table of events, a JSON document, standard input, or a database through another
/// module. `Spreadsheets` extends it to sheets.
///
/// Open it once, then read the whole ``study()``, or a `stream(takingDigests:)` of its series.
///
/// ```swift
/// let study = try StudyReader("studies/wilkinson").study()
/// for series in study.series where series.firstError == nil {
///   print(series.subject.id, series.readings.count)
/// }
/// ```
public struct StudyReader {
  /// The forms that a study can have.
  public enum Form: Sendable {
    /// A folder with `subjects.csv`, `drinks.csv` and `readings.csv`.
    case folder
    /// A folder with `estimates.csv` instead of drinks and readings.
    case estimates
    /// A table of events in NONMEM's form.
    case table
    /// A table of events or a spreadsheet from standard input, which can be read once.
    case standardInput
    /// A JSON document, as `promille export --to json` writes it, or the tables of a folder in one file.
    case document
    /// A database.
    case database
  }

  /// The format of a study that is not a folder.
  public enum InputFormat: String, CaseIterable, Sendable {
    /// Text: CSV, or a workbook.
    case csv
    /// An Arrow IPC stream of a table of events.
    case arrow
    /// Arrow IPC streams of subjects, drinks and, if there are any, readings, one after the other.
    case arrowTables = "arrow-tables"
  }

  /// The path that stands for standard input.
  public static let standardInputPath = InputFile.standardInputPath

  /// The path of the study.
  public let path: String
  /// The form of the study.
  public let form: Form

  /// The interpretation of a sheet's columns; empty for study files.
  package private(set) var taken: [TakenColumn] = []

  /// One line about the times of a sheet's drinks, and about unused columns in which rows of a subject differ; empty for
  /// study files.
  public private(set) var summary = ""

  /// When the first drink of each series was, by the clock; empty if the study has no times of day.
  package private(set) var starts: [SeriesKey: ClockedStart] = [:]

  private var content: Content

  private enum Content {
    case input(StudyInput)
    case estimates(StudyInput)
    case document(StudyDocument)
    case database(() throws -> StudyStream)
  }

  /// Opens a study with the column names of study files.
  ///
  /// - Parameters:
  ///   - path: The folder, the file, or `-` for a table from standard input.
  ///   - dvUnit: Matrix and unit of `DV`, for a table that does not state them.
  ///   - catalogue: The drinks that a folder may name.
  ///   - format: The format of a study that is not a folder.
  /// - Throws: `StudyError` if there is no study at the path.
  public init(
    _ path: String, dvUnit: ConcentrationUnit = .bloodGramsPerKilogram,
    catalogue: DrinkCatalogue = .standard, format: InputFormat = .csv
  ) throws(StudyError) {
    self.path = path
    let isStandardInput = path == Self.standardInputPath
    let isFile = Self.isRegularFile(path) || format != .csv
    var input: StudyInput
    if isStandardInput || isFile,
      let file = isStandardInput ? InputFile.standardInput : try InputFile(opening: path)
    {
      if format == .arrowTables {
        form = .document
        input = try StudyInput(streamsIn: file)
      } else if format == .csv, StudyDocument.isNamed(path) {
        form = .document
        content = .document(StudyDocument(file: file))
        return
      } else {
        form = isStandardInput ? .standardInput : .table
        file.isArrow = format == .arrow
        input = StudyInput(events: file, dvUnit: dvUnit)
      }
    } else if StudyInput.holdsEstimates(path) {
      form = .estimates
      content = .estimates(try StudyInput(opening: path, files: StudyFile.ofEstimates))
      return
    } else {
      form = .folder
      input = try StudyInput(opening: path)
    }
    input.catalogue = catalogue
    content = .input(input)
  }

  /// The files of the study, opened but not read; nil for other forms.
  package var input: StudyInput? {
    if case .input(let input) = content { input } else { nil }
  }

  /// Replaces the files by tables converted from a sheet.
  package mutating func replaceInput(
    with input: StudyInput, taken: [TakenColumn] = [], summary: String = "",
    starts: [SeriesKey: ClockedStart] = [:]
  ) {
    content = .input(input)
    self.taken = taken
    self.summary = summary
    self.starts = starts
  }

  /// Opens a database, which another module reads.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - stream: A closure that begins to read the study.
  package init(database path: String, _ stream: @escaping () throws -> StudyStream) {
    self.path = path
    form = .database
    content = .database(stream)
  }

  /// Opens tables in memory like the files of a folder.
  package init(subjects: [UInt8], drinks: [UInt8], readings: [UInt8]) {
    let tables = [(StudyFile.subjects, subjects), (.drinks, drinks), (.readings, readings)]
    let files = tables.map { ($0, InputFile(path: $0.rawValue, bytes: Data($1))) }
    self.init(StudyInput(path: ".", files: Dictionary(uniqueKeysWithValues: files)))
  }

  /// Reads files that are already open.
  package init(_ input: StudyInput) {
    path = input.path
    form = input.files[.events] == nil ? .folder : .table
    content = .input(input)
  }

  // MARK: Reading

  /// Reads the whole study. The subjects may be in any order.
  ///
  /// Errors in the data of one subject are kept with its series. If a file is unreadable, an error with all findings of
  /// all files is thrown.
  ///
  /// - Returns: The study; <doc:StudyFormat> describes its files.
  /// - Throws: `StudyError` if the study cannot be read, or what a database throws.
  public func study() throws -> Study {
    switch content {
    case .input(let input): return try input.study()
    case .estimates: throw Self.noSeries(in: path)
    case .document(let document): return try document.study()
    case .database(let stream):
      var stream = try stream()
      return try stream.rest()
    }
  }

  /// Begins to read one series at a time.
  ///
  /// - Parameter takesDigests: Whether to compute `StudyStream.inputs`.
  /// - Throws: `StudyError` if the study cannot be read, or what a database throws.
  package func stream(takingDigests takesDigests: Bool = false) throws -> StudyStream {
    switch content {
    case .input(let input): try input.stream(takingDigests: takesDigests)
    case .estimates: throw Self.noSeries(in: path)
    case .document(let document): StudyStream(try document.study())
    case .database(let stream): try stream()
    }
  }

  /// Reads a study of estimates.
  ///
  /// - Throws: `StudyError` if it cannot be read, or is a study of series.
  package func estimates() throws(StudyError) -> EstimateStudy {
    guard case .estimates(let input) = content else { return try EstimateReader.read(path) }
    return try EstimateReader.read(input)
  }

  /// Returns the error for a folder of estimates when series are required.
  private static func noSeries(in path: String) -> StudyError {
    do throws(StudyError) {
      _ = try StudyInput(opening: path)
      return StudyError(kind: .changed, diagnostics: [])
    } catch {
      return error
    }
  }

  // MARK: Convenience

  /// Opens a study of files and reads it whole; see ``study()``.
  ///
  /// - Throws: `StudyError` if the study does not exist or cannot be read.
  public static func read(
    _ path: String, dvUnit: ConcentrationUnit = .bloodGramsPerKilogram,
    catalogue: DrinkCatalogue = .standard
  ) throws(StudyError) -> Study {
    let reader = try StudyReader(path, dvUnit: dvUnit, catalogue: catalogue)
    return switch reader.content {
    case .input(let input): try input.study()
    case .document(let document): try document.study()
    case .estimates, .database: throw noSeries(in: path)
    }
  }

  /// Whether a path leads to a folder.
  public static func isFolder(_ path: String) -> Bool { StudyInput.isFolder(path) }

  /// Whether a path can be read only once: standard input, or a named pipe.
  public static func isReadOnce(_ path: String) -> Bool {
    var status = stat()
    guard path != standardInputPath, stat(path, &status) == 0 else {
      return path == standardInputPath
    }
    return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
  }

  private static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

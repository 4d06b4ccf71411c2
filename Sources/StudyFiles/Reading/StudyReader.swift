public import AlcoholKinetics
import Foundation
public import StudyData

/// The one way into a study, whatever its form: a folder, a table of events, a JSON document, standard
/// input, or a database that another module knows how to read. `Spreadsheets` opens sheets as such studies.
///
/// It is opened once; then it is asked for the whole ``study()``, or for a ``stream(takingDigests:)`` of
/// its series.
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
    /// Such a table, or a spreadsheet, that comes through standard input, once.
    case standardInput
    /// A JSON document, as `promille export --to json` writes it, or the tables of a folder in one file.
    case document
    /// A database.
    case database
  }

  /// How a study is written that is not a folder.
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

  /// Where the study is.
  public let path: String
  /// What form it has.
  public let form: Form

  /// What the columns of a sheet were taken as; empty for a study whose tables have their own names.
  package private(set) var taken: [TakenColumn] = []

  /// Where the drinks of a sheet were put, and which of its columns tell rows apart and are not used, in a line; empty for
  /// a study whose tables have their own names.
  public private(set) var summary = ""

  private var content: Content

  private enum Content {
    case input(StudyInput)
    case estimates(StudyInput)
    case document(StudyDocument)
    case database(() throws -> StudyStream)
  }

  /// Opens a study whose tables have their own names.
  ///
  /// - Parameters:
  ///   - path: The folder, the file, or `-` for a table from standard input.
  ///   - dvUnit: Matrix and unit of `DV`, for a table that does not say so itself.
  ///   - catalogue: What is known of drinks that a folder names.
  ///   - format: How the study is written, if it is no folder.
  /// - Throws: `StudyError` if there is nothing that could be a study.
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

  /// Its files, none of them looked into yet; nil for other forms.
  package var input: StudyInput? {
    if case .input(let input) = content { input } else { nil }
  }

  /// Takes the tables that were made of a sheet in the place of its files.
  package mutating func take(_ input: StudyInput, taken: [TakenColumn] = [], summary: String = "") {
    content = .input(input)
    self.taken = taken
    self.summary = summary
  }

  /// Opens a database, which this module does not know how to read.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - stream: Begins to read the study in it.
  package init(database path: String, _ stream: @escaping () throws -> StudyStream) {
    self.path = path
    form = .database
    content = .database(stream)
  }

  /// Takes tables that are in memory, as if they were the files of a folder.
  package init(subjects: [UInt8], drinks: [UInt8], readings: [UInt8]) {
    let tables = [(StudyFile.subjects, subjects), (.drinks, drinks), (.readings, readings)]
    let files = tables.map { ($0, InputFile(path: $0.rawValue, bytes: Data($1))) }
    self.init(StudyInput(path: ".", files: Dictionary(uniqueKeysWithValues: files)))
  }

  /// Takes files that are open.
  package init(_ input: StudyInput) {
    path = input.path
    form = input.files[.events] == nil ? .folder : .table
    content = .input(input)
  }

  // MARK: What it is asked for

  /// Reads everything. The subjects may stand in any order.
  ///
  /// What is wrong with one subject's data is kept with that subject's series. What makes a file
  /// unreadable ends reading, with everything that was found in all of the files.
  ///
  /// - Returns: The study; <doc:StudyFormat> says what its files may hold.
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

  /// Begins to read a series at a time.
  ///
  /// - Parameter takesDigests: Whether `StudyStream.inputs` are wanted.
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

  /// The refusal of a folder that has estimates where series are asked for.
  private static func noSeries(in path: String) -> StudyError {
    do throws(StudyError) {
      _ = try StudyInput(opening: path)
      return StudyError(kind: .changed, diagnostics: [])
    } catch {
      return error
    }
  }

  // MARK: In a line

  /// Opens a study of files and reads everything, as ``study()`` does.
  ///
  /// - Throws: `StudyError` if the study is not there or cannot be read.
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

  /// Whether what is at a path is gone once it was read: standard input, or a named pipe.
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

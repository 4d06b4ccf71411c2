import AlcoholKinetics
import Foundation

/// A study that has been opened, in whichever form it has.
enum StudyInput {
  /// The path that stands for standard input.
  static let standardInputPath = "-"

  case folder(StudyFolder)
  case events(EventFile)

  /// Opens a folder, a file, or standard input.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - unit: The unit of `DV` in a table of events, unless the table says otherwise.
  ///   - catalogue: What is known of drinks that a folder names.
  ///   - isDigested: Whether the digest of standard input is wanted once it has been read.
  init(
    opening path: String, dvUnit unit: ConcentrationUnit, catalogue: DrinkCatalogue,
    isDigested: Bool = false
  ) throws(StudyError) {
    if path == Self.standardInputPath {
      self = .events(EventFile(file: .standardInput(isDigested: isDigested), unit: unit))
    } else if Self.isRegularFile(path), let file = try InputFile(opening: path) {
      self = .events(EventFile(file: file, unit: unit))
    } else {
      var folder = try StudyFolder(opening: path)
      folder.catalogue = catalogue
      self = .folder(folder)
    }
  }

  /// The study's name.
  var name: String {
    switch self {
    case .folder(let folder): folder.name
    case .events(let events): events.name
    }
  }

  /// What the study is called in findings about the whole of it.
  var path: String {
    switch self {
    case .folder(let folder): folder.path
    case .events(let events): events.file.path
    }
  }

  /// What it says of itself.
  var header: StudyHeader {
    switch self {
    case .folder(let folder): StudyHeader(of: folder)
    case .events: .none
    }
  }

  /// Its tables, at their beginning.
  var tables: any StudyTables {
    switch self {
    case .folder(let folder): FolderTables(folder)
    case .events(let events): EventTables(events)
    }
  }

  /// Whether its files can be read again.
  var isRereadable: Bool {
    switch self {
    case .folder: true
    case .events(let events): events.file.isRereadable
    }
  }

  /// The same study with what can be read once in memory.
  func rereadable() throws(StudyError) -> StudyInput {
    guard case .events(let events) = self, !isRereadable else { return self }
    let file = InputFile(path: events.file.path, bytes: try events.file.contents())
    return .events(EventFile(file: file, unit: events.unit))
  }

  /// The digests of its files, which must be rereadable.
  func inputs() throws(StudyError) -> [InputDigest] {
    switch self {
    case .folder(let folder): try folder.inputs()
    case .events(let events): [try events.file.digest()]
    }
  }

  /// Refuses what was read if one of the files was written to meanwhile.
  func requireUnchanged() throws(StudyError) {
    switch self {
    case .folder(let folder): try folder.requireUnchanged()
    case .events(let events): try events.file.requireUnchanged()
    }
  }

  private static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

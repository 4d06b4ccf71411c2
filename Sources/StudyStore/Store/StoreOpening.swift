import AlcoholKinetics
import Foundation
import GRDB
import StudyData

/// Opens a database after checking that it is one, that Promille made it, and of which version its schema is.
struct StoreOpening {
  /// The first bytes of every SQLite database; a NUL follows.
  private static let magic = Data("SQLite format 3\0".utf8)

  let path: String
  var schema = Schema.ofStudies

  var isDatabase: Bool {
    // Opening anything else, a pipe say, might never end.
    guard isRegularFile, case let descriptor = open(path, O_RDONLY | O_CLOEXEC), descriptor >= 0
    else { return false }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    return (try? file.read(upToCount: Self.magic.count)) == Self.magic
  }

  func queue(for purpose: StudyStore.Purpose) throws(StoreError) -> DatabaseQueue {
    switch purpose {
    case .reading: return try forReading()
    case .changing: try requireDatabase()
    case .writing: break
    }
    return try forWriting()
  }

  func forReading() throws(StoreError) -> DatabaseQueue {
    try requireDatabase()
    let queue = try StoreError.translating(path) { try readingQueue() }
    guard try isComplete(queue) else {
      throw StoreError(
        .older, path: path, message: "the database was made by an older version",
        remedy: schema.added.isEmpty
          ? nil : "promille serve \(path.quotedForShell) adds what is missing")
    }
    return queue
  }

  func forWriting() throws(StoreError) -> DatabaseQueue {
    try requirePlace()
    let isNew = !isRegularFile || isEmpty
    if !isNew { try requireDatabase() }
    let queue = try isNew ? newQueue() : existingQueue()
    try StoreError.translating(path) {
      // A new database is filled faster without a log of what is new in it anyway.
      if !isNew { try Self.useLog(queue) }
      try schema.migrator.migrate(queue)
      try Self.addUnits(to: queue)
    }
    return queue
  }

  /// Adds the units that are newer than the database.
  private static func addUnits(to queue: DatabaseQueue) throws {
    let present = try queue.read { try Set(String.fetchAll($0, sql: "SELECT unit FROM units")) }
    let missing = ConcentrationUnit.allCases.filter { !present.contains($0.rawValue) }
    guard !missing.isEmpty else { return }
    try queue.write { db in
      for unit in missing {
        try db.execute(
          sql: "INSERT OR IGNORE INTO units (unit, matrix) VALUES (?, ?)",
          arguments: [unit.rawValue, unit.matrix.rawValue])
      }
    }
  }

  /// Lets others read while somebody writes, from now on.
  static func useLog(_ queue: DatabaseQueue) throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
  }

  // MARK: Files

  /// Throws if no database file can be made at the path.
  private func requirePlace() throws(StoreError) {
    let reason: String? =
      if path.isEmpty {
        "the name is empty"
      } else if path.utf8.contains(0) {
        "the name contains a NUL"
      } else if isFolder {
        "a folder exists at this path"
      } else if isThere, !isRegularFile {
        "something other than a file exists at this path"
      } else {
        nil
      }
    guard let reason else { return }
    throw StoreError(
      .notWritable, path: path, message: reason,
      remedy: "name a file for the database, for example study.sqlite")
  }

  /// Runs a body that makes a database where there is none; if it fails, a file that this process
  /// made is removed.
  ///
  /// If two processes make a database at the same path, only one of them makes the file, and only
  /// that one removes it.
  ///
  /// - Parameter body: Gets true if this process made the file, which is empty.
  func creating<Value>(_ body: (_ isMade: Bool) throws -> Value) throws -> Value {
    try requirePlace()
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
    if file >= 0 { close(file) }
    do {
      return try body(file >= 0)
    } catch {
      if file >= 0 { for end in [""] + StudyStore.endingsBeside { unlink(path + end) } }
      throw error
    }
  }

  var isThere: Bool { status != nil }

  private var status: stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private var isRegularFile: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }
  private var isFolder: Bool { status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

  /// A file of no bytes is a database without tables to SQLite.
  var isEmpty: Bool { isRegularFile && status?.st_size == 0 }

  private func requireDatabase() throws(StoreError) {
    guard !isDatabase else { return }
    throw mistake
  }

  // MARK: Connections

  private func newQueue() throws(StoreError) -> DatabaseQueue {
    do {
      return try StoreConnection.open(path, isReadOnly: false)
    } catch {
      let reason = (error as? DatabaseError)?.message ?? "\(error)"
      throw StoreError(
        .notWritable, path: path, message: "cannot create a database here: \(reason)")
    }
  }

  private func existingQueue() throws(StoreError) -> DatabaseQueue {
    guard access(path, W_OK) == 0 else {
      throw StoreError(.notWritable, path: path, message: "the database is not writable")
    }
    let queue = try StoreError.translating(path) {
      try StoreConnection.open(path, isReadOnly: false)
    }
    _ = try isComplete(queue)
    return queue
  }

  /// Opens the database so that it can be read also where nothing may be written: a database in WAL
  /// mode needs files beside it unless it is said to be immutable.
  private func readingQueue() throws -> DatabaseQueue {
    do {
      let queue = try StoreConnection.open(path, isReadOnly: access(path, W_OK) != 0)
      try queue.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
      return queue
    } catch let error as DatabaseError
      where [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode) && !hasLog
    {
      return try StoreConnection.open(path, isReadOnly: true, isImmutable: true)
    }
  }

  /// Whether changes wait beside the database that are not in it yet.
  private var hasLog: Bool {
    StoreOpening(path: "\(path)-wal").status.map { $0.st_size > 0 } ?? false
  }

  // MARK: Checks

  private func isComplete(_ queue: DatabaseQueue) throws(StoreError) -> Bool {
    try StoreError.translating(path) {
      try queue.read { try SchemaCheck(db: $0, path: path, schema: schema).isComplete() }
    }
  }
}

extension StoreOpening {
  private static let tables = ["subjects.csv", "drinks.csv", "readings.csv", "estimates.csv"]

  /// The error for something that is not a database, with a guess at the intended path.
  private var mistake: StoreError {
    guard isThere else {
      return StoreError(.missing, path: path, message: "there is no such database")
    }
    if isFolder {
      return StoreError(
        .foreign, path: path,
        message: isStudy(path) ? "this is a study folder, not a database" : "this is a folder",
        remedy: isStudy(path) ? remedy(for: path) : nil)
    }
    let folder = URL(filePath: path).deletingLastPathComponent().relativePath
    let isTable = Self.tables.contains(URL(filePath: path).lastPathComponent) && isStudy(folder)
    return StoreError(
      .foreign, path: path,
      message: isTable
        ? "this is a table of a study folder, not a database"
        : "the file is not an SQLite database",
      remedy: isTable ? remedy(for: folder) : nil)
  }

  private func isStudy(_ folder: String) -> Bool {
    StoreOpening(path: "\(folder)/subjects.csv").isThere
  }

  private func remedy(for study: String) -> String {
    "import it first: promille import \(study.quotedForShell) --into study.sqlite"
  }
}

import Foundation
import GRDB

/// The opening of a database: is it one, is it ours, and of which version is its schema.
struct StoreOpening {
  /// How long to wait for another process that holds the database.
  private static let patience = 2.0
  /// What every SQLite database begins with, a NUL after it.
  private static let magic = Data("SQLite format 3\0".utf8)

  let path: String

  /// Whether the file begins as SQLite's do.
  var isDatabase: Bool {
    // Opening anything else, a pipe say, might never end.
    guard isRegularFile, let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: Self.magic.count)) == Self.magic
  }

  func forReading() throws(StoreError) -> DatabaseQueue {
    try requireDatabase()
    let queue = try StoreError.translating(path) { try readingQueue() }
    try check(queue) { db in
      guard try Schema.migrator.hasCompletedMigrations(db) else {
        throw StoreError(.older, path: path, message: "the database is of an older version")
      }
    }
    return queue
  }

  func forChanging() throws(StoreError) -> DatabaseQueue {
    try requireDatabase()
    return try forWriting()
  }

  func forWriting() throws(StoreError) -> DatabaseQueue {
    let isNew = !isRegularFile || isEmpty
    if !isNew { try requireDatabase() }
    let queue = try isNew ? newQueue() : existingQueue()
    try StoreError.translating(path) {
      // A new database is filled faster without a log of what is new in it anyway.
      if !isNew { try Self.useLog(queue) }
      try Schema.migrator.migrate(queue)
    }
    return queue
  }

  /// Lets others read while somebody writes, from now on.
  static func useLog(_ queue: DatabaseQueue) throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
  }

  // MARK: Files

  /// Makes a file of no bytes where there is nothing; whether it was this process that made it.
  ///
  /// Of two processes that make a database at one place, only one gets to be the one that did, and
  /// only that one may remove it again.
  func makeEmpty() -> Bool {
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
    if file >= 0 { close(file) }
    return file >= 0
  }

  /// Whether there is anything at the path.
  var isThere: Bool { status != nil }

  /// Removes the database and what SQLite keeps beside it.
  func remove() {
    for end in ["", "-wal", "-shm", "-journal"] { unlink(path + end) }
  }

  private var status: stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private var isRegularFile: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }
  private var isFolder: Bool { status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

  /// A file of no bytes is a database without tables to SQLite.
  private var isEmpty: Bool { status?.st_size == 0 }

  private func requireDatabase() throws(StoreError) {
    guard !isDatabase else { return }
    throw StoreMistake(path: path).error
  }

  // MARK: Connections

  private func openQueue(_ path: String, isReadOnly: Bool) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(Self.patience)
    configuration.prepareDatabase { db in
      // Enough that a large import seldom spills; temporary results need no file.
      try db.execute(sql: "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY")
      if !isReadOnly { try db.execute(sql: "PRAGMA synchronous = NORMAL") }
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private func newQueue() throws(StoreError) -> DatabaseQueue {
    guard !isFolder else {
      throw StoreError(
        .notMade, path: path, message: "there is a folder at this place",
        remedy: "name a file for the database, as study.sqlite")
    }
    do {
      return try openQueue(path, isReadOnly: false)
    } catch {
      let reason = (error as? DatabaseError)?.message ?? "\(error)"
      throw StoreError(.notMade, path: path, message: "no database can be made here: \(reason)")
    }
  }

  private func existingQueue() throws(StoreError) -> DatabaseQueue {
    guard access(path, W_OK) == 0 else {
      throw StoreError(.readOnly, path: path, message: "the database may not be written")
    }
    let queue = try StoreError.translating(path) { try openQueue(path, isReadOnly: false) }
    try check(queue)
    return queue
  }

  /// Opens the database so that it can be read also where nothing may be written: a database in WAL
  /// mode needs files beside it unless it is said to be immutable.
  private func readingQueue() throws -> DatabaseQueue {
    do {
      let queue = try openQueue(path, isReadOnly: access(path, W_OK) != 0)
      try queue.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
      return queue
    } catch let error as DatabaseError
      where [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode) && !hasLog
    {
      return try openQueue(immutableAddress, isReadOnly: true)
    }
  }

  /// Whether changes wait beside the database that are not in it yet.
  private var hasLog: Bool {
    var status = stat()
    return stat("\(path)-wal", &status) == 0 && status.st_size > 0
  }

  private var immutableAddress: String {
    URL(filePath: path).absoluteString + "?immutable=1"
  }

  // MARK: Checks

  private func check(
    _ queue: DatabaseQueue, _ further: (Database) throws -> Void = { _ in }
  ) throws(StoreError) {
    try StoreError.translating(path) {
      try queue.read { db in
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        guard application == Schema.applicationID else {
          throw StoreError(
            .foreign, path: path, message: "the database is not one of studies")
        }
        guard try !Schema.migrator.hasBeenSuperseded(db) else {
          throw StoreError(.newer, path: path, message: "the database is of a newer version")
        }
        try further(db)
      }
    }
  }
}

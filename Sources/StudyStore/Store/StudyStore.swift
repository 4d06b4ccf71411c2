import Foundation
public import GRDB
public import StudyData

/// A study in an SQLite database.
///
/// ```swift
/// let store = try StudyStore(path: "study.sqlite", for: .writing)
/// let counts = try store.add(try StudyReader.read("studies/wilkinson"))
/// let study = try store.study()
/// ```
///
/// The schema is in <doc:TheSchema>. Everything that changes the database is one transaction: it is
/// done whole or not at all, also if the process is killed.
public struct StudyStore: Sendable {
  /// The use of an opened database.
  public enum Purpose: Sendable {
    /// Nothing is changed. The database must be there, with the schema of this version.
    case reading
    /// The database must be there; it is brought to the schema of this version.
    case changing
    /// The database is made if it is not there, and brought to the schema of this version.
    case writing
  }

  public let path: String
  private let queue: DatabaseQueue
  private let purpose: Purpose
  private let schema: Schema

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - purpose: Whether it is read, written anew or changed.
  ///   - steps: Steps that another package adds to the schema.
  /// - Throws: ``StoreError`` if it is not there, is no study database, is of another version, or
  ///   cannot be opened.
  public init(
    path: String, for purpose: Purpose, adding steps: [SchemaStep] = []
  ) throws(StoreError) {
    self.path = path
    self.purpose = purpose
    schema = Schema(adding: steps)
    queue = try StoreOpening(path: path, schema: schema).queue(for: purpose)
  }

  /// Whether a file is an SQLite database, by its first bytes, whatever its name.
  public static func accepts(_ path: String) -> Bool {
    StoreOpening(path: path).isDatabase
  }

  /// The endings of the files that SQLite may keep beside a database.
  package static let endingsBeside = ["-wal", "-shm", "-journal"]

  /// Opens a database for writing and does something with it; one that was made for it, and by this
  /// process, is removed if that fails.
  ///
  /// - Throws: ``StoreError`` as ``init(path:for:adding:)``, or what `body` throws.
  @discardableResult
  public static func change<Value>(
    _ path: String, adding steps: [SchemaStep] = [], _ body: (StudyStore) throws -> Value
  ) throws -> Value {
    try StoreOpening(path: path).creating { _ in
      let store = try StudyStore(path: path, for: .writing, adding: steps)
      let value = try body(store)
      try StoreError.translating(path) { try StoreOpening.useLog(store.queue) }
      return value
    }
  }

  /// The study.
  ///
  /// It equals the study that was added, if only one was, and holds what can be true: the records are
  /// checked as the rows of files are, whoever wrote them. What is found wrong with them that the files
  /// they came from did not say is with their series, and names table and row.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read, or is damaged.
  public func study() throws(StoreError) -> Study {
    try read(Schema.studyTables) { try StudyLoader($0, path: path).study() }
  }

  /// Begins to read the study a series at a time, as ``study()`` reads it, in memory that does not grow
  /// with the number of readings. What others write meanwhile is not seen.
  ///
  /// - Throws: ``StoreError`` as ``study()``; so does the stream if it cannot be read on.
  package func stream() throws(StoreError) -> StudyStream {
    // A connection of its own, for the transaction that lasts as long as the stream.
    let queue = try StoreOpening(path: path, schema: schema).forReading()
    return try StoreError.translating(path) {
      try queue.unsafeRead { db in
        try db.beginTransaction(.deferred)
        try db.requireWhole(Schema.studyTables)
        let loader = try StudyLoader(db, path: path)
        return StudyStream(
          name: loader.name, title: loader.title, instrument: try loader.instrument(),
          isLive: false, StoredSource(loader, inputs: try loader.inputs(), queue, path: path))
      }
    }
  }

  /// Makes another database with everything that is in this one.
  ///
  /// - Parameter path: Where there is nothing yet, or an empty file.
  /// - Throws: ``StoreError``; then nothing is left there that was not there before.
  @_spi(StudyDay) public func copy(to path: String) throws(StoreError) {
    try make(path) { opening in
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "VACUUM INTO ?", arguments: [StoreConnection.plainName(path)])
      }
      try StoreOpening.useLog(try opening.forWriting())
    }
  }

  /// Makes another database with the study of this one, and nothing that another package added.
  ///
  /// Rows are copied one by one, so that nothing else is ever written there, not even to be removed again.
  ///
  /// - Parameter path: Where there is nothing yet, or an empty file.
  /// - Throws: ``StoreError``; then nothing is left there that was not there before.
  public func exportStudy(to path: String) throws(StoreError) {
    try make(path) { opening in
      let copyQueue = try opening.forWriting()
      try queue.read { db in
        try db.requireWhole(Schema.exportedTables)
        try copyQueue.write { copy in
          // What a new database has of its own is in this one, too.
          for table in Schema.exportedTables.reversed() {
            try copy.execute(sql: "DELETE FROM \(table)")
          }
          for table in Schema.exportedTables { try Self.copy(table, from: db, to: copy) }
        }
      }
      try StoreOpening.useLog(copyQueue)
    }
  }

  private static func copy(_ table: String, from db: Database, to copy: Database) throws {
    // By name: a column that a later step added stands where it was added.
    let columns = try db.columns(in: table).map { "\"\($0.name)\"" }
    let names = columns.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insertion = try copy.makeStatement(
      sql: "INSERT INTO \(table) (\(names)) VALUES (\(marks))")
    let rows = try Row.fetchCursor(db, sql: "SELECT \(names) FROM \(table)")
    while let row = try rows.next() {
      try insertion.execute(arguments: StatementArguments(row.databaseValues))
    }
  }

  /// Makes a database at a path where there is none, whole or not at all.
  private func make(
    _ path: String, _ fill: (StoreOpening) throws -> Void
  ) throws(StoreError) {
    let opening = StoreOpening(path: path, schema: schema)
    do throws(StoreError) {
      try StoreError.translating(path) {
        try opening.creating { isMade in
          guard isMade || !opening.isThere || opening.isEmpty else {
            throw StoreError(
              .notWritable, path: path, message: "something already exists at this path",
              remedy: "name a file that does not exist yet")
          }
          try fill(opening)
        }
      }
    } catch {
      throw error.code == .missing
        ? StoreError(.notWritable, path: path, message: error.message) : error
    }
  }

  /// Opens a database for many who read while one writes, with all checks and the schema of this version; one that is
  /// not there is made.
  ///
  /// - Throws: ``StoreError`` as ``init(path:for:adding:)``.
  @_spi(StudyDay) public static func pool(
    _ path: String, adding steps: [SchemaStep]
  ) throws(StoreError) -> DatabasePool {
    let store = try StudyStore(path: path, for: .writing, adding: steps)
    return try StoreError.translating(path) {
      try StoreOpening.useLog(store.queue)
      try store.queue.close()
      return try StoreConnection.openPool(path)
    }
  }

  /// The name of the study; nil if there is none yet.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func studyName() throws(StoreError) -> String? {
    try read(["study"]) { try $0.value("SELECT name FROM study") }
  }

  /// The names of the subjects.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func subjectNames() throws(StoreError) -> Set<String> {
    try read(["subjects"]) { try Set($0.values("SELECT name FROM subjects")) }
  }

  /// The blood:breath ratio that the settings of a study day state; nil if none.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read, or states one that no ethanol has.
  public func bloodBreathRatio() throws(StoreError) -> Double? {
    try read([]) { db in
      guard try db.hasTable("settings", of: "4-vitals") else { return nil }
      try db.requireWhole(["settings"])
      let ratio = try db.bloodBreathRatio()
      let isStated = try db.has("SELECT 1 FROM settings WHERE name = 'blood_breath_ratio'")
      guard ratio != nil || !isStated else {
        throw StoreError.damage(
          "settings", "blood_breath_ratio is no ratio from 1000 to 4000",
          remedy: "set it on the study day, or state one with --blood-breath-ratio")
      }
      return ratio
    }
  }

  /// Whether a study day keeps vital signs in the database.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func hasVitals() throws(StoreError) -> Bool {
    try read([]) { try $0.hasTable("vitals", of: "4-vitals") && $0.has("SELECT 1 FROM vitals") }
  }

  /// Reads tables, once it is sure that they are whole.
  @_spi(StudyDay) public func read<Value>(
    _ tables: [String], _ body: (Database) throws -> Value
  ) throws(StoreError) -> Value {
    try StoreError.translating(path) {
      try queue.read { db in
        try db.requireWhole(tables)
        return try body(db)
      }
    }
  }

  /// Changes the database in one transaction, once it is sure that the tables which the change builds on
  /// are whole.
  @_spi(StudyDay) public func write<Value>(
    _ tables: [String], _ body: (Database) throws -> Value
  ) throws(StoreError) -> Value {
    guard purpose != .reading else {
      throw StoreError(
        .notWritable, path: path, message: "the database was opened for reading only",
        remedy: "open it for changing")
    }
    return try StoreError.translating(path) {
      // GRDB takes the lock at once, so that two writers wait for each other instead of failing.
      try queue.write { db in
        try db.requireWhole(tables)
        return try body(db)
      }
    }
  }
}

/// The series of a database, each read when it is asked for, on the connection that the study was found
/// whole on.
private final class StoredSource: SeriesSource {
  let inputs: [InputDigest]
  private let loader: StudyLoader
  private let queue: DatabaseQueue
  private let path: String

  init(_ loader: StudyLoader, inputs: [InputDigest], _ queue: DatabaseQueue, path: String) {
    self.loader = loader
    self.inputs = inputs
    self.queue = queue
    self.path = path
  }

  var count: Int? { loader.count }

  var findings: [Diagnostic] { loader.findings }

  func next() throws -> Series? {
    try StoreError.translating(path) { try queue.unsafeRead { _ in try loader.next() } }
  }
}

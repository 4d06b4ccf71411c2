import CSQLite
import Foundation
import GRDB
import GRDBSQLite
import StudyData

/// Opens all connections to databases; none trusts its database.
///
/// A database may come from anybody. Its triggers do not run, its views are not looked through, its
/// schema calls no function of consequence, and no value is larger than a study needs.
enum StoreConnection {
  /// Seconds to wait for another process that holds the database.
  private static let patience = 2.0

  /// The largest row or statement, in bytes: no field of a study's files is longer than 16 MiB.
  static let longest: Int32 = 1 << 26

  /// Opens the file of a name; SQLite's own readings of names, as ":memory:" or "file:", are no names
  /// of files and not meant.
  static func open(
    _ path: String, isReadOnly: Bool, isImmutable: Bool = false
  ) throws -> DatabaseQueue {
    let plain = plainName(path)
    let name = isImmutable ? URL(filePath: plain).absoluteString + "?immutable=1" : plain
    return try DatabaseQueue(path: name, configuration: configuration(isReadOnly: isReadOnly))
  }

  /// Opens a database whose schema was found to be ours, for many who read while one writes. What is committed
  /// is on the disk, what is deleted is overwritten (the name of somebody who withdrew), and our triggers run.
  static func openPool(_ path: String) throws -> DatabasePool {
    var configuration = configuration(isReadOnly: false)
    configuration.maximumReaderCount = 4
    configuration.prepareDatabase { db in
      _ = try configure(db, csqlite_run_triggers)
      // Five connections for hours: each cache of an import's size would grow with the database to 64 MB.
      try db.execute(
        sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -2048")
    }
    return try DatabasePool(path: plainName(path), configuration: configuration)
  }

  /// Opens a database that is nowhere but in memory, and empty.
  static func openEmpty() throws -> DatabaseQueue {
    try DatabaseQueue(configuration: configuration(isReadOnly: false))
  }

  /// A path that means the file of that name to SQLite.
  ///
  /// SQLite takes names in UTF-8 alone. Any other file that exists is shown to it as one of this process, behind which
  /// it finds the name itself. It stays open, as a pool opens it again whenever somebody reads.
  static func plainName(_ path: String) -> String {
    if path.isOddFileName, case let file = StudyData.open(path, O_RDONLY | O_CLOEXEC), file >= 0 {
      return "/proc/self/fd/\(file)"
    }
    return path.hasPrefix("/") ? path : "./\(path)"
  }

  private static func configuration(isReadOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(patience)
    // A study that is read a series at a time is one transaction.
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { db in
      try distrust(db)
      // Enough that a large import seldom spills; temporary results need no file.
      try db.execute(sql: "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY")
      if !isReadOnly { try db.execute(sql: "PRAGMA synchronous = NORMAL") }
    }
    return configuration
  }

  private static func configure(
    _ db: Database, _ call: (UnsafeMutableRawPointer) -> Int32
  ) throws -> SQLiteConnection {
    guard let connection = db.sqliteConnection else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE)
    }
    let code = call(UnsafeMutableRawPointer(connection))
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return connection
  }

  private static func distrust(_ db: Database) throws {
    let connection = try configure(db, csqlite_distrust)
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, longest), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
      (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_ATTACHED, 1),
    ] {
      sqlite3_limit(connection, limit, value)
    }
    // A file that is cut off while it is read must be an error, not the end of the process.
    try db.execute(sql: "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
  }
}

public import GRDB
import StudyData

/// An error of a study database. A change that failed left the database as it was.
public struct StoreError: Error, Hashable, Sendable {
  /// The stable codes; they are never reused.
  public enum Code: String, CaseIterable, Hashable, Sendable {
    case missing = "E_STORE_MISSING"
    case foreign = "E_STORE_FOREIGN"
    case older = "E_STORE_OLDER"
    case newer = "E_STORE_NEWER"
    case corrupt = "E_STORE_CORRUPT"
    case notWritable = "E_STORE_NOT_WRITABLE"
    case locked = "E_STORE_LOCKED"
    case full = "E_STORE_FULL"
    case value = "E_STORE_VALUE"
    case served = "E_STORE_SERVED"
    case failed = "E_STORE_FAILED"
  }

  public var code: Code
  public var path: String
  public var message: String
  public var remedy: String

  /// Describes an error; without a remedy, it has the usual one of its code.
  public init(_ code: Code, path: String, message: String, remedy: String? = nil) {
    self.code = code
    self.path = path
    self.message = message
    self.remedy = remedy ?? Self.remedy(for: code, path)
  }

  private static func remedy(for code: Code, _ path: String) -> String {
    switch code {
    case .missing: "check the path"
    case .foreign:
      "name a database made by promille import STUDY --into study.sqlite"
    case .older: "upgrade it with promille check \(path.quotedForShell) --upgrade"
    case .newer: "use a newer version of promille"
    case .corrupt: "restore it from a backup, or make it again from its files"
    case .notWritable:
      "make the file and its folder writable, or name a file in another folder"
    case .locked: "wait until the other process is done and try again"
    case .full: "free some disk space and try again; nothing was changed"
    case .value: "correct the data; nothing was changed"
    case .served:
      "correct it on the study day, or import into another database; nothing was changed"
    case .failed: "check the disk and try again; nothing was changed"
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// One line: database, severity, code, finding and remedy.
  public var description: String {
    "\(path.isEmpty ? "\"\"" : path): error \(code.rawValue): \(message); \(remedy)"
  }
}

extension StoreError {
  /// The status of a program that ends with it, by the numbers of sysexits.h.
  @_spi(StudyDay) public var exitStatus: Int32 {
    switch code {
    case .missing: 66
    case .foreign, .older, .newer, .corrupt, .value, .served: 65
    case .notWritable, .full: 73
    case .locked: 75
    case .failed: 74
    }
  }

  /// Contents of a table that no import writes and that cannot be understood; ``translating(_:_:)`` adds the path.
  @_spi(StudyDay) public static func damage(
    _ table: String, _ message: String, remedy: String? = nil
  ) -> StoreError {
    StoreError(
      .corrupt, path: "", message: "the table \(table) is damaged: \(message)", remedy: remedy)
  }

  /// Runs a body and translates errors of SQLite and GRDB into ``StoreError``.
  static func translating<Value>(
    _ path: String, _ body: () throws -> Value
  ) throws(StoreError) -> Value {
    do {
      return try body()
    } catch var error as StoreError {
      if error.path.isEmpty { error.path = path }
      throw error
    } catch let error as DatabaseError {
      throw StoreError(error, path: path)
    } catch let error as RowDecodingError {
      throw StoreError(.corrupt, path: path, message: "the database is damaged: \(error)")
    } catch {
      throw StoreError(.failed, path: path, message: "\(error)")
    }
  }

  /// Describes an error of SQLite, without the statement, which may hold people's data.
  @_spi(StudyDay) public init(_ error: DatabaseError, path: String) {
    let reason = error.message ?? error.resultCode.description
    switch error.resultCode {
    case .SQLITE_FULL:
      self.init(.full, path: path, message: "there is no space for the data: \(reason)")
    case .SQLITE_READONLY:
      self.init(.notWritable, path: path, message: "the database is not writable: \(reason)")
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
      self.init(.locked, path: path, message: "another process is using the database: \(reason)")
    case .SQLITE_CORRUPT:
      self.init(.corrupt, path: path, message: "the database is damaged: \(reason)")
    case .SQLITE_NOTADB:
      self.init(.foreign, path: path, message: "the file is not an SQLite database")
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
      self.init(.missing, path: path, message: "the database cannot be opened: \(reason)")
    case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE:
      self.init(.value, path: path, message: "the data violate the schema: \(reason)")
    default:
      self.init(.failed, path: path, message: "SQLite failed: \(reason)")
    }
  }
}

import Foundation
package import GRDB

extension StudyStore {
  /// Notes in a database up to which change of a study day a copy of it goes, which devices need not keep any longer.
  ///
  /// - Throws: ``StoreError`` if the copy cannot be read, or the database not be written.
  public func noteBackup(_ copy: String) throws(StoreError) {
    let store = try StudyStore(path: copy, for: .reading)
    let last = try store.read(Schema.eventTables) { try EventLog.last(in: $0)?.seq }
    guard let last else { return }
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    try write(["settings"]) { db in
      for (name, value) in [(Self.backupSeq, last), (Self.backupTime, now)] {
        try db.execute(
          sql:
            "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
          arguments: [name, Double(value)])
      }
    }
  }

  private static let (backupSeq, backupTime) = ("backup_seq", "backup_ms")

  /// Up to which change the last copy goes that was noted, and when it was made, in ms since 1970.
  package static func lastBackup(in db: Database) throws -> (seq: Int64, at: Int64)? {
    func value(_ name: String) throws -> Int64? {
      try Double.fetchOne(db, sql: "SELECT value FROM settings WHERE name = ?", arguments: [name])
        .flatMap { Int64(exactly: $0) }
    }
    guard let seq = try value(backupSeq), let at = try value(backupTime) else { return nil }
    return (seq, at)
  }
}

public import Foundation
package import GRDB
@_spi(StudyDay) public import StudyStore

/// Result of verifying the chain of hashes and the study day's tables against it.
public struct ChangeChain: Hashable, Sendable {
  /// Number of changes whose hash is right.
  public var sound: Int64
  /// The hash of the last of them, 32 bytes; zeros if there is none.
  public var hash: Data
  /// The first change that was altered or follows on a gap; nil if all are sound.
  public var broken: Int64?
  /// First record that differs from the log; nil if none does, or the chain is broken.
  public var different: EntryDifference?
}

extension StudyStore {
  /// Returns all changes of study days, oldest first.
  ///
  /// - Parameters:
  ///   - seq: Number of the change after which to begin.
  ///   - subject: Name of a subject; nil for all.
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func changes(after seq: Int64 = 0, subject: String? = nil) throws(StoreError) -> [Event] {
    try read(StudyStore.eventTables) {
      try EventLog.events(after: seq, limit: .max, subject: subject, in: $0)
    }
  }

  /// Runs SQLite's integrity check, verifies the chain of hashes, and compares the tables with the log: entries and
  /// their rows, sessions, offers, measures of people, settings, accounts, tokens, consent and bookings.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func verifyChanges(
    convertingVitals vitalConversion: @escaping LoggedEntry.VitalConversion
  ) throws(StoreError) -> ChangeChain {
    try read(StudyStore.eventTables) { db in
      // Finds unreferenced pages, and index and table pages that disagree.
      let damage: [String] = try db.values("PRAGMA integrity_check(1)")
      guard damage == ["ok"] else {
        throw StoreError(
          .corrupt, path: "", message: "the file is damaged: \(damage.joined(separator: "; "))",
          remedy: nil)
      }
      var chain = try EventLog.verify(in: db)
      guard chain.broken == nil else { return chain }
      try db.requireWhole(
        EntryCheck.tables + DayCheck.tables + AccountCheck.tables + BookingCheck.tables)
      chain.different =
        try EntryCheck(db: db, vitalConversion: vitalConversion).firstDifference()
        ?? DayCheck(db: db).firstDifference() ?? AccountCheck(db: db).firstDifference()
        ?? BookingCheck(db: db).firstDifference()
      return chain
    }
  }
}

extension StudyStore {
  /// The number of the last change of a study day; nil before the first.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package static func lastChange(of path: String) throws(StoreError) -> Int64? {
    try day(path, for: .reading).read(eventTables) { try EventLog.last(in: $0)?.seq }
  }

  /// Notes in a database up to which change of a study day a copy of it goes, which devices need not keep any longer.
  ///
  /// - Throws: ``StoreError`` if the copy cannot be read, or the database not be written.
  package static func noteBackup(_ copy: String, of database: String) throws(StoreError) {
    guard let last = try lastChange(of: copy) else { return }
    let store = try day(database, for: .changing)
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    try store.write(["settings"]) { try noteBackup(upTo: last, at: now, in: $0) }
  }

  package static func noteBackup(upTo seq: Int64, at now: Int64, in db: Database) throws {
    try db.set(backupSeq, to: Double(seq))
    try db.set(backupTime, to: Double(now))
  }

  private static let backupSeq = "backup_seq"
  private static let backupTime = "backup_ms"

  /// Up to which change the last copy goes that was noted, and when it was made, in ms since 1970.
  package static func lastBackup(in db: Database) throws -> (seq: Int64, at: Int64)? {
    guard let seq = try db.setting(backupSeq).flatMap({ Int64(exactly: $0) }),
      let at = try db.setting(backupTime).flatMap({ Int64(exactly: $0) })
    else { return nil }
    return (seq, at)
  }
}

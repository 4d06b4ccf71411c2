import Foundation
import GRDB
import TestSupport
import Testing

/// An import that is killed leaves the database as it was.
@Suite(.serialized) struct KilledImportTests {
  private let folder: TemporaryFolder
  private let database: String
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder("study.sqlite")
    let names = (0..<400).map { "s\($0)" }
    var large = SmallStudy()
    large.subjects = "subject,sex,age_y,height_cm,weight_kg\n"
    large.drinks = "subject,time_min,ethanol_g\n"
    large.readings = "subject,time_min,bac_g_per_kg\n"
    for name in names {
      large.subjects += "\(name),male,40,180,70\n"
      large.drinks += "\(name),0,40\n"
      for minute in 1...100 { large.readings += "\(name),\(minute),0.5\n" }
    }
    study = try large.write(to: folder, as: "large")
  }

  /// Waits until another process holds the database for writing, or the import has ended.
  private func waitForTheImport() async throws {
    let queue = try DatabaseQueue(path: database)
    for _ in 0..<20_000 {
      let isHeld = try await queue.writeWithoutTransaction { db in
        do {
          try db.execute(sql: "BEGIN IMMEDIATE; ROLLBACK")
          return false
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
          return true
        }
      }
      if isHeld { return }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  private func contents() throws -> [String] {
    try DatabaseQueue(path: database).read { db in
      let tables = ["subjects", "drinks", "readings", "imports", "changes"]
      return try ["integrity_check", "foreign_key_check"].flatMap {
        try String.fetchAll(db, sql: "PRAGMA \($0)")
      }
        + tables.map { table in
          try String.fetchOne(db, sql: "SELECT '\(table) ' || count(*) FROM \(table)") ?? ""
        }
    }
  }

  /// On a busy machine an import may have done all of its work before anybody notices that it has
  /// begun; then another one is killed.
  @Test(arguments: [0, 5, 20])
  func killedImportLeavesTheDatabaseUnchanged(milliseconds: Int) async throws {
    var isKilled = false
    for _ in 0..<20 where !isKilled {
      for end in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: database + end)
      }
      isKilled = try await importKilled(after: milliseconds)
    }
    #expect(isKilled)
  }

  /// Whether an import could be killed half-way.
  private func importKilled(after milliseconds: Int) async throws -> Bool {
    let small = try SmallStudy().write(to: folder)
    _ = try await Command.promille("import", small, "--into", database)
    let before = try contents()
    #expect(before.first == "ok" && before.contains("readings 24"))
    let running = try Command.starting("import", study, "--into", database)
    try await waitForTheImport()
    try await Task.sleep(for: .milliseconds(milliseconds))
    running.kill()
    let status = await running.status()
    let after = try contents()
    if after.contains("readings 40024") { return false }
    #expect(status == 128 + SIGKILL)
    #expect(after == before)
    let again = try await Command.promille("import", study, "--into", database)
    #expect(try again.rows.map { $0["added"] } == ["400", "400", "40000"])
    return true
  }
}

import Foundation
import GRDB
import TestSupport
import Testing

@_spi(StudyDay) @testable import StudyStore

/// All connections to databases are opened in one place, with SQLite's defences on.
@Suite struct StoreConnectionTests {
  @Test func databasesAreOpenedInOnePlace() throws {
    let sources = PackageFolder.root.appending(path: "Sources")
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var doors: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      let opening = ["DatabaseQueue(", "DatabasePool(", "sqlite3_open"]
      if opening.contains(where: text.contains) { doors.insert(file.lastPathComponent) }
    }
    #expect(doors == ["StoreConnection.swift"])
  }

  @Test func viewsAreNotReadByTheStore() throws {
    let queue = try StoreConnection.openEmpty()
    try Schema.ofStudies.migrator.migrate(queue)
    let views = try queue.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'view'")
    }
    #expect(views.count == 5)
    for view in views {
      #expect(throws: (any Error).self) {
        try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM \(view)") }
      }
    }
  }

  @Test func triggersAreDisabled() throws {
    let queue = try StoreConnection.openEmpty()
    let count = try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE a (x); CREATE TABLE b (x);
          CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (1); END;
          INSERT INTO a VALUES (1)
          """)
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM b")
    }
    #expect(count == 0)
  }

  @Test func schemaTableIsNotWritable() throws {
    let queue = try StoreConnection.openEmpty()
    #expect(throws: DatabaseError.self) {
      try queue.write { db in
        try db.execute(sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema")
        try db.execute(sql: "CREATE TABLE a (x); UPDATE sqlite_schema SET sql = 'x'")
      }
    }
    let settings = try queue.read { db in
      try ["trusted_schema", "cell_size_check", "foreign_keys"].map {
        try Int.fetchOne(db, sql: "PRAGMA \($0)")
      }
    }
    #expect(settings == [0, 1, 1])
  }
}

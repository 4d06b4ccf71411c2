import Foundation
import GRDB
import StoreSupport
import TestSupport
import Testing

@testable import StudyStore

/// A database that a process made and could not fill is removed, and none that another made.
@Suite struct MakingTests {
  private struct Failure: Error {}

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func whatFailedLeavesNothing() throws {
    #expect(throws: Failure.self) {
      try StudyStore.change(folder("a.sqlite")) { store in
        try store.add(SmallStudy.study())
        try folder.write("left", to: "a.sqlite-journal")
        throw Failure()
      }
    }
    #expect(try folder.contents.isEmpty)
  }

  /// As where two processes come to one place: one of them makes the file.
  @Test func aDatabaseThatAnotherMadeIsKept() throws {
    #expect(StoreOpening(path: folder("a.sqlite")).makeEmpty())
    #expect(!StoreOpening(path: folder("a.sqlite")).makeEmpty())
    #expect(throws: Failure.self) {
      try StudyStore.change(folder("a.sqlite")) { _ in throw Failure() }
    }
    #expect(try folder.contents == ["a.sqlite"])
  }

  @Test func aCopyReplacesNothing() throws {
    let store = try StudyStore(path: folder("a.sqlite"), for: .writing)
    try store.add(SmallStudy.study())
    try folder.write("mine", to: "b.sqlite")
    let error = #expect(throws: StoreError.self) { try store.copy(to: folder("b.sqlite")) }
    #expect(error?.code == .notWritable)
    #expect(try folder.read("b.sqlite") == "mine")
    try store.copy(to: folder("c.sqlite"))
    #expect(try StudyStore(path: folder("c.sqlite"), for: .reading).study() == store.study())
  }

  /// Names and contacts leave in no export, nor in pages of the file that are free.
  @Test func anExportHoldsTheStudyAndNobody() throws {
    let pool = try StudyStore.servingPool(folder("day.sqlite"))
    let store = try StudyStore(path: folder("day.sqlite"), for: .writing)
    try store.add(SmallStudy.study())
    try pool.write { db in
      try db.execute(
        sql: """
          INSERT INTO people (subject_id, name, contact, consent_ms, no_shows) VALUES (1, 'Ada Lovelace', 'ada@example.org', 0, 0);
          INSERT INTO accounts VALUES (1, 'Charles Babbage', 'owner', NULL, 0, NULL);
          INSERT INTO tokens VALUES (1, zeroblob(32), 1, 'station', 'Babbage', 0, 1, NULL, NULL);
          INSERT INTO sites VALUES (1, 'Somerville Hall', NULL, 0, NULL);
          INSERT INTO settings VALUES ('no_show_cost', 3)
          """)
      try EventLog.append(
        Event(
          actor: "Charles Babbage", action: "note.enter",
          new: .object(["text": .text("Lovelace")])),
        at: 0, after: nil, in: db)
    }
    try store.exportStudy(to: folder("out.sqlite"))
    let out = try StudyStore(path: folder("out.sqlite"), for: .reading)
    #expect(try out.study() == store.study())
    #expect(try out.changes().isEmpty)
    let settings = try out.read(["settings"]) {
      try String.fetchAll($0, sql: "SELECT name FROM settings ORDER BY name")
    }
    #expect(settings == ["no_show_cost", "span_days"])
    for name in try folder.contents where name.hasPrefix("out.sqlite") {
      let bytes = try Data(contentsOf: URL(filePath: folder(name)))
      for word in ["Lovelace", "ada@", "Babbage", "Somerville"] {
        #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word) in \(name)")
      }
    }
    try store.copy(to: folder("backup.sqlite"))
    let backup = try Data(contentsOf: URL(filePath: folder("backup.sqlite")))
    #expect(backup.range(of: Data("ada@example.org".utf8)) != nil)
    try pool.close()
  }

  /// A table that a later step adds is a study's or a study day's; somebody has to say which.
  @Test func everyTableIsExportedOrOfADay() throws {
    let tables = try StoreConnection.openEmpty()
    try Schema.migrator.migrate(tables)
    let all = try tables.read {
      try String.fetchAll(
        $0, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'grdb%'")
    }
    let ofTheDay: Set = [
      "events", "entries", "conflicts", "sessions", "accounts", "tokens", "people", "sites", "labs",
      "session_types", "slots", "bookings", "waiting", "favourites", "choices", "calls", "letters",
    ]
    #expect(Set(all) == ofTheDay.union(Schema.exportedTables))
    #expect(ofTheDay.isDisjoint(with: Schema.exportedTables))
  }
}

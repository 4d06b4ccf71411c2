import Foundation
import GRDB
import StoreSupport
import StudyData
import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import DayDatabase

/// Databases of study days, and the toolkit's: each opens the other's, and no step is made twice.
@Suite struct SchemaTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("study.sqlite")
  }

  /// Returns the schema of a database, and its applied steps.
  private func schema() throws -> (entries: Set<String>, steps: [String]) {
    try DatabaseQueue(path: path).read { db in
      (
        try Set(
          String.fetchAll(
            db, sql: "SELECT type || name || ifnull(sql, '') FROM sqlite_schema")),
        try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
      )
    }
  }

  /// Steps are only ever added: whoever changes this list, or their texts, breaks the databases people have.
  @Test func schemaStepsAreUnchanged() throws {
    #expect(
      StudyStore.stepsOfDay.map(\.name) == [
        "4-vitals", "5-vital-uuids", "8-study-day", "10-entries", "11-choices", "12-thresholds",
        "13-calls", "14-letters", "15-changed", "16-push", "day-17-issuers", "day-18-staff",
      ])
    let digests = StudyStore.stepsOfDay.map { step in
      Event.sha256(Data(step.sql.utf8)).prefix(4).hexadecimal
    }
    #expect(
      digests
        == [
          4_106_405_258, 4_087_713_423, 1_153_163_784, 3_632_227_890, 2_605_650_952, 1_224_417_658,
          1_681_001_660, 4_182_588_774, 2_744_064_884, 3_780_706_301,
          2_873_994_967, 1_987_583_012,
        ].map { String($0, radix: 16) }.map { String(repeating: "0", count: 8 - $0.count) + $0 })
  }

  /// Makes a database with one list of steps, as earlier versions did.
  private func makeDatabaseOfOneList() throws {
    let steps = (Schema.studySteps + StudyStore.stepsOfDay).sorted {
      $0.name.compare($1.name, options: .numeric) == .orderedAscending
    }
    #expect(steps.first?.name == "1-study" && steps.last?.name == "day-18-staff")
    var migrator = DatabaseMigrator()
    for step in steps {
      migrator.registerMigration(step.name) { try $0.execute(sql: step.sql) }
    }
    try migrator.migrate(DatabaseQueue(path: path))
  }

  @Test func aDatabaseOfOneListOpensInBoth() throws {
    try makeDatabaseOfOneList()
    let before = try schema()
    try StudyStore(path: path, for: .changing).add(SmallStudy.study())
    #expect(try StudyStore(path: path, for: .reading).study() == SmallStudy.study())
    #expect(try StudyStore.day(path, for: .changing).study() == SmallStudy.study())
    #expect(try StudyStore.day(path, for: .reading).changes().isEmpty)
    try StudyStore.servingPool(path).close()
    #expect(try schema() == before)
  }

  /// The order of schema steps leaves no trace.
  @Test func aNewDatabaseIsLikeOneOfOneList() throws {
    try makeDatabaseOfOneList()
    let before = try schema()
    try FileManager.default.removeItem(atPath: path)
    _ = try StudyStore.day(path, for: .writing)
    let (entries, steps) = try schema()
    #expect(steps == before.steps)
    #expect(entries == before.entries)
  }

  @Test func aDatabaseOfTheToolkitBecomesOneOfADay() throws {
    try StudyStore.change(path) { try $0.add(SmallStudy.study()) }
    let error = #expect(throws: StoreError.self) { try StudyStore.day(path, for: .reading) }
    #expect(error?.code == .older && error?.remedy.contains("promille serve") == true)
    try StudyStore.servingPool(path).close()
    #expect(try StudyStore.day(path, for: .reading).study() == SmallStudy.study())
    #expect(try StudyStore(path: path, for: .reading).study() == SmallStudy.study())
  }

  @Test func theToolkitReadsADayAndChangesNoSession() throws {
    let pool = try StudyStore.servingPool(path)
    let toolkit = try StudyStore(path: path, for: .changing)
    try toolkit.add(SmallStudy.study())
    try pool.write { db in
      try db.execute(
        sql: """
          INSERT INTO sessions (series_id, starts_ms, reading_interval_min, release_limit_g_per_kg, food)
            VALUES (1, 0, 10, 0.2, 'fasted');
          INSERT INTO settings VALUES ('blood_breath_ratio', 2300)
          """)
    }
    try pool.close()
    #expect(try toolkit.study() == SmallStudy.study())
    #expect(try toolkit.bloodBreathRatio() == 2300)
    try toolkit.add(SmallStudy.study())
    var secondStudy = SmallStudy.study()
    secondStudy.series[0].readings[0].value += 0.1
    let error = #expect(throws: StoreError.self) { try toolkit.add(secondStudy) }
    #expect(error?.code == .served)
  }

  /// The toolkit would pass over settings and sessions of which it does not know.
  @Test func toolkitDetectsMissingSchemaStep() throws {
    // Of later steps it knows only that they are those of a study day.
    for step in StudyStore.stepsOfDay where !step.name.hasPrefix("day-") {
      let path = folder("\(step.name).sqlite")
      try StudyStore.servingPool(path).close()
      try DatabaseQueue(path: path).write {
        try $0.execute(
          sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [step.name])
      }
      let error = #expect(throws: StoreError.self) { try StudyStore(path: path, for: .reading) }
      #expect(error?.code == .corrupt, "\(step.name)")
    }
  }

  @Test(arguments: [
    "INSERT INTO grdb_migrations VALUES ('day-99-later')",
    "INSERT INTO grdb_migrations VALUES ('99-later')",
  ])
  func aNewerDatabaseIsRefused(_ sql: String) throws {
    _ = try StudyStore.day(path, for: .writing)
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
    let error = #expect(throws: StoreError.self) { try StudyStore.day(path, for: .reading) }
    #expect(error?.code == .newer)
  }

  @Test(arguments: [
    "DROP TABLE vital_kinds", "DROP TRIGGER events_stay", "DROP INDEX vitals_by_time",
    "DELETE FROM grdb_migrations WHERE identifier = '5-vital-uuids'",
    "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM readings; END",
  ])
  func anAlteredDayIsRefused(_ sql: String) throws {
    _ = try StudyStore.day(path, for: .writing)
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
    let error = #expect(throws: StoreError.self) { try StudyStore.day(path, for: .reading) }
    #expect(error?.code == .corrupt)
  }

  /// Names and contacts leave in no export, nor in pages of the file that are free.
  @Test func anExportHoldsTheStudyAndNobody() throws {
    let pool = try StudyStore.servingPool(folder("day.sqlite"))
    let store = try StudyStore.day(folder("day.sqlite"), for: .writing)
    try store.add(SmallStudy.study())
    try pool.write { db in
      try db.execute(
        sql: """
          INSERT INTO people (subject_id, name, contact, consent_ms, no_shows)
            VALUES (1, 'Ada Lovelace', 'ada@example.org', 0, 0);
          INSERT INTO accounts VALUES (1, 'Charles Babbage', 'owner', NULL, 0, NULL, 0);
          INSERT INTO tokens VALUES (1, zeroblob(32), 1, 'station', 'Babbage', 0, 1, NULL, NULL, NULL);
          INSERT INTO sites VALUES (1, 'Somerville Hall', NULL, 0, NULL)
          """)
      try EventLog.append(
        Event(
          actor: "Charles Babbage", action: "note.enter",
          new: .object(["text": .text("Lovelace")])),
        at: 0, after: nil, in: db)
    }
    // As `promille export` opens it.
    try StudyStore(path: folder("day.sqlite"), for: .reading).exportStudy(to: folder("out.sqlite"))
    let out = try StudyStore(path: folder("out.sqlite"), for: .reading)
    #expect(try out.study() == store.study())
    #expect(try !out.hasVitals())
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
}

import AlcoholKinetics
import GRDB
import StoreSupport
import StudyData
import StudyFiles
import TestSupport
import Testing

@_spi(StudyDay) @testable import StudyStore

/// Databases of other versions, of others, and files that are none.
@Suite struct VersionTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("study.sqlite")
  }

  private func code(
    _ purpose: StudyStore.Purpose, _ path: String? = nil
  ) -> StoreError.Code? {
    do throws(StoreError) {
      _ = try StudyStore(path: path ?? self.path, for: purpose)
      return nil
    } catch {
      return error.code
    }
  }

  private func execute(_ sql: String) throws {
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  @Test func aMissingDatabaseCannotBeRead() {
    #expect(code(.reading) == .missing)
    #expect(code(.writing, folder("nowhere/study.sqlite")) == .notWritable)
  }

  @Test func otherFileIsRefused() throws {
    try folder.write("subject,time_min\n", to: "study.sqlite")
    #expect(code(.reading) == .foreign)
    #expect(code(.writing) == .foreign)
    #expect(!StudyStore.accepts(path))
    #expect(try folder.read("study.sqlite") == "subject,time_min\n")
  }

  @Test func databaseMayHaveAnyName() throws {
    try StudyStore(path: folder("name.csv"), for: .writing).add(SmallStudy.study())
    #expect(StudyStore.accepts(folder("name.csv")))
    #expect(code(.reading, folder("name.csv")) == nil)
  }

  @Test func newUnitsAreAddedToADatabase() throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    try execute("DELETE FROM units WHERE unit = 'serum_g_per_l'")
    try execute("UPDATE units SET matrix = 'blood' WHERE unit = 'serum_g_per_100ml'")
    _ = try StudyStore(path: path, for: .changing)
    let matrices = try DatabaseQueue(path: path).read { db in
      Dictionary(
        uniqueKeysWithValues: try Row.fetchAll(db, sql: "SELECT unit, matrix FROM units")
          .map { ($0[0] as String, $0[1] as String) })
    }
    var expected = Dictionary(
      uniqueKeysWithValues: ConcentrationUnit.allCases.map { ($0.rawValue, $0.matrix.rawValue) })
    // What stands there is left as it is.
    expected["serum_g_per_100ml"] = "blood"
    #expect(matrices == expected)
  }

  @Test func aForeignDatabaseIsRefused() throws {
    try execute("CREATE TABLE t (x)")
    #expect(code(.reading) == .foreign)
    #expect(code(.writing) == .foreign)
  }

  @Test func anOlderDatabaseIsBroughtUpToDateForWriting() throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    let steps = Dictionary(Schema.studySteps.map { ($0.name, $0.sql) }) { $1 }
    let (study, runs) = (steps["1-study"] ?? "", steps["3-runs"] ?? "")
    let firstView = try #require(study.firstMatch(of: /CREATE VIEW drink_list[^;]*;/))
    let firstFits = try #require(runs.firstMatch(of: /CREATE TABLE fits[^;]*;/))
    let firstLatest = try #require(runs.firstMatch(of: /CREATE VIEW latest_fit[^;]*;/))
    try execute(
      """
      DROP VIEW latest_fit; DROP TABLE fits; \(firstFits.output) \(firstLatest.output)
      DROP VIEW drink_list; ALTER TABLE drinks DROP COLUMN route;
      \(firstView.output)
      DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) >= 4
      """)
    #expect(code(.reading) == .older)
    #expect(code(.writing) == nil)
    #expect(code(.reading) == nil)
    #expect(try StudyStore(path: path, for: .reading).study() == SmallStudy.study())
  }

  @Test func aNewerDatabaseIsRefused() throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    try execute("INSERT INTO grdb_migrations VALUES ('99-later')")
    #expect(code(.reading) == .newer)
    #expect(code(.writing) == .newer)
  }

  /// Migrations are only ever added: a change of this list breaks existing databases.
  @Test func migrationsHaveTheirNames() throws {
    _ = try StudyStore(path: path, for: .writing)
    let names = try DatabaseQueue(path: path).read {
      try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
    }
    #expect(
      names == [
        "1-study", "2-synchronising", "3-runs", "6-routes", "7-search-limits", "9-serum-units",
      ])
  }

  /// The texts of migrations do not change, since existing databases were made by them.
  @Test func migrationsAreUnchanged() {
    let digests = Schema.studySteps.map { step in
      var sql = step.sql
      return sql.withUTF8 { SHA256.digest(of: UnsafeRawBufferPointer($0))[0] }
    }
    #expect(
      digests == [
        2_832_159_084, 3_585_019_894, 406_330_868, 216_411_105, 513_965_820, 3_896_423_545,
      ])
  }

  @Test func databaseHasEveryUnit() throws {
    _ = try StudyStore(path: path, for: .writing)
    let units = try DatabaseQueue(path: path).read {
      try String.fetchAll($0, sql: "SELECT unit FROM units")
    }
    #expect(Set(units) == Set(ConcentrationUnit.allCases.map(\.rawValue)))
  }

  /// The steps of study days are known by their names, and what they made is left alone.
  @Test(arguments: ["4-vitals", "8-study-day", "16-push", "day-99-later"])
  func studyDayMigrationsAreAccepted(_ step: String) throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    let known = Self.stepsOfADay.prefix(1 + (Self.stepsOfADay.firstIndex(of: step) ?? 10))
    let steps = Set(known + [step]).map { "('\($0)')" }.joined(separator: ", ")
    try execute(
      """
      INSERT INTO grdb_migrations VALUES \(steps);
      CREATE TABLE later (x); CREATE TRIGGER t AFTER INSERT ON later BEGIN DELETE FROM later; END
      """)
    #expect(code(.reading) == nil && code(.writing) == nil)
    #expect(try StudyStore(path: path, for: .reading).study() == SmallStudy.study())
    try execute("CREATE TRIGGER t2 AFTER INSERT ON readings BEGIN DELETE FROM later; END")
    #expect(code(.reading) == .corrupt)
  }

  private static let stepsOfADay = [
    "4-vitals", "5-vital-uuids", "8-study-day", "10-entries", "11-choices", "12-thresholds",
    "13-calls", "14-letters", "15-changed", "16-push",
  ]

  /// A missing migration is refused, since its settings would otherwise be ignored silently.
  @Test(arguments: ["5-vital-uuids", "16-push", "day-99-later"])
  func missingStudyDayMigrationIsCorruption(_ step: String) throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    try execute("INSERT INTO grdb_migrations VALUES ('\(step)')")
    #expect(code(.reading) == .corrupt && code(.writing) == .corrupt)
  }

  @Test func missingStudyDayTableIsCorruption() throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    try execute(
      """
      INSERT INTO grdb_migrations VALUES ('4-vitals'), ('5-vital-uuids'), ('8-study-day');
      CREATE VIEW settings AS SELECT 'blood_breath_ratio' AS name, 2300.0 AS value
      """)
    let store = try StudyStore(path: path, for: .changing)
    func refuses(_ body: () throws -> Void) -> Bool {
      (#expect(throws: StoreError.self, performing: body))?.code == .corrupt
    }
    #expect(refuses { _ = try store.bloodBreathRatio() })
    #expect(refuses { _ = try store.hasVitals() })
    #expect(
      refuses {
        _ = try store.study(excludingDaysWith: [
          DayRule(kind: "HeartRate", side: .above, value: 90)
        ])
      })
    #expect(refuses { try store.add(SmallStudy.study()) })
  }

  /// Another program may have written anything; nothing else is put in its place.
  @Test(arguments: [-5, 0, 999, 4001, 1e300])
  func impossibleBreathRatioIsRefused(_ ratio: Double) throws {
    _ = try StudyStore(path: path, for: .writing)
    try execute(
      """
      INSERT INTO grdb_migrations VALUES ('4-vitals');
      CREATE TABLE settings (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID, STRICT;
      INSERT INTO settings VALUES ('blood_breath_ratio', \(ratio))
      """)
    let store = try StudyStore(path: path, for: .reading)
    let error = #expect(throws: StoreError.self) { try store.bloodBreathRatio() }
    #expect(error?.code == .corrupt)
    try execute("DELETE FROM settings")
    #expect(try store.bloodBreathRatio() == nil)
  }

  /// Making a table once more would fail, and say that the disk is at fault.
  @Test func unrecordedMigrationIsCorruption() throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    try execute("DELETE FROM grdb_migrations")
    #expect(code(.reading) == .corrupt && code(.writing) == .corrupt)
  }
}

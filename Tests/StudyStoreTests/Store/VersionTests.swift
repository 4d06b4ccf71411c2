import AlcoholKinetics
import GRDB
import HealthData
import StoreSupport
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import StudyStore

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

  @Test func aFileThatIsNoneIsRefused() throws {
    try folder.write("subject,time_min\n", to: "study.sqlite")
    #expect(code(.reading) == .foreign)
    #expect(code(.writing) == .foreign)
    #expect(!StudyStore.accepts(path))
    #expect(try folder.read("study.sqlite") == "subject,time_min\n")
  }

  @Test func theNameOfADatabaseDoesNotMatter() throws {
    try StudyStore(path: folder("name.csv"), for: .writing).add(SmallStudy.study())
    #expect(StudyStore.accepts(folder("name.csv")))
    #expect(code(.reading, folder("name.csv")) == nil)
  }

  @Test func aForeignDatabaseIsRefused() throws {
    try execute("CREATE TABLE t (x)")
    #expect(code(.reading) == .foreign)
    #expect(code(.writing) == .foreign)
  }

  @Test func anOlderDatabaseIsBroughtUpToDateForWriting() throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    let steps = Dictionary(Schema.steps.map { ($0.name, $0.sql) }) { $1 }
    let (study, runs) = (steps["1-study"] ?? "", steps["3-runs"] ?? "")
    let firstView = try #require(study.firstMatch(of: /CREATE VIEW drink_list[^;]*;/))
    let firstFits = try #require(runs.firstMatch(of: /CREATE TABLE fits[^;]*;/))
    let firstLatest = try #require(runs.firstMatch(of: /CREATE VIEW latest_fit[^;]*;/))
    let ofTheDay = try #require(steps["8-study-day"]).matches(of: /CREATE TABLE (\w+)/).map {
      "DROP TABLE \($0.output.1);"
    }
    try execute(
      """
      DROP TABLE letters; DROP TABLE calls; DROP TABLE choices;
      \(ofTheDay.reversed().joined(separator: " "))
      DROP VIEW latest_fit; DROP TABLE fits; \(firstFits.output) \(firstLatest.output)
      DROP VIEW vitals_by_day; DROP TABLE vitals; DROP TABLE vital_kinds; DROP TABLE settings;
      DROP VIEW drink_list; ALTER TABLE drinks DROP COLUMN route;
      \(firstView.output)
      DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) >= 4
      """)
    #expect(code(.reading) == .older)
    #expect(code(.writing) == nil)
    #expect(code(.reading) == nil)
    #expect(try StudyStore(path: path, for: .reading).study() == SmallStudy.study())
  }

  @Test func whatWasForBrowsersGoes() throws {
    let tables = try StoreConnection.openEmpty()
    try Schema.migrator.migrate(tables, upTo: "16-push")
    try tables.write {
      try $0.execute(
        sql: """
          INSERT INTO subjects (id, name) VALUES (1, 'ann');
          INSERT INTO accounts (id, name, role, subject_id, made_ms)
            VALUES (1, 'ann', 'participant', 1, 0);
          INSERT INTO tokens (id, hash, account_id, kind, made_ms, expires_ms)
            VALUES (1, zeroblob(32), 1, 'session', 0, 0);
          INSERT INTO push VALUES (1, zeroblob(32), 'lab@example.org', 'push.example.org');
          INSERT INTO push_devices VALUES (1, 'https://push.example.org/x', zeroblob(65), zeroblob(16), 0);
          INSERT INTO letters (subject_id, kind, way, device, about, text, state, made_ms, next_ms)
            VALUES (1, 'turn', 'push', 1, '1', 'x', 'waiting', 0, 0),
              (1, 'turn', 'push', 1, '2', 'x', 'sent', 0, 0),
              (1, 'turn', 'mail', 0, '1', 'x', 'waiting', 0, 0);
          """)
    }
    try Schema.migrator.migrate(tables)
    try tables.write {
      let letters = try String.fetchAll(
        $0, sql: "SELECT way || ' ' || state FROM letters ORDER BY id")
      #expect(letters == ["push sent", "mail waiting"])
      #expect(
        try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'push%'") == 0
      )
      // Nothing refers to the tables any more.
      try $0.execute(sql: "UPDATE tokens SET revoked_ms = 1; UPDATE accounts SET revoked_ms = 1")
    }
  }

  @Test func aNewerDatabaseIsRefused() throws {
    try StudyStore(path: path, for: .writing).add(SmallStudy.study())
    try execute("INSERT INTO grdb_migrations VALUES ('99-later')")
    #expect(code(.reading) == .newer)
    #expect(code(.writing) == .newer)
  }

  /// Steps are only ever added: whoever changes this list breaks the databases people have.
  @Test func stepsHaveTheirNames() throws {
    _ = try StudyStore(path: path, for: .writing)
    let names = try DatabaseQueue(path: path).read {
      try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
    }
    #expect(
      names == [
        "1-study", "10-entries", "11-choices", "12-thresholds", "13-calls", "14-letters",
        "15-changed", "16-push", "17-no-push",
        "2-synchronising", "3-runs",
        "4-vitals",
        "5-vital-uuids",
        "6-routes",
        "7-search-limits", "8-study-day", "9-serum-units",
      ])
  }

  /// Nor are their texts: a database that somebody has went through them as they were.
  @Test func stepsStayAsTheyAre() {
    let digests = Schema.steps.map { step in
      var sql = step.sql
      return sql.withUTF8 { SHA256.digest(of: UnsafeRawBufferPointer($0))[0] }
    }
    #expect(
      digests == [
        2_832_159_084, 3_585_019_894, 406_330_868, 4_106_405_258, 4_087_713_423, 216_411_105,
        513_965_820, 1_153_163_784, 3_896_423_545, 3_632_227_890,
        2_605_650_952, 1_224_417_658, 1_681_001_660, 4_182_588_774, 2_744_064_884, 3_780_706_301,
        666_565_911,
      ])
  }

  @Test func everyUnitIsInTheDatabase() throws {
    _ = try StudyStore(path: path, for: .writing)
    let units = try DatabaseQueue(path: path).read {
      try String.fetchAll($0, sql: "SELECT unit FROM units")
    }
    #expect(Set(units) == Set(ConcentrationUnit.allCases.map(\.rawValue)))
    #expect(
      try DatabaseQueue(path: path).read {
        try Set(String.fetchAll($0, sql: "SELECT kind FROM vital_kinds"))
      } == Set(VitalKind.allCases.map(\.rawValue)))
  }
}

import GRDB
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Databases that another tool has altered: changes of the schema are reported, and nothing foreign is run, lost or
/// endless.
@Suite(.timeLimit(.minutes(10))) struct AlteredDatabaseTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("study.sqlite")
    try StudyStore.change(path) { try $0.add(SmallStudy.study()) }
  }

  private func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction {
      try $0.execute(sql: sql)
    }
  }

  private func expectRefusal(
    _ code: StoreError.Code, _ message: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    for purpose in [StudyStore.Purpose.reading, .changing, .writing] {
      let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
        _ = try StudyStore(path: path, for: purpose).study()
      }
      #expect(error?.code == code, sourceLocation: sourceLocation)
      #expect(
        error?.message.contains(message) == true, "\(error?.message ?? "")",
        sourceLocation: sourceLocation)
    }
  }

  @Test func viewInPlaceOfATableIsRefused() throws {
    try execute(
      """
      PRAGMA legacy_alter_table = ON; ALTER TABLE subjects RENAME TO others;
      CREATE VIEW subjects AS WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a)
        SELECT n AS id, 'x' || n AS name, NULL AS sex, NULL AS age_y, NULL AS date_of_birth,
          1.8 AS height_m, 80.0 AS weight_kg FROM a
      """)
    expectRefusal(.corrupt, "a view instead of the table subjects")
  }

  @Test func viewInPlaceOfMigrationsIsRefused() throws {
    try execute(
      """
      DROP TABLE grdb_migrations;
      CREATE VIEW grdb_migrations AS WITH RECURSIVE a (n) AS (
        SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT 'x' || n AS identifier FROM a
      """)
    expectRefusal(.corrupt, "no table grdb_migrations")
  }

  @Test func foreignTriggerIsRefusedAndNotRun() throws {
    try execute("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM readings; END")
    expectRefusal(.corrupt, "its table runs has a trigger, \"t\"")
    let left = try DatabaseQueue(path: path).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM readings")
    }
    #expect(left == 8)
  }

  @Test(arguments: ["findings", "drinks", "units", "metrics"])
  func missingTableIsNamed(_ table: String) throws {
    try execute("DROP TABLE \(table)")
    expectRefusal(.corrupt, "it has no table \(table)")
  }

  @Test func missingMigrationIsNamed() throws {
    try execute("DELETE FROM grdb_migrations WHERE identifier = '2-synchronising'")
    expectRefusal(.corrupt, "a step is missing")
  }

  /// Types and rules as well: what was checked when it was written may not be true without them.
  @Test(arguments: [
    "ALTER TABLE subjects ADD COLUMN note TEXT", "ALTER TABLE readings RENAME value TO measured",
    "DROP INDEX drinks_given; CREATE INDEX drinks_given ON drinks (uuid)",
    """
    DROP TABLE covariates;
    CREATE TABLE covariates (subject_id, name, value, PRIMARY KEY (subject_id, name))
    """,
  ])
  func alteredTableIsNamed(_ sql: String) throws {
    try execute(sql)
    expectRefusal(.corrupt, "does not have promille's tables")
  }

  @Test func foreignTablesViewsAndIndicesAreKept() throws {
    try execute(
      """
      CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine');
      CREATE VIEW everybody AS SELECT name FROM subjects;
      CREATE INDEX by_weight ON subjects (weight_kg); ANALYZE
      """)
    let store = try StudyStore(path: path, for: .changing)
    try store.add(SmallStudy.study())
    #expect(try store.study() == SmallStudy.study())
    #expect(try store.rows("SELECT text FROM notes") == [["mine"]])
  }

  // MARK: Rows that belong to nobody

  @Test(arguments: [
    ("DELETE FROM subjects WHERE id = 1", "series"), ("DELETE FROM series WHERE id = 2", "drinks"),
    ("UPDATE readings SET series_id = 77 WHERE series_id = 1", "readings"),
    ("INSERT INTO covariates VALUES (9, 'a', 'b')", "covariates"),
  ])
  func orphanedRowsAreCorruption(_ sql: String, table: String) throws {
    try execute(sql)
    expectRefusal(.corrupt, "the table \(table) is damaged: some rows have a ")
    #expect(throws: StoreError.self) {
      try StudyStore(path: path, for: .changing).add(SmallStudy.study())
    }
  }

  // MARK: Numbers that are counted on from

  @Test(arguments: ["drinks", "readings"], [Int64.max, Int64.max - 1, -1, Int64.min])
  func overflowingOrdinalIsCorruption(_ table: String, _ ordinal: Int64) throws {
    try execute("UPDATE \(table) SET ordinal = \(ordinal)")
    let error = #expect(throws: StoreError.self) {
      try StudyStore(path: path, for: .changing).add(SmallStudy.study())
    }
    #expect(error?.code == .corrupt)
    #expect(
      error?.message.hasPrefix("the table \(table) is damaged: ordinal is \(ordinal)") == true)
  }

  /// The largest number of a row is no reason to stop: SQLite finds another for the next.
  @Test func largestRowIDsAreAccepted() throws {
    try execute(
      """
      INSERT INTO imports (id, source) VALUES (\(Int64.max), 'x');
      INSERT INTO subjects (id, name) VALUES (\(Int64.max), 'zoe');
      INSERT INTO series (id, subject_id) VALUES (\(Int64.max), \(Int64.max))
      """)
    let store = try StudyStore(path: path, for: .changing)
    #expect(try store.study().series.last?.firstError?.code == .doseMissing)
    try store.add(SmallStudy.study())
    #expect(try store.study().series.count == 3)
  }

  // MARK: Names that SQLite reads otherwise

  @Test(arguments: [":memory:", "file:x.sqlite?mode=memory", "file:x.sqlite", "a?b#c%20"])
  func oddNamesAreFileNames(_ name: String) throws {
    let place = folder(name)
    try StudyStore.change(place) { try $0.add(SmallStudy.study()) }
    #expect(try folder.contents == [name, "study.sqlite"].sorted())
    #expect(try StudyStore(path: place, for: .reading).study() == SmallStudy.study())
    try StudyStore(path: place, for: .reading).copy(to: place + ".copy")
    #expect(try StudyStore(path: place + ".copy", for: .reading).study() == SmallStudy.study())
  }

  @Test(arguments: ["", "a\0b", "."])
  func invalidFileNamesAreRefused(_ name: String) throws {
    let attempts: [() throws -> Void] = [
      { _ = try StudyStore(path: name, for: .writing) },
      { _ = try StudyStore.change(name) { try $0.add(SmallStudy.study()) } },
      { try StudyStore(path: path, for: .reading).copy(to: name) },
    ]
    for attempt in attempts {
      let error = #expect(throws: StoreError.self) { try attempt() }
      #expect(error?.code == .notWritable)
    }
    let error = #expect(throws: StoreError.self) { _ = try StudyStore(path: name, for: .reading) }
    #expect([.missing, .foreign].contains(error?.code))
  }

  @Test func devicesAreRefused() {
    let error = #expect(throws: StoreError.self) {
      _ = try StudyStore(path: "/dev/null", for: .writing)
    }
    #expect(error?.code == .notWritable)
  }

  /// A database that a killed process has begun is completed.
  @Test func interruptedDatabaseIsCompleted() throws {
    let begun = folder("begun.sqlite")
    try DatabaseQueue(path: begun).writeWithoutTransaction {
      try $0.execute(
        sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }
    try StudyStore.change(begun) { try $0.add(SmallStudy.study()) }
    #expect(try StudyStore(path: begun, for: .reading).study() == SmallStudy.study())
  }
}

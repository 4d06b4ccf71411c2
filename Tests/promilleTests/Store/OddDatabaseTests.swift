import Foundation
import GRDB
import TestSupport
import Testing

/// Databases with odd names, of other programs, and with altered values.
@Suite struct OddDatabaseTests {
  private let folder: TemporaryFolder
  private let study: String
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
    database = folder("study.sqlite")
  }

  private func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try DatabaseQueue(path: database, configuration: configuration).writeWithoutTransaction {
      try $0.execute(sql: sql)
    }
  }

  // MARK: Names

  @Test(arguments: [":memory:", "file:x.sqlite?mode=memory", "file:x.sqlite"])
  func specialSQLiteNamesAreFileNames(_ name: String) async throws {
    for command in [
      "import \"$2\" --into",
      "export \"$2\" --to sqlite -o",
    ] {
      let place = folder("place")
      try folder.makeFolder("place")
      let script = "cd \"$1\" && promille \(command) \"$3\" --quiet && promille check \"$3\""
      let run = try await Command.shell(script, place, study, name)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [name])
      try FileManager.default.removeItem(atPath: place)
    }
  }

  @Test func emptyNameIsRefused() async throws {
    for command in [
      ["import", study, "--into", ""],
      ["export", study, "--to", "sqlite", "-o", ""],
    ] {
      let run = try await Command.promille(command)
      #expect(run.status == 64)
      #expect(run.errors.contains("The argument after \(command[command.count - 2]) is empty"))
    }
    #expect(try await Command.promille("check", "").status == 64)
  }

  // MARK: Contents

  @Test func impossibleStoredValuesAreReported() async throws {
    _ = try await Command.promille("import", study, "--into", database)
    try execute("UPDATE subjects SET age_y = 500, height_m = 18 WHERE name = 'bob'")
    let check = try await Command.promille("check", database)
    #expect(check.status == 65)
    #expect(
      check.errors.contains("\(database): error E_RANGE: subjects, row 2: height_m is 18.0"))
    let fit = try await Command.promille("fit", database, "--interval", "none")
    #expect(fit.status == 1)
    #expect(try fit.rows.map { $0["status"] } == ["ok", "failed", "ok"])
    try execute("UPDATE readings SET value = -1, limit_of_detection = -5")
    for command in ["check", "sober", "fit"] {
      let run = try await Command.promille(command, database)
      #expect(run.status == (command == "check" ? 65 : 1))
      for column in ["value", "limit_of_detection"] {
        let said = "readings, row 1 of series 1: \(column) is -"
        #expect(
          run.complaints.contains { $0.contains("E_RANGE") && $0.contains(said) }, "\(run.errors)")
      }
    }
  }

  @Test(arguments: [
    ("DELETE FROM subjects WHERE id = 3", "E_STORE_CORRUPT: the table series is damaged"),
    ("UPDATE drinks SET ordinal = 9223372036854775807", "E_STORE_CORRUPT: the table drinks"),
    (
      "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM readings; END",
      "E_STORE_CORRUPT: the database does not have promille's tables: its table runs has a trigger"
    ),
    (
      """
      PRAGMA legacy_alter_table = ON; ALTER TABLE subjects RENAME TO others;
      CREATE VIEW subjects AS WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a)
        SELECT n AS id, 'x' || n AS name, NULL AS sex, NULL AS age_y, NULL AS date_of_birth,
          1.8 AS height_m, 80.0 AS weight_kg FROM a
      """, "E_STORE_CORRUPT: the database does not have promille's tables: it has a view instead"
    ),
    (
      "DROP TABLE findings",
      "E_STORE_CORRUPT: the database does not have promille's tables: it has no"
    ),
  ])
  func damagedDatabaseHasItsCode(_ sql: String, _ error: String) async throws {
    _ = try await Command.promille("import", study, "--into", database)
    try execute(sql)
    let run = try await Command.promille("import", study, "--into", database)
    #expect(run.status == 65)
    #expect(run.errors.contains(": error \(error)"), "\(run.errors)")
    let fit = try await Command.promille("fit", database, "--interval", "none")
    #expect(fit.status == (sql.hasPrefix("UPDATE drinks") ? 0 : 65), "\(fit.errors)")
    let left = try await DatabaseQueue(path: database).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM readings")
    }
    #expect(left == 24)
  }
}

import Foundation
import GRDB
import TestSupport
import Testing

@_spi(StudyDay) @testable import StudyStore

/// Disks that are full, files that may not be written, others that hold the database, and databases
/// that are damaged: each has its code, and nothing is half there.
@Suite struct BadDayTests {
  private let folder: TemporaryFolder
  private let study: String
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
    database = folder("study.sqlite")
  }

  private func makeDatabase() async throws -> String {
    _ = try await Command.promille("import", study, "--into", database)
    return try await Command.promille("check", database).output
  }

  /// A study of 400 people with 40 readings each, whose database has no room on the disks below.
  private func writeLargeStudy() throws -> String {
    try SmallStudy.large(subjects: 400, readings: 40, every: 1).write(to: folder, as: "large")
  }

  // MARK: Disks

  @Test(.enabled(if: FileSystems.canMount)) func fullDiskLeavesTheDatabaseUnchanged() async throws {
    let large = try writeLargeStudy()
    try folder.makeFolder("disk")
    let run = try await Command.shell(
      """
      unshare -rm sh -c '
        mount -t tmpfs -o size=700k none "$4"
        "$1" import "$2" --into "$4/study.sqlite" --quiet >/dev/null
        "$1" check "$4/study.sqlite" >"$5"
        "$1" import "$3" --into "$4/study.sqlite"; status=$?
        "$1" check "$4/study.sqlite" | cmp - "$5" && echo "as it was"
        exit $status
      ' sh "$command" "$@"
      """, study, large, folder("disk"), folder("before"))
    #expect(run.status == 73)
    #expect(run.output == "as it was\n")
    #expect(run.errors.contains("error E_STORE_FULL: "))
  }

  @Test(.enabled(if: FileSystems.canMount)) func fullDiskLeavesNoNewDatabase() async throws {
    let large = try writeLargeStudy()
    try folder.makeFolder("disk")
    let run = try await Command.shell(
      """
      unshare -rm sh -c '
        mount -t tmpfs -o size=500k none "$3"
        "$1" import "$2" --into "$3/study.sqlite"; status=$?
        ls -A "$3"
        exit $status
      ' sh "$command" "$@"
      """, large, folder("disk"))
    #expect(run.status == 73)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("error E_STORE_FULL: "))
  }

  @Test(.enabled(if: FileSystems.canMount)) func aReadOnlyDatabaseIsReadAndNotWritten() async throws
  {
    let before = try await makeDatabase()
    let run = try await Command.shell(
      """
      unshare -rm sh -c '
        mount --bind "$3" "$3" && mount -o remount,ro,bind "$3"
        "$1" check "$3/study.sqlite"
        "$1" import "$2" --into "$3/study.sqlite"
      ' sh "$command" "$@"
      """, study, folder.path)
    #expect(run.status == 73)
    #expect(run.output == before)
    #expect(run.errors.contains("error E_STORE_NOT_WRITABLE: "))
  }

  @Test(
    .enabled(if: FileSystems.canMount),
    arguments: [
      "export \"$2\" --to csv -o \"$3/a/out\"", "export \"$2\" --to sqlite -o \"$3/a/out\"",
      "export \"$4\" --notebook --interval none --starts 1 -o \"$3/a/new/out\"",
      "simulate --cohort 2000 --seed 1 -o \"$3/a/out\"",
    ])
  func fullDiskLeavesNoPartialResults(_ command: String) async throws {
    let large = try writeLargeStudy()
    try folder.makeFolder("disk")
    let run = try await Command.shell(
      """
      unshare -rm sh -c '
        mount -t tmpfs -o size=32k none "$3" && mkdir "$3/a"
        "$1" \(command) --quiet >/dev/null; status=$?
        ls -A "$3/a"
        exit $status
      ' sh "$command" "$@"
      """, large, folder("disk"), study)
    #expect(run.status == 73, "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  // MARK: Others

  @Test func aLockedDatabaseIsReadAndNotWritten() async throws {
    let before = try await makeDatabase()
    let read = try await whileLocked {
      let run = try await Command.promille("import", study, "--into", database)
      #expect(run.status == 75)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("error E_STORE_LOCKED: "))
      return try await Command.promille("check", database).output
    }
    #expect(read == before)
  }

  /// Runs the body while another connection holds a write lock on the database.
  private func whileLocked<Value: Sendable>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: database, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let value = try await body()
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    return value
  }

  @Test func anOlderDatabaseIsUpgradedOnRequest() async throws {
    let before = try await makeDatabase()
    let steps = Dictionary(Schema.studySteps.map { ($0.name, $0.sql) }) { $1 }
    let runs = try #require(steps["3-runs"])
    let fits = try #require(runs.firstMatch(of: /CREATE TABLE fits[^;]*;/)).output
    let latest = try #require(runs.firstMatch(of: /CREATE VIEW latest_fit[^;]*;/)).output
    try await DatabaseQueue(path: database).writeWithoutTransaction {
      try $0.execute(
        sql: """
          DROP VIEW latest_fit; DROP TABLE fits; \(fits) \(latest)
          DROP VIEW drink_list; ALTER TABLE drinks DROP COLUMN route;
          CREATE VIEW drink_list AS
            SELECT subjects.name AS subject, series.occasion, round(time_h * 60, 6) AS time_min,
              round(duration_h * 60, 6) AS duration_min, ethanol_g, ethanol_g_per_kg, source
            FROM drinks JOIN series ON series.id = drinks.series_id
              JOIN subjects ON subjects.id = series.subject_id;
          DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) >= 4
          """)
    }
    let run = try await Command.promille("check", database)
    #expect(run.status == 65)
    #expect(run.errors.contains("error E_STORE_OLDER: "))
    #expect(run.errors.contains("promille check \(database) --upgrade"))
    #expect(try await Command.promille("check", database, "--upgrade").output == before)
    #expect(try await Command.promille("check", database).output == before)
  }

  @Test func aNewerDatabaseIsRefused() async throws {
    _ = try await makeDatabase()
    try await DatabaseQueue(path: database).writeWithoutTransaction {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99-later')")
    }
    let before = try Data(contentsOf: URL(filePath: database))
    for command in [
      ["check", database], ["check", database, "--upgrade"], ["fit", database],
      ["import", study, "--into", database],
    ] {
      let run = try await Command.promille(command)
      #expect(run.status == 65)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("error E_STORE_NEWER: "))
    }
    #expect(try Data(contentsOf: URL(filePath: database)) == before)
  }

  // MARK: Damage

  @Test func aDamagedDatabaseIsReported() async throws {
    _ = try await makeDatabase()
    var bytes = try Data(contentsOf: URL(filePath: database))
    let page = 4096
    for index in page..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try folder.write(bytes, to: "study.sqlite")
    for command in ["check", "fit"] {
      let run = try await Command.promille(command, database)
      #expect(run.status == 65)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("error E_STORE_CORRUPT: "))
    }
  }

  @Test func aTruncatedDatabaseIsReported() async throws {
    _ = try await makeDatabase()
    let bytes = try Data(contentsOf: URL(filePath: database))
    for count in [20, 100, 4096, bytes.count / 2] {
      try folder.write(bytes.prefix(count), to: "study.sqlite")
      let run = try await Command.promille("check", database)
      #expect(run.status == 65, "\(count) bytes")
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("error E_STORE_"))
    }
  }
}

import Foundation
import TestSupport
import Testing

/// Work with a database by SQLite's own shell alone.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
struct ByHandTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder("study.sqlite")
  }

  /// The rows that SQLite's shell prints, with fields separated by bars.
  private func rows(_ sql: String) async throws -> [String] {
    let run = try await Command.shell("/usr/bin/sqlite3 -readonly \"$1\" \"$2\"", database, sql)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func databaseViewsAnswerCommonQuestions() async throws {
    let study = try SmallStudy().write(to: folder)
    _ = try await Command.promille("import", study, "--into", database)
    #expect(
      try await rows("SELECT subject, drinks, readings FROM series_summary")
        == ["ann|1|8", "bob|1|8", "cem|1|8"])
    #expect(
      try await rows("SELECT time_min, value, unit, matrix FROM reading_list LIMIT 2")
        == ["15.0|0.494|bac_g_per_kg|blood", "30.0|0.652|bac_g_per_kg|blood"])
  }

  @Test func replacedValuesAreKeptInTheDatabase() async throws {
    var study = SmallStudy()
    _ = try await Command.promille("import", try study.write(to: folder), "--into", database)
    study.readings = study.readings.replacing("bob,15,0.494", with: "bob,15,0.5")
    study.subjects = study.subjects.replacing("180,70", with: "180,72")
    _ = try await Command.promille("import", try study.write(to: folder), "--into", database)
    #expect(
      try await rows(
        """
        SELECT import_id, table_name, column_name, old_value, new_value FROM changes ORDER BY id
        """)
        == ["2|subjects|weight_kg|70.0|72.0", "2|readings|value|0.494|0.5"])
    #expect(
      try await rows("SELECT added, changed, unchanged FROM imports")
        == ["30|0|0", "0|2|28"])
  }

  @Test func databaseKeepsForeignKeysAndAllowsOtherReaders() async throws {
    let study = try SmallStudy().write(to: folder)
    _ = try await Command.promille("import", study, "--into", database)
    #expect(try await rows("PRAGMA journal_mode") == ["wal"])
    #expect(try await rows("PRAGMA integrity_check; PRAGMA foreign_key_check") == ["ok"])
    // Columns with a dimension have their unit in their names.
    let columns = try await rows(
      """
      SELECT DISTINCT c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND c.type = 'REAL' ORDER BY c.name
      """)
    let units = ["_g", "_g_per_kg", "_h", "_kg", "_m", "_y", "_kg_per_l", "_ratio", "_accuracy"]
    // These are in the unit that stands in a column beside them.
    let beside: Set = [
      "above", "below", "given_value", "high", "least", "limit_of_detection", "low", "most",
      "resolution", "standard_error", "value",
    ]
    #expect(
      columns.filter { name in !beside.contains(name) && !units.contains { name.hasSuffix($0) } }
        .isEmpty)
  }
}

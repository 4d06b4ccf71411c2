import AlcoholKinetics
import DayDatabase
import Foundation
import GRDB
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import HealthData

/// Whatever somebody writes into a field of the tables of vital signs, of whatever type, ends no process and does not
/// hang.
@Suite(.timeLimit(.minutes(10))) struct MutationTests {
  private static let values = [
    "-1", "0", "9223372036854775807", "-9223372036854775808", "1e308", "-1e308", "9e999", "-9e999",
    "NULL", "'NaN'", "''", "x'00ff'", "'2024-13-45 99:99:99'", "2.5",
  ]

  private let folder: TemporaryFolder
  private let whole: String

  init() throws {
    folder = try TemporaryFolder()
    whole = folder("whole.sqlite")
    try StudyStore.changeDay(whole) { store in
      try store.addSmall(
        vitals: [
          VitalEntry(
            subject: "ann", kind: "HeartRate", start: "2024-05-01 20:15:00 +0200", value: 60)
        ])
    }
  }

  /// Every column of the tables of vital signs.
  private func fields() throws -> [(table: String, column: String, key: String)] {
    try DatabaseQueue(path: whole).read { db in
      try ["vital_kinds", "settings", "vitals"].flatMap { table in
        let columns = try Row.fetchAll(db, sql: "SELECT * FROM pragma_table_info('\(table)')")
        let key = columns.filter { ($0["pk"] as Int) > 0 }.map { $0["name"] as String }
        return columns.map { (table, $0["name"] as String, key.joined(separator: ", ")) }
      }
    }
  }

  /// Writes a value into a field of the first row past every rule of the table; false if SQLite itself
  /// cannot hold it there.
  private func mutate(
    _ field: (table: String, column: String, key: String), to value: String, at path: String
  ) throws -> Bool {
    let schema = "UPDATE sqlite_schema SET sql = "
    let original = try DatabaseQueue(path: path).writeWithoutTransaction { db in
      let sql =
        try String.fetchOne(
          db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [field.table]) ?? ""
      let lax = sql.replacing(", STRICT", with: "").replacing(") STRICT", with: ")")
        .replacing("NOT NULL", with: "")
      try db.execute(sql: "PRAGMA writable_schema = ON")
      try db.execute(sql: "\(schema)? WHERE name = ?", arguments: [lax, field.table])
      return sql
    }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    return try DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction {
      db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON")
      let isDone =
        (try? db.execute(
          sql: """
            UPDATE \(field.table) SET \(field.column) = \(value)
            WHERE (\(field.key)) IN (SELECT \(field.key) FROM \(field.table) LIMIT 1)
            """)) != nil
      try db.execute(sql: "\(schema)? WHERE name = ?", arguments: [original, field.table])
      return isDone
    }
  }

  @Test func noFieldIsBelieved() throws {
    let bytes = try Data(contentsOf: URL(filePath: whole))
    var generator = SeededGenerator(seed: 12)
    let all = try fields().flatMap { field in Self.values.map { (field, $0) } }
    var tally = (refused: 0, taken: 0)
    for (field, value) in all.shuffled(using: &generator).prefix(120) {
      let path = folder("mutated.sqlite")
      try folder.write(bytes, to: "mutated.sqlite")
      guard try mutate(field, to: value, at: path) else { continue }
      let name = "\(field.table).\(field.column) = \(value)"
      do throws(StoreError) {
        let store = try StudyStore.day(path, for: .reading)
        _ = try (store.vitalDays(), store.vitalCrossings(), store.vitalEntries())
        _ = try store.study(excludingDaysWith: [
          DayRule(kind: "HeartRate", side: .above, value: 100)
        ])
        tally.taken += 1
      } catch {
        tally.refused += 1
        #expect(
          [.corrupt, .foreign, .newer, .older, .missing].contains(error.code),
          "\(name): \(error)")
      }
      do throws(StoreError) {
        let store = try StudyStore.day(path, for: .changing)
        try store.add(SmallStudy.study())
        try store.changeVitalSettings(spanDays: 3) { $0.importance = 4 }
      } catch {
        #expect(error.code != .failed, "\(name): \(error)")
      }
    }
    #expect(tally.refused > 10 && tally.taken > 10, "\(tally)")
  }
}

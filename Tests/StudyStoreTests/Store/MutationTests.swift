import AlcoholKinetics
import Foundation
import GRDB
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Whatever somebody writes into a field of a database, of whatever type: it is found out, or it can be
/// true. Nothing ends the process, hangs, or is silently something else.
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
    try StudyStore.change(whole) { store in
      var study = SmallStudy.study()
      study.series[0].occasion = "2024-05-01"
      study.series[0].uuids.drinks = [UUID()]
      study.series[0].subject.covariates = ["fed": "yes"]
      study.series[1].diagnostics = [
        Diagnostic(
          .timeOrder, at: SourceLocation(file: "a", line: 1, column: 2), message: "m", remedy: "r")
      ]
      try store.add(study)
    }
  }

  /// Every column of every table of ours that has a row.
  private func fields() throws -> [(table: String, column: String, key: String)] {
    try DatabaseQueue(path: whole).read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
      ).filter { try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT * FROM \($0))") ?? false }
        .flatMap { table in
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
    let sound = try StudyStore(path: whole, for: .reading).study()
    let bytes = try Data(contentsOf: URL(filePath: whole))
    var generator = SeededGenerator(seed: 12)
    let all = try fields().flatMap { field in Self.values.map { (field, $0) } }
    var tally = (refused: 0, found: 0, taken: 0)
    for (field, value) in all.shuffled(using: &generator).prefix(200) {
      let path = folder("mutated.sqlite")
      try folder.write(bytes, to: "mutated.sqlite")
      guard try mutate(field, to: value, at: path) else { continue }
      let name = "\(field.table).\(field.column) = \(value)"
      do throws(StoreError) {
        let store = try StudyStore(path: path, for: .reading)
        let study = try store.study()
        let hasError = study.series.contains { $0.firstError != nil }
        tally.found += hasError ? 1 : 0
        tally.taken += hasError ? 0 : 1
        if !hasError { expectPossible(study, like: sound, name) }
      } catch {
        tally.refused += 1
        #expect(
          [.corrupt, .schema, .foreign, .newer, .older, .missing].contains(error.code),
          "\(name): \(error)")
      }
      do throws(StoreError) {
        let store = try StudyStore(path: path, for: .changing)
        try store.add(SmallStudy.study())
      } catch {
        #expect(error.code != .failed, "\(name): \(error)")
      }
    }
    #expect(tally.refused > 40 && tally.found > 1 && tally.taken > 15, "\(tally)")
  }

  /// An independent word on what can be true.
  private func expectPossible(_ study: Study, like sound: Study, _ name: String) {
    #expect(study.series.count == sound.series.count, "\(name)")
    #expect(study.series.map(\.drinks.count) == sound.series.map(\.drinks.count), "\(name)")
    #expect(study.series.map(\.readings.count) == sound.series.map(\.readings.count), "\(name)")
    for series in study.series {
      #expect(series.subject.age.map { 0...130 ~= $0.value } ?? true, "\(name)")
      #expect(series.subject.height.map { 0.5...2.6 ~= $0.value } ?? true, "\(name)")
      #expect(series.subject.weight.map { 20...400 ~= $0.value } ?? true, "\(name)")
      for drink in series.drinks {
        #expect(abs(drink.time.value) < 17_000 && 0...17_000 ~= drink.duration.value, "\(name)")
        #expect(0...5000 ~= drink.ethanol.mass(forBodyWeight: 60)?.value ?? -1, "\(name)")
      }
      for reading in series.readings {
        #expect(abs(reading.time.value) < 17_000 && reading.value.isFinite, "\(name)")
        #expect(reading.isExcluded || reading.value >= 0, "\(name)")
        #expect(reading.limitOfDetection.map { $0 >= 0 && $0.isFinite } ?? true, "\(name)")
      }
    }
  }
}

import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// `audit` and `backup`, which need nothing that only servers need.
@Suite struct AuditTests {
  private let folder: TemporaryFolder
  private var database: String { folder("study.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    let pool = try StudyStore.servingPool(folder("study.sqlite"))
    try pool.write { db in
      for index in 1...3 {
        let event = Event(
          actor: "ann", station: "lab 1", action: "note.enter", subject: index == 2 ? "pat" : "bob",
          new: .object(["value": .object(["text": .text("note \(index)")])]))
        try EventLog.append(
          event, at: 1_777_658_400_000 + Int64(index), after: EventLog.last(in: db), in: db)
      }
    }
  }

  @Test func listsChanges() async throws {
    let run = try await Command.serve("audit", database)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(
      lines[0].hasPrefix("seq,at_utc,device_utc,clock_offset_ms,actor,station,action,subject,"))
    #expect(lines[1].hasPrefix("1,2026-05-01T18:00:00.001Z,,,ann,lab 1,note.enter,bob,"))
    let pat = try await Command.serve(
      "audit", database, "--subject", "pat", "--format", "json")
    #expect((try pat.json["changes"] as? [Any])?.count == 1)
    let late = try await Command.serve("audit", database, "--after", "2")
    #expect(late.output.split(separator: "\n").count == 2)
  }

  /// Typed text does not run in a spreadsheet, and programs can restore it.
  @Test func typedTextIsNoFormulaInCSV() async throws {
    let pool = try StudyStore.servingPool(database)
    let value = EventValue.object(["value": .object(["text": .text("=1+1")])])
    try await pool.write { db in
      let event = Event(
        actor: "=ann", station: "@lab", action: "note.correct", subject: "+bob", old: value,
        new: value, reason: "=1+1")
      try EventLog.append(event, at: 1_777_658_500_000, after: EventLog.last(in: db), in: db)
    }
    try pool.close()
    let csv = try await Command.serve("audit", database, "--after", "3").output
    let rows = try CSVText.rows(csv)
    let row = try #require(rows.first)
    #expect(row["actor"] == "'=ann" && row["subject"] == "'+bob")
    #expect(row["station"] == "'@lab" && row["change_reason"] == "'=1+1")
    #expect(row["old_json"] == value.text && row["new_json"] == value.text)
    let json = try await Command.serve("audit", database, "--after", "3", "--format", "json")
    let change = try #require((try json.json["changes"] as? [[String: Any]])?.first)
    #expect(change["station"] as? String == "@lab" && change["change_reason"] as? String == "=1+1")
  }

  @Test func namesTheFirstThatWasTamperedWith() async throws {
    let sound = try await Command.serve("audit", database, "--verify")
    #expect(sound.status == 0)
    #expect(sound.output.hasPrefix("sound,last_hash,first_altered,first_different\n3,"))
    let queue = try DatabaseQueue(path: database)
    let triggers = try await queue.read {
      try String.fetchAll($0, sql: "SELECT sql FROM sqlite_schema WHERE name = 'events_stay'")
    }
    try await queue.write { db in
      try db.execute(sql: "DROP TRIGGER events_stay; UPDATE events SET actor = 'eve' WHERE seq = 2")
    }
    let bare = try await Command.serve("audit", database, "--verify")
    #expect(bare.status == 65 && bare.errors.contains("E_STORE_CORRUPT"), "a trigger is missing")
    try await queue.write { db in for trigger in triggers { try db.execute(sql: trigger) } }
    try queue.close()
    let run = try await Command.serve("audit", database, "--verify")
    #expect(run.status == 65 && run.errors.contains("error E_AUDIT_CHAIN: change 2 is not"))
    #expect(run.output.contains("\n1,"))
  }

  @Test func namesAnEntryThatSomethingElseChanged() async throws {
    let queue = try DatabaseQueue(path: database)
    try await queue.write { db in
      try db.execute(
        sql: """
          INSERT INTO subjects (id, name) VALUES (1, 'ann');
          INSERT INTO series (id, subject_id, occasion) VALUES (1, 1, '2026-05-01');
          INSERT INTO sessions (series_id, starts_ms, reading_interval_min, release_limit_g_per_kg, food)
          VALUES (1, 0, 10, 0.2, 'fasted');
          INSERT INTO readings (series_id, time_h, unit, ordinal, value, uuid)
          VALUES (1, 1, 'bac_g_per_kg', 0, 0.1, zeroblob(16))
          """)
    }
    try queue.close()
    let run = try await Command.serve("audit", database, "--verify")
    #expect(run.status == 65 && run.errors.contains("error E_AUDIT_ENTRIES: entry 0000"))
    #expect(run.output.contains(",00000000-0000-0000-0000-000000000000\n"), "\(run.output)")
  }

  /// Changes by the command are logged, too.
  @Test func thresholdsAreChanges() async throws {
    let set = try await Command.serve(
      "vitals", database, "--set-above", "HeartRate=99", "--set-span", "9")
    #expect(set.status == 0, "\(set.errors)")
    let listed = try await Command.serve("audit", database, "--after", "3")
    #expect(listed.output.contains(",command line,,settings.change,"), "\(listed.output)")
    let sound = try await Command.serve("audit", database, "--verify")
    #expect(sound.status == 0, "\(sound.errors)")
    let queue = try DatabaseQueue(path: database)
    try await queue.write {
      try $0.execute(sql: "UPDATE vital_kinds SET above = 300 WHERE kind = 'HeartRate'")
    }
    try queue.close()
    let forged = try await Command.serve("audit", database, "--verify")
    #expect(forged.status == 65 && forged.errors.contains("setting HeartRate"), "\(forged.errors)")
  }

  @Test func backupCopiesAllRecords() async throws {
    let run = try await Command.serve("backup", database, folder("copy.sqlite"))
    #expect(run.status == 0, "\(run.errors)")
    let listed = try await Command.serve("audit", folder("copy.sqlite"), "--verify")
    #expect(listed.status == 0)
    let again = try await Command.serve("backup", database, folder("copy.sqlite"))
    #expect(again.status == 73 && again.errors.contains("E_STORE_NOT_WRITABLE"))
  }

  @Test func otherMachinesNeedHTTPS() async throws {
    let open = try await Command.serve(database, "--host", "0.0.0.0")
    #expect(open.status == 64 && open.errors.contains("--tls-certificate"), "\(open.errors)")
  }
}

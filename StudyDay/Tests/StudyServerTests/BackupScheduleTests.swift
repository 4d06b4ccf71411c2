import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
import NIOCore
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// Copies that the server makes by itself, each of which was tried.
@Suite struct BackupScheduleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func day(every minutes: Int = 60, keeping kept: Int = 3) throws -> TestDay {
    var options = DayOptions()
    options.backups = BackupPlan(
      folder: folder("copies"), everyMinutes: minutes, keeping: kept)
    return try TestDay(options: options)
  }

  private func copies(_ day: TestDay) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder("copies")).sorted()
  }

  @Test func copiesAreSoundAndTheOldestGo() async throws {
    let day = try day()
    let (operating, owner) = (try await day.token(.operator), try await day.token(.owner))
    let backups = try #require(day.day.backups)
    let place = self.folder("copies")
    try await day.serve { client in
      var last = EventValue.null
      for index in 0..<5 {
        let result = try await client.enter(
          operating, entry("note", of: "ann", ["text": .text("\(index)")]))
        last = result[0]["seq"] ?? .null
        await backups.make()
        #expect(backups.state.failure == nil)
        day.clock.advance(by: 3_600_000)
        if index == 0 {
          // What somebody else keeps there is none of ours.
          try Data().write(to: URL(filePath: "\(place)/study-backup-notes.sqlite"))
          try Data().write(to: URL(filePath: "\(place)/other.sqlite"))
        }
      }
      let kept = try copies(day)
      #expect(
        kept == [
          "other.sqlite", "study-backup-20260501T200000Z.sqlite",
          "study-backup-20260501T210000Z.sqlite", "study-backup-20260501T220000Z.sqlite",
          "study-backup-notes.sqlite",
        ])
      let newest = "\(place)/study-backup-20260501T220000Z.sqlite"
      let attributes = try FileManager.default.attributesOfItem(atPath: newest)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      // The restored copy is the day up to then.
      let store = try DayStore(path: newest, clock: day.clock)
      let notes = try await store.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM entries WHERE kind = 'note'")
      }
      #expect(notes == 5)
      let state = try await client.send(.get, "/operation", owner).json
      #expect(state["backup"]?["seq"] == last && state["backup_every_min"] == 60)
      let health = try await client.send(.get, "/health").json
      #expect(health["backup"] == "ok" && health["status"] == "ok")
      #expect(health["last_backup"] == "2026-05-01T22:00:00.000Z")
      // Devices need not keep any longer what a copy has.
      let device = try await client.send(
        .post, "/devices", operating, ["id": .text(UUID().uuidString)]
      ).json
      #expect(device["backed_up"] == last)
      day.clock.advance(by: 2 * 3_600_000)
      let late = try await client.send(.get, "/health").json
      #expect(late["backup"] == "late" && late["status"] == "degraded")
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }

  @Test func copiesAreDueAfterTheInterval() throws {
    let day = try day(every: 30)
    let backups = try #require(day.day.backups)
    let now = day.clock.now
    #expect(backups.isDue(after: nil, at: now))
    #expect(!backups.isDue(after: now - 29 * 60_000, at: now))
    #expect(backups.isDue(after: now - 30 * 60_000, at: now))
    #expect(!backups.isLate(after: nil, at: now + 59 * 60_000))
    #expect(backups.isLate(after: nil, at: now + 61 * 60_000))
  }

  /// A folder that cannot be written, as on a full disk: entries go on, and no half copy is left.
  @Test func aCopyThatFailsStopsNobody() async throws {
    try folder.write("a file", to: "copies")
    var options = DayOptions()
    options.backups = BackupPlan(folder: folder("copies"), everyMinutes: 60, keeping: 3)
    let day = try TestDay(options: options)
    let token = try await day.token(.operator)
    let backups = try #require(day.day.backups)
    try await day.serve { client in
      await backups.make()
      #expect(backups.state.failure != nil)
      let result = try await client.enter(token, entry("note", of: "ann", ["text": "x"]))
      #expect(result[0]["status"] == "stored")
      let health = try await client.send(.get, "/health").json
      #expect(health["backup"] == "late" && health["status"] == "degraded")
      #expect(health["last_backup"] == nil)
      // It is tried again soon, and not each second.
      #expect(!backups.isDue(after: nil, at: day.clock.now + 599_000))
      #expect(backups.isDue(after: nil, at: day.clock.now + 600_000))
      try FileManager.default.removeItem(atPath: folder("copies"))
      await backups.make()
      #expect(try await client.send(.get, "/health").json["status"] == "ok")
    }
  }

  /// A copy of what somebody tampered with is no good copy, and takes no older one away.
  @Test func aCopyThatIsNotSoundIsNone() async throws {
    let day = try day(keeping: 1)
    let token = try await day.token(.operator)
    let backups = try #require(day.day.backups)
    try await day.serve { client in
      _ = try await client.enter(token, entry("reading", of: "ann", reading(0.2)))
      await backups.make()
      let good = try copies(day)
      #expect(good.count == 1)
      try await day.day.store.change { try $0.db.execute(sql: "UPDATE readings SET value = 0.1") }
      day.clock.advance(by: 3_600_000)
      await backups.make()
      #expect(backups.state.failure?.contains("entry") == true, "\(backups.state)")
      #expect(try copies(day) == good)
    }
  }

  @Test func aServerMakesTheFirstCopyByItself() async throws {
    let program = try ServeProgram(folder("study.sqlite"), "--backups", folder("copies"))
    _ = try program.port()
    func count() -> Int {
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder("copies"))
      return files?.count { $0.hasSuffix("Z.sqlite") } ?? 0
    }
    for _ in 0..<600 where count() == 0 { try await Task.sleep(for: .milliseconds(50)) }
    #expect(count() == 1)
    #expect(program.stop() == 0)
  }
}

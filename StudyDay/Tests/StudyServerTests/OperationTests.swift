import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// The operation page, and curves of r methods.
@Suite struct OperationTests {
  @Test func devicesReportUnsentEntriesAndReceiveBackupState() async throws {
    let day = try TestDay()
    let owner = try await day.token(.owner)
    let staff = try await day.token(.operator)
    try await day.serve { client in
      let id = EventValue.text(UUID().uuidString)
      func report(_ waiting: Int64) async throws -> EventValue {
        try await client.send(
          .post, "/devices", staff,
          [
            "id": id, "waiting": .integer(waiting), "oldest": .text(ISOTime.text(TestDay.start)),
          ]
        ).json
      }
      func state() async throws -> EventValue {
        try await client.send(.get, "/operation", owner).json
      }
      _ = try await client.enter(staff, entry("note", of: "ann", ["text": "x"]))
      let last = try await report(3)["seq"]
      #expect(try await report(3)["backed_up"] == nil)
      var device = try #require(try await state()["devices"]?.items.first)
      #expect(
        device["account"] == "operator" && device["waiting"] == 3 && device["is_online"] == true)
      // A device that went away with entries on it is not forgotten.
      day.clock.advance(by: 3 * 86_400_000)
      device = try #require(try await state()["devices"]?.items.first)
      #expect(device["is_online"] == false)
      _ = try await report(0)
      day.clock.advance(by: 3 * 86_400_000)
      #expect(try await state()["devices"]?.items.isEmpty == true)
      let copy = day.folder("copy.sqlite")
      try StudyStore.day(day.path, for: .reading).copy(to: copy)
      try StudyStore.noteBackup(copy, of: day.path)
      #expect(try await report(0)["backed_up"] == last)
      let now = try await state()
      #expect(now["backup"]?["seq"] == last && now["free_bytes"]?.double ?? 0 > 0)
      #expect(now["database_bytes"]?.double ?? 0 > 0)
      #expect(try await client.send(.get, "/operation", staff).status == 403)
      let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
      #expect(chain.broken == nil && chain.different == nil)
    }
  }

  /// Without elimination and after absorption the curves are as far apart as their r: 40 g in 80 kg, r 0.68.
  @Test func everyRMethodHasACurve() async throws {
    let day = try TestDay()
    let token = try await day.token(.operator)
    try await day.addPerson("ann", sex: "female", weight: 60)
    try await day.addPerson("bob", sex: "male", weight: 80)
    try await day.store(measures: ["ann", "bob"])
    try await day.serve { client in
      #expect(try await client.send(.get, "/people/ann/methods", token).status == 404)
      for subject in ["ann", "bob"] {
        _ = try await client.enter(token, entry("drink", of: subject, ["ethanol_g": 40]))
      }
      let men = try await client.send(.get, "/people/bob/methods", token).json
      let names = men["curves"]?.items.compactMap { $0["method"]?.string } ?? []
      #expect(Set(names) == ["widmark", "watson", "forrest", "seidl", "ulrich"], "\(men)")
      let widmark = try #require(men["curves"]?.items.first { $0["method"] == "widmark" })
      #expect(widmark["r"]?.double == 0.68)
      // 40 g / (0.68 x 80 kg) = 0.735 g/kg, less what is burnt until it is absorbed.
      let peak = widmark["g_per_kg"]?.items.compactMap(\.double).max() ?? 0
      #expect((0.5...0.68).contains(peak), "\(peak)")
      #expect(men["time_min"]?.items.count == widmark["g_per_kg"]?.items.count)
      let women = try await client.send(.get, "/people/ann/methods", token).json
      #expect(women["curves"]?.items.count == 4)
      #expect(women["left_out"]?.items.map { $0["method"] } == ["ulrich"])
    }
  }

  @Test func aCertificateIsMadeOnce() throws {
    guard openssl != nil else { return }
    let folder = try TemporaryFolder()
    let made = try LabCertificate.make(beside: folder("study.sqlite"))
    let text = try String(contentsOfFile: made.certificate, encoding: .utf8)
    #expect(text.hasPrefix("-----BEGIN CERTIFICATE-----"))
    let attributes = try FileManager.default.attributesOfItem(atPath: made.key)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    _ = try LabCertificate.make(beside: folder("study.sqlite"))
    #expect(try String(contentsOfFile: made.certificate, encoding: .utf8) == text)
    #expect(throws: ServerFailure.self) {
      try LabCertificate.make(beside: folder("nowhere/study.sqlite"))
    }
    var settings = ServerSettings(database: "")
    (settings.certificate, settings.key) = (made.certificate, made.key)
    #expect(throws: Never.self) { try DayServer.server(settings, DayOptions(), silent) }
  }
}

extension TestDay {
  /// Heights and ages, which some methods need.
  fileprivate func store(measures names: [String]) async throws {
    try await day.store.change { change in
      for name in names {
        try change.db.execute(
          sql: "UPDATE subjects SET height_m = 1.75, age_y = 30 WHERE name = ?", arguments: [name])
      }
    }
  }
}

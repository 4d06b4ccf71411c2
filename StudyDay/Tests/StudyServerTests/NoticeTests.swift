import DayDatabase
import Foundation
import HTTPTypes
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// Notices and reports of a day.
@Suite struct NoticeTests {
  /// An entry, as a device sends it.
  static func entry(
    _ kind: String, of subject: String, _ value: EventValue, at: Int64, minutesAgo: Int64 = 0
  ) -> EventValue {
    let time = EventValue.text(ISOTime.text(at - minutesAgo * 60_000))
    return [
      "id": .text(UUID().uuidString), "kind": .text(kind), "subject": .text(subject),
      "action": "enter", "device_time": time, "value": value,
    ]
  }

  private static func enter(_ entries: [EventValue], _ served: ServedDay) async throws
    -> [EventValue]
  {
    let answer = try await served.send(.post, "/entries", as: "oskar", ["entries": .array(entries)])
    let results = answer.json["results"]?.list ?? []
    #expect(results.allSatisfy { $0["status"] == "stored" }, "\(answer.text)")
    return results
  }

  @Test func aReadingIsDueAfterTheInterval() async throws {
    try await ServedDay.run { served in
      let reading = Self.entry(
        "reading", of: "p01", ["concentration": 0.2, "unit": "brac_mg_per_l"], at: served.clock.now)
      _ = try await Self.enter([reading], served)
      #expect(try await served.day.notices().isEmpty)
      served.clock.advance(by: 600_000)
      let due = try await served.day.notices()
      #expect(due.map(\.kind) == [.due] && due.map(\.subject) == ["p01"] && due[0].importance == 3)
      #expect(due[0].since == "2026-05-01T08:10:00.000Z")
      served.clock.advance(by: 600_000)
      #expect(try await served.day.notices().map(\.importance) == [4])
      let ownNotices = try await served.send(.get, "/notices", as: "p01").json["items"]?.list
      #expect(ownNotices?.count == 1)
      #expect(
        try await served.send(.get, "/notices", as: "p02").json["items"]?.list.isEmpty == true)
    }
  }

  /// 41 degrees among nine of 36.5 are 36.95 on average.
  @Test func aVitalSignBeyondAThresholdIsNoticedAtOnce() async throws {
    try await ServedDay.run { served in
      func measure(_ kind: String, _ value: Double, importance: Int64? = nil, minutesAgo: Int64 = 0)
        async throws
      {
        var members: [String: EventValue] = ["kind": .text(kind), "value": .number(value)]
        members["importance"] = importance.map(EventValue.integer)
        let vital = Self.entry(
          "vital", of: "p01", .object(members), at: served.clock.now, minutesAgo: minutesAgo)
        _ = try await Self.enter([vital], served)
      }
      func vitals() async throws -> [Notice] {
        try await served.day.notices().filter { $0.kind == .vital }
      }
      for minute in 1...9 { try await measure("BodyTemperature", 36.5, minutesAgo: Int64(minute)) }
      #expect(try await vitals().isEmpty)
      try await measure("BodyTemperature", 41, minutesAgo: 5)
      let fever = try await vitals()
      #expect(fever.map(\.text) == ["Body temperature of p01 is 41 degC, above 39."])
      #expect(
        fever[0].since == ISOTime.text(served.clock.now - 300_000) && fever[0].importance == 3)
      // Whoever enters it may say that it matters more.
      try await measure("OxygenSaturation", 88, importance: 5)
      try await measure("BloodPressureDiastolic", 109)
      #expect(try await vitals().map(\.importance) == [3, 5])
      _ = try await served.send(
        .patch, "/settings", as: "olga",
        [
          "vitals": [
            ["kind": "BodyTemperature", "above": nil], ["kind": "OxygenSaturation", "below": 80],
          ]
        ])
      #expect(try await vitals().isEmpty)
    }
  }

  @Test func missingVitalIsRemindedAtChosenHour() async throws {
    try await ServedDay.run { served in
      func reminded(_ kind: Notice.Kind = .reminder) async throws -> [String] {
        try await served.day.notices().filter { $0.kind == kind }.compactMap(\.subject)
      }
      // It is 8 o'clock in UTC, and 10 in Berlin.
      func set(_ at: EventValue, _ zone: String = "Europe/Berlin", postpone: Int64? = nil)
        async throws
        -> Int
      {
        var body: [String: EventValue] = ["at": at, "zone": .text(zone)]
        body["postpone_min"] = postpone.map(EventValue.integer)
        return try await served.send(.put, "/me/reminder", as: "p01", .object(body)).status
      }
      for (at, zone) in [
        ("25:00", "UTC"), ("8:00", "UTC"), ("08:60", "UTC"), ("08:00", "Mars/Olympus"),
      ] {
        #expect(try await set(.text(at), zone) >= 400)
      }
      #expect(
        try await served.send(.put, "/me/reminder", as: "oskar", ["at": "08:00", "zone": "UTC"])
          .status == 403)
      #expect(try await set("10:30") == 200)
      #expect(try await reminded().isEmpty)
      served.clock.advance(by: 31 * 60_000)
      #expect(try await reminded() == ["p01"])
      #expect(try await set("10:30", postpone: 60) == 200)
      #expect(try await reminded().isEmpty)
      served.clock.advance(by: 61 * 60_000)
      #expect(try await reminded() == ["p01"])
      // People report their own vital signs, and nothing else.
      let vital = Self.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 70], at: served.clock.now)
      let answer = try await served.send(.post, "/entries", as: "p01", ["entries": [vital]])
      #expect(answer.json["results"]?.list.map { $0["status"] } == ["stored"], "\(answer.text)")
      let secondEntry = Self.entry(
        "vital", of: "p02", ["kind": "HeartRate", "value": 70], at: served.clock.now)
      let drink = Self.entry("drink", of: "p01", ["ethanol_g": 10], at: served.clock.now)
      for entries in [[secondEntry], [drink], [vital, drink]] {
        #expect(
          try await served.send(.post, "/entries", as: "p01", ["entries": .array(entries)]).status
            == 403)
      }
      #expect(try await reminded().isEmpty)
      // A report is no session in which readings are due.
      served.clock.advance(by: 3_600_000)
      #expect(try await reminded(.due).isEmpty)
      served.clock.advance(by: 23 * 3_600_000)
      #expect(try await reminded() == ["p01"])
      #expect(try await set(nil) == 200)
      #expect(try await reminded().isEmpty)
    }
  }

  @Test func reportFollowsRequestedTimeZone() async throws {
    try await ServedDay.run { served in
      // 23:30 UTC is the next day in Berlin and an afternoon in Los Angeles.
      served.clock.advance(by: 15 * 3_600_000 + 30 * 60_000)
      func beat(_ rate: Double, _ importance: EventValue, minutesAgo: Int64) -> EventValue {
        Self.entry(
          "vital", of: "p01",
          ["kind": "HeartRate", "value": .number(rate), "importance": importance],
          at: served.clock.now, minutesAgo: minutesAgo)
      }
      _ = try await Self.enter(
        [
          beat(80, 2, minutesAgo: 4), beat(90, 5, minutesAgo: 3), beat(100, .null, minutesAgo: 2),
          Self.entry("vital", of: "p02", ["kind": "HeartRate", "value": 70], at: served.clock.now),
        ], served)
      func report(_ date: String, _ zone: String?) async throws -> EventValue {
        let query = zone.map { "?zone=\($0)" } ?? ""
        return try await served.send(.get, "/reports/\(date)\(query)", as: "vera").json
      }
      for (date, zone, isThere) in [
        ("2026-05-01", nil, true), ("2026-05-02", nil, false),
        ("2026-05-01", "Europe/Berlin", false), ("2026-05-02", "Europe%2FBerlin", true),
        ("2026-05-01", "America/Los_Angeles", true),
      ] {
        let dayReport = try await report(date, zone)
        #expect(dayReport["people"]?.list.isEmpty == !isThere, "\(date) \(zone ?? "")")
        #expect(dayReport["vitals"]?.list.isEmpty == !isThere, "\(date) \(zone ?? "")")
      }
      let day = try await report("2026-05-02", "Europe/Berlin")
      #expect(day["zone"] == "Europe/Berlin" && day["starts"] == "2026-05-01T22:00:00.000Z")
      let ownNotices = day["vitals"]?.list.first
      #expect(
        ownNotices?["mean"]?.double == 90 && ownNotices?["count"] == 3
          && ownNotices?["least"]?.double == 80)
      // The highest that was entered; of p02 nobody said, so that of the kind.
      #expect(day["vitals"]?.list.map { $0["importance"] } == [5, 3])
      // The clocks go forward: a day of 23 hours.
      let short = try await report("2026-03-29", "Europe/Berlin")
      #expect(short["starts"] == "2026-03-28T23:00:00.000Z")
      #expect(short["ends"] == "2026-03-29T22:00:00.000Z")
      // Where clocks are changed at midnight: a day from 1:00 on, one of 25 hours, and one that ends twice.
      for (date, zone, starts, ends) in [
        ("2026-09-06", "America/Santiago", "2026-09-06T04:00", "2026-09-07T03:00"),
        ("2026-11-01", "America/Havana", "2026-11-01T04:00", "2026-11-02T05:00"),
        ("2026-04-04", "America/Santiago", "2026-04-04T03:00", "2026-04-05T04:00"),
      ] {
        let dayReport = try await report(date, zone)
        #expect(dayReport["starts"]?.string == "\(starts):00.000Z", "\(zone) \(date)")
        #expect(dayReport["ends"]?.string == "\(ends):00.000Z", "\(zone) \(date)")
      }
      #expect(try await report("2026-05-01", "Mars/Olympus")["code"] == "E_DAY_NOT_FOUND")
    }
  }

  @Test func aReportHasTheDayWithoutNames() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2)
      let id = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      _ = try await served.book(slot, as: "p02")
      served.clock.advance(by: 32 * 3_600_000 + 60_000)
      _ = try await served.send(.post, "/bookings/\(id)/check-in", as: "oskar")
      let reading = Self.entry(
        "reading", of: "p01", ["concentration": 0.2, "unit": "brac_mg_per_l"], at: served.clock.now)
      let stored = try await Self.enter([reading], served)
      let correction: EventValue = .object(
        reading.members.merging([
          "id": .text(UUID().uuidString), "action": "correct", "reason": "misread",
          "record": reading["id"] ?? .null, "base": stored.first?["seq"] ?? .null,
          "value": ["concentration": 0.3, "unit": "brac_mg_per_l"],
        ]) { $1 })
      _ = try await Self.enter([correction], served)

      let report = try await served.send(.get, "/reports/2026-05-02", as: "vera")
      #expect(report.json["people"]?.list.map { $0["subject"] } == ["p01"], "\(report.text)")
      let session = report.json["sessions"]?.list.first
      #expect(session?["bookings"] == ["booked": 1, "checked-in": 1])
      let lines = report.json["corrections"]?.list ?? []
      #expect(lines.map { $0["reason"] } == ["misread"] && lines.first?["by"] == "oskar")
      #expect(!report.text.contains("Lovelace"))
      let before = try await served.send(.get, "/reports/2026-05-01", as: "vera")
      #expect(before.json["people"]?.list.isEmpty == true)
      for date in ["2026-02-30", "today", "2026-5-1"] {
        #expect(try await served.send(.get, "/reports/\(date)", as: "vera").status == 404)
      }
    }
  }

  /// A chain that was cut off is sound; a report that somebody kept shows that it was longer.
  @Test func reportHasLastHashOfItsDay() async throws {
    try await ServedDay.run { served in
      func last(_ date: String) async throws -> EventValue? {
        try await served.send(.get, "/reports/\(date)", as: "vera").json["last_change"]
      }
      let beat = Self.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 60], at: served.clock.now)
      _ = try await Self.enter([beat], served)
      let changes = try StudyStore.day(served.day.store.path, for: .reading).changes()
      let event = try #require(changes.last)
      served.clock.advance(by: 86_400_000)
      _ = try await served.send(.patch, "/settings", as: "olga", ["no_show_cost": 3])
      let expected: EventValue = [
        "seq": .integer(event.seq), "hash": .text(event.hash.hexadecimal),
      ]
      #expect(try await last("2026-05-01") == expected)
      #expect(try await last("2026-05-02")?["seq"] == .integer(event.seq + 1))
      #expect(try await last("2026-04-30") == nil)
    }
  }

  /// Shortly before midnight in UTC it is the next day in Berlin, on which nothing was beyond a threshold.
  @Test func vitalSignsAreNoticedOnTheDayOfTheZone() async throws {
    try await ServedDay.run { served in
      _ = try await served.send(
        .patch, "/settings", as: "olga",
        ["vitals": [["kind": "HeartRate", "above": 100, "importance": 5]]])
      served.clock.advance(by: 13 * 3_600_000 + 50 * 60_000)
      let early = Self.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 130], at: served.clock.now)
      _ = try await Self.enter([early], served)
      served.clock.advance(by: 3_600_000)
      let late = Self.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 60], at: served.clock.now)
      _ = try await Self.enter([late], served)
      func since(_ zone: String) async throws -> [String] {
        try await served.day.notices(zone: ClockZone(named: zone))
          .filter { $0.kind == .vital }.map(\.since)
      }
      func count(_ json: EventValue, _ list: String) -> Int {
        json[list]?.list.count { $0["kind"] == "vital" } ?? -1
      }
      #expect(try await since("UTC") == ["2026-05-01T21:50:00.000Z"])
      #expect(try await since("Europe/Berlin") == [])
      let response = try await served.send(.get, "/notices?zone=Europe%2FBerlin", as: "vera")
      #expect(count(response.json, "items") == 0, "\(response.text)")
      for (date, zone, expected) in [
        ("2026-05-01", "UTC", 1), ("2026-05-02", "Europe%2FBerlin", 0),
        ("2026-05-01", "Europe%2FBerlin", 1),
      ] {
        let report = try await served.send(.get, "/reports/\(date)?zone=\(zone)", as: "vera").json
        #expect(count(report, "notices") == expected, "\(date) \(zone)")
      }
      #expect(try await served.send(.get, "/notices?zone=Mars", as: "vera").status == 404)
    }
  }
}

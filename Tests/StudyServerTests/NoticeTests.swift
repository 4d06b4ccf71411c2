import Foundation
import HTTPTypes
import StudyData
import StudyStore
import Testing

@testable import StudyServer

/// What is to be noticed, and what a report says of a day.
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
      let own = try await served.send(.get, "/notices", as: "p01").json["items"]?.list
      #expect(own?.count == 1)
      #expect(
        try await served.send(.get, "/notices", as: "p02").json["items"]?.list.isEmpty == true)
    }
  }

  @Test func vitalSignsAreAveragedBeforeAThresholdCounts() async throws {
    try await ServedDay.run { served in
      _ = try await served.send(
        .patch, "/settings", as: "olga", ["vitals": [["kind": "HeartRate", "above": 100]]])
      func beat(_ rate: Double, importance: Int64?, minutesAgo: Int64) -> EventValue {
        var value: [String: EventValue] = ["kind": "HeartRate", "value": .number(rate)]
        value["importance"] = importance.map(EventValue.integer)
        return Self.entry(
          "vital", of: "p01", .object(value), at: served.clock.now, minutesAgo: minutesAgo)
      }
      func vitals() async throws -> [Notice] {
        try await served.day.notices().filter { $0.kind == .vital }
      }
      // 80 and 130 are 105 on average, but nobody said that it matters: the kind has 3.
      _ = try await Self.enter([beat(80, importance: nil, minutesAgo: 9)], served)
      _ = try await Self.enter([beat(130, importance: nil, minutesAgo: 6)], served)
      #expect(try await vitals().isEmpty)
      _ = try await Self.enter([beat(84, importance: 5, minutesAgo: 3)], served)
      #expect(try await vitals().isEmpty, "98 on average")
      _ = try await Self.enter([beat(126, importance: 4, minutesAgo: 0)], served)
      let found = try await vitals()
      #expect(found.map(\.importance) == [5])
      #expect(found.first?.text == "HeartRate of p01 is above 100.0 count/min: 105.0 on average.")
    }
  }

  @Test func aReportIsOfTheDayOnTheClockThatIsAskedFor() async throws {
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
        let found = try await report(date, zone)
        #expect(found["people"]?.list.isEmpty == !isThere, "\(date) \(zone ?? "")")
        #expect(found["vitals"]?.list.isEmpty == !isThere, "\(date) \(zone ?? "")")
      }
      let day = try await report("2026-05-02", "Europe/Berlin")
      #expect(day["zone"] == "Europe/Berlin" && day["starts"] == "2026-05-01T22:00:00.000Z")
      let own = day["vitals"]?.list.first
      #expect(own?["mean"]?.double == 90 && own?["count"] == 3 && own?["least"]?.double == 80)
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
        let found = try await report(date, zone)
        #expect(found["starts"]?.string == "\(starts):00.000Z", "\(zone) \(date)")
        #expect(found["ends"]?.string == "\(ends):00.000Z", "\(zone) \(date)")
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
  @Test func aReportHasTheLastHashOfItsDay() async throws {
    try await ServedDay.run { served in
      func last(_ date: String) async throws -> EventValue? {
        try await served.send(.get, "/reports/\(date)", as: "vera").json["last_change"]
      }
      let beat = Self.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 60], at: served.clock.now)
      _ = try await Self.enter([beat], served)
      let changes = try StudyStore(path: served.day.store.path, for: .reading).changes()
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

  /// Shortly before midnight in UTC it is the next day in Berlin, whose mean is another one.
  @Test func vitalSignsAreNoticedOnTheDayOfTheZone() async throws {
    try await ServedDay.run { served in
      _ = try await served.send(
        .patch, "/settings", as: "olga",
        ["vitals": [["kind": "HeartRate", "above": 100, "importance": 5]]])
      served.clock.advance(by: 13 * 3_600_000 + 50 * 60_000)
      let early = Self.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 60], at: served.clock.now)
      _ = try await Self.enter([early], served)
      served.clock.advance(by: 3_600_000)
      let late = Self.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 130], at: served.clock.now)
      _ = try await Self.enter([late], served)
      func since(_ zone: String) async throws -> [String] {
        try await served.day.notices(zone: ClockZone(named: zone))
          .filter { $0.kind == .vital }.map(\.since)
      }
      func count(_ json: EventValue, _ list: String) -> Int {
        json[list]?.list.count { $0["kind"] == "vital" } ?? -1
      }
      #expect(try await since("UTC") == [], "95 on average")
      #expect(try await since("Europe/Berlin") == ["2026-05-01T22:00:00.000Z"])
      let asked = try await served.send(.get, "/notices?zone=Europe%2FBerlin", as: "vera")
      #expect(count(asked.json, "items") == 1, "\(asked.text)")
      for (date, zone, expected) in [
        ("2026-05-01", "UTC", 0), ("2026-05-02", "Europe%2FBerlin", 1),
        ("2026-05-01", "Europe%2FBerlin", 0),
      ] {
        let report = try await served.send(.get, "/reports/\(date)?zone=\(zone)", as: "vera").json
        #expect(count(report, "notices") == expected, "\(date) \(zone)")
      }
      #expect(try await served.send(.get, "/notices?zone=Mars", as: "vera").status == 404)
    }
  }
}

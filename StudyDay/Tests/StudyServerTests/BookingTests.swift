import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// Places: booked, waited for, given back, held on the day.
@Suite struct BookingTests {
  @Test func waitingPersonMovesUpAfterCancellation() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let first = try await served.book(slot, as: "p01")
      #expect(first.status == 201, "\(first.text)")
      #expect(first.json["state"] == "booked" && first.json["name"] == "Ada Lovelace")
      #expect(try await served.book(slot, as: "p02").code == "E_DAY_FULL")
      #expect(try await served.book(slot, as: "p01").code == "E_DAY_CONFLICT")
      for (name, before) in [("p02", 0), ("p03", 1)] as [(String, Int64)] {
        let placeResponse = try await served.send(
          .post, "/slots/\(slot)/waiting", as: name, ServedDay.form)
        #expect(placeResponse.json["before_me"] == .integer(before), "\(placeResponse.text)")
      }
      let seen = try await served.send(.get, "/slots", as: "p03").json["items"]?.list.first
      #expect(seen?["free"] == 0 && seen?["waiting"] == 2 && seen?["before_me"] == 1)

      let id = try #require(first.json["id"]?.string)
      #expect(try await served.send(.delete, "/bookings/\(id)", as: "p02").status == 403)
      let given = try await served.send(.delete, "/bookings/\(id)", as: "p01")
      #expect(given.json["state"] == "cancelled", "\(given.text)")
      #expect(try await served.send(.delete, "/bookings/\(id)", as: "p01").code == "E_DAY_CLOSED")
      let ownBookings = try await served.send(.get, "/bookings?mine", as: "p02").json["items"]?.list
      #expect(ownBookings?.map { $0["state"] } == ["booked"])
      let notices = try await served.day.store.read {
        try Notices.places(from: 0, to: .max, in: $0)
      }
      #expect(notices.map(\.subject) == ["p02"] && notices.map(\.kind) == [.place])
      #expect(try await served.send(.delete, "/slots/\(slot)/waiting", as: "p03").status == 204)
      #expect(try await served.send(.delete, "/slots/\(slot)/waiting", as: "p03").status == 404)
    }
  }

  @Test func nobodyIsInTwoSlotsAtOnce() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let same = try await served.makeSlot(places: 1, name: "Same time")
      let later = try await served.makeSlot(places: 1, name: "Later", on: 3)
      #expect(try await served.book(slot, as: "p01").status == 201)
      _ = try await served.book(same, as: "p02")
      for path in ["bookings", "waiting"] {
        let twice = try await served.send(
          .post, "/slots/\(same)/\(path)", as: "p01", ServedDay.form)
        #expect(twice.code == "E_DAY_CONFLICT", "\(twice.text)")
      }
      // Who waited, and meanwhile has a place at that time, is passed over.
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p03", ServedDay.form)
      let secondBooking = try await served.book(later, as: "p03")
      let moved = try await served.send(
        .patch, "/slots/\(later)", as: "olga", ["starts": "2026-05-02T18:00:00Z"])
      #expect(secondBooking.status == 201 && moved.status == 200)
      let wider = try await served.send(.patch, "/slots/\(slot)", as: "olga", ["capacity": 2])
      #expect(wider.json["free"] == 1 && wider.json["waiting"] == 1, "\(wider.text)")
    }
  }

  @Test func nobodyTakesAllPlaces() async throws {
    try await ServedDay.run { served in
      var last: Int64 = 0
      for index in 0...BookingDesk.mostAhead {
        last = try await served.makeSlot(places: 1, name: "\(index)", on: 2 + index)
        let status = try await served.book(last, as: "p01").status
        #expect(status == (index < BookingDesk.mostAhead ? 201 : 409))
      }
      // Staff know why somebody comes so often.
      var form = ServedDay.form.members
      form["subject"] = "p01"
      let booked = try await served.send(
        .post, "/slots/\(last)/bookings", as: "oskar", .object(form))
      #expect(booked.status == 201, "\(booked.text)")
    }
  }

  @Test func aPlaceIsNotCancelledOnceTheSlotHasBegun() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let id = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      served.clock.advance(by: 32 * 3_600_000)
      for name in ["p01", "oskar"] {
        let late = try await served.send(.delete, "/bookings/\(id)", as: name)
        #expect(late.code == "E_DAY_CLOSED", "\(late.text)")
      }
      let missed = try await served.send(.post, "/bookings/\(id)/no-show", as: "oskar")
      #expect(missed.json["state"] == "no-show")
    }
  }

  @Test func slotsOverWeeksAreMadeAllOrNone() async throws {
    try await ServedDay.run { served in
      _ = try await served.makeSlot(places: 2)
      func make(_ starts: EventValue...) async throws -> ServedDay.Answer {
        try await served.send(
          .post, "/slots", as: "olga", ["session_type": 1, "starts": .array(starts)])
      }
      func count() async throws -> Int? {
        try await served.send(.get, "/slots", as: "olga").json["items"]?.list.count
      }
      // The second one is there already, or no time.
      let (first, there): (EventValue, EventValue) = (
        "2026-05-09T16:00:00Z", "2026-05-02T16:00:00Z"
      )
      #expect(try await make(first, there).code == "E_DAY_CONFLICT")
      for wrong in [try await make(first, "soon"), try await make()] {
        #expect(wrong.code == "E_DAY_VALUE", "\(wrong.text)")
      }
      #expect(try await count() == 1)
      let made = try await make(first, "2026-05-16T16:00:00Z")
      #expect(made.status == 201 && made.json["items"]?.list.count == 2, "\(made.text)")
      #expect(try await count() == 3)
    }
  }

  @Test func widerSlotMovesWaitingPeopleUp() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      _ = try await served.book(slot, as: "p01")
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p02", ServedDay.form)
      let wider = try await served.send(.patch, "/slots/\(slot)", as: "ines", ["capacity": 2])
      #expect(wider.json["free"] == 0 && wider.json["waiting"] == 0, "\(wider.text)")
      let narrower = try await served.send(.patch, "/slots/\(slot)", as: "ines", ["capacity": 1])
      #expect(narrower.code == "E_DAY_CONFLICT")
    }
  }

  @Test func noShowsCostPriorityIfTheSettingsSaySo() async throws {
    try await ServedDay.run { served in
      let cost = try await served.send(.patch, "/settings", as: "olga", ["no_show_cost": 1])
      #expect(cost.json["no_show_cost"] == 1, "\(cost.text)")
      let missed = try await served.makeSlot(places: 1, name: "Missed")
      let booking = try await served.book(missed, as: "p01").json["id"]?.string ?? ""
      let path = "/bookings/\(booking)/no-show"
      #expect(try await served.send(.post, path, as: "oskar").code == "E_DAY_CONFLICT")
      served.clock.advance(by: 3 * 86_400_000)
      #expect(try await served.send(.post, path, as: "p01").status == 403)
      #expect(try await served.send(.post, path, as: "oskar").json["state"] == "no-show")

      let slot = try await served.makeSlot(places: 1, name: "Wanted")
      #expect(try await served.book(slot, as: "p03").code == "E_DAY_CLOSED")
      let later = try await served.send(
        .patch, "/slots/\(slot)", as: "olga", ["starts": "2026-05-20T16:00:00Z"])
      #expect(later.status == 200)
      _ = try await served.book(slot, as: "p03")
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p01", ServedDay.form)
      served.clock.advance(by: 60_000)
      let passed = try await served.send(.post, "/slots/\(slot)/waiting", as: "p02", ServedDay.form)
      #expect(passed.json["before_me"] == 0, "who came every time goes first")
    }
  }

  @Test func checkInBeginsTheSession() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2)
      let id = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      let early = try await served.send(.post, "/bookings/\(id)/check-in", as: "oskar")
      #expect(early.code == "E_DAY_CONFLICT", "the booking is for tomorrow")
      let checkedIn = try await served.send(.post, "/bookings/\(id)/check-in?sure=1", as: "oskar")
      #expect(
        checkedIn.json["state"] == "checked-in" && checkedIn.json["name"] == nil,
        "\(checkedIn.text)")
      let person = try await served.send(.get, "/people/p01", as: "p01").json
      #expect(person["slot"] == .integer(slot) && person["reading_interval_min"] == 10)
      #expect(person["release_limit_g_per_kg"] == 0.2)
      let again = try await served.send(.post, "/bookings/\(id)/check-in", as: "oskar")
      #expect(again.code == "E_DAY_CLOSED")
    }
  }

  @Test func aCheckInIsTakenBack() async throws {
    try await ServedDay.run { served in
      func send(
        _ method: HTTPRequest.Method, _ booking: String, as name: String = "oskar"
      ) async throws -> ServedDay.Answer {
        try await served.send(method, "/bookings/\(booking)/check-in", as: name)
      }
      let empty = try await Self.soon(served, as: "p01")
      #expect(try await send(.delete, empty).code == "E_DAY_CLOSED")
      _ = try await send(.post, empty)
      #expect(try await send(.delete, empty, as: "p01").status == 403)
      #expect(try await send(.delete, empty).json["state"] == "booked")
      #expect(try await served.send(.get, "/people/p01", as: "oskar").status == 404)
      #expect(try await send(.post, empty).json["state"] == "checked-in")
      // What was entered stays, and the next check-in finds it.
      let used = try await Self.soon(served, as: "p02")
      _ = try await send(.post, used)
      let drink = Self.entry("drink", of: "p02", ["ethanol_g": 40], at: served.clock.now)
      _ = try await served.send(.post, "/entries", as: "oskar", ["entries": [drink]])
      #expect(try await send(.delete, used).json["state"] == "booked")
      _ = try await send(.post, used)
      let person = try await served.send(.get, "/people/p02", as: "oskar").json
      #expect(person["drinks"]?.list.count == 1 && person["occasion"] == "2026-05-01")
      let chain = try StudyStore.day(served.day.store.path, for: .reading).verifyChanges()
      #expect(chain.broken == nil && chain.different == nil)
    }
  }

  @Test func namesStayInTheirTable() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2)
      _ = try await served.book(slot, as: "p01")
      for (name, isShown) in [("ines", true), ("oskar", false), ("p02", false), ("p01", true)] {
        let list = try await served.send(.get, "/bookings", as: name)
        #expect(list.text.contains("Lovelace") == isShown, "\(name)")
        #expect(list.text.contains("p01") == (name != "p02"))
      }
      let logged = try await served.day.store.read { db in
        try String.fetchAll(
          db, sql: "SELECT ifnull(old, '') || ifnull(new, '') || ifnull(reason, '') FROM events"
        ).joined()
      }
      #expect(!logged.contains("Lovelace") && !logged.contains("example.org"))
      #expect(logged.contains("60.5"), "measures are data of the study")
      let measures = try await served.day.store.read {
        try $0.row("SELECT * FROM subjects WHERE name = 'p01'").map {
          [$0["height_m"] as Double, $0["weight_kg"], $0["age_y"]]
        }
      }
      #expect(measures == [1.65, 60.5, 30])
    }
  }

  @Test(
    arguments: [
      ["contact": "a", "consent": true], ["name": "A", "contact": "a"],
      ["name": "A", "contact": "a", "consent": false],
      ["name": "A\nB", "contact": "a", "consent": true],
      ["name": "A", "contact": "a", "consent": true, "weight": 80],
      ["name": "A", "contact": "a", "consent": true, "own_measures": ["weight_kg": 9]],
      ["name": "A", "contact": "a", "consent": true, "own_measures": ["sex": "f"]],
      ["name": "", "contact": "a", "consent": true], [1, 2],
    ] as [EventValue])
  func formsSayWhatIsWrong(_ form: EventValue) async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2)
      let answer = try await served.send(.post, "/slots/\(slot)/bookings", as: "p01", form)
      #expect([400, 422].contains(answer.status), "\(answer.text)")
      #expect(answer.json["detail"]?.string?.isEmpty == false)
      let rows = try await served.day.store.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM bookings") ?? -1
      }
      #expect(rows == 0)
    }
  }

  @Test func staffBookForOthersAndParticipantsForThemselves() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 3)
      var form = ServedDay.form.members
      form["subject"] = "p02"
      let path = "/slots/\(slot)/bookings"
      #expect(try await served.send(.post, path, as: "p01", .object(form)).status == 403)
      #expect(
        try await served.send(.post, path, as: "oskar", .object(form)).json["subject"] == "p02")
      #expect(try await served.send(.post, path, as: "oskar", ServedDay.form).status == 422)
    }
  }

  @Test func favouritesAreOnesOwn() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      for _ in 1...2 {
        #expect(try await served.send(.put, "/slots/\(slot)/favourite", as: "p01").status == 204)
      }
      func favourite(_ name: String) async throws -> EventValue? {
        try await served.send(.get, "/slots", as: name).json["items"]?.list.first?["favourite"]
      }
      #expect(try await favourite("p01") == true)
      #expect(try await favourite("p02") == false)
      #expect(try await served.send(.delete, "/slots/\(slot)/favourite", as: "p01").status == 204)
      #expect(try await favourite("p01") == false)
      #expect(try await served.send(.put, "/slots/99/favourite", as: "p01").status == 404)
    }
  }

  private static func entry(_ kind: String, of name: String, _ value: EventValue, at: Int64)
    -> EventValue
  {
    [
      "id": .text(UUID().uuidString), "kind": .text(kind), "subject": .text(name),
      "action": "enter", "device_time": .text(ISOTime.text(at)), "value": value,
    ]
  }

  /// A place in a slot that begins two hours from now, with another limit than the usual one.
  private static func soon(_ served: ServedDay, as name: String) async throws -> String {
    let slot = try await served.makeSlot(places: 3, name: "Soon \(UUID())")
    let type = try await served.send(.get, "/slots", as: "olga").json["items"]?.list.last?[
      "session_type"]?.integer
    _ = try await served.send(
      .patch, "/session-types/\(type ?? 0)", as: "olga",
      ["release_limit_g_per_kg": 0.3, "food_state": "fed"])
    _ = try await served.send(
      .patch, "/slots/\(slot)", as: "olga",
      ["starts": .text(ISOTime.text(served.clock.now + 2 * 3_600_000))])
    return try #require(try await served.book(slot, as: name).json["id"]?.string)
  }

  @Test func checkInAdoptsSessionOpenedByEntry() async throws {
    try await ServedDay.run { served in
      let booking = try await Self.soon(served, as: "p01")
      let drink = Self.entry("drink", of: "p01", ["ethanol_g": 40], at: served.clock.now)
      _ = try await served.send(.post, "/entries", as: "oskar", ["entries": [drink]])
      let before = try await served.send(.get, "/people/p01", as: "oskar").json
      #expect(before["release_limit_g_per_kg"]?.double == 0.3, "the slot's, not the usual")
      served.clock.advance(by: 3_600_000)
      let checkedIn = try await served.send(.post, "/bookings/\(booking)/check-in", as: "oskar")
      #expect(checkedIn.status == 200, "\(checkedIn.text)")
      let person = try await served.send(.get, "/people/p01", as: "oskar").json
      #expect(person["drinks"]?.list.count == 1 && person["started"] == before["started"])
      let sessions = try await served.day.store.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM sessions")
      }
      #expect(sessions == 1)
    }
  }

  /// A walk-in's session gets the terms of the slot once it is booked.
  @Test func checkInAdoptsSessionWithoutSlot() async throws {
    try await ServedDay.run { served in
      let drink = Self.entry("drink", of: "p01", ["ethanol_g": 40], at: served.clock.now)
      _ = try await served.send(.post, "/entries", as: "oskar", ["entries": [drink]])
      let booking = try await Self.soon(served, as: "p01")
      _ = try await served.send(.post, "/bookings/\(booking)/check-in", as: "oskar")
      let person = try await served.send(.get, "/people/p01", as: "oskar").json
      #expect(person["drinks"]?.list.count == 1)
      #expect(person["release_limit_g_per_kg"]?.double == 0.3)
      // The form came when the session was open, and said what nobody knew.
      #expect(person["why_not"]?.string?.contains("weight") == false, "\(person)")
    }
  }

  @Test func lateEntryBelongsToItsSession() async throws {
    try await ServedDay.run { served in
      let first = try await Self.soon(served, as: "p01")
      _ = try await served.send(.post, "/bookings/\(first)/check-in", as: "oskar")
      let start = served.clock.now
      served.clock.advance(by: 5 * 3_600_000)
      let second = try await Self.soon(served, as: "p01")
      let checkedIn = try await served.send(.post, "/bookings/\(second)/check-in", as: "oskar")
      #expect(checkedIn.status == 200, "\(checkedIn.text)")
      let late: [EventValue] = [
        Self.entry(
          "reading", of: "p01", ["concentration": 0.2, "unit": "brac_mg_per_l"],
          at: start + 3_600_000),
        Self.entry("drink", of: "p01", ["ethanol_g": 20], at: start + 1_800_000),
        // On the way to the second.
        Self.entry("drink", of: "p01", ["ethanol_g": 5], at: start + 17_700_000),
      ]
      _ = try await served.send(.post, "/entries", as: "oskar", ["entries": .array(late)])
      let times = try await served.day.store.read { db in
        try Row.fetchAll(
          db,
          sql: """
            SELECT series_id, time_h FROM readings
            UNION ALL SELECT series_id, time_h FROM drinks ORDER BY 1, 2
            """
        ).map { [$0["series_id"] as Double, $0["time_h"]] }
      }
      #expect(times.count == 3)
      #expect(times.prefix(2).map { $0[1] } == [0.5, 1], "\(times)")
      #expect(times[0][0] == times[1][0] && times[2][0] > times[0][0], "\(times)")
      #expect(abs(times[2][1] + 1.0 / 12) < 1e-9)
    }
  }

  /// The name of a subject, its contact, and its measures: of the study, and of its session.
  private static func stored(_ name: String, _ served: ServedDay) async throws -> [String] {
    try await served.day.store.read { db in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT people.name, contact, sex, subjects.weight_kg, (
              SELECT weight_kg FROM series WHERE subject_id = subjects.id ORDER BY id DESC LIMIT 1)
            AS then_kg
          FROM subjects LEFT JOIN people ON people.subject_id = subjects.id WHERE subjects.name = ?
          """, arguments: [name])
      return ["name", "contact", "sex", "weight_kg", "then_kg"].map {
        row?[$0].map { "\($0)" } ?? "-"
      }
    }
  }

  private static func form(
    _ name: String, _ contact: String, _ sex: String, _ weight: Double, of subject: String? = nil
  ) -> EventValue {
    var members: [String: EventValue] = [
      "name": .text(name), "contact": .text(contact), "consent": true,
      "own_measures": ["sex": .text(sex), "weight_kg": .number(weight)],
    ]
    members["subject"] = subject.map(EventValue.text)
    return .object(members)
  }

  @Test func bookingFormChangesNoKnownPerson() async throws {
    try await ServedDay.run { served in
      let booking = try await Self.soon(served, as: "p01")
      // Before a session, who books may say it better.
      let otherSlot = try await served.makeSlot(places: 2, name: "Other", on: 3)
      let path = "/slots/\(otherSlot)/bookings"
      let better = Self.form("Ada Lovelace", "ada@example.org", "female", 61)
      _ = try await served.send(.post, path, as: "p01", better)
      #expect(try await Self.stored("p01", served)[3] == "61.0")
      _ = try await served.send(.post, "/bookings/\(booking)/check-in", as: "oskar")
      let unchanged = ["Ada Lovelace", "ada@example.org", "female", "61.0", "61.0"]
      #expect(try await Self.stored("p01", served) == unchanged)
      let third = try await served.makeSlot(places: 1, name: "Third", on: 4)
      for (who, slotPath) in [("p01", "bookings"), ("p02", "bookings"), ("p01", "waiting")] {
        let form = Self.form("Eve", "new@example.org", "male", 150)
        let sent = try await served.send(.post, "/slots/\(third)/\(slotPath)", as: who, form)
        #expect(sent.status == (who == "p01" && slotPath == "bookings" ? 201 : 409), "\(sent.text)")
      }
      // The contact is theirs to change; the rest is not.
      #expect(
        try await Self.stored("p01", served) == [
          "Ada Lovelace", "new@example.org", "female", "61.0", "61.0",
        ])
      // Staff who give the code of somebody else are told, and change nothing.
      let fourth = try await served.makeSlot(places: 2, name: "Fourth", on: 5)
      let wrong = try await served.send(
        .post, "/slots/\(fourth)/bookings", as: "oskar",
        Self.form("Eve", "eve@example.org", "male", 150, of: "p01"))
      #expect(wrong.code == "E_DAY_CONFLICT", "\(wrong.text)")
      let right = try await served.send(
        .post, "/slots/\(fourth)/bookings", as: "oskar",
        Self.form("ada  LOVELACE", "eve@example.org", "male", 150, of: "p01"))
      #expect(right.status == 201, "\(right.text)")
      #expect(try await Self.stored("p01", served)[1...3] == ["new@example.org", "female", "61.0"])
      let events = try StudyStore.day(served.day.store.path, for: .reading).changes(
        subject: "p01")
      #expect(events.filter { $0.action == "subject.contact" }.count == 1)
      let measures = events.filter { $0.action == "subject.measures" }
      #expect(measures.count == 2)
      #expect(EventValue(measures[1].old ?? "")?["weight_kg"]?.double == 60.5)
      #expect(events.allSatisfy { !($0.new ?? "").contains("example.org") })
    }
  }

  @Test func staffChangeMeasuresAndSayWhy() async throws {
    try await ServedDay.run { served in
      let booking = try await Self.soon(served, as: "p01")
      _ = try await served.send(.post, "/bookings/\(booking)/check-in", as: "oskar")
      let path = "/people/p01/measures"
      let bare = try await served.send(.patch, path, as: "oskar", ["weight_kg": 70])
      #expect(bare.code == "E_DAY_REASON", "\(bare.text)")
      let done = try await served.send(
        .patch, path, as: "oskar", ["weight_kg": 70, "reason": "weighed"])
      #expect(done.json["weight_kg"]?.double == 70 && done.json["sex"] == "female")
      #expect(try await Self.stored("p01", served)[3...] == ["70.0", "70.0"])
      let event = try #require(
        try StudyStore.day(served.day.store.path, for: .reading).changes().last)
      #expect(event.action == "subject.measures" && event.reason == "weighed")
      #expect(EventValue(event.old ?? "")?["weight_kg"]?.double == 60.5)
      #expect(
        try await served.send(.patch, "/people/x/measures", as: "oskar", ["reason": "x"]).status
          == 404)
    }
  }

  @Test func measuresThatSomebodyElseChangedAreNotOverwritten() async throws {
    try await ServedDay.run { served in
      _ = try await served.book(served.makeSlot(places: 1), as: "p01")
      let path = "/people/p01/measures"
      let seen = try await served.send(.get, path, as: "oskar").json
      #expect(seen["weight_kg"]?.double == 60.5 && seen["height_cm"]?.double == 165)
      let base = try #require(seen["version"])
      func change(_ weight: Double, base: EventValue) async throws -> ServedDay.Answer {
        try await served.send(
          .patch, path, as: "oskar",
          ["weight_kg": .number(weight), "base": base, "reason": "weighed"])
      }
      let first = try await change(62, base: base)
      #expect(first.status == 200 && first.json["version"] != base)
      #expect(try await change(70, base: base).code == "E_DAY_CONFLICT")
      let now = try await served.send(.get, path, as: "ines").json
      #expect(now["weight_kg"]?.double == 62 && now["version"] == first.json["version"])
      #expect(try await change(70, base: now["version"] ?? .null).status == 200)
      #expect(try await served.send(.get, "/people/x/measures", as: "oskar").status == 404)
    }
  }

  @Test func withdrawalErasesNameAndPlaces() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let full = try await served.makeSlot(places: 1, name: "Full", on: 3)
      _ = try await served.book(slot, as: "p01")
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p02", ServedDay.form)
      _ = try await served.book(full, as: "p03")
      _ = try await served.send(.post, "/slots/\(full)/waiting", as: "p01", ServedDay.form)
      #expect(try await served.send(.delete, "/people/p01/consent", as: "p01").status == 204)
      // The own devices are signed out; who comes again does so by a new link.
      #expect(try await served.send(.get, "/me", as: "p01").status == 401)
      let again = try await served.day.accounts.invite(
        "p01", as: .participant, station: "bench", by: "test"
      ).text
      // Who waited has the place, and nobody gets one by a list that they left.
      func states(_ name: String) async throws -> [String] {
        try await served.send(.get, "/bookings?mine", as: name).json["items"]?.list.compactMap {
          $0["state"]?.string
        } ?? []
      }
      #expect(try await states(again) == ["cancelled"])
      #expect(try await states("p02") == ["booked"])
      let held = try await served.send(.get, "/bookings?mine", as: "p03").json["items"]?.list.first
      _ = try await served.send(
        .delete, "/bookings/\(held?["id"]?.string ?? "")", as: "p03")
      #expect(try await states(again) == ["cancelled"])
      #expect(try await Self.stored("p01", served).prefix(2) == ["-", "-"], "name and contact")
      let events = try StudyStore.day(served.day.store.path, for: .reading).changes(
        subject: "p01")
      #expect(
        events.suffix(3).map(\.action) == ["waiting.leave", "booking.cancel", "subject.withdraw"])
      #expect(try await served.send(.delete, "/people/p01/consent", as: again).status == 404)
      // Who consents again is known anew.
      #expect(try await served.book(full, as: again).status == 201)
      #expect(try await Self.stored("p01", served)[0] == "Ada Lovelace")
    }
  }

  /// Not only gone from the table, but overwritten where it stood: a copy has all pages of the file, and SQLite's log
  /// what was written before.
  @Test func nameIsErasedFromFileAfterWithdrawal() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let form: EventValue = [
        "name": "Wilhelmina Featherstonehaugh", "contact": "w@example.org", "consent": true,
        "own_measures": ["sex": "female", "height_cm": 165, "weight_kg": 60.5, "age_y": 30],
      ]
      let booked = try await served.send(.post, "/slots/\(slot)/bookings", as: "p01", form)
      #expect(booked.status == 201)
      let folder = try TemporaryFolder()
      let path = served.day.store.path
      func places() throws -> [String] {
        let copy = folder("\(UUID()).sqlite")
        try StudyStore.day(path, for: .reading).copy(to: copy)
        return try [path, path + "-wal", copy].filter { file in
          try Data(contentsOf: URL(filePath: file)).range(of: Data("Featherstonehaugh".utf8)) != nil
        }
      }
      #expect(try places().count >= 2)
      #expect(try await served.send(.delete, "/people/p01/consent", as: "p01").status == 204)
      #expect(try places() == [])
    }
  }

  @Test func aSessionThatIsCalledOffHasNoBookings() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let booking = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p02", ServedDay.form)
      let path = "/slots/\(slot)"
      let alone = try await served.send(.patch, path, as: "olga", ["cancel_bookings": true])
      #expect(alone.status == 422)
      let off = try await served.send(
        .patch, path, as: "olga", ["closed": true, "cancel_bookings": true])
      #expect(off.json["closed"] == true && off.json["waiting"] == 0 && off.json["free"] == 1)
      let mine = try await served.send(.get, "/bookings/\(booking)", as: "p01").json
      #expect(mine["state"] == "cancelled")
      // Open again, it is empty.
      _ = try await served.send(.patch, path, as: "olga", ["closed": false])
      let waited = try await served.send(.get, "/bookings?mine", as: "p02").json["items"]?.list
      #expect(waited?.isEmpty == true)
    }
  }

  @Test func walkInIsBookedWhileSlotLasts() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      // An hour after it began, of four.
      served.clock.advance(by: 33 * 3_600_000)
      #expect(try await served.book(slot, as: "p01").code == "E_DAY_CLOSED")
      var form = ServedDay.form.members
      form["subject"] = "p02"
      let path = "/slots/\(slot)/bookings"
      let booked = try await served.send(.post, path, as: "oskar", .object(form))
      #expect(booked.status == 201, "\(booked.text)")
      let id = booked.json["id"]?.string ?? ""
      let checkedIn = try await served.send(.post, "/bookings/\(id)/check-in", as: "oskar")
      #expect(checkedIn.json["state"] == "checked-in")
      form["subject"] = "p03"
      #expect(
        try await served.send(.post, path, as: "oskar", .object(form)).code == "E_DAY_FULL")
      served.clock.advance(by: 4 * 3_600_000)
      #expect(
        try await served.send(.post, path, as: "oskar", .object(form)).code == "E_DAY_CLOSED")
    }
  }

  @Test func noShowMayStillCheckIn() async throws {
    try await ServedDay.run { served in
      _ = try await served.send(.patch, "/settings", as: "olga", ["no_show_cost": 2])
      let booking = try await Self.soon(served, as: "p01")
      served.clock.advance(by: 3 * 3_600_000)
      _ = try await served.send(.post, "/bookings/\(booking)/no-show", as: "oskar")
      let checkedIn = try await served.send(.post, "/bookings/\(booking)/check-in", as: "oskar")
      #expect(checkedIn.json["state"] == "checked-in", "\(checkedIn.text)")
      let count = try await served.day.store.read {
        try Int.fetchOne($0, sql: "SELECT no_shows FROM people")
      }
      #expect(count == 0)
      let secondBooking = try await Self.soon(served, as: "p02")
      served.clock.advance(by: 3 * 3_600_000)
      _ = try await served.send(.post, "/bookings/\(secondBooking)/no-show", as: "oskar")
      served.clock.advance(by: 4 * 3_600_000)
      let late = try await served.send(.post, "/bookings/\(secondBooking)/check-in", as: "oskar")
      #expect(late.code == "E_DAY_CLOSED", "the slot is over")
    }
  }

  @Test func reopenedLabMovesWaitingPeopleUp() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let first = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p02", ServedDay.form)
      _ = try await served.send(.patch, "/labs/1", as: "olga", ["closed": true])
      _ = try await served.send(.delete, "/bookings/\(first)", as: "p01")
      let closed = try await served.send(.get, "/bookings?mine", as: "p02").json["items"]?.list
      #expect(closed?.isEmpty == true)
      _ = try await served.send(.patch, "/labs/1", as: "olga", ["closed": false])
      let open = try await served.send(.get, "/bookings?mine", as: "p02").json["items"]?.list
      #expect(open?.map { $0["state"] } == ["booked"])
    }
  }

  @Test func aSlotThatMovedIsNewerInCalendars() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let booking = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      func sequence() async throws -> Int {
        let file = try await served.send(.get, "/bookings/\(booking)/calendar.ics", as: "p01")
        return try #require(
          file.text.firstMatch(of: /SEQUENCE:(\d+)/).flatMap { Int($0.1) }, "\(file.text)")
      }
      #expect(try await sequence() == 0)
      _ = try await served.send(
        .patch, "/slots/\(slot)", as: "olga", ["starts": "2026-05-02T17:00:00Z"])
      #expect(try await sequence() == 1)
      _ = try await served.send(.delete, "/bookings/\(booking)", as: "p01")
      #expect(try await sequence() == 2)
    }
  }
}

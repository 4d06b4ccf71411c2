import Foundation
import GRDB
import HTTPTypes
import StudyStore
import Testing

@testable import StudyServer

/// Places: booked, waited for, given back, held on the day.
@Suite struct BookingTests {
  @Test func whoWaitsMovesUpWhenAPlaceIsGivenBack() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let first = try await served.book(slot, as: "p01")
      #expect(first.status == 201, "\(first.text)")
      #expect(first.json["state"] == "booked" && first.json["name"] == "Ada Lovelace")
      #expect(try await served.book(slot, as: "p02").code == "E_DAY_FULL")
      #expect(try await served.book(slot, as: "p01").code == "E_DAY_CONFLICT")
      for (name, before) in [("p02", 0), ("p03", 1)] as [(String, Int64)] {
        let place = try await served.send(
          .post, "/slots/\(slot)/waiting", as: name, ServedDay.form)
        #expect(place.json["before_me"] == .integer(before), "\(place.text)")
      }
      let seen = try await served.send(.get, "/slots", as: "p03").json["items"]?.list.first
      #expect(seen?["free"] == 0 && seen?["waiting"] == 2 && seen?["before_me"] == 1)

      let id = try #require(first.json["id"]?.string)
      #expect(try await served.send(.delete, "/bookings/\(id)", as: "p02").status == 403)
      let given = try await served.send(.delete, "/bookings/\(id)", as: "p01")
      #expect(given.json["state"] == "cancelled", "\(given.text)")
      #expect(try await served.send(.delete, "/bookings/\(id)", as: "p01").code == "E_DAY_CLOSED")
      let own = try await served.send(.get, "/bookings?mine", as: "p02").json["items"]?.list
      #expect(own?.map { $0["state"] } == ["booked"])
      let notices = try await served.day.store.read {
        try Notices.places(from: 0, to: .max, in: $0)
      }
      #expect(notices.map(\.subject) == ["p02"] && notices.map(\.kind) == [.place])
      #expect(try await served.send(.delete, "/slots/\(slot)/waiting", as: "p03").status == 204)
      #expect(try await served.send(.delete, "/slots/\(slot)/waiting", as: "p03").status == 404)
    }
  }

  @Test func aWiderSlotTakesWhoWaits() async throws {
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
      let here = try await served.send(.post, "/bookings/\(id)/check-in", as: "oskar")
      #expect(here.json["state"] == "checked-in" && here.json["name"] == nil, "\(here.text)")
      let person = try await served.send(.get, "/people/p01", as: "p01").json
      #expect(person["slot"] == .integer(slot) && person["reading_interval_min"] == 10)
      #expect(person["release_limit_g_per_kg"] == 0.2)
      let again = try await served.send(.post, "/bookings/\(id)/check-in", as: "oskar")
      #expect(again.code == "E_DAY_CLOSED")
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
      let told = try await served.day.store.read { db in
        try String.fetchAll(
          db, sql: "SELECT ifnull(old, '') || ifnull(new, '') || ifnull(reason, '') FROM events"
        ).joined()
      }
      #expect(!told.contains("Lovelace") && !told.contains("example.org"))
      #expect(told.contains("60.5"), "measures are data of the study")
      let measures = try await served.day.store.read {
        try SafeRow.first($0, "SELECT * FROM subjects WHERE name = 'p01'").map {
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
}

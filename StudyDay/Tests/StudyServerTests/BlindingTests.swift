import DayDatabase
import Foundation
import HTTPTypes
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// What a blinded study hides, whichever way somebody looks.
@Suite struct BlindingTests {
  /// A reading, and a dose in ml, that stand nowhere else.
  private static let (reading, dose) = ("0.7391", "377.13")

  private static let readingValue: EventValue = [
    "concentration": .number(Double(reading) ?? 0), "unit": "bac_g_per_kg",
  ]

  /// Everything that can tell of them: entries, corrections, a conflict, a note, reasons, a signature and its advice.
  private static func fill(_ served: ServedDay) async throws {
    let slot = try await served.makeSlot(places: 2, on: 1)
    let booking = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
    let came = try await served.send(.post, "/bookings/\(booking)/check-in?sure=1", as: "oskar")
    #expect(came.status == 200)
    func enter(_ kind: String, _ value: EventValue, _ minutesAgo: Int64 = 0) async throws
      -> (id: String, seq: Int64)
    {
      let entry = NoticeTests.entry(
        kind, of: "p01", value, at: served.clock.now, minutesAgo: minutesAgo)
      let answer = try await served.send(.post, "/entries", as: "ines", ["entries": [entry]])
      let result = try #require(answer.json["results"]?.list.first)
      #expect(result["status"] == "stored", "\(answer.text)")
      return (entry["id"]?.string ?? "", result["seq"]?.integer ?? 0)
    }
    func correct(_ entry: (id: String, seq: Int64), _ value: EventValue) async throws {
      var change = NoticeTests.entry("reading", of: "p01", value, at: served.clock.now).members
      change["action"] = "correct"
      change["record"] = .text(entry.id)
      change["base"] = .integer(entry.seq)
      change["reason"] = .text("was \(Self.reading)")
      let answer = try await served.send(
        .post, "/entries", as: "ines", ["entries": [.object(change)]])
      #expect(answer.status == 200)
    }
    let drink: EventValue = [
      "volume_ml": .number(Double(dose) ?? 0), "abv_percent": 14, "name": .text("made \(dose)"),
    ]
    _ = try await enter("drink", drink)
    served.clock.advance(by: 3_600_000)
    _ = try await enter("reading", readingValue)
    served.clock.advance(by: 1_200_000)
    _ = try await enter("reading", readingValue)
    served.clock.advance(by: 1_200_000)
    let last = try await enter("reading", ["concentration": 0.71, "unit": "bac_g_per_kg"])
    try await correct(last, readingValue)
    _ = try await enter("note", ["text": .text("showed \(reading) after \(dose)")])
    let taken: EventValue = [
      "concentration": 2, "unit": "bac_g_per_kg", "excluded": .text("not \(reading)"),
    ]
    _ = try await enter("reading", taken)
    let contradicted = try await enter("reading", ["concentration": 0.69, "unit": "bac_g_per_kg"])
    for value in [readingValue, ["concentration": 0.68, "unit": "bac_g_per_kg"]] {
      try await correct(contradicted, value)
    }
    let person = try await served.send(.get, "/people/p01", as: "ines").json
    #expect(person["conflicts"]?.list.count == 1)
    let release = try await served.send(
      .post, "/people/p01/release", as: "ines",
      [
        "decision": "released", "advice_seq": person["seq"] ?? 0, "signed": true,
        "reason": .text("\(reading) is low"),
      ])
    #expect(release.status == 200, "\(release.text)")
  }

  /// Bodies with which routes answer more than a refusal.
  private static let bodies: [String: EventValue] = [
    "POST /people/:subject/what-if": ["value": ["ethanol_g": 10]],
    "POST /queue": [:], "PUT /me/reminder": ["times": ["08:00"], "zone": "UTC"],
    "PUT /drinks/favourites": ["drinks": []], "POST /queue/next": ["place": "Breath 1"],
    "PATCH /people/:subject/measures": ["age_y": 31, "reason": "asked"],
    "POST /devices": ["id": .text(UUID().uuidString)],
    "PUT /people/:subject/written": ["kinds": []],
    "POST /slots/{id}/bookings": ServedDay.form, "POST /slots/{id}/waiting": ServedDay.form,
    "POST /entries": ["entries": []],
  ]

  /// What every route but the stream answers somebody, by route. What ends a session or an account comes not.
  private static func walk(as name: String, _ served: ServedDay) async throws -> [String: String] {
    let booking = try await served.send(.get, "/bookings", as: "olga").json["items"]?.list.first
    let id = booking?["id"]?.string ?? ""
    var answers: [String: String] = [:]
    for route in Route.all where route.path != "/events" && route.path != "/sign-out" {
      guard route.method != .delete, route.path != "/openapi.json" else { continue }
      let path = route.path.replacing(":subject", with: "p01")
        .replacing("{id}", with: route.path.hasPrefix("/bookings") ? id : "1")
        .replacing("{date}", with: "2026-05-01").replacing("{number}", with: "1")
      let query = ["/changes": "?after=0&limit=1000", "/drinks/read": "?text=beer"][path] ?? ""
      let key = "\(route.method.rawValue) \(route.path)"
      let body = bodies[key] ?? (route.method == .get ? nil : [:])
      var answer = try await served.send(route.method, path + query, as: name, body)
      // Participants have a limit of requests in a second.
      while answer.status == 429 {
        try await Task.sleep(for: .milliseconds(100))
        answer = try await served.send(route.method, path + query, as: name, body)
      }
      answers[key] = answer.text
    }
    return answers
  }

  private static func tell(_ marks: [String], _ answers: [String: String]) -> Set<String> {
    Set(answers.filter { _, text in marks.contains(where: text.contains) }.keys)
  }

  /// A protocol that hides what is said from staff.
  private static func protocolHiding(_ hidden: EventValue) -> EventValue {
    [
      "design": "parallel", "arms": [["name": "A", "g_per_kg": 0.6]], "seed": 1,
      "stock_abv_percent": 40, "total_ml": 500, "hidden": hidden,
    ]
  }

  /// Where something stands for who may see it.
  private static let telling: Set = [
    "GET /day", "GET /people/:subject", "GET /people/:subject/history", "GET /changes",
  ]

  @Test func noRouteRevealsConcealedValues() async throws {
    try await ServedDay.run { served in
      try await Self.fill(served)
      let all = [Self.reading, Self.dose]
      // The walk would find it.
      for name in ["olga", "ines", "oskar", "vera", "p01"] {
        let found = Self.tell(all, try await Self.walk(as: name, served))
        #expect(found.isSuperset(of: Self.telling), "\(name): \(found)")
        #expect(name == "p01" || found.contains("GET /reports/{date}"), "\(name): \(found)")
      }
      let plain = try await Self.walk(as: "p01", served)
      #expect(plain["GET /people/:subject/methods"]?.contains("below_limit") == true)
      let settings: EventValue = ["behaviour": true]
      #expect(try await served.send(.patch, "/settings", as: "olga", settings).status == 200)
      let participant = try await Self.walk(as: "p01", served)
      #expect(Self.tell([Self.reading], participant) == [])
      for (route, text) in participant {
        #expect(!text.contains("\"fitted\"") && !text.contains("\"median\""), "\(route)")
      }
      #expect(participant["GET /me"]?.contains(#""hidden":["readings"]"#) == true)
      for route in ["GET /people/:subject/methods", "POST /people/:subject/what-if"] {
        let answer = participant[route] ?? ""
        #expect(answer.contains("E_DAY_NOT_ALLOWED"), "\(route): \(answer)")
      }
      // The setting is of participants, and nobody's of staff.
      #expect(Self.tell(all, try await Self.walk(as: "oskar", served)).isSuperset(of: Self.telling))
      let own = try await served.send(.get, "/people/p01", as: "p01").json
      #expect(own["readings"]?.list.count == 5 && own["drinks"]?.list.count == 1)
      #expect(own["release"] == nil && own["asked"]?["reason"] == nil)
      for (hidden, marks) in [
        ([.text("readings")], [Self.reading]), ([.text("doses")], [Self.dose]),
        ([.text("readings"), .text("doses")], all),
      ] as [([EventValue], [String])] {
        let set = try await served.send(
          .put, "/protocol", as: "olga", Self.protocolHiding(.array(hidden)))
        #expect(set.status == 200, "\(set.text)")
        for name in ["oskar", "vera"] {
          let answers = try await Self.walk(as: name, served)
          var found = Self.tell(marks, answers)
          // What an operator writes for operators, and why, may name a dose.
          let notes = try await served.send(.get, "/day", as: name).json["people"]?.list.first
          #expect(notes?["notes"]?.list.count == 1)
          for route in Self.telling.union(["GET /reports/{date}"]) {
            let text = answers[route]?.replacing(
              "showed \(Self.reading) after \(Self.dose)", with: "")
            if !marks.contains(where: { text?.contains($0) == true }) { found.remove(route) }
          }
          #expect(found == [], "\(name) \(hidden)")
        }
      }
      #expect(Self.tell(all, try await Self.walk(as: "p01", served)) == [])
      #expect(Self.tell(all, try await Self.walk(as: "ines", served)).isSuperset(of: Self.telling))
    }
  }

  /// Also from the moment on at which it is switched on, and of what was missed.
  @Test func noStreamRevealsConcealedValues() async throws {
    try await ServedDay.run(.live) { served in
      let port = try #require(served.client.port)
      func follow(_ name: String, _ path: String) throws -> Wire {
        let wire = try Wire(port: port)
        wire.send(
          "GET /api/v1\(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(served.tokens[name]?.text ?? "")\r\n\r\n"
        )
        return wire
      }
      func heard(_ wire: Wire) async throws -> String {
        var text = ""
        // The last entry, as a change and in the person.
        while text.components(separatedBy: #""value":93"#).count < 3 {
          text += try #require(try await wire.receive()).replacing("\r\n", with: "")
        }
        return text
      }
      let names = ["p01", "oskar", "ines"]
      let live = try names.map { try follow($0, "/events") }
      while served.day.hub.messages.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
      _ = try await served.send(.patch, "/settings", as: "olga", ["behaviour": true])
      _ = try await served.send(
        .put, "/protocol", as: "olga", Self.protocolHiding(["readings", "doses"]))
      try await Self.fill(served)
      served.clock.advance(by: 12 * 3_600_000)
      let last = NoticeTests.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 93], at: served.clock.now,
        minutesAgo: 12 * 60)
      _ = try await served.send(.post, "/entries", as: "ines", ["entries": [last]])
      for (name, wire) in zip(names, live) {
        let text = try await heard(wire).replacing(
          "showed \(Self.reading) after \(Self.dose)", with: "")
        #expect(text.contains("reading.enter"))
        let isBlind = name != "ines"
        for mark in [Self.reading, Self.dose] {
          let around = text.ranges(of: mark).first.map { text[..<$0.upperBound].suffix(400) } ?? ""
          #expect(text.contains(mark) != isBlind, "\(name) \(mark): \(around)")
        }
      }
      for name in ["p01", "oskar"] {
        let wire = try follow(name, "/events?after=0")
        var text = ""
        while !text.contains(#""value":93"#) {
          text += try #require(try await wire.receive()).replacing("\r\n", with: "")
        }
        text = text.replacing("showed \(Self.reading) after \(Self.dose)", with: "")
        #expect(!text.contains(Self.reading) && !text.contains(Self.dose), "\(name)")
      }
      // An update without the entry of a conflict conceals its values, too.
      let update = try #require(try await served.day.person("p01")).changes(since: .max)
      var oskar = Identity(account: 3, name: "oskar", role: .operator, token: 1)
      #expect(try JSONText.text(update.shown(to: oskar)).contains(Self.reading))
      oskar.concealed = .readings
      #expect(try !JSONText.text(update.shown(to: oskar)).contains(Self.reading))
    }
  }

  /// What people are written to, and what is posted, holds no value at all.
  @Test func notificationsRevealNoReading() async throws {
    try await ServedDay.run { served in
      served.day.store.notificationChannels = ["mail", "webhook"]
      try await Self.fill(served)
      _ = try await served.send(.patch, "/settings", as: "olga", ["release_second_person": false])
      let all = EventValue.array(NotificationKind.allCases.map { .text($0.rawValue) })
      let mail: EventValue = ["kinds": all, "consent": true]
      #expect(try await served.send(.put, "/people/p01/written", as: "p01", mail).status == 200)
      let seq = try await served.send(.get, "/people/p01", as: "olga").json["seq"] ?? .null
      let release = try await served.send(
        .post, "/people/p01/release", as: "olga",
        [
          "decision": "released", "advice_seq": seq, "signed": true,
          "reason": .text("\(Self.reading) is low"),
        ])
      #expect(release.status == 200, "\(release.text)")
      let texts = try await served.day.store.read { db in
        try db.rows("SELECT text FROM letters").map { $0["text"] as String }
      }
      #expect(texts.count == 2 && !texts.joined().contains(Self.reading))
    }
  }
}

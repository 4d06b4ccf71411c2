import DayDatabase
import Foundation
import HTTPTypes
import HealthData
import NIOCore
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// Every request to any route is done or refused with a reason: none ends the server, or stores anything that is not in
/// the log.
@Suite struct RouteFuzzTests {
  private static let texts = [
    "", " ", "0", "-1", "1", "2", "+1", "007", "\u{661}", "1.5", "1e400", "nan",
    "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "0000-01-01", "0000-12-31", "1969-12-31",
    "1970-01-01", "2026-05-01", "2199-12-31", "2200-01-01", "9999-12-31", "10000-01-01",
    "2026-02-30", "0000-01-01T00:00:00Z", "2026-05-01T18:15:00Z", "2199-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59.999999999Z", "UTC", "America/New_York", "Pacific/Kiritimati",
    "Etc/GMT+12", "Africa/Monrovia", "Asia/Kathmandu", "../../etc/passwd", "posix/UTC", "ann",
    "null",
    "owner", "released", "reading", "brac_mg_per_l", "HeartRate", "true",
    "'; DROP TABLE events; --",
    "a\u{0}b", "a\nb", "a\u{7F}", "a\u{85}", "a\u{2028}b", "\u{202E}", "\u{FEFF}", "\u{FFFF}",
    "\u{1F1E6}\u{1F1E7}",
    "00000000-0000-0000-0000-000000000000", String(repeating: "x", count: 3000),
    "e" + String(repeating: "\u{301}", count: 3000),
  ]

  private static let values: [EventValue] =
    texts.map(EventValue.text) + [
      nil, true, false, 0, 1, -1, 2, 0.5, -0.5, 1e-308, 1e300, -1e300, .integer(.max),
      .integer(.min), .array([]),
      .object([:]), .array([nil, 1, "x"]), ["a": ["b": "c"]],
    ]

  /// Valid bodies of the routes that take one.
  private static let bodies: [String: EventValue] = [
    "POST /entries": [
      "entries": .array([
        entry(
          "reading", of: "ann", ["concentration": 0.2, "unit": "brac_mg_per_l", "excluded": "x"]),
        entry(
          "drink", of: "ann",
          ["volume_ml": 500, "abv_percent": 5, "name": "beer", "duration_min": 10, "own": true]),
        entry(
          "vital", of: "ann",
          ["kind": "HeartRate", "value": 70, "unit": "count/min", "importance": 3]),
        entry("note", of: "ann", ["text": "x"], reason: "x"),
        entry("note", of: "ann", ["text": "y"], action: "discard", record: UUID(), reason: "x"),
        entry(
          "note", of: "ann", ["text": "y"], action: "correct", record: noted, base: 1, reason: "x"),
        entry("note", of: "ann", nil, action: "void", record: noted, base: 1, reason: "x"),
        entry(
          "note", of: "ann", nil, action: "resolve", record: noted, base: 1, reason: "x", choice: 3),
      ])
    ],
    "POST /people/:subject/release": [
      "decision": "released", "advice_seq": 1, "signed": "Olga", "reason": "x",
    ],
    "POST /people/:subject/what-if": ["value": ["volume_ml": 500, "abv_percent": 5]],
    "PUT /people/:subject/written": ["kinds": .array(["turn"]), "consent": true],
    "PUT /me/reminder": [
      "times": .array(["20:00", "08:00"]), "zone": "Europe/Berlin",
      "postponed_until": "2026-05-01T20:00:00Z",
    ],
    "PUT /protocol": [
      "design": "crossover",
      "arms": .array([["name": "A", "g_per_kg": 0.6], ["name": "B", "g_per_kg": 0]]),
      "copies": 2, "seed": 1, "stock_abv_percent": 40, "total_ml": 500, "drink_min": 10,
      "readings_min": .array([15, 30, 60]), "hidden": .array(["readings", "doses"]),
    ],
    "PUT /drinks/favourites": ["drinks": .array([["ethanol_g": 12]])],
    "POST /queue": ["subject": "ann"], "POST /queue/next": ["place": "Breath 1"],
    "POST /devices": [
      "id": .text(UUID().uuidString), "station": "Bar", "waiting": 1, "refused": 0,
      "oldest": "2026-05-01T18:15:00Z",
    ],
    "PATCH /people/:subject/measures": [
      "sex": "female", "age_y": 30, "height_cm": 170, "weight_kg": 70, "base": 1, "reason": "x",
    ],
    "POST /invitations": [
      "name": "new", "role": "participant", "subject": "ann", "station": false,
    ],
    "POST /sign-in": ["token": "x"],
    "PATCH /settings": [
      "no_show_cost": 2, "blood_breath_ratio": 2100, "behaviour": true, "blind_participants": true,
      "vitals": .array([["kind": "HeartRate", "importance": 4, "below": 40, "above": 120]]),
    ],
    "POST /sites": ["name": "S", "address": "A", "public": true, "closed": false],
    "POST /labs": ["site": 1, "name": "L"],
    "POST /session-types": [
      "lab": 1, "name": "T", "length_min": 60, "reading_interval_min": 5, "capacity": 3,
      "release_limit_g_per_kg": 0.5, "food_state": "fed",
    ],
    "POST /slots": ["session_type": 1, "starts": "2026-05-03T16:00:00Z", "capacity": 2],
    "PATCH /sites/{id}": ["name": "S", "address": "A", "public": true, "closed": false],
    "PATCH /labs/{id}": ["name": "L"],
    "PATCH /session-types/{id}": ["length_min": 60, "capacity": 3, "release_limit_g_per_kg": 0.5],
    "PATCH /slots/{id}": [
      "starts": "2026-05-03T16:00:00Z", "closed": true, "cancel_bookings": true,
    ],
    "POST /slots/{id}/bookings": bookingForm, "POST /slots/{id}/waiting": bookingForm,
  ]
  private static let bookingForm: EventValue = [
    "subject": "bob", "name": "Bob", "contact": "b@example.org", "consent": true,
    "own_measures": ["sex": "male", "age_y": 30, "height_cm": 180, "weight_kg": 80],
  ]
  private static let noted = UUID()
  private static let queries = [
    "after", "limit", "zone", "from", "to", "slot", "mine", "subject", "text",
  ]

  /// The value, or a part of it, as something else.
  private static func spoilt(_ value: EventValue, _ generator: inout SeededGenerator) -> EventValue
  {
    guard Int.random(in: 0..<6, using: &generator) > 0 else {
      return values.randomElement(using: &generator) ?? .null
    }
    switch value {
    case .object(var members):
      guard let key = members.keys.sorted().randomElement(using: &generator) else { return value }
      let isLeftOut = Int.random(in: 0..<12, using: &generator) == 0
      let member = spoilt(members.removeValue(forKey: key) ?? .null, &generator)
      if !isLeftOut { members[key] = member }
      return .object(members)
    case .array(var items):
      guard let index = items.indices.randomElement(using: &generator) else { return value }
      items[index] = spoilt(items[index], &generator)
      return .array(items)
    default: return values.randomElement(using: &generator) ?? .null
    }
  }

  private static func path(of route: Route, _ generator: inout SeededGenerator) -> String {
    func escaped(_ text: String) -> String {
      text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
    let parts = route.path.split(separator: "/").map { part in
      guard part.contains("{") || part.hasPrefix(":") else { return String(part) }
      let usual = part == ":subject" ? "ann" : part == "{date}" ? "2026-05-01" : "1"
      let isUsual = Int.random(in: 0..<3, using: &generator) == 0
      return escaped(isUsual ? usual : texts.randomElement(using: &generator) ?? usual)
    }
    let query = queries.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
      .map { "\($0)=\(escaped(texts.randomElement(using: &generator) ?? ""))" }
    return "/" + parts.joined(separator: "/") + (query.isEmpty ? "" : "?")
      + query.joined(separator: "&")
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func everyRouteAnswers(seed: UInt64) async throws {
    var options = DayOptions()
    options.rate = (perSecond: 1e9, atOnce: 1e9)
    options.signInsPerMinute = 1e9
    let day = try TestDay(options: options)
    // A stream of events has no end.
    let routes = Route.all.filter { $0.path != "/events" }
    try await day.serve { client in
      var generator = SeededGenerator(seed: seed)
      var owners = 0
      var token = try await day.token(.owner)
      for path in ["sites", "labs", "session-types", "slots"] {
        let made = try await client.send(.post, "/\(path)", token, Self.bodies["POST /\(path)"])
        #expect(made.status == 201)
      }
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "x"], id: Self.noted))
      for route in routes {
        let body = Self.bodies["\(route.method.rawValue) \(route.path)"]
        for _ in 0..<(body == nil ? 12 : 40) {
          let path = Self.path(of: route, &generator)
          let spoilt = body.map { Self.spoilt($0, &generator) }
          let answer = try await client.send(route.method, path, token, spoilt)
          #expect(answer.status < 500, "\(route.method) \(path) \(spoilt?.text ?? "")")
          // It ended its own token.
          guard answer.status == 401, route.path != "/sign-in" else { continue }
          owners += 1
          token = try await day.token(.owner, "owner \(owners)")
        }
      }
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.sound > 20)
    #expect(chain.different == nil, "\(String(describing: chain.different))")
  }

  /// A day after which there is none, on whichever clock, is none that was served.
  @Test(arguments: ["9999-12-31", "0000-01-01", "2200-01-01", "1969-12-31"])
  func daysOfOtherTimesHaveNoReport(_ date: String) async throws {
    let day = try TestDay()
    let token = try await day.token(.owner)
    try await day.serve { client in
      for zone in ["America/New_York", "UTC", "Pacific/Kiritimati"] {
        let answer = try await client.send(.get, "/reports/\(date)?zone=\(zone)", token)
        #expect(answer.status == 404, "\(zone): \(answer.json)")
      }
    }
  }
}

import DayDatabase
import Foundation
import HTTPTypes
import Hummingbird
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// The OpenAPI document, held against the routes and what they answer.
@Suite struct DescriptionTests {
  private static let document = EventValue(
    String(decoding: PackageResources.openapi_json, as: UTF8.self))

  @Test func everyRouteIsDescribedAndEveryDescriptionARoute() async throws {
    try await ServedDay.run { served in
      let routes = served.day.router().routes.map { route in
        let path = "\(route.path)".split(separator: "/").map { part in
          part.hasPrefix(":") ? "{\(part.dropFirst())}" : String(part)
        }.joined(separator: "/")
        return "\(route.method.rawValue) /\(path)"
      }
      let paths = try #require(Self.document?["paths"]).members
      let described = paths.flatMap { path, item in
        item.members.keys.filter { $0 != "parameters" }.map { "\($0.uppercased()) \(path)" }
      }
      let served = Set(routes.filter { $0.contains(" /api/v1/") && !$0.hasPrefix("HEAD ") })
      #expect(served.subtracting(described) == [], "routes without a description")
      #expect(Set(described).subtracting(served) == [], "descriptions without a route")
    }
  }

  /// A request for each operation that does what it should, in an order in which all succeed.
  @Test func everyRouteAnswersAsDescribed() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      let booking = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      let now = served.clock.now
      let reading = NoticeTests.entry(
        "reading", of: "p01", ["concentration": 0.2, "unit": "brac_mg_per_l"], at: now)
      let vital = NoticeTests.entry(
        "vital", of: "p01", ["kind": "HeartRate", "value": 80], at: now)
      let entries: EventValue = ["entries": [reading, vital]]
      var done: Set<String> = []
      func check(
        _ method: HTTPRequest.Method, _ path: String, _ template: String, as name: String? = "olga",
        _ body: EventValue? = nil, _ status: Int = 200
      ) async throws {
        let answer = try await served.send(method, path, as: name, body)
        let operation = "\(method.rawValue) \(template)"
        done.insert(operation)
        #expect(answer.status == status, "\(operation): \(answer.text)")
        let described = Self.document?["paths"]?["/api/v1\(template)"]?[
          method.rawValue.lowercased()]
        let response = try #require(described?["responses"]?["\(status)"], "\(operation)")
        guard let content = response["content"]?.members.first else {
          #expect(answer.text.isEmpty, "\(operation)")
          return
        }
        #expect(answer.headers[.contentType]?.hasPrefix(content.key) == true, "\(operation)")
        if content.key == "application/json" {
          let flaws = Self.flaws(in: answer.json, content.value["schema"] ?? .null, at: operation)
          #expect(flaws == [], "\(answer.text)")
        }
        #expect(
          (response["headers"]?["ETag"] != nil) == (answer.headers[.eTag] != nil), "\(operation)")
      }
      try await check(.post, "/entries", "/entries", entries)
      try await check(
        .post, "/slots/1/waiting", "/slots/{id}/waiting", as: "p02", ServedDay.form, 201)
      try await check(.delete, "/slots/1/waiting", "/slots/{id}/waiting", as: "p02", nil, 204)
      try await check(.put, "/slots/1/favourite", "/slots/{id}/favourite", nil, 204)
      try await check(.delete, "/slots/1/favourite", "/slots/{id}/favourite", nil, 204)
      for path in ["sites", "labs", "session-types", "slots"] {
        try await check(.get, "/\(path)", "/\(path)")
        try await check(.patch, "/\(path)/1", "/\(path)/{id}", ["closed": false])
      }
      try await check(.post, "/sites", "/sites", ["name": "S", "public": true], 201)
      try await check(.post, "/labs", "/labs", ["site": 1, "name": "L"], 201)
      try await check(
        .post, "/session-types", "/session-types",
        [
          "lab": 2, "name": "T", "length_min": 60, "reading_interval_min": 5, "capacity": 3,
          "release_limit_g_per_kg": 0.5, "food_state": "fed",
        ], 201)
      let start: EventValue = ["session_type": 2, "starts": "2026-05-03T16:00:00Z"]
      try await check(.post, "/slots", "/slots", start, 201)
      try await check(
        .post, "/slots/2/bookings", "/slots/{id}/bookings", as: "p01", ServedDay.form, 201)
      try await check(.get, "/bookings?mine", "/bookings", as: "p01")
      let path = "/bookings/\(booking)"
      try await check(.get, path, "/bookings/{id}", as: "p01")
      try await check(.get, "\(path)/calendar.ics", "/bookings/{id}/calendar.ics", as: "p01")
      try await check(.post, "\(path)/check-in?sure=1", "/bookings/{id}/check-in", as: "oskar")
      try await check(.delete, "\(path)/check-in", "/bookings/{id}/check-in", as: "oskar")
      try await check(.post, "\(path)/check-in?sure=1", "/bookings/{id}/check-in", as: "oskar")
      let secondBooking = try await served.book(2, as: "p02").json["id"]?.string ?? ""
      try await check(.delete, "/bookings/\(secondBooking)", "/bookings/{id}", as: "p02")
      let missed = try await served.book(2, as: "p03").json["id"]?.string ?? ""
      served.clock.advance(by: 3 * 86_400_000)
      try await check(.post, "/bookings/\(missed)/no-show", "/bookings/{id}/no-show", as: "oskar")
      served.clock.advance(by: -3 * 86_400_000)
      for path in [
        "/me", "/day", "/changes", "/feed.json", "/feed.xml", "/notices", "/accounts", "/settings",
        "/health", "/metrics", "/openapi.json", "/drinks", "/me/alerts",
      ] {
        try await check(.get, path, path)
      }
      try await check(.put, "/me/alerts", "/me/alerts", ["kinds": []])
      try await check(
        .put, "/me/signing-code", "/me/signing-code", ["code": "correct horse"], 204)
      try await check(
        .post, "/instruments", "/instruments",
        [
          "serial": "AL-1", "standard": 0.38, "measured": 0.37, "tolerance": 0.02,
          "unit": "brac_mg_per_l", "due": "2026-05-08T00:00:00Z",
        ], 201)
      try await check(.get, "/instruments", "/instruments")
      let recovery = try await served.day.accounts.firstRecoveryCode()
      try await check(
        .post, "/recover", "/recover", as: nil, ["code": .text(recovery ?? "")])
      try await check(
        .put, "/me/reminder", "/me/reminder", as: "p02", ["at": "20:00", "zone": "UTC"])
      try await check(.get, "/me/reminder", "/me/reminder", as: "p02")
      try await check(.get, "/people/p01/history?zone=UTC", "/people/{subject}/history")
      try await check(.post, "/queue", "/queue", as: "p02", [:])
      try await check(.post, "/queue", "/queue", [:])
      try await check(.post, "/queue/next", "/queue/next", ["place": "Breath 1"])
      try await check(.get, "/queue", "/queue", as: "p02")
      try await check(.delete, "/queue/2", "/queue/{number}")
      try await check(
        .put, "/people/p01/written", "/people/{subject}/written", as: "p01", ["kinds": []])
      try await check(.get, "/people/p01/written", "/people/{subject}/written", as: "p01")
      try await check(
        .post, "/devices", "/devices",
        ["id": .text(UUID().uuidString), "waiting": 2, "station": "Bar"])
      try await check(.get, "/operation", "/operation")
      _ = try await served.send(
        .post, "/entries", as: "olga",
        ["entries": [NoticeTests.entry("drink", of: "p01", ["ethanol_g": 20], at: now)]])
      try await check(.get, "/people/p01/methods", "/people/{subject}/methods")
      try await check(.get, "/drinks/read?text=2%20cl%20vodka", "/drinks/read")
      try await check(
        .put, "/drinks/favourites", "/drinks/favourites", ["drinks": [["ethanol_g": 12]]])
      try await check(
        .post, "/people/p01/what-if", "/people/{subject}/what-if", ["value": ["ethanol_g": 12]])
      try await check(
        .patch, "/people/p01/measures", "/people/{subject}/measures",
        ["weight_kg": 62, "reason": "weighed"])
      try await check(.get, "/people/p01/measures", "/people/{subject}/measures")
      try await check(.get, "/people/p01", "/people/{subject}")
      try await check(.get, "/reports/2026-05-01", "/reports/{date}")
      try await check(.get, "/accounts/1", "/accounts/{id}")
      let seq = try await served.send(.get, "/people/p01", as: "olga").json["seq"] ?? .null
      try await check(
        .post, "/people/p01/release", "/people/{subject}/release",
        ["decision": "kept", "advice_seq": seq, "signed": true])
      try await check(
        .delete, "/people/p01/consent", "/people/{subject}/consent", as: "p01", nil, 204)
      try await check(.patch, "/settings", "/settings", ["no_show_cost": 2])
      let invitation: EventValue = ["name": "new", "role": "viewer"]
      try await check(.post, "/invitations", "/invitations", invitation, 201)
      let invited = try await served.send(.post, "/invitations", as: "olga", invitation)
      let token = EventValue.text(String(invited.json["link"]?.string?.suffix(43) ?? ""))
      try await check(.post, "/sign-in", "/sign-in", as: nil, ["token": token])
      try await check(.post, "/sign-out", "/sign-out", as: "vera", nil, 204)
      try await check(.delete, "/accounts/4", "/accounts/{id}", nil, 204)
      try await check(.post, "/accounts/4/restore", "/accounts/{id}/restore", nil, 204)
      try await check(.delete, "/tokens/2", "/tokens/{id}", nil, 204)
      // A stream has no end, and the catalogue and streams have tests of their own.
      let paths = try #require(Self.document?["paths"]).members
      let described = paths.flatMap { path, item in
        item.members.keys.filter { $0 != "parameters" }.map {
          "\($0.uppercased()) \(path.replacing("/api/v1", with: ""))"
        }
      }
      #expect(Set(described).subtracting(done).subtracting(["GET /events"]) == [])
    }
  }

  /// Returns the violations of a schema: types, members, lists, alternatives and words.
  private static func flaws(in value: EventValue, _ schema: EventValue, at place: String)
    -> [String]
  {
    if let name = schema["$ref"]?.string?.split(separator: "/").last {
      guard let named = document?["components"]?["schemas"]?[String(name)] else {
        return ["\(place): no schema \(name)"]
      }
      return flaws(in: value, named, at: place)
    }
    if let choices = schema["anyOf"]?.list {
      let fits = choices.contains { flaws(in: value, $0, at: place).isEmpty }
      return fits ? [] : ["\(place): \(value.text) fits nothing"]
    }
    let types = schema["type"].map { $0.string.map { [$0] } ?? $0.list.compactMap(\.string) } ?? []
    guard types.isEmpty || types.contains(where: value.isOfType) else {
      return ["\(place): \(value.text) is no \(types)"]
    }
    if let words = schema["enum"]?.list, !words.contains(value) {
      return ["\(place): \(value.text)"]
    }
    var problems = (schema["required"]?.list ?? []).compactMap(\.string)
      .filter { value["\($0)"] == nil && !types.contains("null") }.map { "\(place): lacks \($0)" }
    for (key, member) in value.members {
      if let property = schema["properties"]?[key] {
        problems += flaws(in: member, property, at: "\(place).\(key)")
      } else if schema["properties"] != nil {
        problems.append("\(place): \(key) is not described")
      }
    }
    for item in value.list {
      problems += flaws(in: item, schema["items"] ?? .null, at: "\(place)[]")
    }
    return problems
  }
}

extension EventValue {
  fileprivate func isOfType(_ type: String) -> Bool {
    switch self {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .integer: type == "integer" || type == "number"
    case .number: type == "number"
    case .text: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }
}

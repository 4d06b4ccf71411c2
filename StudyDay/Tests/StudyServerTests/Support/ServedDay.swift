public import DayDatabase
import Foundation
import HTTPTypes
import NIOCore
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// A study day that a test runs against, served on a port of its own, with a clock that stands still.
struct ServedDay: Sendable {
  /// The response.
  struct Answer {
    var status: Int
    var headers: HTTPFields
    var text: String
    var json: EventValue { EventValue(text) ?? .null }
    var code: String? { json["code"]?.string }
  }

  let day: StudyDay
  let clock: SetClock
  let client: DayClient
  /// Tokens of stations, by account.
  let tokens: [String: Token]

  /// 2026-05-01 08:00 UTC.
  static let morning: Int64 = 1_777_622_400_000
  /// Accounts of the day; a participant's name is the subject's.
  static let accounts: [(String, Role)] = [
    ("olga", .owner), ("ines", .investigator), ("oskar", .operator), ("vera", .viewer),
    ("p01", .participant), ("p02", .participant), ("p03", .participant),
  ]

  /// Serves a day from an empty database while something is done with it.
  static func run(
    _ serving: Serving = .router, _ body: @escaping @Sendable (ServedDay) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let clock = SetClock(morning)
    let store = try DayStore(path: folder("day.sqlite"), clock: clock)
    var options = DayOptions()
    options.rate = (100_000, 100_000)
    let day = StudyDay(store: store, options: options)
    var tokens: [String: Token] = [:]
    for (name, role) in accounts {
      tokens[name] = try await day.accounts.invite(
        name, as: role, subject: role == .participant ? name : nil, station: "bench", by: "test")
    }
    let token = tokens
    try await day.test(serving) { client in
      try await body(ServedDay(day: day, clock: clock, client: client, tokens: token))
    }
  }

  /// Sends a request.
  ///
  /// - Parameter name: Account whose token is sent; nil for none.
  func send(
    _ method: HTTPRequest.Method, _ path: String, as name: String? = nil, _ body: EventValue? = nil,
    headers: HTTPFields = [:]
  ) async throws -> Answer {
    var headers = headers
    headers[.authorization] = name.map { "Bearer \(tokens[$0]?.text ?? $0)" }
    headers[.contentType] = body == nil ? nil : "application/json"
    let response = try await client.executeRequest(
      uri: "/api/v1\(path)", method: method, headers: headers,
      body: body.map { ByteBuffer(string: $0.text) })
    return Answer(
      status: response.status.code, headers: response.headers, text: String(buffer: response.body))
  }

  /// Makes a site, a lab, a session type and a slot of four hours with so many places, in the afternoon of a day of May.
  ///
  /// - Returns: The number of the slot.
  @discardableResult
  func makeSlot(places: Int64, name: String = "Evening", on date: Int = 2) async throws -> Int64 {
    let site = try await send(.post, "/sites", as: "olga", ["name": .text("Site of \(name)")])
    let lab = try await send(
      .post, "/labs", as: "olga", ["site": try #require(site.json["id"]), "name": "Lab"])
    let type = try await send(
      .post, "/session-types", as: "olga",
      [
        "lab": try #require(lab.json["id"]), "name": .text(name), "length_min": 240,
        "reading_interval_min": 10, "capacity": .integer(places), "release_limit_g_per_kg": 0.2,
        "food_state": "fasted",
      ])
    let slot = try await send(
      .post, "/slots", as: "olga",
      [
        "session_type": try #require(type.json["id"]),
        "starts": .text("2026-05-\(date < 10 ? "0" : "")\(date)T16:00:00Z"),
      ])
    #expect(slot.status == 201, "\(slot.text)")
    return try #require(slot.json["id"]?.integer)
  }

  /// Books for oneself.
  func book(_ slot: Int64, as name: String) async throws -> Answer {
    try await send(.post, "/slots/\(slot)/bookings", as: name, Self.form)
  }

  static let form: EventValue = [
    "name": "Ada Lovelace", "contact": "ada@example.org", "consent": true,
    "own_measures": ["sex": "female", "height_cm": 165, "weight_kg": 60.5, "age_y": 30],
  ]
}

extension EventValue: ExpressibleByArrayLiteral {
  public init(arrayLiteral values: EventValue...) { self = .array(values) }

  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  var list: [EventValue] { if case .array(let values) = self { values } else { [] } }
  var members: [String: EventValue] { if case .object(let members) = self { members } else { [:] } }
}

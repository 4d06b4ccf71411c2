public import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import NIOCore
@_spi(StudyDay) import StudyStore
import TestSupport

@testable import StudyServer

/// A study day on a database of its own, at six in the evening of 1 May 2026.
struct TestDay: Sendable {
  /// 2026-05-01T18:00:00Z
  static let start: Int64 = 1_777_658_400_000

  let folder: TemporaryFolder
  let clock: SetClock
  let day: StudyDay

  /// - Parameter other: A day whose database is opened again; nil for a new one.
  init(options: DayOptions = DayOptions(), again other: TestDay? = nil) throws {
    folder = try other?.folder ?? TemporaryFolder()
    clock = other?.clock ?? SetClock(Self.start)
    day = StudyDay(
      store: try DayStore(path: folder("study.sqlite"), clock: clock), options: options)
  }

  var path: String { folder("study.sqlite") }

  /// Does something with the server.
  func serve(
    _ serving: Serving = .router, _ body: @Sendable (TestClientOfDay) async throws -> Void
  ) async throws {
    try await day.test(serving, services: [day.hub]) {
      try await body(TestClientOfDay(client: $0, day: self))
    }
  }

  /// Makes a station's token, which works for every role.
  func token(_ role: Role, _ name: String? = nil) async throws -> Token {
    let name = name ?? role.rawValue
    return try await day.accounts.invite(
      name, as: role, subject: role == .participant ? name : nil, station: "station", by: "test")
  }

  /// A person with drinks in g needs a weight.
  func addPerson(_ name: String, sex: String = "male", weight: Double = 80) async throws {
    try await day.store.change { change in
      let id = try Sessions.subject(name, in: change.db)
      try change.db.execute(
        sql: "UPDATE subjects SET sex = ?, weight_kg = ? WHERE id = ?",
        arguments: [sex, weight, id])
    }
  }

  func count(_ table: String) async throws -> Int {
    try await day.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }
}

/// Requests to the server.
struct TestClientOfDay: Sendable {
  let client: DayClient
  let day: TestDay

  /// Sends JSON; the status and the JSON of the answer.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ token: Token? = nil, _ body: EventValue? = nil,
    headers: HTTPFields = [:]
  ) async throws -> (status: Int, json: EventValue, response: TestResponse) {
    var headers = headers
    if let token { headers[.authorization] = "Bearer \(token.text)" }
    if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
    let response = try await client.executeRequest(
      uri: "/api/v1" + path, method: method, headers: headers,
      body: body.map { ByteBuffer(string: $0.text) })
    let text = String(buffer: response.body)
    return (response.status.code, EventValue(text) ?? .null, response)
  }

  /// Sends entries; what became of each.
  func enter(_ token: Token, _ entries: EventValue...) async throws -> [EventValue] {
    let answer = try await send(.post, "/entries", token, ["entries": .array(entries)])
    guard case .array(let results) = answer.json["results"] else { return [answer.json] }
    return results
  }
}

extension EventValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(dictionaryLiteral elements: (String, EventValue)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }

  /// The members of an array.
  var items: [EventValue] {
    guard case .array(let values) = self else { return [] }
    return values
  }
}

/// An entry as a device sends it.
func entry(
  _ kind: String, of subject: String, _ value: EventValue?, minute: Double = 0, id: UUID = UUID(),
  action: String = "enter", record: UUID? = nil, base: Int64? = nil, reason: String? = nil,
  offset: Int64 = 0, at measured: Double? = nil, choice: Int64? = nil
) -> EventValue {
  var members: [String: EventValue] = [
    "id": .text(id.uuidString), "kind": .text(kind), "subject": .text(subject),
    "action": .text(action),
    "device_time": .text(ISOTime.text(TestDay.start + Int64((minute * 60_000).rounded()) - offset)),
    "clock_offset_ms": .integer(offset),
  ]
  members["value"] = value
  members["at"] = measured.map {
    .text(ISOTime.text(TestDay.start + Int64(($0 * 60_000).rounded())))
  }
  members["choice"] = choice.map(EventValue.integer)
  members["record"] = record.map { .text($0.uuidString) }
  members["base"] = base.map(EventValue.integer)
  members["reason"] = reason.map(EventValue.text)
  return .object(members)
}

func reading(_ concentration: Double) -> EventValue {
  ["concentration": .number(concentration), "unit": "brac_mg_per_l"]
}

extension EventValue {
  var seq: Int64? {
    guard case .integer(let number) = self["seq"] else { return nil }
    return number
  }
}

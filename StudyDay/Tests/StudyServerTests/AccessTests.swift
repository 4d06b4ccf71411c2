import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import NIOCore
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// The permission table, cell by cell against the server.
@Suite struct AccessTests {
  /// Permissions of each role, in the order of ``Role``: a for anybody's, o for its own, - for nothing. Written down a
  /// second time on purpose.
  static let matrix: [Action: String] = [
    .seeDay: "aaaao-", .seePerson: "aaaao-", .followEvents: "aaaaoo", .enterEntry: "aaa---",
    .correctEntry: "aaa---", .voidEntry: "aaa---", .resolveConflict: "aaa---",
    .decideRelease: "aa----", .seeSlots: "aaaaa-", .changeSlots: "aa----", .book: "aaa-o-",
    .cancelBooking: "aaa-o-", .seeBookings: "aaa-o-", .checkIn: "aaa---", .noteNoShow: "aaa---",
    .wait: "aaa-o-", .favour: "aaaao-", .seeNames: "aa----", .seeReports: "aaaa--",
    .seeMetrics: "aa----", .changeSettings: "aa----", .invite: "aaa---", .seeAccounts: "a-----",
    .revoke: "a-----", .restore: "a-----", .changeMeasures: "aaa---", .enterVital: "aaa-o-",
    .seeQueue: "aaaaaa", .joinQueue: "aaa-o-", .callQueue: "aaa---", .discardEntry: "aaa---",
    .withdrawConsent: "aa--o-", .checkInstrument: "aaa---",
  ]

  @Test(arguments: Action.allCases)
  func permissionTableIsAsWrittenDown(_ action: Action) throws {
    let cells = try #require(Self.matrix[action])
    #expect(cells.count == Role.allCases.count)
    for (role, cell) in zip(Role.allCases, cells) {
      #expect(Rules.allows(role, action, .any) == (cell == "a"), "\(role) \(action)")
      #expect(Rules.allows(role, action, .own) == (cell != "-"), "\(role) \(action)")
    }
  }

  /// Requests of the core, the action that each needs, and whose thing it is.
  static let requests: [(HTTPRequest.Method, String, Action, String?, EventValue?)] = [
    (.get, "/day", .seeDay, "pat", nil), (.get, "/people/pat", .seePerson, "pat", nil),
    (.get, "/people/ann", .seePerson, "ann", nil), (.get, "/changes", .followEvents, "pat", nil),
    (.get, "/metrics", .seeMetrics, nil, nil),
    (
      .post, "/people/ann/release", .decideRelease, "ann",
      ["decision": "kept", "advice_seq": 0, "signed": true]
    ),
    (
      .patch, "/people/ann/measures", .changeMeasures, "ann",
      ["weight_kg": 70, "reason": "weighed"]
    ),
    (
      .patch, "/people/pat/measures", .changeMeasures, "pat",
      ["weight_kg": 70, "reason": "weighed"]
    ),
    (.get, "/people/ann/measures", .changeMeasures, "ann", nil),
    (.get, "/people/pat/measures", .changeMeasures, "pat", nil),
    (.get, "/people/ann/written", .withdrawConsent, "ann", nil),
    (.get, "/people/pat/written", .withdrawConsent, "pat", nil),
    (.put, "/people/ann/written", .withdrawConsent, "ann", ["kinds": .array([])]),
    (.patch, "/settings", .changeSettings, nil, ["no_show_cost": 2]),
    (
      .post, "/entries", .discardEntry, "ann",
      [
        "entries": .array([
          entry("note", of: "ann", nil, action: "discard", record: UUID(), reason: "x")
        ])
      ]
    ),
    (
      .post, "/entries", .enterEntry, "ann",
      ["entries": .array([entry("note", of: "ann", ["text": "x"])])]
    ),
    (
      .post, "/entries", .enterEntry, "pat",
      ["entries": .array([entry("note", of: "pat", ["text": "x"])])]
    ),
  ]

  @Test(arguments: requests.indices)
  func theServerKeepsToTheTable(_ index: Int) async throws {
    let (method, path, action, subject, body) = Self.requests[index]
    let day = try TestDay()
    let operating = try await day.token(.operator)
    try await day.serve { client in
      _ = try await client.enter(
        operating, entry("note", of: "ann", ["text": "x"]), entry("note", of: "pat", ["text": "x"]))
      let nobody = try await client.send(method, path, nil, body)
      #expect(nobody.status == 401 && nobody.json["code"] == "E_DAY_NO_IDENTITY")
      #expect(nobody.response.headers[.contentType] == "application/problem+json")
      #expect(try await client.send(method, path, Token(), body).status == 401)
      for role in Role.allCases {
        let token = try await day.token(role, role == .participant ? "pat" : nil)
        let status = try await client.send(method, path, token, body).status
        let scope: Scope = role == .participant && subject == "pat" ? .own : .any
        // A list of one's own things may be asked for by who has none.
        let isAllowed =
          Rules.allows(role, action, scope) || path == "/changes" && role == .wall
        #expect((status != 403) == isAllowed && status != 401, "\(role) \(path): \(status)")
      }
    }
  }

  @Test func nothingOfAnotherIsVisibleToAParticipant() async throws {
    let day = try TestDay()
    let operating = try await day.token(.operator)
    let pat = try await day.token(.participant, "pat")
    try await day.serve { client in
      _ = try await client.enter(
        operating, entry("note", of: "ann", ["text": "secret"]),
        entry("reading", of: "ann", reading(0.31)),
        entry("reading", of: "pat", reading(0.12)))
      for path in ["/day", "/changes", "/people/pat", "/me"] {
        let (status, _, response) = try await client.send(.get, path, pat)
        let text = String(buffer: response.body)
        #expect(
          status == 200 && !text.contains("ann") && !text.contains("secret"), "\(path): \(text)")
      }
      // Neither does the answer say whether there is such a person.
      let there = try await client.send(.get, "/people/ann", pat)
      let nowhere = try await client.send(.get, "/people/nobody", pat)
      #expect(there.status == 403 && nowhere.status == 403)
      let entries = try await client.send(
        .post, "/entries", pat, ["entries": .array([entry("note", of: "ann", ["text": "x"])])])
      #expect(entries.status == 403)
    }
  }

  @Test func missingResourceIsAProblem() async throws {
    let day = try TestDay()
    try await day.serve { client in
      let answer = try await client.send(.get, "/nowhere")
      #expect(answer.status == 404 && answer.json["code"] == "E_DAY_NOT_FOUND")
      let token = try await day.token(.operator)
      let bad = try await client.client.executeRequest(
        uri: "/api/v1/entries", method: .post, headers: [.authorization: "Bearer \(token.text)"],
        body: .init(string: "{\"entries\": [{"))
      #expect(bad.status == .badRequest)
      let large = try await client.client.executeRequest(
        uri: "/api/v1/entries", method: .post, headers: [.authorization: "Bearer \(token.text)"],
        body: .init(string: String(repeating: " ", count: 300_000)))
      #expect(large.status == .contentTooLarge)
      #expect(String(buffer: large.body).contains("E_DAY_TOO_LARGE"))
    }
  }
}

import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
import Hummingbird
import NIOCore
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// How long staff stay signed in, who signs a release, and how the owner comes back without a link.
@Suite struct StaffTests {
  private let day: TestDay
  private static let dayLength: Int64 = 86_400_000

  init() throws { day = try TestDay() }

  /// A browser that is signed in.
  private struct Browser {
    var age: Int
    var headers: HTTPFields
  }

  private func browser(_ answer: (status: Int, json: EventValue, response: TestResponse)) throws
    -> Browser
  {
    let set = try #require(answer.response.headers[.setCookie], "\(answer.json)")
    let csrf = try #require(HTTPField.Name("X-CSRF-Token"))
    let age = set.firstMatch(of: /Max-Age=(\d+)/).flatMap { Int($0.1) }
    return Browser(
      age: try #require(age),
      headers: [
        .cookie: String(set.prefix { $0 != ";" }), csrf: answer.json["csrf"]?.string ?? "",
      ])
  }

  private func signIn(
    _ name: String, as role: Role, _ client: TestClientOfDay
  ) async throws -> Browser {
    let link = try await day.day.accounts.invite(name, as: role, by: "test")
    return try browser(
      try await client.send(.post, "/sign-in", nil, ["token": .text(link.text)]))
  }

  private func actions() async throws -> [String] {
    try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
      .map(\.action)
  }

  private func requireSound() throws {
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil, "\(chain)")
  }

  @Test func staffStaySignedInAsTheSettingSays() async throws {
    try await day.serve { client in
      let oskar = try await signIn("oskar", as: .operator, client)
      #expect(oskar.age == 30 * 86_400)
      func me() async throws -> (status: Int, cookie: String?) {
        let answer = try await client.send(.get, "/me", nil, headers: oskar.headers)
        return (answer.status, answer.response.headers[.setCookie])
      }
      #expect(try await me() == (200, nil))
      // Each visit begins the time anew, and once a day the browser is told.
      for _ in 0..<3 {
        day.clock.advance(by: 29 * Self.dayLength)
        let (status, cookie) = try await me()
        #expect(status == 200 && cookie?.contains("Max-Age=\(30 * 86_400);") == true)
        #expect(try await me() == (200, nil))
      }
      let owner = try await signIn("olga", as: .owner, client)
      let change = try await client.send(
        .patch, "/settings", nil, ["staff_session_days": 1], headers: owner.headers)
      #expect(change.json["staff_session_days"] == 1, "\(change.json)")
      #expect(try await me().cookie?.contains("Max-Age=86400;") == true)
      day.clock.advance(by: Self.dayLength + 1)
      #expect(try await me().status == 401)
    }
    let owner = try await day.token(.owner)
    let days: EventValue = ["staff_session_days": 0]
    try await day.serve { client in
      let refused = try await client.send(.patch, "/settings", owner, days)
      #expect(refused.status == 422)
    }
    try requireSound()
    try await day.day.store.change { try $0.db.set("staff_session_days", to: 300) }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.different?.name == "staff_session_days")
  }

  /// A session that came from a station's token does not outlast it.
  @Test func sessionsOfStationsAreNotRenewed() async throws {
    let station = try await day.token(.operator, "oskar")
    try await day.serve { client in
      day.clock.advance(by: 20 * Self.dayLength)
      let answer = try await client.send(.post, "/sign-in", nil, ["token": .text(station.text)])
      let session = try browser(answer)
      #expect(session.age == 10 * 86_400)
      day.clock.advance(by: 9 * Self.dayLength)
      #expect(try await client.send(.get, "/me", nil, headers: session.headers).status == 200)
      day.clock.advance(by: 2 * Self.dayLength)
      #expect(try await client.send(.get, "/me", nil, headers: session.headers).status == 401)
    }
  }

  @Test func whoSignedInLongAgoConfirmsARelease() async throws {
    let operating = try await day.token(.operator)
    try await day.serve { client in
      let ines = try await signIn("ines", as: .investigator, client)
      func decide(_ browser: Browser, code: String? = nil) async throws -> EventValue? {
        _ = try await client.enter(
          operating,
          entry(
            "note", of: "ann", ["text": "x"],
            minute: Double(day.clock.now - TestDay.start) / 60_000))
        let seq = try await client.send(.get, "/people/ann", operating).json["seq"] ?? .null
        var form: [String: EventValue] = ["decision": "kept", "advice_seq": seq, "signed": "ines"]
        form["code"] = code.map(EventValue.text)
        let answer = try await client.send(
          .post, "/people/ann/release", nil, .object(form), headers: browser.headers)
        if let code = answer.json["code"] { return code }
        return answer.status == 200 ? .none : EventValue.integer(Int64(answer.status))
      }
      func set(_ code: EventValue, _ browser: Browser) async throws -> Int {
        try await client.send(
          .put, "/me/signing-code", nil, code, headers: browser.headers
        ).status
      }
      #expect(try await decide(ines) == nil)
      day.clock.advance(by: 12 * 3_600_000 + 1)
      #expect(try await decide(ines) == "E_DAY_CONFIRM")
      #expect(try await decide(ines, code: "anything") == "E_DAY_CONFIRM")
      // Nor does who found the device set a code.
      #expect(try await set(["code": "stolen phone"], ines) == 403)
      let again = try await signIn("ines", as: .investigator, client)
      #expect(try await set(["code": "short"], again) == 422)
      #expect(try await set(["code": "correct horse"], again) == 204)
      #expect(try await decide(again) == nil)
      day.clock.advance(by: 12 * 3_600_000 + 1)
      #expect(try await decide(again) == "E_DAY_CONFIRM")
      #expect(try await decide(again, code: "correct horse") == nil)
      #expect(try await decide(again, code: "wrong horse") == "E_DAY_CONFIRM")
      #expect(try await set(["code": "battery staple", "old": "wrong horse"], again) == 403)
      #expect(try await set(["code": "battery staple", "old": "correct horse"], again) == 204)
      #expect(try await decide(again, code: "battery staple") == nil)
      // Five tries, and no more for two minutes each.
      #expect(try await decide(again, code: "battery staple") == "E_DAY_TOO_OFTEN")
      let oskar = try await signIn("oskar", as: .operator, client)
      #expect(try await set(["code": "nothing to sign"], oskar) == 403)
    }
    try requireSound()
  }

  @Test func theOwnerComesBackByACodeOnce() async throws {
    _ = try await day.token(.owner, "olga")
    let accounts = day.day.accounts
    let first = try #require(try await accounts.firstRecoveryCode())
    #expect(first.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}/) != nil)
    #expect(try await accounts.firstRecoveryCode() == nil)
    try requireSound()
    try await day.serve { client in
      func recover(_ code: String) async throws -> (
        status: Int, json: EventValue, response: TestResponse
      ) {
        try await client.send(.post, "/recover", nil, ["code": .text(code)])
      }
      #expect(try await recover(RecoveryCode.made()).status == 401)
      // As people type it.
      let typed = first.lowercased().replacing("-", with: " ").replacing("0", with: "o")
      let answer = try await recover(typed)
      #expect(answer.status == 200 && answer.json["identity"]?["role"] == "owner")
      let browser = try self.browser(answer)
      #expect(try await client.send(.get, "/accounts", nil, headers: browser.headers).status == 200)
      let next = try #require(answer.json["recovery_code"]?.string)
      #expect(next != first)
      #expect(try await recover(first).status == 401)
      #expect(try await recover(next).status == 200)
    }
    #expect(try await actions().filter { $0 == "account.recover" }.count == 2)
    try requireSound()
    for text in [first, RecoveryCode.plain(first)] {
      #expect(try Data(contentsOf: URL(filePath: day.path)).range(of: Data(text.utf8)) == nil)
      let log = try Data(contentsOf: URL(filePath: "\(day.path)-wal"))
      #expect(log.range(of: Data(text.utf8)) == nil)
    }
    // Who writes the file makes no way in.
    try await day.day.store.change {
      try $0.db.execute(
        sql: "UPDATE codes SET hash = ?", arguments: [Data(repeating: 7, count: 32)])
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.different?.what == "code")
  }

  @Test func whoGuessesARecoveryCodeIsHeldBack() async throws {
    try await day.serve { client in
      var statuses: [Int: Int] = [:]
      for index in 0..<60 {
        let path = ["/recover", "//recover", "/recover/"][index % 3]
        let status = try await client.send(.post, path, nil, ["code": "X"]).status
        statuses[status, default: 0] += 1
      }
      #expect(statuses[429] ?? 0 >= 35 && (statuses[401] ?? 0) + (statuses[429] ?? 0) == 60)
    }
  }

  /// A screen on a wall sees that number 1 is called to a place, and nothing of anybody.
  @Test func aWallSeesNumbersAndNoReadings() async throws {
    let (owner, operating) = (try await day.token(.owner), try await day.token(.operator))
    try await day.serve { client in
      _ = try await client.enter(operating, entry("reading", of: "ann", reading(0.31)))
      let invited = try await client.send(
        .post, "/invitations", owner, ["name": "lobby", "role": "wall"])
      let link = try #require(invited.json["link"]?.string?.suffix(43))
      let wall = try browser(
        try await client.send(.post, "/sign-in", nil, ["token": .text(String(link))]))
      _ = try await client.send(.post, "/queue", operating, ["subject": "ann"])
      _ = try await client.send(.post, "/queue/next", operating, ["place": "Breath 1"])
      for path in ["/queue", "/changes", "/me"] {
        let answer = try await client.send(.get, path, nil, headers: wall.headers)
        let text = String(buffer: answer.response.body)
        #expect(answer.status == 200 && !text.contains("ann") && !text.contains("0.31"), "\(text)")
      }
      for path in [
        "/day", "/people/ann", "/notices", "/reports/2026-05-01", "/slots", "/bookings", "/drinks",
        "/accounts", "/settings", "/instruments", "/me/alerts", "/operation",
      ] {
        #expect(
          try await client.send(.get, path, nil, headers: wall.headers).status == 403, "\(path)")
      }
      let reading = entry("reading", of: "ann", reading(0.2))
      for (path, body) in [
        ("/queue", [:]), ("/queue/next", ["place": "x"]), ("/entries", ["entries": [reading]]),
        ("/devices", ["id": .text(UUID().uuidString)]),
      ] as [(String, EventValue)] {
        let answer = try await client.send(.post, path, nil, body, headers: wall.headers)
        #expect(answer.status == 403, "\(path): \(answer.json)")
      }
      let list = try await client.send(.get, "/accounts", owner).json["items"]?.items
      #expect(list?.last?["role"] == "wall")
      let other: EventValue = ["name": "lobby", "role": "viewer"]
      #expect(try await client.send(.post, "/invitations", owner, other).status == 422)
    }
    let lobby = Identity(account: 3, name: "lobby", role: .wall, token: 1)
    let call = Event(actor: "oskar", action: "call.next", subject: "ann", new: ["number": 1])
    let heard = try LiveMessage(call).text(for: lobby).map { String(buffer: $0) }
    #expect(heard?.contains("call.next") == true && heard?.contains("ann") == false)
    let entered = Event(actor: "oskar", action: "reading.enter", subject: "ann", new: reading(0.3))
    #expect(try LiveMessage(entered).text(for: lobby) == nil)
    try requireSound()
  }

  /// Names and contacts are in the files.
  @Test func filesOfTheDatabaseAreTheirOwnersAlone() async throws {
    let folder = try TemporaryFolder()
    let path = folder("study.sqlite")
    let program = try ServeProgram(path)
    _ = try program.port()
    defer { _ = program.stop() }
    for file in [path, path + "-wal", path + "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(file)")
    }
  }
}

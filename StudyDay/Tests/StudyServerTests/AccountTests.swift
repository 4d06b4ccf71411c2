import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// Invitations, cookies and tokens.
@Suite struct AccountTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  private func signIn(_ client: TestClientOfDay, _ token: Token) async throws -> (
    status: Int, cookie: String, csrf: String
  ) {
    let answer = try await client.send(.post, "/sign-in", nil, ["token": .text(token.text)])
    return (
      answer.status, answer.response.headers[.setCookie] ?? "", answer.json["csrf"]?.string ?? ""
    )
  }

  @Test func aLinkWorksOnce() async throws {
    let token = try await day.day.accounts.invite("ann", as: .operator, by: "test")
    try await day.serve { client in
      let first = try await signIn(client, token)
      #expect(first.status == 200)
      for property in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
        #expect(first.cookie.contains(property))
      }
      #expect(try await signIn(client, token).status == 401)
      #expect(try await signIn(client, Token()).status == 401)
      // An invitation is no token of a program.
      #expect(try await client.send(.get, "/me", token).status == 401)
    }
  }

  /// Browsers keep one jar of cookies for all ports of a host.
  @Test func twoStudiesOnOneHostDoNotSignEachOtherOut() async throws {
    let second = try TestDay()
    var cookies: [String] = []
    for day in [day, second] {
      let token = try await day.day.accounts.invite("ann", as: .operator, by: "test")
      let name = try await day.day.accounts.cookieName
      cookies.append("\(name)=\(try await day.day.accounts.signIn(token).token.text)")
    }
    let jar = cookies.joined(separator: "; ")
    #expect(cookies[0].prefix { $0 != "=" } != cookies[1].prefix { $0 != "=" })
    for day in [day, second] {
      try await day.serve { client in
        let answer = try await client.send(.get, "/me", nil, headers: [.cookie: jar])
        #expect(answer.status == 200)
      }
    }
  }

  @Test func formOfAnotherSiteCannotSignIn() async throws {
    let token = try await day.day.accounts.invite("ann", as: .operator, by: "test")
    try await day.serve { client in
      func signIn(_ type: String) async throws -> Int {
        try await client.send(
          .post, "/sign-in", nil, ["token": .text(token.text)], headers: [.contentType: type]
        ).status
      }
      for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        let status = try await signIn(type)
        #expect(status == 403, "\(type)")
      }
      let status = try await signIn("application/json; charset=utf-8")
      #expect(status == 200)
    }
  }

  @Test func linksAndSessionsExpire() async throws {
    let late = try await day.day.accounts.invite("ann", as: .operator, by: "test")
    let token = try await day.day.accounts.invite("bob", as: .operator, by: "test")
    try await day.serve { client in
      let session = try await signIn(client, token)
      let cookie = String(session.cookie.prefix { $0 != ";" })
      #expect(try await client.send(.get, "/me", nil, headers: [.cookie: cookie]).status == 200)
      day.clock.advance(by: Accounts.Lifetime.staff + 1)
      #expect(try await client.send(.get, "/me", nil, headers: [.cookie: cookie]).status == 401)
      day.clock.advance(by: Accounts.Lifetime.invitation)
      #expect(try await signIn(client, late).status == 401)
    }
  }

  /// A participant's device stays signed in over a study of any length, until the consent is withdrawn; the link works
  /// once all the same.
  @Test func participantsStaySignedIn() async throws {
    let token = try await day.day.accounts.invite("pat", as: .participant, by: "test")
    try await day.serve { client in
      let session = try await signIn(client, token)
      let days = Accounts.Lifetime.participant / 86_400_000
      #expect(session.cookie.contains("Max-Age=\(days * 86_400);"))
      let cookie = String(session.cookie.prefix { $0 != ";" })
      func me() async throws -> (status: Int, cookie: String?) {
        let answer = try await client.send(.get, "/me", nil, headers: [.cookie: cookie])
        return (answer.status, answer.response.headers[.setCookie])
      }
      #expect(try await me() == (200, nil))
      for _ in 0..<3 {
        day.clock.advance(by: Accounts.Lifetime.participant - 86_400_000)
        let answer = try await me()
        #expect(answer.status == 200 && answer.cookie?.hasPrefix(cookie) == true)
      }
      #expect(try await signIn(client, token).status == 401)
      let form: EventValue = ["name": "Pat", "contact": "p@example.org", "consent": true]
      let slot = try await offerSlot(client, try await day.token(.owner))
      let csrf = try #require(HTTPField.Name("X-CSRF-Token"))
      let headers: HTTPFields = [.cookie: cookie, csrf: session.csrf]
      let booked = try await client.send(
        .post, "/slots/\(slot)/bookings", nil, form, headers: headers)
      #expect(booked.status == 201, "\(booked.json)")
      let withdrawn = try await client.send(.delete, "/people/pat/consent", nil, headers: headers)
      #expect(withdrawn.status == 204)
      #expect(try await me().status == 401)
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }

  /// A slot that begins in a day.
  private func offerSlot(_ client: TestClientOfDay, _ owner: Token) async throws -> Int {
    let type: EventValue = [
      "lab": 1, "name": "T", "length_min": 60, "reading_interval_min": 5, "capacity": 3,
      "release_limit_g_per_kg": 0.5, "food_state": "fed",
    ]
    let starts = EventValue.text(ISOTime.text(day.clock.now + 86_400_000))
    let offers: [(String, EventValue)] = [
      ("sites", ["name": "S"]), ("labs", ["site": 1, "name": "L"]), ("session-types", type),
      ("slots", ["session_type": 1, "starts": starts]),
    ]
    for (path, body) in offers {
      #expect(try await client.send(.post, "/\(path)", owner, body).status == 201)
    }
    return 1
  }

  /// An operator makes a new link for a participant, and for nobody else.
  @Test func operatorsInviteParticipantsOnly() async throws {
    _ = try await day.day.accounts.invite("pat", as: .participant, by: "test")
    let token = try await day.token(.operator)
    try await day.serve { client in
      for role in Role.allCases {
        let name = EventValue.text(role == .participant ? "pat" : "new")
        let answer = try await client.send(
          .post, "/invitations", token, ["name": name, "role": .text(role.rawValue)])
        #expect(answer.status == (role == .participant ? 201 : 403), "\(role)")
        guard let link = answer.json["link"]?.string else { continue }
        let shown = try #require(Token(String(link.suffix(43))))
        #expect(try await signIn(client, shown).status == 200)
      }
    }
  }

  @Test func changesByCookieNeedTheHeader() async throws {
    let token = try await day.day.accounts.invite("ann", as: .operator, by: "test")
    try await day.serve { client in
      let session = try await signIn(client, token)
      let cookie = String(session.cookie.prefix { $0 != ";" })
      let body: EventValue = ["entries": .array([entry("note", of: "pat", ["text": "x"])])]
      let bare = try await client.send(.post, "/entries", nil, body, headers: [.cookie: cookie])
      #expect(bare.status == 403 && bare.json["code"] == "E_DAY_FORGED")
      let csrf = HTTPField.Name("X-CSRF-Token")!
      let wrong = String(session.csrf.reversed())
      #expect(
        try await client.send(
          .post, "/entries", nil, body, headers: [.cookie: cookie, csrf: wrong]
        ).status == 403)
      #expect(
        try await client.send(
          .post, "/entries", nil, body, headers: [.cookie: cookie, csrf: session.csrf]
        ).status == 200)
      let out = try await client.send(
        .post, "/sign-out", nil, headers: [.cookie: cookie, csrf: session.csrf])
      #expect(out.status == 204)
      #expect(try await client.send(.get, "/me", nil, headers: [.cookie: cookie]).status == 401)
    }
  }

  @Test func revokingEndsAtOnce() async throws {
    let token = try await day.token(.viewer)
    try await day.serve { client in
      #expect(try await client.send(.get, "/day", token).status == 200)
      let account = try await day.day.store.read {
        try Int64.fetchOne($0, sql: "SELECT id FROM accounts") ?? 0
      }
      try await day.day.accounts.revoke(account: account, by: "test")
      #expect(try await client.send(.get, "/day", token).status == 401)
    }
  }

  @Test func noTokenIsInTheDatabase() async throws {
    let token = try await day.token(.operator)
    let bytes =
      try Data(contentsOf: URL(filePath: day.path))
      + Data(contentsOf: URL(filePath: day.path + "-wal"))
    #expect(bytes.range(of: Data(token.text.utf8)) == nil)
    #expect(bytes.range(of: token.hash) != nil)
  }

  @Test func answersKeepPagesApart() async throws {
    try await day.serve { client in
      let headers = try await client.send(.get, "/health").response.headers
      #expect(headers[.contentSecurityPolicy] == "default-src 'none'; frame-ancestors 'none'")
      #expect(headers[.xContentTypeOptions] == "nosniff")
      #expect(headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
      #expect(headers[.cacheControl] == "no-store")
    }
  }

  @Test func requestRateIsLimited() async throws {
    var options = DayOptions()
    options.rate = (perSecond: 0.001, atOnce: 5)
    let day = try TestDay(options: options)
    let token = try await day.token(.viewer)
    try await day.serve { client in
      var statuses: [Int] = []
      for _ in 0..<7 { statuses.append(try await client.send(.get, "/day", token).status) }
      #expect(statuses == [200, 200, 200, 200, 200, 429, 429])
    }
  }

  @Test func bytesAreComparedWhole() {
    #expect([1, 2, 3].isEqualInConstantTime(to: [1, 2, 3]))
    #expect(![1, 2, 3].isEqualInConstantTime(to: [1, 2, 4]))
    #expect(![1, 2, 3].isEqualInConstantTime(to: [1, 2]))
    // What differs early stays different, whatever follows.
    let bytes: [UInt8] = Array(0..<8)
    let pairs: [[UInt8]] = bytes.flatMap { first in bytes.map { [first, $0] } }
    for pair in pairs {
      #expect(pairs.filter { $0.isEqualInConstantTime(to: pair) } == [pair])
    }
  }

  /// A station's token and its sessions end together.
  @Test(arguments: [true, false])
  func sessionsEndWithTheTokenTheyCameFrom(isStation: Bool) async throws {
    let token = try await day.day.accounts.invite(
      "bench", as: .operator, station: isStation ? "bench" : nil, by: "test")
    let second = try await day.day.accounts.invite("bench", as: .operator, by: "test")
    try await day.serve { client in
      func cookie(_ token: Token) async throws -> HTTPFields {
        day.clock.advance(by: 1)
        return [.cookie: String(try await signIn(client, token).cookie.prefix { $0 != ";" })]
      }
      let cookieOfToken = try await cookie(token)
      let others = try await cookie(second)
      let id = try await day.day.store.read {
        try Int64.fetchOne($0, sql: "SELECT min(id) FROM tokens") ?? 0
      }
      try await day.day.accounts.revoke(token: id, by: "test")
      #expect(try await client.send(.get, "/me", nil, headers: cookieOfToken).status == 401)
      #expect(try await client.send(.get, "/me", nil, headers: others).status == 200)
    }
  }

  @Test func aRestoredAccountIsInvitedAnew() async throws {
    let owner = try await day.token(.owner)
    let token = try await day.token(.operator, "ann")
    try await day.serve { client in
      let accounts = try await client.send(.get, "/accounts", owner).json["items"]?.items ?? []
      let id = try #require(accounts.first { $0["name"] == "ann" }?["id"]?.integer)
      #expect(try await client.send(.post, "/accounts/\(id)/restore", owner).status == 404)
      #expect(try await client.send(.delete, "/accounts/\(id)", owner).status == 204)
      let invitation: EventValue = ["name": "ann", "role": "operator", "station": true]
      let refused = try await client.send(.post, "/invitations", owner, invitation)
      #expect(refused.status == 422 && refused.json["detail"]?.string?.contains("restore") == true)
      #expect(try await client.send(.post, "/accounts/\(id)/restore", owner).status == 204)
      #expect(try await client.send(.get, "/me", token).status == 401, "old tokens stay ended")
      let shown = try await client.send(.post, "/invitations", owner, invitation).json["token"]
      let fresh = try #require(shown?.string.flatMap { Token($0) })
      // What waited on the device comes in.
      let late = try await client.enter(fresh, entry("note", of: "pat", ["text": "offline"]))
      #expect(late[0]["status"] == "stored")
    }
  }
}

import DayDatabase
import Foundation
import GRDB
import HTTPTypes
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import Synchronization
import Testing

@testable import StudyServer

/// Streams of events.
@Suite struct LiveTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  /// The events of a stream, as they come.
  private final class Listener: @unchecked Sendable {
    private let wire: Wire
    private var rest = ""

    init(port: Int, _ token: Token, _ path: String, lastID: Int64? = nil) throws {
      wire = try Wire(port: port)
      let id = lastID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
      wire.send(
        "GET /api/v1\(path) HTTP/1.1\r\nHost: x\r\n\(id)Authorization: Bearer \(token.text)\r\n\r\n"
      )
    }

    /// Waits until the server has begun to listen for what it is to pass on.
    func begin() async throws {
      while !rest.contains("retry: ") {
        rest += try #require(try await wire.receive()).replacing("\r\n", with: "")
      }
    }

    /// The next event of a name, as its data; nil if the stream ends before.
    func next(_ name: String) async throws -> EventValue? {
      let end = ContinuousClock.now + .seconds(120)
      while ContinuousClock.now < end {
        if let match = rest.firstMatch(of: /event: ([a-z]+)\ndata: (.*)\n\n/) {
          let kind = String(match.1)
          let data = String(match.2)
          rest.removeSubrange(..<match.range.upperBound)
          if kind == name { return EventValue(data) }
          continue
        }
        guard let part = try await wire.receive(), !part.hasSuffix("0\r\n\r\n") else { return nil }
        // The lengths of chunks stand between; no event is cut by one.
        rest += part.replacing("\r\n", with: "")
      }
      throw Wire.NothingCame()
    }
  }

  @Test func subscribersReceiveEveryChangeOnceInOrder() async throws {
    let token = try await day.token(.operator)
    try await day.serve(.live) { client in
      let port = try #require(client.client.port)
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "missed 1"]))
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "missed 2"]))
      let listener = try Listener(port: port, token, "/events", lastID: 2)
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "live"]))
      var texts: [String?] = []
      for _ in 0..<2 {
        texts.append(try await listener.next("change")?["new"]?["value"]?["text"]?.string)
      }
      #expect(texts == ["missed 2", "live"])
    }
  }

  @Test func aChangeIsFollowedByThePerson() async throws {
    try await day.addPerson("ann")
    let token = try await day.token(.operator)
    try await day.serve(.live) { client in
      let listener = try Listener(port: try #require(client.client.port), token, "/events?after=0")
      try await listener.begin()
      _ = try await client.enter(token, entry("reading", of: "ann", reading(0.2)))
      let person = try #require(try await listener.next("person"))
      #expect(person["subject"] == "ann" && person["readings"]?.items.count == 1)
      #expect(person["since"] == nil)
      // Then what changed, and not everything again.
      let id = UUID()
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "x"], id: id))
      let next = try #require(try await listener.next("person"))
      #expect(next["since"] == person["seq"] && next["readings"]?.items.isEmpty == true)
      #expect(next["notes"]?.items.map { $0["uuid"] } == [.text(id.text)])
    }
  }

  @Test func aStreamEndsWithItsToken() async throws {
    let viewer = try await day.token(.viewer)
    let operatorToken = try await day.token(.operator)
    try await day.serve(.live) { client in
      let port = try #require(client.client.port)
      let listeners = try [viewer, operatorToken].map {
        try Listener(port: port, $0, "/events?after=0")
      }
      for listener in listeners { try await listener.begin() }
      let identity = try #require(
        try await day.day.accounts.identity(of: viewer, kinds: ["station"]))
      try await day.day.accounts.revoke(account: identity.account, by: "owner")
      #expect(try await listeners[0].next("change") == nil)
      // Others hear on.
      _ = try await client.enter(operatorToken, entry("note", of: "ann", ["text": "x"]))
      #expect(try await listeners[1].next("change") != nil)
    }
  }

  /// A day on which nothing happens costs next to nothing, however much was entered.
  @Test func unchangedPersonIsNotReadAgain() async throws {
    let token = try await day.token(.operator)
    let records = PersonRecords()
    try await day.serve { client in
      func statements() async throws -> Int {
        try await day.day.store.read { db in
          guard let session = try Sessions.latest(of: "ann", in: db) else { return -1 }
          let count = Mutex(0)
          db.trace { _ in count.withLock { $0 += 1 } }
          defer { db.trace() }
          _ = try records.record(of: session, in: db)
          return count.withLock { $0 }
        }
      }
      for minute in [0.0, 1] {
        _ = try await client.enter(
          token, entry("note", of: "ann", ["text": "x"], minute: minute))
        #expect(try await statements() > 2)
        #expect(try await statements() == 2, "the last event of the person, and of the settings")
      }
    }
  }

  @Test func aParticipantHearsOfNobodyElse() async throws {
    let token = try await day.token(.operator)
    let pat = try await day.token(.participant, "pat")
    try await day.serve(.live) { client in
      let listener = try Listener(port: try #require(client.client.port), pat, "/events?after=0")
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "of ann"]))
      _ = try await client.enter(token, entry("note", of: "pat", ["text": "of pat"]))
      let first = try #require(try await listener.next("change"))
      #expect(first["subject"] == "pat" && first["new"]?["value"]?["text"] == "of pat", "\(first)")
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func serverStopsDuringStart() async throws {
    for _ in 0..<20 { try await day.serve { _ in } }
    #expect(day.day.hub.messages.count == 0)
  }

  @Test func numbersOfChangesAreNumbers() async throws {
    let token = try await day.token(.viewer)
    try await day.serve { client in
      for query in [
        "/changes?after=x", "/changes?after=-1", "/changes?limit=0", "/changes?limit=1001",
        "/changes?limit=1&limit=2", "/events?after=1.5",
      ] {
        let answer = try await client.send(.get, query, token)
        #expect(answer.status == 400 && answer.json["code"] == "E_DAY_REQUEST", "\(query)")
      }
      let page = try await client.send(.get, "/changes?after=0&limit=1", token)
      #expect(page.status == 200 && page.json["next"] == 1)
    }
  }

  @Test func eventsWithoutSubjectHaveAudience() async throws {
    func message(_ action: String) async throws -> LiveMessage {
      let event = try await day.day.store.change {
        try $0.log(Event(actor: "owner", action: action))
      }
      return LiveMessage(event)
    }
    func identity(_ role: Role) -> Identity {
      Identity(account: 1, name: "x", role: role, subject: nil, station: nil, token: 1)
    }
    func hears(_ role: Role, _ action: String) async throws -> Bool {
      try await message(action).text(for: identity(role)) != nil
    }
    for (action, roles) in [
      ("account.invite", [.owner]), ("token.revoke", [.owner]),
      ("slots.make", [.owner, .investigator]), ("sites.change", [.owner, .investigator]),
      ("settings.change", Role.allCases.filter { $0 != .wall }),
      ("favourite.add", []), ("something.new", []),
    ] as [(String, [Role])] {
      for role in Role.allCases {
        #expect(try await hears(role, action) == roles.contains(role), "\(role) \(action)")
      }
    }
  }

  @Test func streamsShowEachRoleOnlyPermittedEvents() async throws {
    func hears(_ role: Role, _ action: String, of subject: String?) -> Audience.Visibility {
      let subjectOfRole = role == .participant ? "pat" : nil
      return Audience(of: action, subject).visibility(
        for: Identity(
          account: 1, name: "x", role: role, subject: subjectOfRole, station: nil, token: 1))
    }
    for action in ["reading.enter", "drink.void", "release.decide"] {
      for role in Role.allCases {
        let others: Audience.Visibility =
          [.participant, .wall].contains(role) ? .hidden : .everything
        #expect(hears(role, action, of: "ann") == others)
        #expect(hears(role, action, of: "pat") == (role == .wall ? .hidden : .everything))
      }
    }
    for action in ["booking.make", "waiting.join", "subject.measures", "subject.contact"] {
      #expect(hears(.viewer, action, of: "ann") == .hidden, "a viewer sees no bookings")
      #expect(hears(.operator, action, of: "ann") == .everything)
      #expect(hears(.participant, action, of: "pat") == .everything)
    }
    #expect(hears(.owner, "favourite.add", of: "pat") == .hidden)
    #expect(hears(.participant, "favourite.add", of: "pat") == .everything)
    for role in Role.allCases {
      let seesSettings = [Role.owner, .investigator].contains(role)
      let expected: Audience.Visibility =
        seesSettings ? .everything : role == .wall ? .hidden : .withoutValues
      #expect(hears(role, "settings.change", of: nil) == expected)
      let isStaff = ![.participant, .wall].contains(role)
      #expect(hears(role, "instrument.check", of: nil) == (isStaff ? .everything : .hidden))
    }
  }

  @Test func settingsAreHiddenWithoutPermission() async throws {
    let owner = try await day.token(.owner)
    let pat = try await day.token(.participant, "pat")
    try await day.serve(.live) { client in
      let listener = try Listener(port: try #require(client.client.port), pat, "/events?after=0")
      try await listener.begin()
      _ = try await client.send(.patch, "/settings", owner, ["blood_breath_ratio": 2300])
      let heard = try #require(try await listener.next("change"))
      #expect(heard["action"] == "settings.change" && heard["new"] == nil, "\(heard)")
      let listed = try await client.send(.get, "/changes", pat).json
      #expect(!listed.text.contains("2300"), "\(listed)")
    }
  }

  @Test func aStationTakesReadingsInItsOwnUnit() async throws {
    let firstStation = try await day.token(.operator, "one")
    let secondStation = try await day.token(.operator, "two")
    try await day.serve { client in
      func unit(_ token: Token) async throws -> EventValue? {
        try await client.send(.get, "/day", token).json["reading_unit"]
      }
      #expect(try await unit(firstStation) == nil, "the station asks")
      // What was imported says nothing of the day.
      try await day.day.store.change { change in
        let series = try Sessions.begin("old", at: TestDay.start - 90 * 86_400_000, in: change.db)
        try change.db.execute(
          sql: """
            INSERT INTO readings (series_id, time_h, unit, ordinal, value, uuid)
            VALUES (?, 1, 'bac_g_per_kg', 0, 0.5, zeroblob(16))
            """, arguments: [series])
      }
      #expect(try await unit(firstStation) == nil)
      _ = try await client.enter(firstStation, entry("reading", of: "ann", reading(0.2)))
      _ = try await client.enter(
        secondStation,
        entry("reading", of: "ann", ["concentration": 0.4, "unit": "bac_g_per_l"], minute: 1))
      #expect(try await unit(firstStation) == "brac_mg_per_l")
      #expect(try await unit(secondStation) == "bac_g_per_l")
      let operatorToken = try await day.token(.viewer)
      #expect(try await unit(operatorToken) == "bac_g_per_l", "the last one of the day")
    }
  }
}

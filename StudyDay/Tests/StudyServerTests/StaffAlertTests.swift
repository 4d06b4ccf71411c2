import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
import NIOCore
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// What staff are told outside an open page: who chose it, once.
@Suite struct StaffAlertTests {
  private static let address = "oskar@example.org"

  private func day(_ mail: MailProgram, _ hook: PostCatcher) throws -> TestDay {
    var options = DayOptions()
    options.mail = try MailCommand(mail.command, from: "study@example.org")
    options.webhook = Webhook("http://127.0.0.1:\(hook.port)/", secret: "key")
    return try TestDay(options: options)
  }

  /// Lets the watch look, and takes letters to where they go.
  private func look(_ day: TestDay) async {
    _ = await NoticeWatch(day: day.day).look()
    await NotificationDelivery(
      store: day.day.store, mail: day.day.options.mail, webhook: day.day.options.webhook,
      logger: silent
    ).deliver()
  }

  private func letters(_ day: TestDay) async throws -> [String] {
    try await day.day.store.read {
      try String.fetchAll(
        $0,
        sql: """
          SELECT accounts.name || ' ' || kind || ' ' || way || ' ' || state FROM letters
            JOIN accounts ON accounts.id = account_id ORDER BY letters.id
          """)
    }
  }

  @Test func whoChoseItIsToldOnceByEachWay() async throws {
    let (mail, hook) = (
      try MailProgram(), try await PostCatcher(Array(repeating: "200 OK", count: 20))
    )
    let day = try day(mail, hook)
    let (oskar, ines) = (
      try await day.token(.operator, "oskar"), try await day.token(.investigator, "ines")
    )
    _ = try await day.token(.viewer, "vera")
    let pat = try await day.token(.participant, "pat")
    try await day.serve { client in
      let path = "/me/alerts"
      #expect(try await client.send(.get, path, pat).status == 403)
      for bad in [
        ["kinds": ["turn"]], ["kinds": ["due"], "address": "no address"], ["kinds": "due"],
      ] as [EventValue] {
        #expect(try await client.send(.put, path, oskar, bad).status == 422, "\(bad)")
      }
      let chosen = try await client.send(
        .put, path, oskar,
        ["kinds": ["vital", "due", "device"], "address": .text(Self.address)])
      #expect(chosen.status == 200 && chosen.json["address"] == .text(Self.address))
      #expect(try await client.send(.put, path, ines, ["kinds": ["vital"]]).status == 200)
      let known = try await client.send(.get, path, oskar).json
      #expect(
        known["kinds"] == ["due", "vital", "device"] && known["ways"] == ["mail", "webhook"])
      _ = try await client.enter(
        oskar, entry("vital", of: "ann", ["kind": "BodyTemperature", "value": 40.5]))
    }
    for _ in 0..<3 { await look(day) }
    // A server that was started anew has forgotten what it noticed.
    await look(try TestDay(options: day.day.options, again: day))
    #expect(
      try await letters(day) == [
        "oskar vital mail sent", "oskar vital webhook sent", "ines vital webhook sent",
      ])
    #expect(try mail.startCount == 1)
    let message = try #require(MailMessage(mail.mail))
    #expect(message.header["To"]?.contains(Self.address) == true)
    #expect(message.header["Subject"] == "A vital sign is beyond a limit")
    #expect(message.text.contains("Body temperature of ann is 40.5 degC, above 39."))
    let posts = hook.caught.compactMap { EventValue($0.components(separatedBy: "\r\n\r\n")[1]) }
    #expect(posts.map { $0["account"] } == ["oskar", "ines"])
    #expect(posts.allSatisfy { $0["subject"] == "ann" && $0["kind"] == "vital" })
    // Nobody's address is in the log, and what staff were told changes nothing of the person.
    let events = try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
    #expect(!events.contains { "\($0)".contains(Self.address) })
    let sent = events.filter { $0.action == "letter.sent" }
    #expect(sent.count == 3 && sent.allSatisfy { $0.subject == nil })
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }

  /// A monitor that measures each second does not write each second; after a while it is said again.
  @Test func whatIsLikeItIsNotToldTooSoon() async throws {
    let (mail, hook) = (try MailProgram(), try await PostCatcher([]))
    let day = try day(mail, hook)
    let oskar = try await day.token(.operator, "oskar")
    try await day.serve { client in
      _ = try await client.send(
        .put, "/me/alerts", oskar, ["kinds": ["vital"], "address": .text(Self.address)])
      for minute in [0.0, 5, 10, 20] {
        day.clock.advance(by: TestDay.start + Int64(minute * 60_000) - day.clock.now)
        for (kind, value) in [("HeartRate", 150 + minute), ("BodyTemperature", 40 + minute / 100)] {
          _ = try await client.enter(
            oskar,
            entry(
              "vital", of: "ann", ["kind": .text(kind), "value": .number(value)], minute: minute))
        }
        await look(day)
      }
    }
    #expect(try await letters(day).filter { $0.contains("mail") }.count == 4)
  }

  /// A reading that is due is for the page; one that was missed is told.
  @Test func aMissedReadingIsTold() async throws {
    let (mail, hook) = (try MailProgram(), try await PostCatcher([]))
    let day = try day(mail, hook)
    let oskar = try await day.token(.operator, "oskar")
    try await day.serve { client in
      _ = try await client.send(
        .put, "/me/alerts", oskar, ["kinds": ["due"], "address": .text(Self.address)])
      _ = try await client.enter(oskar, entry("reading", of: "ann", reading(0.2)))
      day.clock.advance(by: 11 * 60_000)
      await look(day)
      #expect(try await letters(day).isEmpty)
      day.clock.advance(by: 10 * 60_000)
      for _ in 0..<2 { await look(day) }
      #expect(try await letters(day).filter { $0.contains("mail") } == ["oskar due mail sent"])
      // Whose account was ended is told nothing more.
      day.clock.advance(by: 60 * 60_000)
      _ = try await client.enter(oskar, entry("reading", of: "bob", reading(0.2), minute: 60))
      try await day.day.accounts.revoke(account: 1, by: "test")
      await look(day)
      #expect(try await letters(day).filter { $0.contains("mail") }.count == 1)
    }
  }

  @Test func aSilentDeviceIsTold() async throws {
    let (mail, hook) = (try MailProgram(), try await PostCatcher([]))
    let day = try day(mail, hook)
    let oskar = try await day.token(.operator, "oskar")
    let (pat, wall) = (try await day.token(.participant, "pat"), try await day.token(.wall, "w"))
    try await day.serve { client in
      _ = try await client.send(
        .put, "/me/alerts", oskar, ["kinds": ["device"], "address": .text(Self.address)])
      func report(_ token: Token, waiting: Int64 = 0) async throws {
        _ = try await client.send(
          .post, "/devices", token,
          ["id": "11111111-2222-3333-4444-555555555555", "waiting": .integer(waiting)])
      }
      try await report(oskar, waiting: 2)
      day.clock.advance(by: 11 * 60_000)
      // Nobody is there who could miss it.
      await look(day)
      #expect(try await letters(day).isEmpty)
      _ = try await client.enter(oskar, entry("reading", of: "ann", reading(0.2), minute: 10))
      for _ in 0..<2 { await look(day) }
      #expect(try await letters(day).filter { $0.contains("mail") } == ["oskar device mail sent"])
      let notices = try await client.send(.get, "/notices", oskar).json["items"]?.items ?? []
      let device = notices.first { $0["kind"] == "device" }
      #expect(
        device?["text"] == "The device station (oskar) is silent. Not stored on the server: 2.")
      #expect(device?["subject"] == nil && device?["importance"] == 4)
      for token in [pat, wall] {
        let text = String(
          buffer: try await client.send(.get, "/notices", token).response.body)
        #expect(!text.contains("device"))
      }
      try await report(oskar)
      #expect(try await day.day.notices().allSatisfy { $0.kind != .device })
      // A participant's phone may be silent.
      try await report(pat, waiting: 0)
      day.clock.advance(by: 11 * 60_000)
      #expect(try await day.day.notices().allSatisfy { $0.kind != .device })
    }
  }

  @Test func withoutAWayNobodyIsTold() async throws {
    let day = try TestDay()
    let oskar = try await day.token(.operator, "oskar")
    try await day.serve { client in
      let answer = try await client.send(
        .put, "/me/alerts", oskar, ["kinds": ["due"], "address": .text(Self.address)])
      #expect(answer.status == 409 && answer.json["code"] == "E_DAY_CLOSED")
    }
  }
}

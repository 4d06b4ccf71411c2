import DayDatabase
import Foundation
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// Texts are refused wherever they enter if they hide something or are endless; the log stays whole.
@Suite struct TextTests {
  private let day: TestDay

  init() throws { day = try TestDay() }

  /// With a NUL, a delete, a control of the upper half, and a line that ends where only one is asked for.
  private static let hidden = [
    "typo\u{0}", "\u{0}", "a\u{7F}", "a\u{9B}1m", "a\u{1B}[2J", "a\u{2028}b",
  ]
  /// One character to Swift.
  private static let endless = "e" + String(repeating: "\u{301}", count: 60_000)

  @Test(arguments: hidden + [endless])
  func textsOfEntriesAreTexts(_ text: String) async throws {
    let token = try await day.token(.owner)
    try await day.serve { client in
      let id = UUID()
      let reading = reading(0.2)
      _ = try await client.enter(token, entry("reading", of: "ann", reading, id: id))
      var station = entry("note", of: "ann", ["text": "x"]).members
      station["station"] = .text(text)
      // Reasons and notes may have lines; names may not.
      let isLine = text.contains("\u{2028}")
      let entries = [
        entry("note", of: text, ["text": "x"]), .object(station),
        entry("drink", of: "ann", ["ethanol_g": 10, "name": .text(text)]),
        entry(
          "reading", of: "ann",
          ["concentration": 0.2, "unit": "brac_mg_per_l", "excluded": .text(text)]),
      ]
      let reasoned = [
        entry("note", of: "ann", ["text": .text(text)]),
        entry("reading", of: "ann", reading, action: "correct", record: id, base: 1, reason: text),
        entry("note", of: "ann", ["text": "x"], action: "discard", record: UUID(), reason: text),
      ]
      for entry in entries + (isLine ? [] : reasoned) {
        let result = try await client.enter(token, entry)
        #expect(
          result[0]["problem"]?["code"] == "E_DAY_VALUE", "\(entry.text.prefix(300)): \(result)")
      }
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }

  @Test(arguments: hidden + [endless])
  func textsOfDecisionsAccountsAndPlacesAreTexts(_ text: String) async throws {
    let token = try await day.token(.owner)
    try await day.addPerson("ann")
    try await day.serve { client in
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "x"]))
      let seq = try await client.send(.get, "/people/ann", token).json["seq"] ?? .null
      let value = EventValue.text(text)
      let isLine = text.contains("\u{2028}")
      let requests: [(HTTPRequest.Method, String, EventValue)] =
        [
          (.post, "/people/ann/release", ["decision": "kept", "advice_seq": seq, "signed": value]),
          (.post, "/invitations", ["name": value, "role": "viewer"]),
          (.post, "/invitations", ["name": "x", "role": "participant", "subject": value]),
          (.post, "/sites", ["name": value]),
          (.patch, "/people/ann/measures", ["weight_kg": 71, "reason": value]),
        ]
        + (isLine
          ? []
          : [
            (
              .post, "/people/ann/release",
              ["decision": "kept", "advice_seq": seq, "signed": true, "reason": value]
            )
          ])
      for (method, path, body) in requests {
        let answer = try await client.send(method, path, token, body)
        #expect(answer.status == 422, "\(path) \(body.text.prefix(300)): \(answer.json)")
      }
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }

  /// Umlauts, emoji of several scalars and lines of notes are texts.
  @Test func otherTextsAreTaken() async throws {
    let token = try await day.token(.owner)
    try await day.serve { client in
      let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
      let results = try await client.enter(
        token, entry("note", of: "J\u{FC}rgen", ["text": .text("one\n\ttwo \(family)")]),
        entry("drink", of: "\u{6771}", ["ethanol_g": 10, "name": "W\u{F3}dka"]))
      #expect(results.map { $0["status"] } == ["stored", "stored"])
    }
  }

  /// The log refuses texts that its hash would not cover.
  @Test func theLogTakesNoNUL() async throws {
    await #expect(throws: StoreError.self) {
      try await day.day.store.change {
        try $0.log(Event(actor: "owner", action: "x.y", reason: "typo\u{0}"))
      }
    }
  }
}

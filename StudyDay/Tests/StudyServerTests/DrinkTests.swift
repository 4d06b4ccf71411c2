import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// Drinks as they are typed, favourites, and what a drink would do.
@Suite struct DrinkTests {
  private let day: TestDay

  init() throws { day = try TestDay() }

  @Test(arguments: [
    ("2 cl vodka", "volume_ml", 20.0), ("0,5 l beer", "volume_ml", 500),
    ("2 beers of 0,33 l 5 %", "volume_ml", 660), ("12 g ethanol", "ethanol_g", 12),
  ])
  func whatIsTypedIsRead(_ text: String, _ member: String, _ amount: Double) async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let words = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let answer = try await client.send(.get, "/drinks/read?text=\(words)", token)
      let drink = try #require(answer.json["drinks"]?.items.first, "\(answer.json)")
      let read = try #require(drink["value"]?[member]?.double, "\(drink)")
      #expect(abs(read - amount) < 1e-9, "\(drink)")
      // It can be entered as it is.
      let stored = try await client.enter(token, entry("drink", of: "ann", drink["value"]))
      #expect(stored[0]["status"] == "stored")
    }
  }

  @Test func textThatIsNoDrinkIsReported() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      for text in ["2%20cl%20brick", "", "%00"] {
        let answer = try await client.send(.get, "/drinks/read?text=\(text)", token)
        #expect(answer.json["code"] == "E_DAY_VALUE", "\(answer.json)")
      }
    }
  }

  @Test func favouritesAreOfTheAccountAndInTheLog() async throws {
    let token = try await day.token(.operator)
    let owner = try await day.token(.owner)
    try await day.serve { client in
      func favourites(_ token: Token) async throws -> [EventValue] {
        try await client.send(.get, "/drinks", token).json["favourites"]?.items ?? []
      }
      let beer: EventValue = ["name": "Beer", "volume_ml": 500, "abv_percent": 5]
      func set(_ drinks: [EventValue]) async throws -> Int {
        try await client.send(.put, "/drinks/favourites", token, ["drinks": .array(drinks)]).status
      }
      #expect(try await set([beer]) == 200)
      #expect(try await favourites(token) == [beer])
      #expect(try await favourites(owner) == [])
      let events = try await day.count("events")
      #expect(try await set([beer]) == 200)
      #expect(try await day.count("events") == events, "nothing changed")
      #expect(try await set(Array(repeating: beer, count: 8)) == 422)
      #expect(try await set([["volume_ml": 500]]) == 422)
      #expect(try await favourites(token) == [beer])
      let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
      #expect(chain.broken == nil && chain.different == nil)
    }
  }

  /// 40 g more in 80 kg are about 0.7 g/kg more, and a limit reached some four hours later.
  @Test func aDrinkIsSeenBeforeItIsEntered() async throws {
    let token = try await day.token(.operator)
    try await day.addPerson("ann", weight: 80)
    try await day.serve { client in
      day.clock.advance(by: 95 * 60_000)
      _ = try await client.enter(token, entry("drink", of: "ann", ["ethanol_g": 40]))
      // One compartment, beta 0.15 g/kg/h, r 0.68.
      for minute in stride(from: 45.0, to: 95, by: 10) {
        let blood = 40 / (80 * 0.68) - 0.15 * minute / 60
        _ = try await client.enter(
          token,
          entry(
            "reading", of: "ann", ["concentration": .number(blood), "unit": "bac_g_per_kg"],
            minute: minute))
      }
      let events = try await day.count("events")
      let answer = try await client.send(
        .post, "/people/ann/what-if", token, ["value": ["ethanol_g": 40]]
      ).json
      #expect(try await day.count("events") == events)
      let person = try #require(try await day.day.person("ann"))
      #expect(person.drinks.count == 1)
      let peak = try #require(answer["peak"]?["median"]?.double, "\(answer)")
      #expect((0.8...1.25).contains(peak))
      func end(_ name: String) throws -> Int64 {
        try #require(answer[name]?["not_before"]?.string.flatMap(ISOTime.milliseconds), "\(answer)")
      }
      let later = try Double(end("forecast") - end("without")) / 3_600_000
      #expect((2.5...7).contains(later), "\(later) h")
      #expect(answer["without"]?["not_before"]?.string == person.forecast?.notBefore)
      let odd = try await client.send(
        .post, "/people/ann/what-if", token, ["value": ["ethanol_g": 900]])
      #expect(odd.status == 422)
      #expect(
        try await client.send(
          .post, "/people/bob/what-if", token, ["value": ["ethanol_g": 9]]
        ).status == 404)
    }
  }
}

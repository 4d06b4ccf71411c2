@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import Hummingbird
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore

/// Forecast with a drink that is not entered.
private struct DrinkScenario: Encodable, Sendable {
  struct Peak: Encodable, Sendable {
    /// g/kg: the median of the highest point to come, and where 97.5 % of the draws stay below.
    var median: Double
    var high: Double
    var at: String
  }

  var ethanolG: Double
  var peak: Peak?
  var curve: Person.Curve?
  var forecast: Person.Prediction?
  /// The forecast as it is now.
  var without: Person.Prediction?
  var whyNot: String?
}

extension Route {
  static let drinks = [
    Route(.get, "/drinks", reaching: .seeDay) { request in
      let drinks = DrinkCatalogue.standard.drinks.filter(\.isActive).flatMap { drink in
        drink.volumes.map { volume in
          EventValue.object([
            "name": .text(drink.name), "volume_ml": .number(volume.value),
            "abv_percent": .number(drink.abvPercent),
          ])
        }
      }
      let favourites = try await request.store.read {
        try Choices.value("drinks", of: request.identity.account, in: $0) ?? .array([])
      }
      return try Response.json(["drinks": .array(drinks), "favourites": favourites])
    },
    // Reads a drink in words, as in a sheet: "2 cl vodka".
    Route(.get, "/drinks/read", reaching: .seeDay) { request in
      let text = try request.http.query("text") ?? ""
      guard text.isText(1...100) else {
        throw Problem(.badValue, "Write what was drunk, such as 2 cl vodka (?text=).")
      }
      return try Response.json(["drinks": try ParsedDrink.read(asText: text).map(\.json)])
    },
    Route(.put, "/drinks/favourites", reaching: .enterEntry) { request in
      var form = try await request.form("the choice")
      let json = form.value("drinks")
      try form.end()
      guard case .array(let drinks) = json, drinks.count <= Choices.mostDrinks else {
        throw Problem(
          .badValue, "drinks must be a list of no more than \(Choices.mostDrinks) drinks.")
      }
      return try await request.change { desk in
        for drink in drinks { try EntryKind.drink.requirePossible(drink, .init(), in: desk.db) }
        try desk.choose("drinks", .array(drinks))
        return .object(["favourites": .array(drinks)])
      }
    },
    Route(.post, "/people/:subject/what-if", permitted: .seePerson) { request in
      var form = try await request.form("the question")
      let json = try form.required("value", form.value("value"))
      try form.end()
      try request.identity.requireSight()
      let (day, subject) = (request.day, request.subject)
      return try Response.json(try await day.whatIf(subject, drinks: json))
    },
  ]
}

extension BookingDesk {
  /// Stores a choice of the account, unless it is so already.
  func choose(_ name: String, _ value: EventValue) throws {
    let old = try Choices.value(name, of: identity.account, in: db)
    guard (old ?? .null) != value else { return }
    try db.run(
      """
      INSERT INTO choices (account_id, name, value) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value
      """, [identity.account, name, value.text])
    try log(
      "choice.set", of: identity.subject, old: old.map { .object([name: $0]) },
      new: .object([name: value]))
  }
}

extension ParsedDrink {
  fileprivate static func read(asText text: String) throws(StudyServer.Problem) -> [ParsedDrink] {
    do throws(ParsedDrink.ParsingError) {
      return try read(text, sizes: .eu)
    } catch {
      switch error {
      case .unknown(let words):
        throw StudyServer.Problem(.badValue, "\(words.quoted) is no drink that is known here.")
      case .unclear(let what):
        throw StudyServer.Problem(.badValue, "\(text.quoted) does not say \(what).")
      }
    }
  }

  /// All of them as the value of one entry.
  fileprivate var json: EventValue {
    var value: [String: EventValue] = name.isEmpty ? [:] : ["name": .text(name)]
    if let volume, let abvPercent {
      value["volume_ml"] = .number(count * volume.value)
      value["abv_percent"] = .number(abvPercent)
    } else {
      value["ethanol_g"] = .number(ethanol.value)
    }
    return .object([
      "value": .object(value), "text": .text(text),
      "assumed": .array(assumed.map(\.rawValue).sorted().map(EventValue.text)),
    ])
  }
}

extension StudyDay {
  /// Returns the forecast of a person with drinks taken now.
  fileprivate func whatIf(_ subject: String, drinks json: EventValue) async throws -> DrinkScenario
  {
    let latest = try await store.read { db -> PersonRecord? in
      try EntryKind.drink.requirePossible(json, Settings.factors(in: db), in: db)
      return try forecaster.records.latest(of: subject, in: db)
    }
    guard let record = latest, let grams = EnteredDrink.grams(json) else {
      throw Problem(.notFound)
    }
    let now = store.clock.now
    let elapsed = Hours(Double(now - record.session.starts) / 3_600_000)
    let drink = Drink(
      time: elapsed, duration: Hours((json["duration_min"]?.double ?? 0) / 60),
      ethanol: .mass(Grams(grams)))
    let forecast = try await forecaster.forecast(of: record, adding: drink)
    let without = try await forecaster.forecast(of: record).prediction(of: record, at: now)
    let prediction = forecast.prediction(of: record, at: now)
    return DrinkScenario(
      ethanolG: (grams * 10).rounded() / 10,
      peak: forecast.curve?.peak(after: elapsed.value * 60).map { index, curve in
        DrinkScenario.Peak(
          median: curve.fitted[index], high: curve.high[index],
          at: ISOTime.text(record.session.starts + Int64(curve.timeMin[index] * 60_000)))
      }, curve: forecast.curve, forecast: prediction.forecast, without: without.forecast,
      whyNot: prediction.whyNot)
  }
}

extension Person.Curve {
  /// Returns the curve's peak from a minute on.
  fileprivate func peak(after minute: Double) -> (index: Int, curve: Self)? {
    timeMin.indices.filter { timeMin[$0] >= minute }.max { fitted[$0] < fitted[$1] }
      .map { ($0, self) }
  }
}

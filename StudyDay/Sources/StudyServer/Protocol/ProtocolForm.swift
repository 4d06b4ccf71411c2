import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyStore

extension StudyProtocol {
  /// Reads a form; a missing seed is drawn.
  init(_ form: Form) throws(Problem) {
    var form = form
    let arms = try form.forms("arms").map { arm throws(Problem) -> EventValue in
      var arm = arm
      let json = EventValue.object([
        "name": .text(try arm.required("name", arm.text("name", 1...40))),
        "g_per_kg": .number(try arm.required("g_per_kg", arm.number("g_per_kg", 0...2))),
      ])
      try arm.end()
      return json
    }
    let readings = try Self.times(form.value("readings_min"))
    let hidden = try Self.hidden(form.value("hidden"))
    let most = Int64(1) << 52
    let json = EventValue.object([
      "arms": .array(arms), "readings_min": .array(readings), "hidden": .array(hidden),
      "design": .text(
        try form.required("design", form.word("design", ["parallel", "crossover"]))),
      "copies": .integer(try form.integer("copies", 1...10) ?? 2),
      "seed": .integer(try form.integer("seed", 0...most) ?? .random(in: 0...most)),
      "stock_abv_percent": .number(
        try form.required("stock_abv_percent", form.number("stock_abv_percent", 1...100))),
      "total_ml": .number(try form.required("total_ml", form.number("total_ml", 10...3000))),
      "drink_min": .number(try form.number("drink_min", 0...240) ?? 0),
    ])
    try form.end()
    guard 1...6 ~= arms.count, Set(arms.map { $0["name"] }).count == arms.count,
      // As the log gives it back: 500.0 is 500.
      let read = EventValue(json.text).flatMap(StudyProtocol.init)
    else { throw Problem(.badValue, "arms must be a list of 1 to 6 arms with names that differ.") }
    self = read
  }

  private static func times(_ json: EventValue?) throws(Problem) -> [EventValue] {
    guard let json else { return [] }
    guard case .array(let values) = json, values.count <= 100 else { throw badTimes }
    var last = -1.0
    for value in values {
      guard let time = value.double, time > last, time <= 1440 else { throw badTimes }
      last = time
    }
    return values
  }

  private static let badTimes = Problem(
    .badValue, "readings_min must be minutes from 0 to 1440 after the drink, each after the last.")

  private static func hidden(_ json: EventValue?) throws(Problem) -> [EventValue] {
    let known = Concealment.words.map { EventValue.text($0.key) }
    guard let json else { return [] }
    guard case .array(let words) = json, words.allSatisfy(known.contains),
      Set(words).count == words.count
    else { throw Problem(.badValue, "hidden must be some of readings, doses.") }
    return words
  }

  /// Times of planned readings, in ms after the drink.
  var readings: [Int64] {
    guard case .array(let times) = value["readings_min"] else { return [] }
    return times.compactMap(\.double).map { Int64($0 * 60_000) }
  }

  /// Returns the recipe of a person's drink; nil if the stock does not fit. The weight is in kg.
  func drink(_ arm: Arm, weight: Double) -> MadeDrink? {
    MadeDrink(
      grams: arm.gPerKg * weight, stock: value["stock_abv_percent"]?.double ?? 0,
      total: value["total_ml"]?.double ?? 0)
  }
}

extension BookingDesk {
  /// Sets the protocol; throws if it changes an order from which people were drawn.
  func set(_ new: StudyProtocol) throws -> EventValue {
    let old = try StudyProtocol.latest(in: db)
    let count = try StudyProtocol.drawn(in: db).count
    guard count == 0 || old.map(new.hasOrder) == true else {
      throw Problem(
        .closed,
        "\(count) \(count == 1 ? "person was" : "people were") drawn: arms, design, copies and seed stay."
      )
    }
    if old != new {
      let event = try log(
        "protocol.set", record: StudyProtocol.record, old: old?.value, new: new.value)
      try db.recordSettingsChange(event.seq)
    }
    return new.value
  }

  /// Draws the next place of the order for somebody.
  func draw(_ subject: String) throws -> EventValue {
    guard let plan = try StudyProtocol.latest(in: db) else {
      throw Problem(.closed, "There is no protocol. Owner or investigator sets it.")
    }
    guard try Sessions.number(of: subject, in: db) != nil else { throw Problem(.notFound) }
    let drawn = try StudyProtocol.drawn(in: db)
    guard !drawn.contains(where: { $0.subject == subject }) else {
      throw Problem(.conflict, "\(subject) was drawn already.")
    }
    let new = StudyProtocol.drawn(plan.arms(at: drawn.count), at: drawn.count)
    try log("protocol.draw", of: subject, record: StudyProtocol.draws, new: new)
    return identity.concealed.contains(.doses)
      ? .object(["place": .integer(Int64(drawn.count))]) : new
  }
}

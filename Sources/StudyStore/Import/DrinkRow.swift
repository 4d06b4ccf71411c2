import AlcoholKinetics

/// A row of the table of drinks.
struct DrinkRow: RecordRow {
  var series: Int64
  var value: Drink
  var ordinal: Int
  var uuid: RecordUUID
  var isUUIDGiven = false

  static let type = RecordType.drinks
  static let table = "drinks"
  static let columns = [
    "series_id", "time_h", "ordinal", "duration_h", "ethanol_g", "ethanol_g_per_kg", "uuid",
    "route",
  ]
  static let keyColumns = ["series_id", "time_h", "ordinal"]

  static func slot(of drink: Drink) -> RecordSlot { RecordSlot(time: drink.time) }

  func bind(to statement: RawStatement, from first: Int32) {
    bindKey(to: statement, from: first)
    statement.bind(value.duration.value, at: first + 3)
    statement.bind(value.ethanol.grams, at: first + 4)
    statement.bind(value.ethanol.gramsPerKilogram, at: first + 5)
    statement.bind(uuid, at: first + 6)
    statement.bind(lasting: value.route == .oral ? "oral" : "iv", at: first + 7)
  }

  func bindKey(to statement: RawStatement, from first: Int32) {
    statement.bind(series, at: first)
    statement.bind(value.time.value, at: first + 1)
    statement.bind(Int64(ordinal), at: first + 2)
  }

  func changes(from old: DrinkRow) -> [ValueChange] {
    let (new, old) = (value, old.value)
    return [
      ValueChange("time_h", from: old.time.value, to: new.time.value),
      ValueChange("duration_h", from: old.duration.value, to: new.duration.value),
      ValueChange("ethanol_g", from: old.ethanol.grams, to: new.ethanol.grams),
      ValueChange(
        "ethanol_g_per_kg", from: old.ethanol.gramsPerKilogram, to: new.ethanol.gramsPerKilogram),
      ValueChange("route", from: old.route.rawValue, to: new.route.rawValue),
    ].compactMap(\.self)
  }
}

extension DrinkRow {
  init(_ drink: Drink, ordinal: Int, in origin: RecordOrigin) {
    self.init(
      series: origin.place.id, value: drink, ordinal: ordinal,
      uuid: origin.identity.drink(at: drink.time, ordinal: ordinal))
  }

  init(_ row: RawStatement) throws {
    self.init(
      series: row.integer(0),
      value: Drink(
        time: Hours(row.double(1)), duration: Hours(row.double(3)),
        ethanol: EthanolDose(grams: row.optionalDouble(4), perKilogram: row.double(5)),
        route: try row.route(7, of: Self.table)),
      ordinal: try row.ordinal(2, of: Self.table), uuid: try row.uuid(6, of: Self.table),
      isUUIDGiven: try row.flag(8, of: Self.table))
  }
}

extension EthanolDose {
  /// A dose as the table has it: a mass, or else a mass per kg.
  init(grams: Double?, perKilogram: Double) {
    self = grams.map { .mass(Grams($0)) } ?? .perBodyWeight(GramsPerKilogram(perKilogram))
  }

  /// The mass, if that is how the dose is given.
  fileprivate var grams: Double? {
    guard case .mass(let grams) = self else { return nil }
    return grams.value
  }

  /// The mass per kg of body weight, if that is how the dose is given.
  fileprivate var gramsPerKilogram: Double? {
    guard case .perBodyWeight(let dose) = self else { return nil }
    return dose.value
  }
}

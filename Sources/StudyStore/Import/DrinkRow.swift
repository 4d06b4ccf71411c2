import AlcoholKinetics

/// A row of the table of drinks.
struct DrinkRow: BulkRow {
  var series: Int64
  var drink: Drink
  var ordinal: Int
  var uuid: RecordUUID

  static let table = "drinks"
  static let columns = [
    "series_id", "time_h", "ordinal", "duration_h", "ethanol_g", "ethanol_g_per_kg", "uuid",
  ]

  func bind(to statement: RawStatement, from first: Int32) {
    statement.bind(series, at: first)
    statement.bind(drink.time.value, at: first + 1)
    statement.bind(Int64(ordinal), at: first + 2)
    statement.bind(drink.duration.value, at: first + 3)
    statement.bind(drink.ethanol.grams, at: first + 4)
    statement.bind(drink.ethanol.gramsPerKilogram, at: first + 5)
    statement.bind(uuid, at: first + 6)
  }
}

extension EthanolDose {
  /// The mass, if that is how the dose is given.
  var grams: Double? {
    guard case .mass(let grams) = self else { return nil }
    return grams.value
  }

  /// The mass per kg of body weight, if that is how the dose is given.
  var gramsPerKilogram: Double? {
    guard case .perBodyWeight(let dose) = self else { return nil }
    return dose.value
  }
}

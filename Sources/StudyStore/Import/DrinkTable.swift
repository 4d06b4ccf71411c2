import AlcoholKinetics
import GRDB

/// The table of drinks: adds what is new, updates what changed.
final class DrinkTable {
  private struct Key: Hashable {
    var time: Hours
    var ordinal: Int
  }

  private let log: ImportLog
  private let bulk: BulkInsert<DrinkRow>
  private let selectAll: RawStatement
  private let update: RawStatement
  /// Whether there was nothing to compare with when the import began.
  private let wasEmpty: Bool

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    wasEmpty = try RawStatement("SELECT 1 FROM drinks LIMIT 1", on: db).isEmpty()
    bulk = try BulkInsert(on: db)
    selectAll = try RawStatement(
      """
      SELECT time_h, ordinal, duration_h, ethanol_g, ethanol_g_per_kg FROM drinks
      WHERE series_id = ?
      """, on: db)
    update = try RawStatement(
      """
      UPDATE drinks SET duration_h = ?, ethanol_g = ?, ethanol_g_per_kg = ?
      WHERE series_id = ? AND time_h = ? AND ordinal = ?
      """, on: db)
  }

  func add(_ drinks: [Drink], to place: SeriesPlace, _ identity: SeriesIdentity) throws {
    let known = place.mayHaveRows(inTableThatWasEmpty: wasEmpty) ? try rows(of: place) : [:]
    var ordinals = OrdinalCounter<Bool>()
    for drink in drinks.inOrder(of: { $0.time }) {
      let ordinal = ordinals.next(at: drink.time, true)
      let uuid = identity.drink(at: drink.time, ordinal: ordinal)
      let row = DrinkRow(series: place.id, drink: drink, ordinal: ordinal, uuid: uuid)
      if let old = known[Key(time: drink.time, ordinal: ordinal)] {
        try settle(row, instead: old)
      } else {
        try bulk.add(row)
        log.added(.drinks)
      }
    }
  }

  func flush() throws {
    try bulk.flush()
  }

  /// Whether a series has any.
  func exist(in place: SeriesPlace) throws -> Bool {
    try place.mayHaveRows(inTableThatWasEmpty: wasEmpty) && !rows(of: place).isEmpty
  }

  private func rows(of place: SeriesPlace) throws -> [Key: Drink] {
    try bulk.flush()
    var rows: [Key: Drink] = [:]
    selectAll.bind(place.id, at: 1)
    try selectAll.forEach { row in
      let drink = Drink(
        time: Hours(row.double(0)), duration: Hours(row.double(2)),
        ethanol: EthanolDose(grams: row.optionalDouble(3), perKilogram: row.double(4)))
      rows[Key(time: drink.time, ordinal: Int(row.integer(1)))] = drink
    }
    return rows
  }

  private func settle(_ row: DrinkRow, instead old: Drink) throws {
    let (new, old) = (row.drink, old)
    let changes = [
      ValueChange("duration_h", from: old.duration.value, to: new.duration.value),
      ValueChange("ethanol_g", from: old.ethanol.grams, to: new.ethanol.grams),
      ValueChange(
        "ethanol_g_per_kg", from: old.ethanol.gramsPerKilogram, to: new.ethanol.gramsPerKilogram),
    ].compactMap(\.self)
    if !changes.isEmpty {
      update.bind(new.duration.value, at: 1)
      update.bind(new.ethanol.grams, at: 2)
      update.bind(new.ethanol.gramsPerKilogram, at: 3)
      update.bind(row.series, at: 4)
      update.bind(new.time.value, at: 5)
      update.bind(Int64(row.ordinal), at: 6)
      try update.run()
    }
    try log.settle(.drinks, row: row.uuid.description, changes)
  }
}

extension EthanolDose {
  /// A dose as the table has it: a mass, or else a mass per kg.
  init(grams: Double?, perKilogram: Double) {
    self = grams.map { .mass(Grams($0)) } ?? .perBodyWeight(GramsPerKilogram(perKilogram))
  }
}

extension Array {
  /// The elements in order of time; those of equal times keep theirs.
  func inOrder(of time: (Element) -> Hours) -> [Element] {
    if zip(self, dropFirst()).allSatisfy({ time($0) <= time($1) }) { return self }
    return indices.sorted { (time(self[$0]), $0) < (time(self[$1]), $1) }.map { self[$0] }
  }
}

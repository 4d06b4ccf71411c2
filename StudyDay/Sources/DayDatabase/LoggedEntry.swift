@_spi(StudyDay) package import AlcoholKinetics
package import Foundation
package import GRDB
@_spi(StudyDay) package import StudyData
@_spi(StudyDay) import StudyStore

/// An entry of a study day by the log, and its projection to a row of the study's tables.
///
/// Values are stored in the log alone; the row can be written anew from it at any time. Forecasts, pages and fits read
/// that row.
package struct LoggedEntry: Sendable {
  /// Converts a vital sign to the unit of its kind; nil if it cannot be, or the kind is not known.
  package typealias VitalConversion =
    @Sendable (_ kind: String, _ value: Double, _ unit: String?) -> (value: Double, unit: String)?

  package let uuid: UUID
  package let kind: String
  package let series: Int64
  package let subject: String
  private let person: Int64
  package let firstSeq: Int64
  /// Number of its last change.
  package let version: Int64
  /// `current`, `conflict` or `void`.
  package let state: String
  /// Start of its session, in ms since 1970; nil if its series is no session.
  package let starts: Int64?
  /// Number, account and station of the last change by somebody; a check of the instrument is none.
  package let lastSeq: Int64
  package let (actor, station): (String, String?)
  /// Time and value as in events: the current ones, or the last before it was taken out or contradicted.
  package let payload: EventValue
  /// First value, if it was changed since.
  package let first: EventValue?

  package var value: EventValue { payload["value"] ?? .null }
  /// Doubt about the instrument of a reading at the time of measurement; nil if there is none.
  package var instrumentDoubt: String? { payload["doubt"]?.string }
  /// Time of measurement, in ms since 1970.
  package let at: Int64
  /// Time since the start of its series, rounded as files state it, in minutes.
  private var time: Hours { Hours(Double(at - (starts ?? 0)) / 60_000 / 60) }

  /// The entries that meet a condition, in the order in which they were made.
  package static func all(
    in db: Database, where condition: String = "true",
    _ values: [(any DatabaseValueConvertible)?] = []
  ) throws -> [LoggedEntry] {
    try db.rows(
      """
      SELECT entries.*, subject_id, subjects.name, starts_ms, maker.actor, maker.station,
        maker.seq AS last_seq, first.new AS first,
        CASE entries.state WHEN 'current' THEN last.new ELSE (SELECT old FROM events
          WHERE record = entries.uuid AND old <> 'null' ORDER BY seq DESC LIMIT 1) END AS told
      FROM entries JOIN series ON series.id = entries.series_id
        JOIN subjects ON subjects.id = subject_id LEFT JOIN sessions USING (series_id)
        LEFT JOIN events AS last ON last.seq = version
        LEFT JOIN events AS maker ON maker.seq = iif(last.action <> '\(doubtAction)', version, (
          SELECT max(seq) FROM events WHERE record = entries.uuid AND action <> '\(doubtAction)'))
        LEFT JOIN events AS first ON first.seq = first_seq
      WHERE \(condition) ORDER BY first_seq
      """, values
    ).map(LoggedEntry.init)
  }

  /// An entry that was just made by an event.
  package init(
    _ kind: String, madeBy event: Event, payload: EventValue, at: Int64, of subject: String,
    _ person: Int64, series: Int64, starts: Int64
  ) {
    uuid = event.uuid
    self.kind = kind
    state = "current"
    self.series = series
    self.subject = subject
    self.person = person
    self.starts = starts
    firstSeq = event.seq
    version = event.seq
    actor = event.actor
    station = event.station
    lastSeq = event.seq
    first = nil
    self.payload = payload
    self.at = at
  }

  private init(_ row: SafeRow) {
    uuid = row["uuid"] ?? UUID.none
    kind = row["kind"]
    series = row["series_id"]
    subject = row["name"]
    person = row["subject_id"]
    firstSeq = row["first_seq"]
    version = row["version"]
    state = row["state"]
    starts = row["starts_ms"]
    actor = row["actor"]
    station = row["station"]
    payload = row.json("told") ?? .null
    at = payload["at"]?.string.flatMap(ISOTime.milliseconds) ?? 0
    lastSeq = row["last_seq"]
    // Most entries were never changed: their value at first need not be read.
    first = lastSeq == firstSeq ? nil : row.json("first")?["value"]
  }

  // MARK: Projection

  /// The reading, whether it counts or not.
  package var reading: Reading? { kind == "reading" ? Self.reading(value, at: time) : nil }

  package static func reading(_ value: EventValue, at time: Hours) -> Reading? {
    guard let concentration = value["concentration"]?.double,
      let unit = value["unit"]?.string.flatMap(ConcentrationUnit.init)
    else { return nil }
    return Reading(
      time: time, value: concentration, unit: unit, isExcluded: value["excluded"]?.string != nil)
  }

  /// Returns true for a drink that its person had elsewhere and noted, which is no part of the study.
  package static func isOwn(_ value: EventValue?) -> Bool { value?["own"] == .bool(true) }

  /// The drink, whether it counts or not; nil for one that is no part of the study.
  package var drink: Drink? {
    guard kind == "drink", !Self.isOwn(value), let grams = EnteredDrink.grams(value) else {
      return nil
    }
    let minutes = value["duration_min"]?.double ?? 0
    return Drink(time: time, duration: Hours(minutes / 60), ethanol: .mass(Grams(grams)))
  }

  /// The row of the vital sign, in the unit of its kind, whether it counts or not.
  func vital(_ converted: VitalConversion, importedBy importID: Int64) -> VitalRow? {
    guard kind == "vital", let name = value["kind"]?.string, let number = value["value"]?.double,
      let given = converted(name, number, value["unit"]?.string)
    else { return nil }
    return VitalRow(
      subject: person, kind: name, start: utc, end: utc, source: Self.source, value: given.value,
      uuid: uuid, isUUIDGiven: true, importID: importID, given: given,
      day: String(utc.prefix(10)))
  }

  /// Time of measurement in the format of the table of vital signs.
  private var utc: String { ISOTime.stored(at) }

  /// Replaces the row of the entry by its current projection.
  package func project(in db: Database, _ converted: VitalConversion) throws {
    for table in ["readings", "drinks", "vitals"] {
      try db.run("DELETE FROM \(table) WHERE uuid = ? AND is_uuid_given = 1", [uuid])
    }
    if state == "current" { try add(to: db, converted) }
  }

  /// Adds the row of a current entry that has none yet.
  package func add(to db: Database, _ converted: VitalConversion) throws {
    if let reading {
      try RecordRow<Reading>.insert(
        reading, uuid: uuid, source: instrumentDoubt, series: series,
        instrument: instrument(in: db), in: db)
      try RecordRow<Reading>.removeFindings(on: series, in: db)
    }
    if let drink {
      try RecordRow<Drink>.insert(drink, uuid: uuid, series: series, in: db)
      try RecordRow<Drink>.removeFindings(on: series, in: db)
    }
    if kind == "vital" {
      try vital(converted, importedBy: Self.importID(in: db))?.insertBesideOthers(in: db)
    }
  }

  /// Number of the instrument that a reading names, or else that of the study; 0 if unknown.
  private func instrument(in db: Database) throws -> Int64 {
    guard let serial = value["instrument"]?.string else {
      return try db.value("SELECT instrument_id FROM study WHERE instrument_id IS NOT NULL") ?? 0
    }
    try db.run(
      """
      INSERT INTO instruments (name)
      SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM instruments WHERE id > 0 AND name = ?1)
      """, [serial])
    return try db.value("SELECT min(id) FROM instruments WHERE id > 0 AND name = ?", [serial]) ?? 0
  }

  /// Action of an event that changes nothing but the doubt about the instrument of a reading.
  package static let doubtAction = "reading.doubt"
  static let source = "study day"

  /// Returns the import under which all study days are stored.
  private static func importID(in db: Database) throws -> Int64 {
    try db.run(
      """
      INSERT INTO imports (source) SELECT ?1 WHERE NOT EXISTS (
        SELECT 1 FROM imports WHERE source = ?1)
      """, [source])
    return try db.value("SELECT min(id) FROM imports WHERE source = ?", [source]) ?? 0
  }
}

/// Ethanol and volume of a drink that was entered on a study day.
package enum EnteredDrink {
  /// Returns the ethanol in g; nil unless exactly one of ethanol mass, volume and strength, or mass and strength is given.
  package static func grams(_ value: EventValue) -> Double? {
    let ethanol = value["ethanol_g"]?.double
    let volume = value["volume_ml"]?.double
    let mass = value["mass_g"]?.double
    let abv = value["abv_percent"]?.double
    let density = EthanolDose.densityGramsPerMillilitre
    return switch (ethanol, volume, mass, abv) {
    case (let ethanol?, nil, nil, nil): ethanol
    case (nil, let volume?, nil, let abv?): volume * abv / 100 * density
    case (nil, nil, let mass?, let abv?):
      mass / DrinkDensity.gramsPerMillilitre(abvPercent: abv) * abv / 100 * density
    default: nil
    }
  }
}

/// The density of a drink that is weighed: that of ethanol in water at 20 C (OIML R 22, 1975), read between its
/// tens of percent, which is right to 0.2 %. Sugar makes a drink heavier.
package enum DrinkDensity {
  private static let table = [
    0.9982, 0.98471, 0.97356, 0.96224, 0.94805, 0.93014, 0.90911, 0.88551, 0.85927, 0.82926,
    0.78924,
  ]

  /// Density of an ethanol-water mixture, in g/ml.
  package static func gramsPerMillilitre(abvPercent: Double) -> Double {
    let position = min(max(abvPercent / 10, 0), 10)
    let index = min(Int(position), 9)
    return table[index] + (position - Double(index)) * (table[index + 1] - table[index])
  }
}

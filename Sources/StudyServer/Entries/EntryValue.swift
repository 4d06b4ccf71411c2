import AlcoholKinetics
import Foundation
import GRDB
import HealthData
import StudyData
import StudyStore

/// What an entry says, read from its JSON and found possible.
enum EntryValue {
  case reading(concentration: Double, unit: ConcentrationUnit, excluded: String?)
  case drink(grams: Double, durationMin: Double)
  case vital(kind: VitalKind, value: Double, unit: String)
  case note

  /// Reads a value.
  ///
  /// - Parameter factors: How a reading becomes one in blood, to see whether it is possible.
  /// - Throws: ``Problem`` saying which member is missing, unknown or impossible.
  init(_ kind: EntryKind, _ json: EventValue, _ factors: ConversionFactors) throws(Problem) {
    let members: Set<String>
    switch kind {
    case .reading:
      members = ["concentration", "unit", "excluded"]
      self = try Self.reading(json, factors)
    case .drink:
      members = ["ethanol_g", "volume_ml", "mass_g", "abv_percent", "name", "duration_min"]
      self = try Self.drink(json)
    case .vital:
      members = ["kind", "value", "unit", "importance"]
      self = try Self.vital(json)
    case .note:
      members = ["text"]
      guard let text = json["text"]?.string, 1...2000 ~= text.count else {
        throw Problem(.badValue, "text must have 1 to 2000 characters.")
      }
      self = .note
    }
    guard case .object(let given) = json,
      let odd = given.keys.filter({ !members.contains($0) }).min()
    else { return }
    throw Problem(.badValue, "\(odd.prefix(40)) is no member of a \(kind.rawValue).")
  }

  /// Takes a value that was stored, by whichever version: of a drink the ethanol counts, whatever is said beside it,
  /// and a reading that is no number of this world counts for nothing. Nil for what is in no fit.
  init?(stored kind: EntryKind, _ json: EventValue, _ factors: ConversionFactors) {
    switch kind {
    case .reading:
      guard let value = json["concentration"]?.double, value >= 0,
        let unit = json["unit"]?.string.flatMap(ConcentrationUnit.init),
        unit.bloodConcentration(of: value, using: factors) <= Self.highestOnAnyDevice
      else { return nil }
      self = .reading(concentration: value, unit: unit, excluded: json["excluded"]?.string)
    case .drink:
      guard let grams = EnteredDrink.grams(json), grams.isFinite, grams >= 0 else { return nil }
      self = .drink(grams: grams, durationMin: json["duration_min"]?.double ?? 0)
    case .vital, .note: return nil
    }
  }

  /// What is excluded may be anything that a device can show.
  private static let highestOnAnyDevice = GramsPerKilogram(1000)

  private static func reading(
    _ json: EventValue, _ factors: ConversionFactors
  ) throws(Problem) -> EntryValue {
    guard let concentration = json["concentration"]?.double, concentration >= 0 else {
      throw Problem(.badValue, "concentration must be a number of 0 or more.")
    }
    guard let unit = json["unit"]?.string.flatMap(ConcentrationUnit.init) else {
      let known = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badValue, "unit must be one of \(known).")
    }
    let excluded = try text("excluded", 500, json)
    // As studies are checked.
    let highest = excluded == nil ? GramsPerKilogram(10) : highestOnAnyDevice
    guard unit.bloodConcentration(of: concentration, using: factors) <= highest else {
      let remedy =
        excluded == nil ? "Check the unit, or exclude the reading and say why." : "Check the value."
      throw Problem(
        .badValue,
        "\(concentration) in \(unit.rawValue) is more than \(highest) in blood. \(remedy)")
    }
    return .reading(concentration: concentration, unit: unit, excluded: excluded)
  }

  /// A text that says something; nil if it is missing or null.
  private static func text(
    _ name: String, _ longest: Int, _ json: EventValue
  ) throws(Problem) -> String? {
    guard let value = json[name], value != .null else { return nil }
    guard let text = value.string, text.unicodeScalars.count <= longest, !text.isBlank else {
      throw Problem(.badValue, "\(name) must be a text of 1 to \(longest) characters, or left out.")
    }
    return text
  }

  private static func drink(_ json: EventValue) throws(Problem) -> EntryValue {
    func number(_ name: String, upTo most: Double) throws(Problem) -> Double? {
      guard let value = json[name], value != .null else { return nil }
      guard let number = value.double, 0...most ~= number else {
        throw Problem(.badValue, "\(name) must be a number from 0 to \(most).")
      }
      return number
    }
    let limits: [(String, Double)] = [
      ("abv_percent", 100), ("ethanol_g", 500), ("volume_ml", 10_000), ("mass_g", 10_000),
    ]
    for (name, most) in limits { _ = try number(name, upTo: most) }
    _ = try text("name", 100, json)
    guard let grams = EnteredDrink.grams(json) else {
      throw Problem(
        .badValue,
        "A drink needs ethanol_g, or volume_ml and abv_percent, or mass_g and abv_percent, and nothing beside."
      )
    }
    guard grams <= 500 else {
      throw Problem(.badValue, "The drink holds \(grams) g of ethanol; check it.")
    }
    return .drink(grams: grams, durationMin: try number("duration_min", upTo: 1440) ?? 0)
  }

  private static func vital(_ json: EventValue) throws(Problem) -> EntryValue {
    guard let kind = json["kind"]?.string.flatMap(VitalKind.init) else {
      let known = VitalKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badValue, "kind must be one of \(known).")
    }
    let unit = json["unit"]?.string ?? kind.unit
    guard let value = json["value"]?.double, let converted = kind.value(value, in: unit) else {
      throw Problem(
        .badValue, "value must be a number, and unit \(kind.unit) or one that converts to it.")
    }
    if let importance = json["importance"], importance != .null {
      guard case .integer(1...5) = importance else {
        throw Problem(.badValue, "importance must be a whole number from 1 to 5.")
      }
    }
    return .vital(kind: kind, value: converted, unit: unit)
  }

  /// What a reading is in blood, in g/kg.
  func gramsPerKilogram(_ factors: ConversionFactors) -> Double? {
    guard case .reading(let value, let unit, _) = self else { return nil }
    return unit.bloodConcentration(of: value, using: factors).value
  }
}

extension String {
  /// Whether it says nothing.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

/// The kinds of entries.
public enum EntryKind: String, CaseIterable, Codable, Sendable {
  case reading
  case drink
  case vital
  case note
}

/// Brings the tables that studies are read from in step with an entry.
struct Projection {
  let db: Database

  /// Writes an entry into the study's tables if it is current, and takes it out if not.
  func settle(
    _ record: UUID, _ value: EntryValue?, at: Int64, of session: Session,
    isExcludedBy: String? = nil
  )
    throws
  {
    let bytes = record.bytes
    for table in ["readings", "drinks", "vitals"] {
      try db.execute(
        sql: "DELETE FROM \(table) WHERE uuid = ? AND is_uuid_given = 1", values: [bytes])
    }
    // As a file has it, whose times are in minutes.
    let time = Hours(Double(at - session.starts) / 60_000 / 60)
    switch value {
    case .reading(let concentration, let unit, let excluded):
      let reading = Reading(
        time: time, value: concentration, unit: unit, isExcluded: excluded != nil)
      let instrument =
        try Int64.fetchOne(
          db, sql: "SELECT instrument_id FROM study WHERE instrument_id IS NOT NULL") ?? 0
      try RecordRows<ReadingRow>(on: db).insert(
        reading, uuid: record, source: nil, series: session.series, instrument: instrument)
      try forget(["\(DiagnosticCode.noReadings.rawValue)"], of: session)
    case .drink(let grams, let durationMin):
      let drink = Drink(
        time: time, duration: Hours(durationMin / 60), ethanol: .mass(Grams(grams)))
      try RecordRows<DrinkRow>(on: db).insert(
        drink, uuid: record, source: nil, series: session.series)
      try forget(["\(DiagnosticCode.doseMissing.rawValue)"], of: session)
    case .vital(let kind, let value, let unit):
      try insert(kind, value, unit, record, at, session)
    case .note, nil: break
    }
  }

  /// What was found missing in files and is there now.
  private func forget(_ codes: [String], of session: Session) throws {
    for code in codes {
      try db.execute(
        sql: "DELETE FROM findings WHERE code = ? AND (series_id = ? OR series_id IS NULL)",
        values: [code, session.series])
    }
  }

  private func insert(
    _ kind: VitalKind, _ value: Double, _ unit: String, _ record: UUID, _ at: Int64,
    _ session: Session
  ) throws {
    let range = try SafeRow.first(
      db, "SELECT least, most FROM vital_kinds WHERE kind = ?", [kind.rawValue])
    guard let range, range["least"] <= value, value <= range["most"] else {
      throw Problem(.badValue, "A \(kind.rawValue) of \(value) \(kind.unit) is not possible.")
    }
    let source = "study day"
    if try Int64.fetchOne(db, sql: "SELECT id FROM imports WHERE source = ?", arguments: [source])
      == nil
    {
      try db.execute(sql: "INSERT INTO imports (source) VALUES (?)", values: [source])
    }
    let text = ISOTime.text(at)
    let utc = String(text.prefix(19)).replacing("T", with: " ")
    try db.execute(
      sql: """
        INSERT INTO vitals (subject_id, kind, start_utc, end_utc, source, ordinal, day, value,
          given_value, given_unit, uuid, is_uuid_given, import_id)
        SELECT subject_id, ?2, ?3, ?3, ?4,
          (SELECT ifnull(max(ordinal), -1) + 1 FROM vitals WHERE subject_id = series.subject_id
            AND kind = ?2 AND start_utc = ?3 AND end_utc = ?3 AND source = ?4),
          ?5, ?6, ?6, ?7, ?8, 1, (SELECT min(id) FROM imports WHERE source = ?4)
        FROM series WHERE id = ?1
        """,
      values: [
        session.series, kind.rawValue, utc, source, String(text.prefix(10)), value, kind.unit,
        record.bytes,
      ])
  }
}

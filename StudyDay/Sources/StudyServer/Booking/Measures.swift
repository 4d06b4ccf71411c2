@_spi(StudyDay) import DayDatabase
import GRDB
@_spi(StudyDay) import StudyStore

/// Body measures, by the keys of forms and events: `sex`, `age_y`, `height_cm` and `weight_kg`.
struct Measures: Hashable, Sendable {
  private var values: [String: EventValue] = [:]

  private static let unknown: [String: EventValue] = [
    "sex": .null, "age_y": .null, "height_cm": .null, "weight_kg": .null,
  ]

  init() {}

  init(of subject: Int64, in db: Database) throws {
    let row = try db.row(
      "SELECT sex, age_y, height_m * 100 AS height_cm, weight_kg FROM subjects WHERE id = ?",
      [subject])
    for name in Self.unknown.keys {
      values[name] = row?.value(name)
      if values[name] == .null { values[name] = nil }
    }
  }

  /// Reads the members of a form; all may be missing.
  init(_ form: inout Form) throws(Problem) {
    values["sex"] = try form.word("sex", ["male", "female"]).map(EventValue.text)
    values["age_y"] = try form.number("age_y", 16...120).map(EventValue.number)
    values["height_cm"] = try form.number("height_cm", 100...250).map(EventValue.number)
    values["weight_kg"] = try form.number("weight_kg", 30...300).map(EventValue.number)
  }

  subscript(_ name: String) -> Double? { values[name]?.double }

  var members: [String: EventValue] { Self.unknown.merging(values) { $1 } }

  var json: EventValue { .object(members) }

  /// Returns the measures, completed from another set where they are missing.
  func filled(from other: Self) -> Self {
    var measures = self
    measures.values.merge(other.values) { own, _ in own }
    return measures
  }

  func store(for subject: Int64, insteadOf old: Self, in db: Database) throws {
    for (name, value) in values where value != old.values[name] {
      if name == "height_cm" {
        // 165 cm come back as 165 and not as 164.99...
        guard let height = value.double, abs(height - (old[name] ?? 0)) > 1e-9 else { continue }
        try db.run("UPDATE subjects SET height_m = ? WHERE id = ?", [height / 100, subject])
      } else {
        let new = value.string.map(\.databaseValue) ?? (value.double).databaseValue
        try db.run("UPDATE subjects SET \(name) = ? WHERE id = ?", [new, subject])
      }
    }
  }
}

extension BookingDesk {
  /// Changes the measures of a subject, also in the latest session.
  ///
  /// - Parameter base: Version that was seen; nil overwrites concurrent changes.
  func setMeasures(
    of name: String, _ change: Measures, base: Int64?, because reason: String
  ) throws -> EventValue {
    let current = try KnownMeasures(of: name, in: db)
    guard base == nil || base == current.version else {
      throw Problem(.conflict, "Somebody else changed the measures meanwhile. Look at them again.")
    }
    let new = change.filled(from: current.measures)
    if new != current.measures {
      try new.store(for: current.subject, insteadOf: current.measures, in: db)
      if let session = try Sessions.latest(of: name, in: db) {
        try db.run(
          """
          UPDATE series SET (age_y, height_m, weight_kg) = (
            SELECT age_y, height_m, weight_kg FROM subjects WHERE id = ?) WHERE id = ?
          """, [current.subject, session.series])
      }
      try log(
        "subject.measures", of: name, old: current.measures.json, new: new.json, reason: reason)
    }
    return try KnownMeasures(of: name, in: db).json
  }
}

struct KnownMeasures {
  let subject: Int64
  let measures: Measures
  /// The number of the last change; 0 if there was none.
  let version: Int64

  /// - Throws: ``Problem`` if the study has nobody of the name.
  init(of name: String, in db: Database) throws {
    guard let id = try Sessions.number(of: name, in: db) else { throw Problem(.notFound) }
    subject = id
    measures = try Measures(of: id, in: db)
    version =
      try db.value(
        "SELECT max(seq) FROM events WHERE subject = ? AND action = 'subject.measures'", [name])
      ?? 0
  }

  var json: EventValue {
    .object(measures.members.merging(["version": .integer(version)]) { $1 })
  }
}

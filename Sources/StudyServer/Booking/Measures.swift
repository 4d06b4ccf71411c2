import GRDB
import HTTPTypes
import Hummingbird
import StudyStore

extension BookingForm {
  struct Measures: Hashable, Sendable {
    var sex: String?
    var ageYears: Double?
    var heightCentimetres: Double?
    var weightKilograms: Double?

    var members: [String: EventValue] {
      [
        "sex": sex.map(EventValue.text) ?? .null, "age_y": ageYears.map(EventValue.number) ?? .null,
        "height_cm": heightCentimetres.map(EventValue.number) ?? .null,
        "weight_kg": weightKilograms.map(EventValue.number) ?? .null,
      ]
    }

    var json: EventValue { .object(members) }
  }
}

extension BookingForm.Measures {
  init(of subject: Int64, in db: Database) throws {
    let row = try SafeRow.first(db, "SELECT * FROM subjects WHERE id = ?", [subject])
    (sex, ageYears) = (row?["sex"], row?["age_y"])
    heightCentimetres = (row?["height_m"] as Double?).map { $0 * 100 }
    weightKilograms = row?["weight_kg"]
  }

  /// Reads the members of a form; all may be missing.
  init(_ form: inout Form) throws(Problem) {
    sex = try form.word("sex", ["male", "female"])
    ageYears = try form.number("age_y", 16...120)
    heightCentimetres = try form.number("height_cm", 100...250)
    weightKilograms = try form.number("weight_kg", 30...300)
  }

  /// These, and those of another where these say nothing.
  func filled(from other: Self) -> Self {
    var measures = Self()
    measures.sex = sex ?? other.sex
    measures.ageYears = ageYears ?? other.ageYears
    measures.heightCentimetres = heightCentimetres ?? other.heightCentimetres
    measures.weightKilograms = weightKilograms ?? other.weightKilograms
    return measures
  }

  func store(for subject: Int64, insteadOf old: Self, in db: Database) throws {
    func set(_ column: String, _ new: (any DatabaseValueConvertible)?, _ isNew: Bool) throws {
      guard isNew else { return }
      try db.execute(
        sql: "UPDATE subjects SET \(column) = ? WHERE id = ?", arguments: [new, subject])
    }
    try set("sex", sex, sex != old.sex)
    try set("age_y", ageYears, ageYears != old.ageYears)
    // 165 cm come back as 165 and not as 164.99...
    let isTaller = heightCentimetres.map { abs($0 - (old.heightCentimetres ?? 0)) > 1e-9 } ?? false
    try set("height_m", heightCentimetres.map { $0 / 100 }, isTaller)
    try set("weight_kg", weightKilograms, weightKilograms != old.weightKilograms)
  }
}

extension BookingDesk {
  /// Changes the measures of somebody, in their latest session too.
  ///
  /// - Parameter base: The version that was seen; nil to overwrite what others changed meanwhile.
  func setMeasures(
    of name: String, _ said: BookingForm.Measures, base: Int64?, because reason: String
  ) throws -> EventValue {
    let known = try KnownMeasures(of: name, in: db)
    guard base == nil || base == known.version else {
      throw Problem(.conflict, "Somebody else changed the measures meanwhile. Look at them again.")
    }
    let new = said.filled(from: known.measures)
    if new != known.measures {
      try new.store(for: known.subject, insteadOf: known.measures, in: db)
      if let session = try Sessions.latest(of: name, in: db) {
        try db.execute(
          sql: """
            UPDATE series SET (age_y, height_m, weight_kg) = (
              SELECT age_y, height_m, weight_kg FROM subjects WHERE id = ?) WHERE id = ?
            """, arguments: [known.subject, session.series])
      }
      try log("subject.measures", of: name, old: known.measures.json, new: new.json, reason: reason)
    }
    return try KnownMeasures(of: name, in: db).json
  }
}

struct KnownMeasures {
  let subject: Int64
  let measures: BookingForm.Measures
  /// The number of the last change; 0 if there was none.
  let version: Int64

  /// - Throws: ``Problem`` if the study has nobody of the name.
  init(of name: String, in db: Database) throws {
    guard let id = try SubjectRecord.number(of: name, in: db) else { throw Problem(.notFound) }
    (subject, measures) = (id, try BookingForm.Measures(of: id, in: db))
    version =
      try Int64.fetchOne(
        db,
        sql: "SELECT max(seq) FROM events WHERE subject = ? AND action = 'subject.measures'",
        arguments: [name]) ?? 0
  }

  var json: EventValue {
    .object(measures.members.merging(["version": .integer(version)]) { $1 })
  }
}

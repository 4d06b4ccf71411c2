package import AlcoholKinetics
package import GRDB
import StudyData

struct StudyRecord: StoreRecord {
  static let databaseTableName = "study"

  var id: Int64 = 1
  var name: String
  var title: String?
  var instrumentId: Int64?
}

struct InstrumentRecord: StoreRecord {
  static let databaseTableName = "instruments"

  var id: Int64?
  var name: String?
  var resolution: Double?
  var relativeAccuracy: Double?
  var limitOfDetection: Double?
  var mouthAlcoholWindowH: Double?

  init(_ instrument: Instrument) {
    name = instrument.name
    resolution = instrument.resolution
    relativeAccuracy = instrument.relativeAccuracy
    limitOfDetection = instrument.limitOfDetection
    mouthAlcoholWindowH = instrument.mouthAlcoholWindow?.value
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  /// The instrument, if it can be, by the rules of a study's descriptor.
  func instrument() throws -> Instrument {
    for (name, value, isPossible, rule) in [
      ("resolution", resolution, { $0 > 0 }, "above 0"),
      ("relative_accuracy", relativeAccuracy, { 0...1 ~= $0 }, "0 to 1"),
      ("limit_of_detection", limitOfDetection, { $0 >= 0 }, "0 or more"),
      ("mouth_alcohol_window_h", mouthAlcoholWindowH, { $0 >= 0 }, "0 or more"),
    ] as [(String, Double?, (Double) -> Bool, String)] {
      guard let value, !isPossible(value) || !value.isFinite else { continue }
      throw StoreError.damage(
        "instruments", "\(name) is \(value); it must be \(rule)",
        remedy: "correct it, or import the study again")
    }
    return Instrument(
      name: name, resolution: resolution, relativeAccuracy: relativeAccuracy,
      limitOfDetection: limitOfDetection, mouthAlcoholWindow: mouthAlcoholWindowH.map { Hours($0) })
  }
}

/// A row of the table of subjects, with what the table of covariates adds.
package struct SubjectRecord {
  package var id: Int64
  package var subject: Subject

  /// The number of a subject; nil if the study has none of the name.
  package static func number(of name: String, in db: Database) throws -> Int64? {
    try SafeRow.first(db, "SELECT id FROM subjects WHERE name = ?", [name])?["id"]
  }

  package static func all(in db: Database) throws -> [SubjectRecord] {
    var covariates: [Int64: [String: String]] = [:]
    try db.forEach("SELECT subject_id, name, value FROM covariates") { row in
      covariates[row.integer(0), default: [:]][row.text(1) ?? ""] = row.text(2) ?? ""
    }
    return try db.map(
      "SELECT id, name, sex, age_y, height_m, weight_kg FROM subjects ORDER BY id"
    ) { row in
      let subject = Subject(
        id: row.text(1) ?? "", sex: row.text(2).flatMap(Sex.init),
        age: row.optionalDouble(3).map { Years($0) },
        height: row.optionalDouble(4).map { Metres($0) },
        weight: row.optionalDouble(5).map { Kilograms($0) },
        covariates: covariates[row.integer(0)] ?? [:])
      return SubjectRecord(id: row.integer(0), subject: subject)
    }
  }
}

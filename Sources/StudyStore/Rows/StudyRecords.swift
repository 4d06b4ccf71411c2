public import AlcoholKinetics
public import GRDB
import StudyData

/// What a study is called, and the number of what it was measured with.
struct StudyRecord {
  var name: String
  var title: String?
  var instrument: Int64?

  /// The study; nil if there is none yet.
  init?(in db: Database) throws {
    guard let row = try db.row("SELECT * FROM study") else { return nil }
    name = row["name"]
    title = row["title"]
    instrument = row["instrument_id"]
  }
}

extension Instrument {
  /// What the table of instruments has of it, beside its name.
  var fields: KeyValuePairs<String, Double?> {
    [
      "resolution": resolution, "relative_accuracy": relativeAccuracy,
      "limit_of_detection": limitOfDetection,
      "mouth_alcohol_window_h": mouthAlcoholWindow?.value,
    ]
  }

  /// The instrument of a number, if it can be, by the rules of a study's descriptor; nil if there is none.
  init?(_ id: Int64, in db: Database) throws {
    guard let row = try db.row("SELECT * FROM instruments WHERE id = ?", [id]) else { return nil }
    func value(
      _ name: String, _ rule: String, _ isPossible: (Double) -> Bool
    ) throws -> Double? {
      guard let value = row[name] as Double? else { return nil }
      guard isPossible(value), value.isFinite else {
        throw StoreError.damage(
          "instruments", "\(name) is \(value); it must be \(rule)",
          remedy: "correct it, or import the study again")
      }
      return value
    }
    self.init(
      name: row["name"], resolution: try value("resolution", "above 0") { $0 > 0 },
      relativeAccuracy: try value("relative_accuracy", "0 to 1") { 0...1 ~= $0 },
      limitOfDetection: try value("limit_of_detection", "0 or more") { $0 >= 0 },
      mouthAlcoholWindow: try value("mouth_alcohol_window_h", "0 or more") { $0 >= 0 }
        .map { Hours($0) })
  }
}

/// A row of the table of subjects, with what the table of covariates adds.
@_spi(StudyDay) public struct SubjectRecord {
  public var id: Int64
  public var subject: Subject

  /// The number of a subject; nil if the study has none of the name.
  public static func number(of name: String, in db: Database) throws -> Int64? {
    try db.row("SELECT id FROM subjects WHERE name = ?", [name])?["id"]
  }

  public static func all(in db: Database) throws -> [SubjectRecord] {
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

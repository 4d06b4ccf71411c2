import AlcoholKinetics
import GRDB
import StudyData

/// The name of a study, and the number of its instrument.
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
  /// The columns of the table of instruments, without the name.
  var fields: KeyValuePairs<String, Double?> {
    [
      "resolution": resolution, "relative_accuracy": relativeAccuracy,
      "limit_of_detection": limitOfDetection,
      "mouth_alcohol_window_h": mouthAlcoholWindow?.value,
    ]
  }

  /// Reads a row of the table of instruments, and checks it by the rules of a study's descriptor.
  init(_ row: SafeRow) throws {
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
struct SubjectRecord {
  var id: Int64
  var subject: Subject

  static func all(in db: Database) throws -> [SubjectRecord] {
    var covariates: [Int64: [String: String]] = [:]
    for row in try db.rows("SELECT subject_id, name, value FROM covariates") {
      covariates[row["subject_id"], default: [:]][row["name"]] = row["value"]
    }
    return try db.rows(
      "SELECT id, name, sex, age_y, height_m, weight_kg FROM subjects ORDER BY id"
    ).map { row in
      let subject = Subject(
        id: row["name"], sex: row["sex"].flatMap(Sex.init), age: row["age_y"].map { Years($0) },
        height: row["height_m"].map { Metres($0) },
        weight: row["weight_kg"].map { Kilograms($0) }, covariates: covariates[row["id"]] ?? [:])
      return SubjectRecord(id: row["id"], subject: subject)
    }
  }
}

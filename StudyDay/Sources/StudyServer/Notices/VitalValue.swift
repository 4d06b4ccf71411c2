import DayDatabase
import GRDB
@_spi(StudyDay) import StudyStore

/// A measured vital sign, with the settings of its kind.
struct VitalValue: Sendable {
  var subject: String
  var kind: String
  var unit: String
  /// Time of measurement, in ms since 1970.
  var at: Int64
  var value: Double
  /// Importance that was entered; nil if none was.
  var entered: Int?
  /// Importance of the kind.
  var kindImportance: Int
  private var below: Double?
  private var above: Double?

  /// Importance of a crossing: the entered one, and at least its kind's.
  var importance: Int { max(entered ?? 0, kindImportance) }

  /// The threshold that it lies beyond, and on which side; nil if it lies beyond none.
  var crossed: (side: String, threshold: Double)? {
    if let above, value > above { return ("above", above) }
    if let below, value < below { return ("below", below) }
    return nil
  }

  /// The values of a subject, or of everybody, measured within a time, in order; if there are more than the limit, the
  /// latest.
  static func all(
    during moments: Range<Int64>, of subject: Int64? = nil, limit: Int = .max,
    in db: Database
  ) throws -> [VitalValue] {
    try db.rows(
      """
      SELECT subjects.name AS subject, vitals.kind, vital_kinds.unit, vital_kinds.importance, below, above,
        vitals.value, start_utc, json_extract(new, '$.value.importance') AS entered
      FROM vitals JOIN subjects ON subjects.id = vitals.subject_id
        JOIN vital_kinds ON vital_kinds.kind = vitals.kind
        LEFT JOIN entries ON is_uuid_given = 1 AND entries.uuid = vitals.uuid
        LEFT JOIN events ON seq = version
      WHERE start_utc >= ?1 AND start_utc < ?2 AND (?3 IS NULL OR subjects.id = ?3)
      ORDER BY start_utc DESC LIMIT ?4
      """, [ISOTime.stored(moments.lowerBound), ISOTime.stored(moments.upperBound), subject, limit]
    ).reversed().compactMap { row in
      let value: Double = row["value"]
      // Another program may have stored NaN or infinity.
      guard value.isFinite else { return nil }
      return VitalValue(
        subject: row["subject"], kind: row["kind"], unit: row["unit"],
        at: ISOTime.milliseconds("\(row["start_utc"] as String)Z".replacing(" ", with: "T")) ?? 0,
        value: value, entered: row["entered"],
        kindImportance: row["importance"], below: row["below"], above: row["above"])
    }
  }

  /// Mean, minimum and maximum of at least one value.
  static func summary(_ values: [VitalValue]) -> (mean: Double, least: Double, most: Double) {
    let numbers = values.map(\.value)
    return (
      numbers.reduce(0, +) / Double(numbers.count), numbers.min() ?? 0, numbers.max() ?? 0
    )
  }

  /// The kind in words: heart rate.
  var words: String {
    kind.reduce(into: "") { words, letter in
      words += letter.isUppercase && !words.isEmpty ? " \(letter.lowercased())" : "\(letter)"
    }
  }
}

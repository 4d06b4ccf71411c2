import GRDB

/// The body measures of a subject as Apple Health knows them, at the time of each occasion.
struct HealthMeasures {
  let db: Database
  let subject: Int64

  func set(_ person: HealthParser.Person) throws {
    let sex: String? =
      switch person.sex {
      case "HKBiologicalSexMale": "male"
      case "HKBiologicalSexFemale": "female"
      default: nil
      }
    let birth = person.dateOfBirth.flatMap(CalendarDay.init)?.text
    try db.execute(
      sql: """
        UPDATE subjects SET sex = coalesce(?, sex), date_of_birth = coalesce(?, date_of_birth)
        WHERE id = ?
        """, arguments: [sex, birth, subject])
  }

  /// Weight and height are those measured last before an occasion was over, or else first after;
  /// age is in completed years. The subject's own are those of the last occasion, or the last.
  func spread() throws {
    for (column, kind, unit) in [("weight_kg", "BodyMass", 1.0), ("height_m", "Height", 100)] {
      let measured = "SELECT value / \(unit) FROM vitals WHERE subject_id = ?1 AND kind = '\(kind)'"
      try db.execute(
        sql: """
          UPDATE series SET \(column) = coalesce(
            (\(measured) AND start_utc < datetime(series.starts_utc, '+1 day')
              ORDER BY start_utc DESC LIMIT 1),
            (\(measured) ORDER BY start_utc LIMIT 1), \(column))
          WHERE subject_id = ?1 AND starts_utc IS NOT NULL
          """, arguments: [subject])
      try db.execute(
        sql: """
          UPDATE subjects SET \(column) = coalesce(
            (\(measured) ORDER BY start_utc DESC LIMIT 1), \(column)) WHERE id = ?1
          """, arguments: [subject])
    }
    try db.execute(
      sql: """
        UPDATE series SET age_y = coalesce(
          (SELECT strftime('%Y', day) - strftime('%Y', date_of_birth)
              - (strftime('%m-%d', day) < strftime('%m-%d', date_of_birth))
            FROM subjects WHERE id = ?1), age_y)
        WHERE subject_id = ?1 AND day IS NOT NULL
        """, arguments: [subject])
  }
}

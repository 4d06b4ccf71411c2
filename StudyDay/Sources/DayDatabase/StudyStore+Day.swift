import Foundation
package import GRDB
@_spi(StudyDay) package import StudyStore

/// The database of a study day: that of a study, to which steps of our own add tables.
extension StudyStore {
  /// The steps that follow on those of studies.
  package static let stepsOfDay = SchemaStep.steps(
    in: String(decoding: PackageResources.steps_sql, as: UTF8.self)
      .replacing("{{dailyMeans}}", with: dailyMeans))

  /// Opens the database of a study day; opened for writing or changing, it gets missing schema steps.
  ///
  /// - Throws: ``StoreError`` as `init(path:for:adding:)`.
  package static func day(_ path: String, for purpose: Purpose) throws(StoreError) -> StudyStore {
    try StudyStore(path: path, for: purpose, adding: stepsOfDay)
  }

  /// Opens a database for writing and does something with it; one that was made for it is removed if that fails.
  @discardableResult
  package static func changeDay<Value>(
    _ path: String, _ body: (StudyStore) throws -> Value
  ) throws -> Value {
    try change(path, adding: stepsOfDay, body)
  }

  /// Opens a database for serving a day; one that is not there is made.
  ///
  /// - Throws: ``StoreError`` as `init(path:for:adding:)`.
  package static func servingPool(_ path: String) throws(StoreError) -> DatabasePool {
    try pool(path, adding: stepsOfDay)
  }

  /// Query of the view of daily means. Views serve other tools; the program itself reads tables only.
  package static let dailyMeans = """
    SELECT subjects.name AS subject, vitals.day, vitals.kind, vital_kinds.unit,
        vital_kinds.importance, count(*) AS n, avg(vitals.value) AS mean,
        min(vitals.value) AS lowest, max(vitals.value) AS highest
      FROM vitals JOIN subjects ON subjects.id = vitals.subject_id
        JOIN vital_kinds ON vital_kinds.kind = vitals.kind
      GROUP BY vitals.subject_id, vitals.day, vitals.kind
    """

  /// The tables that the events of a study day are read from.
  package static let eventTables = ["events"]
  /// The tables that vital signs are read from.
  package static let vitalTables = ["subjects", "vital_kinds", "settings", "imports", "vitals"]
}

extension StudyStore {
  /// Returns the settings of vital signs in a new database.
  static func usualVitalKinds() throws -> EventValue {
    let empty = try DatabaseQueue()
    return try empty.write { db in
      for step in stepsOfDay where ["4-vitals", "12-thresholds"].contains(step.name) {
        try db.execute(sql: step.sql)
      }
      return try db.vitalKinds()
    }
  }
}

extension Database {
  /// Returns the settings of vital signs, ordered by name.
  package func vitalKinds() throws -> EventValue {
    let columns = ["kind", "unit", "least", "most", "importance", "below", "above"]
    return .array(
      try rows("SELECT * FROM vital_kinds ORDER BY kind").map { row in
        .object(Dictionary(uniqueKeysWithValues: columns.map { ($0, row.value($0)) }))
      })
  }

  /// Stores the number of the event that changed the settings, on which advice depends.
  package func recordSettingsChange(_ seq: Int64) throws {
    try set("settings_seq", to: Double(seq))
  }

  package func set(_ setting: String, to value: Double) throws {
    try run(
      "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
      [setting, value])
  }
}

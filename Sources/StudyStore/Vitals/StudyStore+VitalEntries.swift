import Foundation
public import StudyData

extension StudyStore {
  /// Adds a study with the vital signs that lie beside it, in the way of ``add(_:from:selection:)``.
  ///
  /// Vital signs are the same if their UUIDs are, or else if subject, kind, start, end and source are.
  /// Times on the clock of a series are not theirs, so that a selection of times leaves them alone.
  ///
  /// - Returns: How many records of each type were added, changed, left alone and refused, and why
  ///   vital signs were refused.
  /// - Throws: ``StoreError``, with the database as it was.
  public func add(
    _ study: Study, vitals: [VitalEntry], from source: String? = nil,
    selection: ImportSelection = ImportSelection()
  ) throws(StoreError) -> (counts: ImportCounts, refusals: [Diagnostic]) {
    try write(Schema.studyTables + Schema.vitalTables) { db in
      let log = try ImportLog(source: source ?? study.name, inputs: study.inputs, on: db)
      try StudySynchronisation(log: log, selection: selection, on: db).add(study)
      let refusals = try VitalSynchronisation(log: log, selection: selection, on: db).add(vitals)
      try log.close()
      return (log.counts, refusals)
    }
  }

  /// All vital signs, as `vitals.csv` has them: with the values and units they came with.
  ///
  /// Times have an offset from UTC that makes the day what it was, where UTC has another.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func vitalEntries() throws(StoreError) -> [VitalEntry] {
    try read(Schema.vitalTables) { db in
      var entries: [VitalEntry] = []
      let all = try RawStatement(
        """
        SELECT subjects.name, kind, start_utc, end_utc, day, given_value, given_unit, source,
          is_uuid_given, uuid
        FROM vitals JOIN subjects ON subjects.id = subject_id
        ORDER BY subject_id, kind, start_utc, end_utc, source, ordinal
        """, on: db)
      try all.forEach { row in
        guard let start = HealthTime(utc: row.text(2), day: row.text(4)),
          let end = HealthTime(utc: row.text(3), day: nil), row.double(5).isFinite
        else {
          throw StoreDamage("vitals", "an entry has no valid times and value")
        }
        entries.append(
          VitalEntry(
            subject: row.text(0) ?? "", kind: row.text(1) ?? "", start: start.text,
            end: end == start ? nil : HealthTime(seconds: end.seconds, offset: start.offset).text,
            value: row.double(5), unit: row.text(6), source: row.text(7),
            uuid: try row.flag(8, of: "vitals") ? row.uuid(9, of: "vitals").uuid : nil))
      }
      return entries
    }
  }
}

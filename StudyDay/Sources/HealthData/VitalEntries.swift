@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) package import StudyData
@_spi(StudyDay) package import StudyFiles
@_spi(StudyDay) package import StudyStore

extension StudyStore {
  /// Adds the vital signs of a study folder by the rules of `add(_:from:selection:)`; their subjects must exist.
  ///
  /// Two vital signs are one record if their UUIDs agree or, without UUIDs, subject, kind, start, end and source.
  /// A selection of times on the clock of a series does not apply to them.
  ///
  /// - Returns: Numbers of records of each type that were added, changed, left alone and refused, and the
  /// reasons of refusals.
  /// - Throws: `StoreError`, with the database as it was.
  package func add(
    vitals: [VitalEntry], from source: String,
    selection: ImportSelection = ImportSelection()
  ) throws(StoreError) -> (counts: ImportCounts, refusals: [Diagnostic]) {
    try write(Schema.studyTables + StudyStore.vitalTables) { db in
      let log = try ImportLog(source: source, inputs: [], on: db)
      let refusals = try VitalSynchronisation(log: log, selection: selection, on: db).add(vitals)
      try log.close()
      return (log.counts, refusals)
    }
  }

  /// Returns all vital signs for `vitals.csv`, with their original values and units.
  ///
  /// Times get an offset from UTC that keeps their day, where UTC has another one.
  ///
  /// - Throws: `StoreError` if the database cannot be read.
  package func vitalEntries() throws(StoreError) -> [VitalEntry] {
    try read(StudyStore.vitalTables) { db in
      try db.rows(
        """
        SELECT subjects.name, vitals.* FROM vitals JOIN subjects ON subjects.id = subject_id
        ORDER BY subject_id, kind, start_utc, end_utc, source, ordinal
        """
      ).map { row in
        let isGiven: Bool = row["is_uuid_given"]
        let uuid: UUID? = row["uuid"]
        guard let start = HealthTime(utc: row["start_utc"], day: row["day"]),
          let end = HealthTime(utc: row["end_utc"], day: nil),
          let value: Double = row["given_value"], value.isFinite, !isGiven || uuid != nil
        else {
          throw StoreError.damage("vitals", "an entry has no valid times, value and uuid")
        }
        return VitalEntry(
          subject: row["name"], kind: row["kind"], start: start.text,
          end: end == start ? nil : HealthTime(seconds: end.seconds, offset: start.offset).text,
          value: value, unit: row["given_unit"], source: row["source"],
          uuid: isGiven ? uuid : nil)
      }
    }
  }
}

/// Brings the vital signs of a study folder and the database together, inside a transaction.
struct VitalSynchronisation {
  private let log: ImportLog
  private let selection: ImportSelection
  private let vitals: VitalTable
  private let ranges: [VitalKind: ClosedRange<Double>]
  private let subjects: [String: Int64]

  init(log: ImportLog, selection: ImportSelection, on db: Database) throws {
    self.log = log
    self.selection = selection
    vitals = try VitalTable(log: log, on: db)
    ranges = try VitalSettings(db).ranges
    subjects = Dictionary(
      try db.rows("SELECT id, name FROM subjects").map { ($0["name"], $0["id"]) },
      uniquingKeysWith: { $1 })
  }

  /// Adds vital signs; returns why those were left out that cannot be true or cannot be understood.
  func add(_ entries: [VitalEntry]) throws -> [Diagnostic] {
    guard selection.takes(.vitals) else { return [] }
    let taken = entries.filter { entry in
      selection.takes(subject: entry.subject) && selection.kinds?.contains(entry.kind) ?? true
    }
    vitals.expect(taken.lazy.compactMap(\.uuid))
    return try taken.compactMap(add)
  }

  private func add(_ entry: VitalEntry) throws -> Diagnostic? {
    guard let id = subjects[entry.subject] else {
      return refusal(
        .subject, entry, "subject \(entry.subject.quoted) is not in the database",
        remedy: "import the study first or correct the name")
    }
    guard let kind = VitalKind(rawValue: entry.kind) else {
      return refusal(
        .vitalKind, entry, "kind is \(entry.kind.quoted), which is unknown",
        remedy: "write one of \(VitalKind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard let start = HealthTime(anyForm: entry.start),
      let end = HealthTime(anyForm: entry.end ?? entry.start), start <= end
    else {
      return refusal(
        .vitalTime, entry, "start or end is not a valid time, or the end lies before the start",
        remedy: "write a day as 2024-05-01, or a moment as 2024-05-01 20:15:00 +0200")
    }
    let unit = entry.unit ?? kind.unit
    guard let value = kind.value(entry.value, in: unit) else {
      return refusal(
        .vitalUnit, entry, "the unit of \(kind.rawValue) is \(unit.quoted)",
        remedy: "use one that the documentation lists, for example \(kind.unit)")
    }
    guard let range = ranges[kind], range.contains(value) else {
      return refusal(
        .vitalRange, entry, "the \(kind.rawValue) is \(value) \(kind.unit), which is impossible",
        remedy: "correct the value or its unit")
    }
    let record = HealthRecord(
      type: kind.rawValue, value: entry.value, unit: unit, start: start, end: end,
      source: entry.source ?? "")
    try vitals.add(
      record, kind, value, of: (id, entry.subject), entry.uuid)
    return nil
  }

  private func refusal(
    _ code: DiagnosticCode, _ entry: VitalEntry, _ message: String, remedy: String
  ) -> Diagnostic {
    log.refused(.vitals)
    return Diagnostic(
      code, at: entry.location, message: message, remedy: "\(remedy); it was left out")
  }
}

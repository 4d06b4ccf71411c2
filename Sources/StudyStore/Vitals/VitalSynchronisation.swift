import AlcoholKinetics
import GRDB
import StudyData

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
    ranges = try VitalSettings(db).ranges()
    subjects = Dictionary(
      try SubjectLoader(db).subjects().map { ($0.subject.id, $0.id) }, uniquingKeysWith: { $1 })
  }

  /// Adds vital signs; those that cannot be true or cannot be understood are left out.
  ///
  /// - Returns: Why they were.
  func add(_ entries: [VitalEntry]) throws -> [Diagnostic] {
    guard selection.takes(.vitals) else { return [] }
    let taken = entries.filter { entry in
      selection.takes(subject: entry.subject) && selection.kinds?.contains(entry.kind) ?? true
    }
    vitals.expect(taken.lazy.compactMap(\.uuid).map { RecordUUID($0) })
    return try taken.compactMap(add)
  }

  private func add(_ entry: VitalEntry) throws -> Diagnostic? {
    guard let id = subjects[entry.subject] else {
      return refusal(
        .subjectUnknown, entry, "subject \(entry.subject.quoted) is not listed in subjects.csv",
        remedy: "add the subject to subjects.csv or correct the name")
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
      record, kind, value, of: (id, entry.subject), entry.uuid.map { RecordUUID($0) })
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

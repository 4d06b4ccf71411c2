public import AlcoholKinetics
public import Foundation
import GRDB
public import StudyData
import StudyFiles

/// A drink or a reading as the database has it.
public struct StoredRecord<Value: Hashable & Sendable>: Hashable, Sendable {
  public var subject: String
  public var occasion: String?
  public var value: Value
  public var uuid: UUID
  /// Whether it is new; false if the database had it already.
  public var isNew: Bool
  /// Warnings, for instance about a reading that is very high.
  public var findings: [Diagnostic]
}

/// Why a drink or a reading was not stored: the findings that an import of it would report.
public struct RecordRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The findings, at least one of them an error.
  public var findings: [Diagnostic]

  public var description: String { findings.map(\.description).joined(separator: "\n") }
}

extension StudyStore {
  /// Stores one reading, as where readings are taken while they are entered.
  ///
  /// ```swift
  /// let id = UUID()
  /// let stored = try store.insert(
  ///   reading: Reading(time: 1.5, value: 0.25, unit: .breathMilligramsPerLitre), of: "ann", uuid: id)
  /// ```
  ///
  /// The insertion is one transaction of its own and takes about a millisecond, however large the
  /// database is: only the rows that it touches are checked, not whole tables as an import does.
  /// Other connections can read meanwhile. Repeating it with the same UUID and the same values changes
  /// nothing, so a sender that got no answer can simply send again.
  ///
  /// - Parameters:
  ///   - reading: The reading; its time is on the clock of the series.
  ///   - subject: A subject of the study.
  ///   - occasion: The occasion, where there are several; the first record of an occasion begins it.
  ///   - uuid: The UUID that a correction will later be recognised by.
  ///   - source: What took it or entered it.
  /// - Returns: The reading as the database has it, with warnings about it.
  /// - Throws: ``RecordRefusal`` if the subject is unknown, the UUID belongs to another record or the
  ///   values are impossible; ``StoreError`` if the database cannot be changed. Nothing is stored then.
  @discardableResult
  public func insert(
    reading: Reading, of subject: String, on occasion: String? = nil, uuid: UUID = UUID(),
    source: String? = nil
  ) throws -> StoredRecord<Reading> {
    try insert(ReadingRow.self, reading, uuid, subject, occasion, source)
  }

  /// Stores one drink, in the way of ``insert(reading:of:on:uuid:source:)``.
  @discardableResult
  public func insert(
    drink: Drink, of subject: String, on occasion: String? = nil, uuid: UUID = UUID(),
    source: String? = nil
  ) throws -> StoredRecord<Drink> {
    try insert(DrinkRow.self, drink, uuid, subject, occasion, source)
  }

  private func insert<Row: CheckedRow>(
    _ type: Row.Type, _ value: Row.Value, _ uuid: UUID, _ subject: String, _ occasion: String?,
    _ source: String?
  ) throws -> StoredRecord<Row.Value> {
    let record = StoredRecord(
      subject: subject, occasion: occasion, value: value, uuid: uuid, isNew: true, findings: [])
    // A refusal changes nothing, and goes past what an error of the database becomes.
    return try write([]) { db in
      try RecordInsertion<Row>(db: db, path: path).insert(record, source: source)
    }.get()
  }
}

private struct RecordInsertion<Row: CheckedRow> {
  let db: Database
  let path: String

  func insert(
    _ record: StoredRecord<Row.Value>, source: String?
  ) throws -> Result<StoredRecord<Row.Value>, RecordRefusal> {
    if let old = try Row.row(record.uuid, in: db) { return try repeated(record, old) }
    guard try !isUsedElsewhere(record.uuid) else {
      return refusal(
        .duplicate,
        "the UUID \(record.uuid.text) belongs to a \(Row.kind == "drink" ? "reading" : "drink")",
        remedy: "give every drink and reading a UUID of its own")
    }
    guard let subject = try SubjectRecord.number(of: record.subject, in: db) else {
      return refusal(
        .subject, "subject \(record.subject.quoted) is not in the database",
        remedy: "import the subject first or correct the name")
    }
    let findings = findings(on: record)
    guard !findings.contains(where: { $0.severity == .error }) else {
      return .failure(RecordRefusal(findings: findings))
    }
    let occasions = try SeriesTable(of: subject, on: db)
    let series = try occasions.add(record.occasion, of: subject).id
    try ServedRecords(in: db).requireOther(series: series)
    let instrument = try StudyRecord(in: db)?.instrument ?? 0
    try Row.insert(
      record.value, uuid: record.uuid, source: source, series: series, instrument: instrument,
      in: db)
    try occasions.removeEmptyOnes()
    try Row.removeFindings(on: series, in: db)
    var stored = record
    stored.findings = findings
    return .success(stored)
  }

  /// What came once is stored; something else with its UUID is refused.
  private func repeated(
    _ record: StoredRecord<Row.Value>, _ old: Row
  ) throws -> Result<StoredRecord<Row.Value>, RecordRefusal> {
    var stored = record
    guard let place = try SeriesTable.name(of: old.series, in: db),
      place == (record.subject, record.occasion),
      old.value == record.value
    else {
      return refusal(
        .duplicate, "the UUID \(record.uuid.text) belongs to another of the \(Row.table)",
        remedy: "give every drink and reading a UUID of its own; correct a stored one by an import")
    }
    stored.isNew = false
    return .success(stored)
  }

  private func isUsedElsewhere(_ uuid: UUID) throws -> Bool {
    try Row.kind == "drink"
      ? ReadingRow.row(uuid, in: db) != nil : DrinkRow.row(uuid, in: db) != nil
  }

  /// What the check of stored studies finds, without the number of a row that is not there yet.
  private func findings(on record: StoredRecord<Row.Value>) -> [Diagnostic] {
    var check = StoredStudyCheck(of: path)
    var series = StoredSeries(
      id: 0, subject: Subject(id: record.subject), occasion: record.occasion, findings: [])
    var row = Row(record.value, ordinal: 0, uuid: record.uuid, series: 0, instrument: 0)
    row.isUUIDGiven = true
    row.add(to: &series, &check)
    return series.findings.map { finding in
      var finding = finding
      finding.message.replace("\(Row.table), row 1 of series 0: ", with: "", maxReplacements: 1)
      return finding
    }
  }

  private func refusal(
    _ code: DiagnosticCode, _ message: String, remedy: String
  ) -> Result<StoredRecord<Row.Value>, RecordRefusal> {
    let finding = Diagnostic(
      code, at: SourceLocation(file: path), message: message,
      remedy: "\(remedy); nothing was stored")
    return .failure(RecordRefusal(findings: [finding]))
  }
}

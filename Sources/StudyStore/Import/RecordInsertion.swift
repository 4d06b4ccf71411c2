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
  /// True if it is new; false if the database had it already.
  public var isNew: Bool
  /// Warnings, for instance about a reading that is very high.
  public var findings: [Diagnostic]
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
  /// - Throws: `StudyError` if the subject is unknown, the UUID belongs to another record or the
  ///   values are impossible; ``StoreError`` if the database cannot be changed. Nothing is stored then.
  @discardableResult
  public func insert(
    reading: Reading, of subject: String, on occasion: String? = nil, uuid: UUID = UUID(),
    source: String? = nil
  ) throws -> StoredRecord<Reading> {
    try insert(reading, uuid, subject, occasion, source)
  }

  /// Stores one drink, in the way of ``insert(reading:of:on:uuid:source:)``.
  @discardableResult
  public func insert(
    drink: Drink, of subject: String, on occasion: String? = nil, uuid: UUID = UUID(),
    source: String? = nil
  ) throws -> StoredRecord<Drink> {
    try insert(drink, uuid, subject, occasion, source)
  }

  private func insert<Value: CheckedValue>(
    _ value: Value, _ uuid: UUID, _ subject: String, _ occasion: String?, _ source: String?
  ) throws -> StoredRecord<Value> {
    let record = StoredRecord(
      subject: subject, occasion: occasion, value: value, uuid: uuid, isNew: true, findings: [])
    // A refusal changes nothing, and goes past what an error of the database becomes.
    return try write([]) { db in
      try RecordInsertion<Value>(db: db, path: path).insert(record, source: source)
    }.get()
  }
}

private struct RecordInsertion<Value: CheckedValue> {
  private typealias Row = RecordRow<Value>

  let db: Database
  let path: String

  func insert(
    _ record: StoredRecord<Value>, source: String?
  ) throws -> Result<StoredRecord<Value>, StudyError> {
    var stored = record
    let ownUUIDs = "give every drink and reading a UUID of its own"
    if let old = try Row.row(record.uuid, in: db) {
      // What came once is stored; something else with its UUID is refused.
      guard old.value == record.value, try isPlace(of: record, old.series) else {
        return refusal(
          .duplicate, "the UUID \(record.uuid.text) belongs to another of the \(Value.table.name)",
          remedy: "\(ownUUIDs); correct a stored one by an import")
      }
      stored.isNew = false
      return .success(stored)
    }
    let isOther =
      try Value.self == Drink.self
      ? RecordRow<Reading>.row(record.uuid, in: db) != nil
      : RecordRow<Drink>.row(record.uuid, in: db) != nil
    guard !isOther else {
      return refusal(
        .duplicate,
        "the UUID \(record.uuid.text) belongs to a \(Value.self == Drink.self ? "reading" : "drink")",
        remedy: ownUUIDs)
    }
    let number: Int64? = try db.value("SELECT id FROM subjects WHERE name = ?", [record.subject])
    guard let number else {
      return refusal(
        .subject, "subject \(record.subject.quoted) is not in the database",
        remedy: "import the subject first or correct the name")
    }
    stored.findings = findings(on: record)
    guard !stored.findings.contains(where: { $0.severity == .error }) else {
      return .failure(StudyError(kind: .badData, diagnostics: stored.findings))
    }
    let occasions = try SeriesTable(of: number, on: db)
    let series = try occasions.add(record.occasion, of: number).id
    try ServedRecords(in: db).requireNotServed(series: series)
    try Row.insert(
      record.value, uuid: record.uuid, source: source, series: series,
      instrument: StudyRecord(in: db)?.instrument ?? 0, in: db)
    try occasions.removeEmptyOnes()
    try Row.removeFindings(on: series, in: db)
    return .success(stored)
  }

  private func isPlace(of record: StoredRecord<Value>, _ series: Int64) throws -> Bool {
    try db.has(
      """
      SELECT 1 FROM series JOIN subjects ON subjects.id = subject_id
      WHERE series.id = ? AND name = ? AND occasion IS ?
      """, [series, record.subject, record.occasion])
  }

  /// The findings of the check of stored studies, without the number of a row that does not exist
  /// yet.
  private func findings(on record: StoredRecord<Value>) -> [Diagnostic] {
    var check = StoredStudyCheck(of: path)
    var series = StoredSeries(
      id: 0, subject: Subject(id: record.subject), occasion: record.occasion, findings: [])
    record.value.add(record.uuid, source: nil, to: &series, &check)
    return series.findings.map { finding in
      var finding = finding
      finding.message.replace(
        "\(Value.table.name), row 1 of series 0: ", with: "", maxReplacements: 1)
      return finding
    }
  }

  private func refusal(
    _ code: DiagnosticCode, _ message: String, remedy: String
  ) -> Result<StoredRecord<Value>, StudyError> {
    let finding = Diagnostic(
      code, at: SourceLocation(file: path), message: message,
      remedy: "\(remedy); nothing was stored")
    return .failure(StudyError(kind: .badData, diagnostics: [finding]))
  }
}

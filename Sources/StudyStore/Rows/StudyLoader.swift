import AlcoholKinetics
import Foundation
import GRDB
import StudyData
import StudyFiles

/// Reads a study from tables that are whole, a series at a time, and checks what is in them.
///
/// All subjects and series are in memory, but drinks and readings of only one series at a time.
final class StudyLoader {
  private let db: Database
  private let record: StudyRecord?
  private var check: StoredStudyCheck
  /// The findings in the files that belong to no single series.
  private let fileFindings: [Diagnostic]
  /// The series, whose drinks and readings have not been read.
  private var series: [StoredSeries] = []
  private var position = 0

  /// Prepares to read; findings call the database by its path.
  init(_ db: Database, path: String) throws {
    self.db = db
    record = try StudyRecord(in: db)
    check = StoredStudyCheck(of: path)
    let findings = try Self.findings(in: db)
    fileFindings = findings.filter { $0.series == nil }.map(\.diagnostic)
    series = try emptySeries(findings)
    check.warnsAboutMissingWeight = series.contains { $0.subject.weight != nil }
    check.warnsAboutMissingReadings = try db.has("SELECT 1 FROM readings")
    if !fileFindings.contains(where: { $0.code == .noReadings }) { check.reportMissingReadings() }
  }

  func study() throws -> Study {
    var all: [Series] = []
    while let series = try next() { all.append(series) }
    return Study(
      name: name, title: record?.title, instrument: try instrument(), series: all,
      diagnostics: findings, inputs: try inputs())
  }

  var name: String { record?.name ?? "" }

  var title: String? { record?.title }

  var count: Int { series.count }

  /// The findings that belong to the study as a whole.
  var findings: [Diagnostic] {
    let codes = Set(fileFindings.map(\.code))
    return fileFindings + check.findings.filter { !codes.contains($0.code) }
  }

  func instrument() throws -> Instrument? {
    guard let number = record?.instrument,
      let row = try db.row("SELECT * FROM instruments WHERE id = ?", [number])
    else { return nil }
    return try Instrument(row)
  }

  /// The files, each with the digest that was imported last.
  func inputs() throws -> [InputDigest] {
    try db.rows(
      """
      SELECT file, sha256 FROM inputs
      WHERE id IN (SELECT max(id) FROM inputs GROUP BY file) ORDER BY id
      """
    ).map { InputDigest(file: $0["file"], sha256: $0["sha256"]) }
  }

  // MARK: Series

  /// The next series, in the order of subjects; nil after the last.
  func next() throws -> Series? {
    guard position < series.count else { return nil }
    var next = series[position]
    position += 1
    try add(Drink.self, to: &next)
    try add(Reading.self, to: &next)
    return check.finish(next)
  }

  private func add<Value: CheckedValue>(_ type: Value.Type, to series: inout StoredSeries) throws {
    for row in try RecordRow<Value>.rows(of: series.id, in: db) {
      row.value.add(row.isUUIDGiven ? row.uuid : nil, source: row.source, to: &series, &check)
    }
  }

  private func emptySeries(_ findings: [Finding]) throws -> [StoredSeries] {
    var subjects: [Int64: (subject: Subject, findings: [Diagnostic])] = [:]
    for record in try SubjectRecord.all(in: db) {
      var subject = record.subject
      var findings: [Diagnostic] = []
      check.check(&subject, in: "subjects", row: record.id, findings: &findings)
      subjects[record.id] = (subject, findings)
    }
    let bySeries = Dictionary(grouping: findings, by: \.series)
    var series: [StoredSeries] = []
    let rows = try db.rows(
      """
      SELECT id, subject_id, occasion, age_y, height_m, weight_kg FROM series
      ORDER BY subject_id, id
      """)
    for row in rows {
      let id: Int64 = row["id"]
      guard var (subject, ownFindings) = subjects[row["subject_id"]] else { continue }
      var measures = Subject(
        id: subject.id, age: row["age_y"].map { Years($0) },
        height: row["height_m"].map { Metres($0) }, weight: row["weight_kg"].map { Kilograms($0) })
      check.check(&measures, in: "series", row: id, findings: &ownFindings)
      subject.age = measures.age ?? subject.age
      subject.height = measures.height ?? subject.height
      subject.weight = measures.weight ?? subject.weight
      series.append(
        StoredSeries(
          id: id, subject: subject, occasion: row["occasion"],
          findings: (bySeries[id] ?? []).map(\.diagnostic) + ownFindings))
    }
    return series
  }

  // MARK: Findings

  private struct Finding {
    var series: Int64?
    var diagnostic: Diagnostic
  }

  private static func findings(in db: Database) throws -> [Finding] {
    try db.rows("SELECT * FROM findings ORDER BY id").map { row in
      guard let code = DiagnosticCode(named: row["code"]) else {
        throw StoreError.damage("findings", "a finding has an unknown code")
      }
      let location = SourceLocation(
        file: row["file"], line: row["line"], column: row["column_number"])
      return Finding(
        series: row["series_id"],
        diagnostic: Diagnostic(
          code, at: location, message: row["message"], remedy: row["remedy"]))
    }
  }
}

/// A drink or a reading, which is checked as a row of a file is.
protocol CheckedValue: RecordValue {
  func add(
    _ uuid: UUID?, source: String?, to series: inout StoredSeries, _ check: inout StoredStudyCheck)
}

extension Drink: CheckedValue {
  func add(
    _ uuid: UUID?, source: String?, to series: inout StoredSeries, _ check: inout StoredStudyCheck
  ) {
    check.add(self, uuid, to: &series)
  }
}

extension Reading: CheckedValue {
  func add(
    _ uuid: UUID?, source: String?, to series: inout StoredSeries, _ check: inout StoredStudyCheck
  ) {
    check.add(self, uuid, source: source, to: &series)
  }
}

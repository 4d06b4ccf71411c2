import AlcoholKinetics
import Foundation
package import GRDB
package import StudyData

/// Reads the whole study, from tables that are whole, and checks what is in them.
package struct StudyLoader {
  private let db: Database
  private var check: StoredStudyCheck

  private init(_ db: Database, path: String) {
    self.db = db
    check = StoredStudyCheck(of: path)
  }

  /// Reads it; findings call the database by its path.
  package static func study(_ db: Database, path: String) throws -> Study {
    var loader = StudyLoader(db, path: path)
    return try loader.study()
  }

  private mutating func study() throws -> Study {
    let record = try StudyRecord.fetchOne(db)
    let instrument = try record?.instrumentId.flatMap { id in
      try InstrumentRecord.filter(GRDB.Column("id") == id).fetchOne(db)?.instrument()
    }
    let findings = try findings()
    let known = findings.filter { $0.series == nil }.map(\.diagnostic)
    let series = check.finish(
      try series(findings), isSilenceKnown: known.contains { $0.code == .noReadings })
    return Study(
      name: record?.name ?? "",
      title: record?.title,
      instrument: instrument,
      series: series,
      diagnostics: known + check.findings,
      inputs: try inputs())
  }

  /// The files, each with the digest that was imported last.
  private func inputs() throws -> [InputDigest] {
    try SafeRow.all(
      db,
      """
      SELECT file, sha256 FROM inputs
      WHERE id IN (SELECT max(id) FROM inputs GROUP BY file) ORDER BY id
      """
    ).map { InputDigest(file: $0["file"], sha256: $0["sha256"]) }
  }

  // MARK: Series

  private mutating func series(_ findings: [Finding]) throws -> [StoredSeries] {
    var (series, indices) = try emptySeries(findings)
    try addDrinks(to: &series, indices)
    try addReadings(to: &series, indices)
    return series
  }

  private mutating func emptySeries(
    _ findings: [Finding]
  ) throws -> ([StoredSeries], [Int64: Int]) {
    var subjects: [Int64: (subject: Subject, findings: [Diagnostic])] = [:]
    for (id, subject) in try SubjectTable.subjects(in: db) {
      var (subject, findings) = (subject, [Diagnostic]())
      check.check(&subject, in: "subjects", row: id, findings: &findings)
      subjects[id] = (subject, findings)
    }
    let known = Dictionary(grouping: findings, by: \.series)
    var series: [StoredSeries] = []
    var indices: [Int64: Int] = [:]
    let all = try RawStatement(
      """
      SELECT id, subject_id, occasion, age_y, height_m, weight_kg FROM series
      ORDER BY subject_id, id
      """, on: db)
    while try all.step() {
      let id = all.integer(0)
      guard var (subject, ownFindings) = subjects[all.integer(1)] else { continue }
      var measures = Subject(
        id: subject.id, age: all.optionalDouble(3).map { Years($0) },
        height: all.optionalDouble(4).map { Metres($0) },
        weight: all.optionalDouble(5).map { Kilograms($0) })
      check.check(&measures, in: "series", row: id, findings: &ownFindings)
      subject.age = measures.age ?? subject.age
      subject.height = measures.height ?? subject.height
      subject.weight = measures.weight ?? subject.weight
      indices[id] = series.count
      series.append(
        StoredSeries(
          id: id, subject: subject, occasion: all.text(2),
          findings: (known[id] ?? []).map(\.diagnostic) + ownFindings))
    }
    return (series, indices)
  }

  private mutating func addDrinks(
    to series: inout [StoredSeries], _ indices: [Int64: Int]
  ) throws {
    let all = try rows(of: DrinkRow.self)
    while try all.step() {
      let row = try DrinkRow(all)
      guard let index = indices[row.series] else { continue }
      check.add(row.value, row.isUUIDGiven ? row.uuid : nil, to: &series[index])
    }
  }

  private mutating func addReadings(
    to series: inout [StoredSeries], _ indices: [Int64: Int]
  ) throws {
    let all = try rows(of: ReadingRow.self)
    var last: (id: Int64, index: Int)?
    while try all.step() {
      let row = try ReadingRow(all)
      if last?.id != row.series { last = indices[row.series].map { (row.series, $0) } }
      guard let index = last?.index else { continue }
      check.add(row.value, row.isUUIDGiven ? row.uuid : nil, to: &series[index])
    }
  }

  /// All rows of a table, in the order of their keys.
  private func rows(of type: (some RecordRow).Type) throws -> RawStatement {
    try RawStatement("\(type.selection) ORDER BY \(type.keys.joined(separator: ", "))", on: db)
  }

  // MARK: Findings

  private struct Finding {
    var series: Int64?
    var diagnostic: Diagnostic
  }

  private func findings() throws -> [Finding] {
    try SafeRow.all(db, "SELECT * FROM findings ORDER BY id").map { row in
      guard let code = DiagnosticCode(rawValue: row["code"]) else {
        throw StoreDamage("findings", "a finding has an unknown code")
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

import AlcoholKinetics
import Foundation
import GRDB
import StudyData

/// Reads the whole study, from tables that are whole, and checks what is in them.
struct StudyLoader {
  private let db: Database
  private var check: StoredStudyCheck

  private init(_ db: Database, path: String) {
    self.db = db
    check = StoredStudyCheck(of: path)
  }

  /// Reads it; findings call the database by its path.
  static func study(_ db: Database, path: String) throws -> Study {
    var loader = StudyLoader(db, path: path)
    return try loader.study()
  }

  private mutating func study() throws -> Study {
    let row = try SafeRow.first(
      db,
      """
      SELECT study.name AS study_name, title, instrument_id, instruments.*
      FROM study LEFT JOIN instruments ON instruments.id = instrument_id
      """)
    let instrumentID = row?["instrument_id"] as Int64?
    let instrument = instrumentID == nil ? nil : row.map { Instrument($0) }
    try instrument?.requirePossible()
    let findings = try findings()
    let known = findings.filter { $0.series == nil }.map(\.diagnostic)
    let series = check.finish(
      try series(findings), isSilenceKnown: known.contains { $0.code == .noReadings })
    return Study(
      name: row?["study_name"] ?? "",
      title: row?["title"],
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
    for (id, subject) in try SubjectLoader(db).subjects() {
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
    try all.forEach { row in
      let id = row.integer(0)
      guard var (subject, ownFindings) = subjects[row.integer(1)] else { return }
      var measures = Subject(
        id: subject.id, age: row.optionalDouble(3).map { Years($0) },
        height: row.optionalDouble(4).map { Metres($0) },
        weight: row.optionalDouble(5).map { Kilograms($0) })
      check.check(&measures, in: "series", row: id, findings: &ownFindings)
      subject.age = measures.age ?? subject.age
      subject.height = measures.height ?? subject.height
      subject.weight = measures.weight ?? subject.weight
      indices[id] = series.count
      series.append(
        StoredSeries(
          id: id, subject: subject, occasion: row.text(2),
          findings: (known[id] ?? []).map(\.diagnostic) + ownFindings))
    }
    return (series, indices)
  }

  private mutating func addDrinks(
    to series: inout [StoredSeries], _ indices: [Int64: Int]
  ) throws {
    let all = try RawStatement(
      """
      SELECT series_id, time_h, duration_h, ethanol_g, ethanol_g_per_kg, is_uuid_given, uuid,
        route
      FROM drinks
      ORDER BY series_id, time_h, ordinal
      """, on: db)
    while try all.step() {
      guard let index = indices[all.integer(0)] else { continue }
      let drink = Drink(
        time: Hours(all.double(1)), duration: Hours(all.double(2)),
        ethanol: EthanolDose(grams: all.optionalDouble(3), perKilogram: all.double(4)),
        route: try all.route(7, of: "drinks"))
      let uuid = try all.flag(5, of: "drinks") ? all.uuid(6, of: "drinks").uuid : nil
      check.add(drink, uuid, to: &series[index])
    }
  }

  private mutating func addReadings(
    to series: inout [StoredSeries], _ indices: [Int64: Int]
  ) throws {
    let all = try RawStatement(
      """
      SELECT series_id, time_h, unit, value, limit_of_detection, is_excluded, is_uuid_given, uuid
      FROM readings
      ORDER BY series_id, time_h, unit, ordinal
      """, on: db)
    var last: (id: Int64, index: Int)?
    while try all.step() {
      let id = all.integer(0)
      if last?.id != id { last = indices[id].map { (id, $0) } }
      guard let index = last?.index else { continue }
      let reading = Reading(
        time: Hours(all.double(1)), value: all.double(3), unit: try all.unit(2),
        limitOfDetection: all.optionalDouble(4), isExcluded: try all.flag(5, of: "readings"))
      let uuid = try all.flag(6, of: "readings") ? all.uuid(7, of: "readings").uuid : nil
      check.add(reading, uuid, to: &series[index])
    }
  }

  // MARK: Findings

  private struct Finding {
    var series: Int64?
    var diagnostic: Diagnostic
  }

  private func findings() throws -> [Finding] {
    try SafeRow.all(db, "SELECT * FROM findings ORDER BY id").map { row in
      guard let code = DiagnosticCode(rawValue: row["code"]) else {
        throw StoreDamage("findings", "a finding has a code that is not known")
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

extension Instrument {
  /// Ends the reading of a study whose instrument cannot be, by the rules of a study's descriptor.
  fileprivate func requirePossible() throws {
    for (name, value, rule) in [
      ("resolution", resolution, "above 0"), ("relative_accuracy", relativeAccuracy, "0 to 1"),
      ("limit_of_detection", limitOfDetection, "0 or more"),
      ("mouth_alcohol_window_h", mouthAlcoholWindow?.value, "0 or more"),
    ] {
      guard let value else { continue }
      let isPossible =
        switch rule {
        case "above 0": value > 0
        case "0 to 1": 0...1 ~= value
        default: value >= 0
        }
      guard !isPossible || !value.isFinite else { continue }
      throw StoreDamage(
        "instruments", "\(name) is \(value), and must be \(rule)",
        remedy: "correct it, or import the study again")
    }
  }
}

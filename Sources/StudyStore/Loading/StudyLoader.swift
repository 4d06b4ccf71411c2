import AlcoholKinetics
import Foundation
import GRDB
import StudyData

/// Reads the whole study.
struct StudyLoader {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  func study() throws -> Study {
    let row = try SafeRow.first(
      db,
      """
      SELECT study.name AS study_name, title, instrument_id, instruments.*
      FROM study LEFT JOIN instruments ON instruments.id = instrument_id
      """)
    let instrumentID = row?["instrument_id"] as Int64?
    return Study(
      name: row?["study_name"] ?? "",
      title: row?["title"],
      instrument: instrumentID == nil ? nil : row.map { Instrument($0) },
      series: try series(),
      diagnostics: try findings("series_id IS NULL").map(\.diagnostic),
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

  private func series() throws -> [Series] {
    let subjects = Dictionary(
      try SubjectLoader(db).subjects().map { ($0.id, $0.subject) }, uniquingKeysWith: { $1 })
    var (series, indices) = try emptySeries(subjects)
    try addDrinks(to: &series, indices)
    try addReadings(to: &series, indices)
    for finding in try findings("series_id IS NOT NULL") {
      guard let index = indices[finding.series] else { continue }
      series[index].diagnostics.append(finding.diagnostic)
    }
    return series
  }

  private func emptySeries(_ subjects: [Int64: Subject]) throws -> ([Series], [Int64: Int]) {
    var series: [Series] = []
    var indices: [Int64: Int] = [:]
    let all = try RawStatement(
      """
      SELECT id, subject_id, occasion, age_y, height_m, weight_kg FROM series
      ORDER BY subject_id, id
      """, on: db)
    try all.forEach { row in
      guard var subject = subjects[row.integer(1)] else { return }
      subject.age = row.optionalDouble(3).map { Years($0) } ?? subject.age
      subject.height = row.optionalDouble(4).map { Metres($0) } ?? subject.height
      subject.weight = row.optionalDouble(5).map { Kilograms($0) } ?? subject.weight
      indices[row.integer(0)] = series.count
      series.append(
        Series(subject: subject, occasion: row.text(2), drinks: [], readings: []))
    }
    return (series, indices)
  }

  private func addDrinks(to series: inout [Series], _ indices: [Int64: Int]) throws {
    let all = try RawStatement(
      """
      SELECT series_id, time_h, duration_h, ethanol_g, ethanol_g_per_kg, is_uuid_given, uuid
      FROM drinks
      ORDER BY series_id, time_h, ordinal
      """, on: db)
    try all.forEach { row in
      guard let index = indices[row.integer(0)] else { return }
      series[index].drinks.append(
        Drink(
          time: Hours(row.double(1)), duration: Hours(row.double(2)),
          ethanol: EthanolDose(grams: row.optionalDouble(3), perKilogram: row.double(4))))
      guard row.integer(5) != 0 else { return }
      series[index].uuids.drinks.append(row.uuid(6).uuid, at: series[index].drinks.count - 1)
    }
  }

  private func addReadings(to series: inout [Series], _ indices: [Int64: Int]) throws {
    let all = try RawStatement(
      """
      SELECT series_id, time_h, unit, value, limit_of_detection, is_excluded, is_uuid_given, uuid
      FROM readings
      ORDER BY series_id, time_h, unit, ordinal
      """, on: db)
    var last: (id: Int64, index: Int)?
    try all.forEach { row in
      let id = row.integer(0)
      if last?.id != id { last = indices[id].map { (id, $0) } }
      guard let index = last?.index else { return }
      series[index].readings.append(
        Reading(
          time: Hours(row.double(1)), value: row.double(3), unit: try unit(row.text(2)),
          limitOfDetection: row.optionalDouble(4), isExcluded: row.integer(5) != 0))
      guard row.integer(6) != 0 else { return }
      series[index].uuids.readings.append(row.uuid(7).uuid, at: series[index].readings.count - 1)
    }
  }

  private func unit(_ name: String?) throws -> ConcentrationUnit {
    guard let unit = name.flatMap(ConcentrationUnit.init) else {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "a reading has no unit that is known")
    }
    return unit
  }

  // MARK: Findings

  private func findings(
    _ condition: String
  ) throws -> [(series: Int64, diagnostic: Diagnostic)] {
    try SafeRow.all(
      db, "SELECT * FROM findings WHERE \(condition) ORDER BY id"
    ).map { row in
      guard let code = DiagnosticCode(rawValue: row["code"]) else {
        throw DatabaseError(
          resultCode: .SQLITE_CORRUPT, message: "a finding has a code that is not known")
      }
      let location = SourceLocation(
        file: row["file"], line: row["line"], column: row["column_number"])
      return (
        row["series_id"] ?? 0,
        Diagnostic(code, at: location, message: row["message"], remedy: row["remedy"])
      )
    }
  }
}

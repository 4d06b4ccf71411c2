@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Drinks and readings of Apple Health, which have a date: an occasion lasts from noon to noon, is
/// named by its first day, and counts its times from the first noon.
final class HealthEvents {
  private struct Occasion {
    var series: Int64
    var start: HealthTime
  }

  private let db: Database
  private let log: ImportLog
  private let subject: (id: Int64, name: String)
  private let series: SeriesTable
  private let served: ServedRecords
  private var occasions: [String: Occasion] = [:]
  /// Number of times that a record occurred in this export; two drinks may share one minute.
  private var counts: [UUID: Int] = [:]

  init(log: ImportLog, subject: (id: Int64, name: String), on db: Database) throws {
    self.db = db
    self.log = log
    self.subject = subject
    series = try SeriesTable(on: db)
    served = try ServedRecords(in: db)
  }

  func removeEmptyOnes() throws {
    try series.removeEmptyOnes()
  }

  func addDrink(_ record: HealthRecord, ethanol: Grams) throws {
    let duration = Hours(Double(record.end.seconds - record.start.seconds) / 3600)
    try add(record, .drinks) { (time, old: Drink?) in
      Drink(
        time: old?.time ?? time, duration: old?.duration ?? duration, ethanol: .mass(ethanol))
    }
  }

  func addReading(_ record: HealthRecord, gramsPer100Millilitres value: Double) throws {
    try add(record, .readings) { (time, old: Reading?) in
      var reading = old ?? Reading(time: time, value: value, unit: .bloodGramsPer100Millilitres)
      reading.value = value
      return reading
    }
  }

  /// Adds the value made of a record, or updates the one made of it before.
  private func add<Value: RecordValue>(
    _ record: HealthRecord, _ type: RecordType, _ make: (_ time: Hours, _ old: Value?) -> Value
  ) throws {
    let uuid = uuid(of: record)
    guard let old = try RecordRow<Value>.row(uuid, in: db) else {
      let occasion = try occasion(from: record.start.noonBefore)
      try served.requireNotServed(series: occasion.series)
      let time = Hours(Double(record.start.seconds - occasion.start.seconds) / 3600)
      try RecordRow.insert(
        make(time, nil), uuid: uuid, source: record.source, series: occasion.series, in: db)
      return log.added(type)
    }
    var new = old
    new.value = make(old.value.time, old.value)
    let changes = new.changes(from: old)
    if !changes.isEmpty {
      try served.requireNotServed(series: old.series)
      try new.update(from: old, in: db)
    }
    try log.record(type, row: uuid.text, changes)
  }

  private func uuid(of record: HealthRecord) -> UUID {
    let first = record.identity(of: subject.name, ordinal: 0)
    let ordinal = counts[first, default: 0]
    counts[first] = ordinal + 1
    return ordinal == 0 ? first : record.identity(of: subject.name, ordinal: ordinal)
  }

  /// The occasion of a noon. Where the clocks change in the night, all of its times count from the
  /// noon that was noted first.
  private func occasion(from noon: HealthTime) throws -> Occasion {
    if let occasion = occasions[noon.day] { return occasion }
    let row = try series.add(noon.day, of: subject.id, startsUTC: noon.utc, day: noon.day)
    let stored: String? = try db.value("SELECT starts_utc FROM series WHERE id = ?", [row.id])
    let start = stored.flatMap { HealthTime("\($0) +0000") } ?? noon
    let occasion = Occasion(series: row.id, start: start)
    occasions[noon.day] = occasion
    return occasion
  }
}

/// Body measures of a subject from Apple Health, at the time of each occasion. Sessions of a study day keep those of
/// check-in.
struct HealthMeasures {
  let db: Database
  let subject: Int64

  func set(_ person: HealthParser.Person) throws {
    let sex: String? =
      switch person.sex {
      case "HKBiologicalSexMale": "male"
      case "HKBiologicalSexFemale": "female"
      default: nil
      }
    let birth = person.dateOfBirth.flatMap(CalendarDay.init)?.text
    try db.run(
      """
      UPDATE subjects SET sex = coalesce(?1, sex), date_of_birth = coalesce(?2, date_of_birth)
      WHERE id = ?3 AND NOT EXISTS (SELECT 1 FROM sessions JOIN series ON series.id = series_id
        WHERE subject_id = ?3)
      """, [sex, birth, subject])
  }

  /// Weight and height are those measured last before an occasion was over, or else first after;
  /// age is in completed years. The subject's own are those of the last occasion, or the last.
  func assignToOccasions() throws {
    for (column, kind, unit) in [("weight_kg", "BodyMass", 1.0), ("height_m", "Height", 100)] {
      let measured = "SELECT value / \(unit) FROM vitals WHERE subject_id = ?1 AND kind = '\(kind)'"
      try db.run(
        """
        UPDATE series SET \(column) = coalesce(
          (\(measured) AND start_utc < datetime(series.starts_utc, '+1 day')
            ORDER BY start_utc DESC LIMIT 1),
          (\(measured) ORDER BY start_utc LIMIT 1), \(column))
        WHERE subject_id = ?1 AND starts_utc IS NOT NULL
          AND id NOT IN (SELECT series_id FROM sessions)
        """, [subject])
      try db.run(
        """
        UPDATE subjects SET \(column) = coalesce(
          (\(measured) ORDER BY start_utc DESC LIMIT 1), \(column)) WHERE id = ?1
        """, [subject])
    }
    try db.run(
      """
      UPDATE series SET age_y = coalesce(
        (SELECT strftime('%Y', day) - strftime('%Y', date_of_birth)
            - (strftime('%m-%d', day) < strftime('%m-%d', date_of_birth))
          FROM subjects WHERE id = ?1), age_y)
      WHERE subject_id = ?1 AND day IS NOT NULL
        AND id NOT IN (SELECT series_id FROM sessions)
      """, [subject])
  }
}

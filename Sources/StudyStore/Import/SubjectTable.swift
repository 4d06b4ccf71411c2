import AlcoholKinetics
import GRDB

/// The table of subjects, with their measures in memory.
final class SubjectTable {
  private let db: Database
  private let log: ImportLog
  private let served: ServedRecords
  private var records: [String: SubjectRecord] = [:]
  /// The subjects that this import has already compared: a subject comes once for each series.
  private var compared: Set<Int64> = []

  init(log: ImportLog, _ served: ServedRecords, on db: Database) throws {
    self.db = db
    self.log = log
    self.served = served
    for record in try SubjectRecord.all(in: db) { records[record.subject.id] = record }
  }

  /// Finds or makes a subject. Measures that the new description lacks stay as they were.
  func add(_ subject: Subject) throws -> Int64 {
    guard let old = records[subject.id] else {
      try db.run(
        "INSERT INTO subjects (name, sex, age_y, height_m, weight_kg) VALUES (?, ?, ?, ?, ?)",
        [subject.id] + subject.measures.map(\.1))
      let id = db.lastInsertedRowID
      try set(subject.covariates, besides: [:], of: id)
      records[subject.id] = SubjectRecord(id: id, subject: subject)
      compared.insert(id)
      log.added(.subjects)
      return id
    }
    guard compared.insert(old.id).inserted else { return old.id }
    let merged = old.subject.updated(by: subject)
    let changes = merged.changes(from: old.subject)
    if !changes.isEmpty {
      try served.requireNotServed(subject: old.id, subject.id)
      try db.run(
        "UPDATE subjects SET sex = ?, age_y = ?, height_m = ?, weight_kg = ? WHERE id = ?",
        merged.measures.map(\.1) + [old.id])
      try set(merged.covariates, besides: old.subject.covariates, of: old.id)
    }
    try log.record(.subjects, row: subject.id, changes)
    records[subject.id] = SubjectRecord(id: old.id, subject: merged)
    return old.id
  }

  private func set(
    _ covariates: [String: String], besides old: [String: String], of id: Int64
  ) throws {
    for (name, value) in covariates.sorted(by: { $0.key < $1.key }) where old[name] != value {
      try db.run(
        """
        INSERT INTO covariates (subject_id, name, value) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value
        """, [id, name, value])
    }
  }
}

extension Subject {
  fileprivate var measures: [(String, DatabaseValue)] {
    [
      ("sex", (sex?.rawValue).databaseValue), ("age_y", (age?.value).databaseValue),
      ("height_m", (height?.value).databaseValue), ("weight_kg", (weight?.value).databaseValue),
    ]
  }

  /// The subject with the measures and covariates of a newer description.
  fileprivate func updated(by description: Subject) -> Subject {
    Subject(
      id: id, sex: description.sex ?? sex, age: description.age ?? age,
      height: description.height ?? height,
      weight: description.weight ?? weight,
      covariates: covariates.merging(description.covariates) { $1 })
  }

  fileprivate func changes(from old: Subject) -> [ValueChange] {
    zip(measures, old.measures).compactMap { ValueChange($0.0, from: $1.1, to: $0.1) }
      + covariates.sorted { $0.key < $1.key }.compactMap {
        ValueChange($0.key, from: old.covariates[$0.key].databaseValue, to: $0.value.databaseValue)
      }
  }
}

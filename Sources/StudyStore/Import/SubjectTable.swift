import AlcoholKinetics
import GRDB

/// The table of subjects, with their measures in memory.
final class SubjectTable {
  private struct Known {
    var id: Int64
    var subject: Subject
    /// Whether this import has settled it: a subject comes once for each series.
    var isSettled: Bool
  }

  private let db: Database
  private let log: ImportLog
  private let insert: RawStatement
  private let update: RawStatement
  private let setCovariate: RawStatement
  private var known: [String: Known] = [:]

  init(log: ImportLog, on db: Database) throws {
    self.db = db
    self.log = log
    insert = try RawStatement(
      "INSERT INTO subjects (name, sex, age_y, height_m, weight_kg) VALUES (?, ?, ?, ?, ?)", on: db)
    update = try RawStatement(
      "UPDATE subjects SET sex = ?, age_y = ?, height_m = ?, weight_kg = ? WHERE id = ?", on: db)
    setCovariate = try RawStatement(
      """
      INSERT INTO covariates (subject_id, name, value) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, on: db)
    for (id, subject) in try SubjectLoader(db).subjects() {
      known[subject.id] = Known(id: id, subject: subject, isSettled: false)
    }
  }

  /// Finds or makes a subject. Measures that are not said stay what they were.
  func add(_ subject: Subject) throws -> Int64 {
    guard var old = known[subject.id] else { return try addNew(subject) }
    guard !old.isSettled else { return old.id }
    let merged = old.subject.updated(by: subject)
    let changes = old.subject.changes(to: merged)
    if !changes.isEmpty {
      merged.bindMeasures(to: update, from: 1)
      update.bind(old.id, at: 5)
      try update.run()
      try set(merged.covariates, besides: old.subject.covariates, of: old.id)
    }
    try log.settle(.subjects, row: subject.id, changes)
    old.isSettled = true
    old.subject = merged
    known[subject.id] = old
    return old.id
  }

  private func addNew(_ subject: Subject) throws -> Int64 {
    insert.bind(subject.id, at: 1)
    subject.bindMeasures(to: insert, from: 2)
    try insert.run()
    let id = db.lastInsertedRowID
    try set(subject.covariates, besides: [:], of: id)
    known[subject.id] = Known(id: id, subject: subject, isSettled: true)
    log.added(.subjects)
    return id
  }

  private func set(
    _ covariates: [String: String], besides old: [String: String], of id: Int64
  ) throws {
    for (name, value) in covariates where old[name] != value {
      setCovariate.bind(id, at: 1)
      setCovariate.bind(name, at: 2)
      setCovariate.bind(value, at: 3)
      try setCovariate.run()
    }
  }
}

extension Subject {
  fileprivate func bindMeasures(to statement: RawStatement, from first: Int32) {
    statement.bind(sex?.rawValue, at: first)
    statement.bind(age?.value, at: first + 1)
    statement.bind(height?.value, at: first + 2)
    statement.bind(weight?.value, at: first + 3)
  }

  /// The subject with what another description of it says.
  fileprivate func updated(by other: Subject) -> Subject {
    Subject(
      id: id, sex: other.sex ?? sex, age: other.age ?? age, height: other.height ?? height,
      weight: other.weight ?? weight,
      covariates: covariates.merging(other.covariates) { $1 })
  }

  fileprivate func changes(to new: Subject) -> [ValueChange] {
    let measures = [
      ValueChange("sex", from: sex?.rawValue, to: new.sex?.rawValue),
      ValueChange("age_y", from: age?.value, to: new.age?.value),
      ValueChange("height_m", from: height?.value, to: new.height?.value),
      ValueChange("weight_kg", from: weight?.value, to: new.weight?.value),
    ]
    let others = new.covariates.sorted { $0.key < $1.key }.map {
      ValueChange($0.key, from: covariates[$0.key], to: $0.value)
    }
    return (measures + others).compactMap(\.self)
  }
}

package import AlcoholKinetics
package import GRDB

/// The table of subjects, with their measures in memory.
package final class SubjectTable {
  private struct Known {
    var id: Int64
    var subject: Subject
    /// Whether this import has settled it: a subject comes once for each series.
    var isSettled: Bool
  }

  private let db: Database
  private let log: ImportLog
  private let insertion: BulkInsert<SubjectRow>
  private let update: RawStatement
  private let setCovariate: RawStatement
  private let served: ServedRecords
  private var known: [String: Known] = [:]

  package init(log: ImportLog, on db: Database) throws {
    self.db = db
    self.log = log
    insertion = try BulkInsert(on: db, width: 1)
    update = try RawStatement(
      "UPDATE subjects SET name = ?, sex = ?, age_y = ?, height_m = ?, weight_kg = ? WHERE id = ?",
      on: db)
    setCovariate = try RawStatement(
      """
      INSERT INTO covariates (subject_id, name, value) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, on: db)
    served = try ServedRecords(in: db)
    for (id, subject) in try Self.subjects(in: db) {
      known[subject.id] = Known(id: id, subject: subject, isSettled: false)
    }
  }

  /// Finds or makes a subject. Measures that are not said stay what they were.
  package func add(_ subject: Subject) throws -> Int64 {
    guard var old = known[subject.id] else { return try addNew(subject) }
    guard !old.isSettled else { return old.id }
    let merged = old.subject.updated(by: subject)
    let changes = merged.changes(from: old.subject)
    if !changes.isEmpty {
      try served.requireOther(subject: old.id, subject.id)
      try update.run(SubjectRow(subject: merged).fields + [.integer(old.id)])
      try set(merged.covariates, besides: old.subject.covariates, of: old.id)
    }
    try log.settle(.subjects, row: subject.id, changes)
    old.isSettled = true
    old.subject = merged
    known[subject.id] = old
    return old.id
  }

  private func addNew(_ subject: Subject) throws -> Int64 {
    try insertion.add(SubjectRow(subject: subject))
    let id = db.lastInsertedRowID
    try set(subject.covariates, besides: [:], of: id)
    known[subject.id] = Known(id: id, subject: subject, isSettled: true)
    log.added(.subjects)
    return id
  }

  private func set(
    _ covariates: [String: String], besides old: [String: String], of id: Int64
  ) throws {
    for (name, value) in covariates.sorted(by: { $0.key < $1.key }) where old[name] != value {
      try setCovariate.run([.integer(id), .text(name), .text(value)])
    }
  }

  /// The subjects and their numbers, in order.
  package static func subjects(in db: Database) throws -> [(id: Int64, subject: Subject)] {
    var covariates: [Int64: [String: String]] = [:]
    let pairs = try RawStatement("SELECT subject_id, name, value FROM covariates", on: db)
    while try pairs.step() {
      covariates[pairs.integer(0), default: [:]][pairs.text(1) ?? ""] = pairs.text(2) ?? ""
    }
    return try RawStatement(
      "SELECT id, \(SubjectRow.columns.joined(separator: ", ")) FROM subjects ORDER BY id", on: db
    ).map { row in
      let id = row.integer(0)
      let subject = Subject(
        id: row.text(1) ?? "", sex: row.text(2).flatMap(Sex.init),
        age: row.optionalDouble(3).map { Years($0) },
        height: row.optionalDouble(4).map { Metres($0) },
        weight: row.optionalDouble(5).map { Kilograms($0) }, covariates: covariates[id] ?? [:])
      return (id, subject)
    }
  }
}

private struct SubjectRow: StoredRow {
  var subject: Subject

  static let table = "subjects"
  static let columns = ["name", "sex", "age_y", "height_m", "weight_kg"]

  func append(to fields: inout [Field]) {
    fields += [
      .text(subject.id), Field(subject.sex?.rawValue), Field(subject.age?.value),
      Field(subject.height?.value), Field(subject.weight?.value),
    ]
  }
}

extension Subject {
  /// The subject with what another description of it says.
  fileprivate func updated(by other: Subject) -> Subject {
    Subject(
      id: id, sex: other.sex ?? sex, age: other.age ?? age, height: other.height ?? height,
      weight: other.weight ?? weight,
      covariates: covariates.merging(other.covariates) { $1 })
  }

  fileprivate func changes(from old: Subject) -> [ValueChange] {
    SubjectRow(subject: self).changes(from: SubjectRow(subject: old))
      + covariates.sorted { $0.key < $1.key }.compactMap {
        ValueChange($0.key, from: Field(old.covariates[$0.key]), to: .text($0.value))
      }
  }
}

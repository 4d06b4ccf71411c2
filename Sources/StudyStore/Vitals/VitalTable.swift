import GRDB

/// The table of vital signs: adds what is new, updates what changed.
final class VitalTable {
  private struct Old {
    var ordinal: Int64
    var value: Double
    var isOfThisImport: Bool
  }

  private let log: ImportLog
  private let select: RawStatement
  private let insert: RawStatement
  private let update: RawStatement

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    select = try RawStatement(
      """
      SELECT ordinal, value, import_id FROM vitals
      WHERE subject_id = ? AND kind = ? AND start_utc = ? AND end_utc = ? AND source = ?
      ORDER BY ordinal
      """, on: db)
    insert = try RawStatement(
      """
      INSERT INTO vitals (subject_id, kind, start_utc, end_utc, source, ordinal, value,
        given_value, given_unit, import_id, day, uuid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, on: db)
    update = try RawStatement(
      """
      UPDATE vitals SET value = ?7, given_value = ?8, given_unit = ?9, import_id = ?10
      WHERE subject_id = ?1 AND kind = ?2 AND start_utc = ?3 AND end_utc = ?4 AND source = ?5
        AND ordinal = ?6
      """, on: db)
  }

  /// Adds a record, whose value in the unit of its kind is given as well.
  func add(
    _ record: HealthRecord, _ kind: VitalKind, _ value: Double,
    of subject: (id: Int64, name: String)
  ) throws {
    let old = try rows(like: record, kind, of: subject.id)
    if old.contains(where: { $0.value == value }) { return log.unchanged(.vitals) }
    // What this very export has brought is not changed by it: it has two values for one time.
    guard let changed = old.first(where: { !$0.isOfThisImport }) else {
      let ordinal = Int64(old.count)
      bind(record, kind, value, subject.id, ordinal, to: insert)
      insert.bind(record.start.day, at: 11)
      insert.bind(record.identity(of: subject.name, ordinal: Int(ordinal)), at: 12)
      try insert.run()
      return log.added(.vitals)
    }
    bind(record, kind, value, subject.id, changed.ordinal, to: update)
    try update.run()
    let uuid = record.identity(of: subject.name, ordinal: Int(changed.ordinal))
    let changes = [ValueChange("value", from: changed.value, to: value)].compactMap(\.self)
    try log.settle(.vitals, row: uuid.description, changes)
  }

  private func rows(
    like record: HealthRecord, _ kind: VitalKind, of subject: Int64
  ) throws -> [Old] {
    var rows: [Old] = []
    bindIdentity(of: record, kind, subject, to: select)
    try select.forEach { row in
      rows.append(
        Old(
          ordinal: row.integer(0), value: row.double(1), isOfThisImport: row.integer(2) == log.id))
    }
    return rows
  }

  private func bind(
    _ record: HealthRecord, _ kind: VitalKind, _ value: Double, _ subject: Int64, _ ordinal: Int64,
    to statement: RawStatement
  ) {
    bindIdentity(of: record, kind, subject, to: statement)
    statement.bind(ordinal, at: 6)
    statement.bind(value, at: 7)
    statement.bind(record.value, at: 8)
    statement.bind(record.unit, at: 9)
    statement.bind(log.id, at: 10)
  }

  private func bindIdentity(
    of record: HealthRecord, _ kind: VitalKind, _ subject: Int64, to statement: RawStatement
  ) {
    statement.bind(subject, at: 1)
    statement.bind(kind.rawValue, at: 2)
    statement.bind(record.start.utc, at: 3)
    statement.bind(record.end.utc, at: 4)
    statement.bind(record.source, at: 5)
  }
}

import GRDB

/// The table of vital signs: adds what is new, updates what changed.
final class VitalTable {
  /// What tells rows apart.
  private struct Key: Equatable {
    var subject: Int64
    var kind: String
    var start: String
    var end: String
    var source: String
    var ordinal: Int64
  }

  private struct Row {
    var key: Key
    var value: Double
    var uuid: RecordUUID
    var isUUIDGiven: Bool
    var isOfThisImport: Bool
  }

  private let log: ImportLog
  private let selectKey: RawStatement
  private let selectUUID: RawStatement
  private let insert: RawStatement
  private let update: RawStatement
  /// The UUIDs that come with this import: rows with one of them wait for their own record.
  private var coming: Set<RecordUUID> = []

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    let key = "subject_id, kind, start_utc, end_utc, source, ordinal"
    let columns = "\(key), value, uuid, is_uuid_given, import_id"
    selectKey = try RawStatement(
      """
      SELECT \(columns) FROM vitals
      WHERE subject_id = ? AND kind = ? AND start_utc = ? AND end_utc = ? AND source = ?
      ORDER BY ordinal
      """, on: db)
    selectUUID = try RawStatement(
      "SELECT \(columns) FROM vitals WHERE uuid = ? AND is_uuid_given = 1", on: db)
    insert = try RawStatement(
      """
      INSERT INTO vitals (\(columns), given_value, given_unit, day)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, on: db)
    update = try RawStatement(
      """
      UPDATE vitals SET subject_id = ?1, kind = ?2, start_utc = ?3, end_utc = ?4, source = ?5,
        ordinal = ?6, value = ?7, uuid = ?8, is_uuid_given = ?9, import_id = ?10,
        given_value = ?11, given_unit = ?12, day = ?13
      WHERE subject_id = ?14 AND kind = ?15 AND start_utc = ?16 AND end_utc = ?17 AND source = ?18
        AND ordinal = ?19
      """, on: db)
  }

  /// Says which UUIDs are to come.
  func expect(_ uuids: some Sequence<RecordUUID>) {
    coming.formUnion(uuids)
  }

  /// Adds a record, whose value in the unit of its kind is given as well, and its UUID, if it has one.
  func add(
    _ record: HealthRecord, _ kind: VitalKind, _ value: Double,
    of subject: (id: Int64, name: String), _ uuid: RecordUUID? = nil
  ) throws {
    let known = try rows(like: record, kind, of: subject.id)
    var key = Key(
      subject: subject.id, kind: kind.rawValue, start: record.start.utc, end: record.end.utc,
      source: record.source, ordinal: (known.last?.key.ordinal ?? -1) + 1)
    guard let old = try uuid.flatMap(row) ?? match(value, uuid, among: known) else {
      let derived = uuid ?? record.identity(of: subject.name, ordinal: Int(key.ordinal))
      bind(
        record,
        Row(
          key: key, value: value, uuid: derived, isUUIDGiven: uuid != nil, isOfThisImport: true),
        to: insert)
      try insert.run()
      return log.added(.vitals)
    }
    // Another number is only needed in another place.
    var place = key
    place.ordinal = old.key.ordinal
    if place == old.key { key = place }
    let new = Row(
      key: key, value: value, uuid: uuid ?? old.uuid, isUUIDGiven: uuid != nil || old.isUUIDGiven,
      isOfThisImport: true)
    try settle(record, new, instead: old)
  }

  /// The row in the same place that a record is, unless its UUID has told.
  private func match(_ value: Double, _ uuid: RecordUUID?, among rows: [Row]) -> Row? {
    let free = rows.filter { row in
      uuid == nil ? !row.isUUIDGiven || !coming.contains(row.uuid) : !row.isUUIDGiven
    }
    // What this very import has brought is not changed by it: it has two values for one time.
    return free.first { $0.value == value } ?? free.first { !$0.isOfThisImport }
  }

  private func settle(_ record: HealthRecord, _ new: Row, instead old: Row) throws {
    let (key, last) = (new.key, old.key)
    let changes = [
      ValueChange("subject_id", from: Double(last.subject), to: Double(key.subject)),
      ValueChange("kind", from: last.kind, to: key.kind),
      ValueChange("start_utc", from: last.start, to: key.start),
      ValueChange("end_utc", from: last.end, to: key.end),
      ValueChange("source", from: last.source, to: key.source),
      ValueChange("value", from: old.value, to: new.value),
      ValueChange("uuid", from: old.uuid.description, to: new.uuid.description),
      ValueChange("is_uuid_given", from: old.isUUIDGiven ? 1 : 0, to: new.isUUIDGiven ? 1 : 0),
    ].compactMap(\.self)
    if !changes.isEmpty {
      bind(record, new, to: update)
      bind(last, to: update, from: 14)
      try update.run()
    }
    try log.settle(.vitals, row: new.uuid.description, changes)
  }

  // MARK: Rows

  private func rows(
    like record: HealthRecord, _ kind: VitalKind, of subject: Int64
  ) throws -> [Row] {
    var rows: [Row] = []
    selectKey.bind(subject, at: 1)
    selectKey.bind(kind.rawValue, at: 2)
    selectKey.bind(record.start.utc, at: 3)
    selectKey.bind(record.end.utc, at: 4)
    selectKey.bind(record.source, at: 5)
    try selectKey.forEach { rows.append(try row($0)) }
    return rows
  }

  private func row(_ uuid: RecordUUID) throws -> Row? {
    var found: Row?
    selectUUID.bind(uuid, at: 1)
    try selectUUID.forEach { found = try row($0) }
    return found
  }

  private func row(_ row: RawStatement) throws -> Row {
    Row(
      key: Key(
        subject: row.integer(0), kind: row.text(1) ?? "", start: row.text(2) ?? "",
        end: row.text(3) ?? "", source: row.text(4) ?? "",
        ordinal: Int64(try row.ordinal(5, of: "vitals"))),
      value: row.double(6), uuid: try row.uuid(7, of: "vitals"),
      isUUIDGiven: try row.flag(8, of: "vitals"),
      isOfThisImport: row.integer(9) == log.id)
  }

  private func bind(_ record: HealthRecord, _ row: Row, to statement: RawStatement) {
    bind(row.key, to: statement, from: 1)
    statement.bind(row.value, at: 7)
    statement.bind(row.uuid, at: 8)
    statement.bind(row.isUUIDGiven, at: 9)
    statement.bind(log.id, at: 10)
    statement.bind(record.value, at: 11)
    statement.bind(record.unit, at: 12)
    statement.bind(record.start.day, at: 13)
  }

  private func bind(_ key: Key, to statement: RawStatement, from first: Int32) {
    statement.bind(key.subject, at: first)
    statement.bind(key.kind, at: first + 1)
    statement.bind(key.start, at: first + 2)
    statement.bind(key.end, at: first + 3)
    statement.bind(key.source, at: first + 4)
    statement.bind(key.ordinal, at: first + 5)
  }
}

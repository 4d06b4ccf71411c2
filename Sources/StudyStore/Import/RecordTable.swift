import AlcoholKinetics
import Foundation
import GRDB

/// The table of drinks or that of readings: adds what is new, updates what changed.
///
/// A record is the row that has its UUID, if it has one. Otherwise, or if there is none, it is the row
/// that stands in the same place of the same series and is no other's: of several, as where two
/// samples were taken at one time, one that holds the same.
final class RecordTable<Row: RecordRow> {
  /// A record with the UUID that it came with.
  private struct Incoming {
    var value: Row.Value
    var uuid: RecordUUID?
  }

  private let log: ImportLog
  private let bulk: BulkInsert<Row>
  private let bulkOfGiven: BulkInsert<GivenRow<Row>>
  private let selectSeries: RawStatement
  private let selectUUID: RawStatement
  private let update: RawStatement
  /// Whether there was nothing to compare with when the import began.
  private let wasEmpty: Bool
  /// The UUIDs that come with this import; filled only if there is something to compare with.
  private var coming: Set<RecordUUID> = []
  /// The series that a record was moved from.
  private(set) var left: Set<Int64> = []

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    wasEmpty = try RawStatement("SELECT 1 FROM \(Row.table) LIMIT 1", on: db).isEmpty()
    bulk = try BulkInsert(on: db)
    bulkOfGiven = try BulkInsert(on: db)
    let columns = (Row.columns + ["is_uuid_given"]).joined(separator: ", ")
    selectSeries = try RawStatement(
      """
      SELECT \(columns) FROM \(Row.table) WHERE series_id = ?
      ORDER BY \(Row.keyColumns.joined(separator: ", "))
      """, on: db)
    selectUUID = try RawStatement(
      "SELECT \(columns) FROM \(Row.table) WHERE uuid = ? AND is_uuid_given = 1", on: db)
    let key = Row.keyColumns.map { "\($0) = ?" }.joined(separator: " AND ")
    let values = (Row.columns + ["is_uuid_given"]).map { "\($0) = ?" }.joined(separator: ", ")
    update = try RawStatement("UPDATE \(Row.table) SET \(values) WHERE \(key)", on: db)
  }

  /// Says which UUIDs are to come: a row that has one of them waits for its own record.
  func expect(_ uuids: some Sequence<UUID?>) {
    guard !wasEmpty else { return }
    for case let uuid? in uuids { coming.insert(RecordUUID(uuid)) }
  }

  /// Adds records of a series with their UUIDs, of which there may be fewer or none.
  func add(_ values: [Row.Value], _ uuids: [UUID?], from origin: RecordOrigin) throws {
    let known =
      origin.place.mayHaveRows(inTableThatWasEmpty: wasEmpty) ? try rows(of: origin.place) : []
    guard known.isEmpty, uuids.isEmpty else {
      let records = values.enumerated().map { index, value in
        Incoming(
          value: value,
          uuid: uuids.indices.contains(index) ? uuids[index].map { RecordUUID($0) } : nil)
      }
      return try add(records, to: known, from: origin)
    }
    var ordinals = OrdinalCounter<ConcentrationUnit?>()
    for value in values.inOrder(of: { Row.slot(of: $0).time }) {
      let slot = Row.slot(of: value)
      try bulk.add(
        Row(value, ordinal: ordinals.next(at: slot.time, slot.unit), in: origin))
      log.added(Row.type)
    }
  }

  func flush() throws {
    try bulk.flush()
    try bulkOfGiven.flush()
  }

  /// Whether a series has any.
  func exist(in place: SeriesPlace) throws -> Bool {
    try place.mayHaveRows(inTableThatWasEmpty: wasEmpty) && !rows(of: place).isEmpty
  }

  private func rows(of place: SeriesPlace) throws -> [Row] {
    try flush()
    var rows: [Row] = []
    selectSeries.bind(place.id, at: 1)
    try selectSeries.forEach { rows.append(try Row($0)) }
    return rows
  }

  // MARK: Matching

  private func add(_ records: [Incoming], to known: [Row], from origin: RecordOrigin) throws {
    let records = records.inOrder { Row.slot(of: $0.value).time }
    var matcher = RecordMatcher(known)
    // What a UUID says is certain, so that it comes first.
    let certain = try records.map { try row(of: $0, near: origin.place) }
    for case let row? in certain { matcher.remove(row) }
    // What has not changed is next: samples taken at once may come in another order.
    let unchanged = zip(records, certain).map { record, certain in
      certain
        ?? matcher.take(in: Row.slot(of: record.value)) {
          mayBe(record, $0) && $0.value == record.value
        }
    }
    for (record, unchanged) in zip(records, unchanged) {
      let slot = Row.slot(of: record.value)
      let old = unchanged ?? matcher.take(in: slot) { mayBe(record, $0) }
      let staysInPlace = old.map { $0.slot == slot && $0.series == origin.place.id } ?? false
      let ordinal = staysInPlace ? old?.ordinal : nil
      var new = Row(
        record.value, ordinal: ordinal ?? matcher.nextOrdinal(in: slot), in: origin)
      if let uuid = record.uuid ?? old?.uuid {
        new.uuid = uuid
        new.isUUIDGiven = record.uuid != nil || old?.isUUIDGiven == true
      }
      try settle(new, instead: old)
    }
  }

  /// The row with a record's UUID, in whichever series.
  private func row(of record: Incoming, near place: SeriesPlace) throws -> Row? {
    guard let uuid = record.uuid, !wasEmpty || place.isRepeated else { return nil }
    var row: Row?
    selectUUID.bind(uuid, at: 1)
    try selectUUID.forEach { row = try Row($0) }
    return row
  }

  /// Whether a row in the same place can be a record that has not been found by its UUID.
  private func mayBe(_ record: Incoming, _ row: Row) -> Bool {
    !row.isUUIDGiven || record.uuid == nil && !coming.contains(row.uuid)
  }

  private func settle(_ new: Row, instead old: Row?) throws {
    guard let old else {
      if new.isUUIDGiven {
        try bulkOfGiven.add(GivenRow(row: new))
      } else {
        try bulk.add(new)
      }
      return log.added(Row.type)
    }
    let changes = new.allChanges(from: old)
    if !changes.isEmpty {
      let count = Int32(Row.columns.count)
      new.bind(to: update, from: 1)
      update.bind(new.isUUIDGiven, at: count + 1)
      old.bindKey(to: update, from: count + 2)
      try update.run()
    }
    if old.series != new.series { left.insert(old.series) }
    try log.settle(Row.type, row: new.uuid.description, changes)
  }
}

extension Array {
  /// The elements in order of time; those of equal times keep theirs.
  fileprivate func inOrder(of time: (Element) -> Hours) -> [Element] {
    if zip(self, dropFirst()).allSatisfy({ time($0) <= time($1) }) { return self }
    return indices.sorted { (time(self[$0]), $0) < (time(self[$1]), $1) }.map { self[$0] }
  }
}

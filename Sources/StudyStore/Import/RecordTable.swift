import AlcoholKinetics
import Foundation
import GRDB
import StudyData

struct RecordOrigin {
  var place: SeriesPlace
  var identity: SeriesIdentity
  /// What its readings were taken with.
  var instrument: Int64
}

/// The table of drinks or that of readings: adds what is new, updates what changed.
///
/// A record is the row that has its UUID, if it has one. Otherwise, or if there is none, it is the row
/// that stands in the same place of the same series and is no other's: of several, as where two
/// samples were taken at one time, one that holds the same.
final class RecordTable<Row: RecordRow> {
  private struct Incoming {
    var value: Row.Value
    var uuid: UUID?

    /// Whether a row in the same place can be this record, which has not been found by its UUID.
    func mayBe(_ row: Row, coming: Set<UUID>) -> Bool {
      !row.isUUIDGiven || uuid == nil && !coming.contains(row.uuid)
    }
  }

  private let log: ImportLog
  private let bulk: BulkInsert<Row>
  private let db: Database
  private let served: ServedRecords
  /// Whether there was nothing to compare with when the import began.
  private let wasEmpty: Bool
  /// The UUIDs that come with this import; filled only if there is something to compare with.
  private var coming: Set<UUID> = []
  private(set) var left: Set<Int64> = []

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    wasEmpty = try db.isEmpty(Row.table)
    self.db = db
    bulk = BulkInsert(on: db)
    served = try ServedRecords(in: db)
  }

  /// Says which UUIDs are to come: a row that has one of them waits for its own record.
  func expect(_ uuids: some Sequence<UUID?>) {
    guard !wasEmpty else { return }
    for case let uuid? in uuids { coming.insert(uuid) }
  }

  /// Adds records of a series with their UUIDs, of which there may be fewer or none.
  func add(_ values: [Row.Value], _ uuids: [UUID?], from origin: RecordOrigin) throws {
    let known = try knownRows(of: origin.place)
    guard known.isEmpty, uuids.isEmpty else {
      let records = values.enumerated().map { index, value in
        Incoming(value: value, uuid: uuids.indices.contains(index) ? uuids[index] : nil)
      }
      return try add(records, besides: known, from: origin)
    }
    if !values.isEmpty { try served.requireOther(series: origin.place.id) }
    var ordinals = OrdinalCounter()
    for value in values.inOrder(of: { Row.slot(of: $0).time }) {
      let ordinal = ordinals.next(in: Row.slot(of: value))
      try bulk.add(Self.row(value, ordinal: ordinal, nil, in: origin))
    }
    log.added(Row.type, values.count)
  }

  func flush() throws {
    try bulk.flush()
  }

  func exist(in place: SeriesPlace) throws -> Bool { try !knownRows(of: place).isEmpty }

  private func knownRows(of place: SeriesPlace) throws -> [Row] {
    guard place.mayHaveRows(inTableThatWasEmpty: wasEmpty) else { return [] }
    try flush()
    return try Row.rows(of: place.id, in: db)
  }

  // MARK: Matching

  private func add(
    _ records: [Incoming], besides known: [Row], from origin: RecordOrigin
  ) throws {
    let records = records.inOrder { Row.slot(of: $0.value).time }
    var matcher = RecordMatcher(known)
    // What a UUID says is certain, so that it comes first.
    let mayBeKnown = !wasEmpty || origin.place.isRepeated
    let certain = try records.map { record in
      try mayBeKnown ? record.uuid.flatMap { try Row.row($0, in: db) } : nil
    }
    for case let row? in certain { matcher.remove(row) }
    // What has not changed is next: samples taken at once may come in another order.
    let unchanged = zip(records, certain).map { record, certain in
      certain
        ?? matcher.take(in: Row.slot(of: record.value)) {
          record.mayBe($0, coming: coming) && $0.value == record.value
        }
    }
    for (record, unchanged) in zip(records, unchanged) {
      let slot = Row.slot(of: record.value)
      let old = unchanged ?? matcher.take(in: slot) { record.mayBe($0, coming: coming) }
      let staysInPlace = old.map { $0.slot == slot && $0.series == origin.place.id } ?? false
      let ordinal = staysInPlace ? old?.ordinal : nil
      var new = Self.row(
        record.value, ordinal: ordinal ?? matcher.nextOrdinal(in: slot), record.uuid ?? old?.uuid,
        in: origin)
      new.isUUIDGiven = record.uuid != nil || old?.isUUIDGiven == true
      new.source = old?.source
      try settle(new, instead: old)
    }
  }

  /// The row of a record, with the UUID that is derived for it unless it has one.
  private static func row(
    _ value: Row.Value, ordinal: Int, _ uuid: UUID?, in origin: RecordOrigin
  ) -> Row {
    Row(
      value, ordinal: ordinal,
      uuid: uuid ?? origin.identity.record(in: Row.slot(of: value), ordinal: ordinal),
      series: origin.place.id, instrument: origin.instrument)
  }

  private func settle(_ new: Row, instead old: Row?) throws {
    guard let old else {
      try served.requireOther(series: new.series)
      try bulk.add(new)
      return log.added(Row.type)
    }
    let changes = new.changes(from: old)
    if !changes.isEmpty {
      for series in [old.series, new.series] { try served.requireOther(series: series) }
      try new.update(from: old, in: db)
    }
    if old.series != new.series { left.insert(old.series) }
    try log.settle(Row.type, row: new.uuid.text, changes)
  }
}

/// Finds the rows of a series that records are, and numbers those that are new.
private struct RecordMatcher<Row: RecordRow> {
  /// The rows that no record has taken yet, in order.
  private var free: [RecordSlot: [Row]] = [:]
  private var ordinals: [RecordSlot: Int] = [:]

  init(_ rows: [Row]) {
    for row in rows {
      free[row.slot, default: []].append(row)
      ordinals[row.slot] = max(row.ordinal + 1, ordinals[row.slot] ?? 0)
    }
  }

  /// Takes a row that has been found by its UUID away from those that others may take.
  mutating func remove(_ row: Row) {
    free[row.slot]?.removeAll { $0.series == row.series && $0.ordinal == row.ordinal }
  }

  /// Takes the first row in a slot that may be taken.
  mutating func take(in slot: RecordSlot, where mayBeTaken: (Row) -> Bool) -> Row? {
    guard let index = free[slot]?.firstIndex(where: mayBeTaken) else { return nil }
    return free[slot]?.remove(at: index)
  }

  mutating func nextOrdinal(in slot: RecordSlot) -> Int {
    defer { ordinals[slot, default: 0] += 1 }
    return ordinals[slot] ?? 0
  }
}

/// Numbers, from 0, what stands in one slot, of things that come in order of time.
private struct OrdinalCounter {
  private var first: (slot: RecordSlot, count: Int)?
  /// Nearly always there is one unit only, and no dictionary is touched.
  private var others: [RecordSlot: Int] = [:]

  mutating func next(in slot: RecordSlot) -> Int {
    guard let first, first.slot.time == slot.time else {
      first = (slot, 1)
      if !others.isEmpty { others.removeAll(keepingCapacity: true) }
      return 0
    }
    if first.slot == slot {
      self.first = (slot, first.count + 1)
      return first.count
    }
    defer { others[slot, default: 0] += 1 }
    return others[slot] ?? 0
  }
}

extension Array {
  /// The elements in order of time; those of equal times keep theirs.
  fileprivate func inOrder(of time: (Element) -> Hours) -> [Element] {
    if zip(self, dropFirst()).allSatisfy({ time($0) <= time($1) }) { return self }
    return indices.sorted { (time(self[$0]), $0) < (time(self[$1]), $1) }.map { self[$0] }
  }
}

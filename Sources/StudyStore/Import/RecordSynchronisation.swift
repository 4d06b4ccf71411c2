import AlcoholKinetics
import Foundation
import GRDB
import StudyData

/// Adds what is new to the table of drinks or that of readings, and updates what changed.
///
/// A record is the row that has its UUID, if it has one. Otherwise, or if there is none, it is the row
/// that stands in the same slot of the same series and is no other's: of several, as where two
/// samples were taken at one time, one that holds the same.
final class RecordSynchronisation<Value: RecordValue> {
  private typealias Row = RecordRow<Value>

  private struct Incoming {
    var value: Value
    var uuid: UUID?
  }

  private let log: ImportLog
  private let db: Database
  private let served: ServedRecords
  /// Whether there was nothing to compare with when the import began.
  private let wasEmpty: Bool
  /// The UUIDs that come with this import: a row that has one of them waits for its own record.
  private let coming: Set<UUID>
  /// The series that records moved away from.
  private(set) var left: Set<Int64> = []

  init(
    expecting uuids: some Sequence<UUID?>, _ served: ServedRecords, log: ImportLog, on db: Database
  ) throws {
    self.log = log
    self.db = db
    self.served = served
    wasEmpty = try !db.has("SELECT 1 FROM \(Value.table.name)")
    coming = Set(uuids.lazy.compactMap(\.self))
  }

  /// Adds records of a series with their UUIDs, of which there may be fewer or none.
  ///
  /// - Parameter instrument: What readings were taken with.
  func add(
    _ values: [Value], _ uuids: [UUID?], to place: SeriesPlace, _ identity: SeriesIdentity,
    instrument: Int64
  ) throws {
    let records = Self.inOrder(
      values.enumerated().map { index, value in
        Incoming(value: value, uuid: uuids.indices.contains(index) ? uuids[index] : nil)
      })
    let rows = place.isNew ? [] : try Row.rows(of: place.id, in: db)
    var free = Dictionary(grouping: rows, by: \.value.slot)
    var ordinals = try free.mapValues(Row.ordinal)
    // What a UUID says is certain, so that it comes first.
    var known = try records.map { record in
      try wasEmpty && !place.isRepeated ? nil : record.uuid.flatMap { try Row.row($0, in: db) }
    }
    for case let row? in known {
      free[row.value.slot]?.removeAll { $0.series == row.series && $0.ordinal == row.ordinal }
    }
    func take(_ record: Incoming, _ isMeant: (Row) -> Bool) -> Row? {
      let slot = record.value.slot
      let index = free[slot]?.firstIndex { row in
        isMeant(row)
          && (!row.isUUIDGiven || record.uuid == nil && !coming.contains(row.uuid))
      }
      return index.flatMap { free[slot]?.remove(at: $0) }
    }
    // What has not changed is next: samples taken at once may come in another order.
    if !free.isEmpty {
      for (index, record) in records.enumerated() where known[index] == nil {
        known[index] = take(record) { $0.value == record.value }
      }
      for (index, record) in records.enumerated() where known[index] == nil {
        known[index] = take(record) { _ in true }
      }
    }
    var added: [Row] = []
    for (record, old) in zip(records, known) {
      let slot = record.value.slot
      let staysInPlace = old.map { $0.value.slot == slot && $0.series == place.id } ?? false
      let ordinal = staysInPlace ? old?.ordinal ?? 0 : ordinals[slot, default: 0]
      if !staysInPlace { ordinals[slot] = ordinal + 1 }
      let new = Row(
        record.value, ordinal: ordinal,
        uuid: record.uuid ?? old?.uuid ?? identity.record(in: slot, ordinal: ordinal),
        isUUIDGiven: record.uuid != nil || old?.isUUIDGiven == true, source: old?.source,
        series: place.id, instrument: instrument)
      if let old { try settle(new, insteadOf: old) } else { added.append(new) }
    }
    if !added.isEmpty { try served.requireOther(series: place.id) }
    try Row.insert(added, in: db)
    log.added(Value.table.type, added.count)
  }

  /// Records in order of time; those of equal times keep theirs.
  private static func inOrder(_ records: [Incoming]) -> [Incoming] {
    let isInOrder = zip(records, records.dropFirst()).allSatisfy { $0.value.time <= $1.value.time }
    if isInOrder { return records }
    return records.enumerated().sorted {
      ($0.element.value.time, $0.offset) < ($1.element.value.time, $1.offset)
    }.map(\.element)
  }

  private func settle(_ new: Row, insteadOf old: Row) throws {
    let changes = new.changes(from: old)
    if !changes.isEmpty {
      for series in [old.series, new.series] { try served.requireOther(series: series) }
      try new.update(from: old, in: db)
    }
    if old.series != new.series { left.insert(old.series) }
    try log.settle(Value.table.type, row: new.uuid.text, changes)
  }
}

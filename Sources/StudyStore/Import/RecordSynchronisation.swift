import AlcoholKinetics
import Foundation
import GRDB
import StudyData

/// Imports drinks or readings: adds new records and updates changed ones.
///
/// A record matches the stored row with its UUID. Without such a row it matches a row in the same slot
/// of the same series that no other record claims; among several, as with two samples at one time, a
/// row with equal values comes first.
final class RecordSynchronisation<Value: RecordValue> {
  private typealias Row = RecordRow<Value>

  private struct Incoming {
    var value: Value
    var uuid: UUID?
    var source: String?
  }

  private let log: ImportLog
  private let db: Database
  private let served: ServedRecords
  /// True if the table was empty when the import began.
  private let wasEmpty: Bool
  /// The UUIDs of this import: a row that has one of them is left for its own record.
  private let incomingUUIDs: Set<UUID>
  /// The series from which records moved to others, and which may be empty now.
  private(set) var vacatedSeries: Set<Int64> = []

  init(
    expecting uuids: some Sequence<UUID?>, _ served: ServedRecords, log: ImportLog, on db: Database
  ) throws {
    self.log = log
    self.db = db
    self.served = served
    wasEmpty = try !db.has("SELECT 1 FROM \(Value.table.name)")
    incomingUUIDs = Set(uuids.lazy.compactMap(\.self))
  }

  /// Adds records of a series with their UUIDs, of which there may be fewer or none.
  ///
  /// - Parameters:
  ///   - sources: Their sources, by index; the others keep those they had.
  ///   - instrument: The number of the instrument of readings.
  func add(
    _ values: [Value], _ uuids: [UUID?], _ sources: [Int: String] = [:], to place: SeriesPlace,
    _ identity: SeriesIdentity,
    instrument: Int64
  ) throws {
    let records = Self.inOrder(
      values.enumerated().map { index, value in
        Incoming(
          value: value, uuid: uuids.indices.contains(index) ? uuids[index] : nil,
          source: sources[index])
      })
    let rows = place.isNew ? [] : try Row.rows(of: place.id, in: db)
    var unmatched = Dictionary(grouping: rows, by: \.value.slot)
    var ordinals = try unmatched.mapValues(Row.ordinal)
    // A match by UUID is certain, so it comes first.
    var matches = try records.map { record in
      try wasEmpty && !place.isRepeated ? nil : record.uuid.flatMap { try Row.row($0, in: db) }
    }
    for case let row? in matches {
      unmatched[row.value.slot]?.removeAll { $0.series == row.series && $0.ordinal == row.ordinal }
    }
    func claim(_ record: Incoming, where isMatch: (Row) -> Bool) -> Row? {
      let slot = record.value.slot
      let index = unmatched[slot]?.firstIndex { row in
        isMatch(row)
          && (!row.isUUIDGiven || record.uuid == nil && !incomingUUIDs.contains(row.uuid))
      }
      return index.flatMap { unmatched[slot]?.remove(at: $0) }
    }
    // Equal values come next: samples taken at one time may come in another order.
    if !unmatched.isEmpty {
      for (index, record) in records.enumerated() where matches[index] == nil {
        matches[index] = claim(record) { $0.value == record.value }
      }
      for (index, record) in records.enumerated() where matches[index] == nil {
        matches[index] = claim(record) { _ in true }
      }
    }
    var added: [Row] = []
    for (record, old) in zip(records, matches) {
      let slot = record.value.slot
      let staysInPlace = old.map { $0.value.slot == slot && $0.series == place.id } ?? false
      let ordinal = staysInPlace ? old?.ordinal ?? 0 : ordinals[slot, default: 0]
      if !staysInPlace { ordinals[slot] = ordinal + 1 }
      let new = Row(
        record.value, ordinal: ordinal,
        uuid: record.uuid ?? old?.uuid ?? identity.record(in: slot, ordinal: ordinal),
        isUUIDGiven: record.uuid != nil || old?.isUUIDGiven == true,
        source: record.source ?? old?.source, series: place.id, instrument: instrument)
      if let old { try replace(old, with: new) } else { added.append(new) }
    }
    if !added.isEmpty { try served.requireNotServed(series: place.id) }
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

  private func replace(_ old: Row, with new: Row) throws {
    let changes = new.changes(from: old)
    if !changes.isEmpty {
      for series in [old.series, new.series] { try served.requireNotServed(series: series) }
      try new.update(from: old, in: db)
    }
    if old.series != new.series { vacatedSeries.insert(old.series) }
    try log.record(Value.table.type, row: new.uuid.text, changes)
  }
}

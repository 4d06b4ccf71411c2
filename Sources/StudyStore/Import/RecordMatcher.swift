/// Finds the rows of a series that records are, and numbers those that are new.
struct RecordMatcher<Row: RecordRow> {
  /// The rows that no record has taken yet, in order.
  private var free: [RecordSlot: [Row]] = [:]
  /// The number of the next row in a slot.
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

  /// A number for another row in a slot.
  mutating func nextOrdinal(in slot: RecordSlot) -> Int {
    defer { ordinals[slot, default: 0] += 1 }
    return ordinals[slot] ?? 0
  }
}

import AlcoholKinetics

/// What the UUIDs of a series' drinks and readings are derived from: the series, and the place that
/// each has in it.
struct SeriesIdentity {
  private let series: RecordUUID

  init(subject: String, occasion: String?) {
    series = RecordUUID(of: ["series", subject] + (occasion.map { [$0] } ?? []))
  }

  func drink(at time: Hours, ordinal: Int) -> RecordUUID {
    record("drink", time, ordinal)
  }

  func reading(at time: Hours, _ unit: StaticUnit, ordinal: Int) -> RecordUUID {
    record(unit.name, time, ordinal)
  }

  /// 16 bytes of the series, 8 of the time in h and 4 of the ordinal, both big-endian, and the kind
  /// or unit.
  private func record(_ kind: StaticString, _ time: Hours, _ ordinal: Int) -> RecordUUID {
    withUnsafeTemporaryAllocation(byteCount: 28 + kind.utf8CodeUnitCount, alignment: 16) { name in
      name.storeBytes(of: series.bytes, as: SIMD16<UInt8>.self)
      // Adding zero makes -0 the 0 that it equals.
      let bits = (time.value + 0).bitPattern.bigEndian
      name.storeBytes(of: bits, toByteOffset: 16, as: UInt64.self)
      name.storeBytes(
        of: UInt32(truncatingIfNeeded: ordinal).bigEndian, toByteOffset: 24, as: UInt32.self)
      kind.withUTF8Buffer { text in
        UnsafeMutableRawBufferPointer(rebasing: name[28...]).copyMemory(
          from: UnsafeRawBufferPointer(text))
      }
      return RecordUUID(of: UnsafeRawBufferPointer(name))
    }
  }
}

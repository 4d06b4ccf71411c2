import AlcoholKinetics

/// What the UUIDs of a series' drinks and readings are derived from: the series, and the place that
/// each has in it.
///
/// The first half is the start of the SHA-256 of the series. The second half mixes the rest of it
/// with kind, time and ordinal: a digest for each of a million readings would take a fifth of an
/// import. For one kind and ordinal, different times differ in all bits that are mixed, so that
/// UUIDs of a series differ but by a chance of one in 10^18 for each pair.
struct SeriesIdentity {
  private let first: UInt64
  private let second: UInt64

  init(subject: String, occasion: String?) {
    let series = RecordUUID(of: ["series", subject] + (occasion.map { [$0] } ?? []))
    (first, second) = series.halves
  }

  func drink(at time: Hours, ordinal: Int) -> RecordUUID {
    record(0, time, ordinal)
  }

  func reading(at time: Hours, _ unit: StaticUnit, ordinal: Int) -> RecordUUID {
    record(unit.number, time, ordinal)
  }

  private func record(_ kind: UInt64, _ time: Hours, _ ordinal: Int) -> RecordUUID {
    // Adding zero makes -0 the 0 that it equals.
    let bits = (time.value + 0).bitPattern
    let place = UInt64(truncatingIfNeeded: ordinal) << 8 | kind
    return RecordUUID(first, Self.mixed(Self.mixed(second &+ place) ^ bits))
  }

  /// The mixing function of SplitMix64 (Steele, Lea, Flood 2014), which loses nothing.
  private static func mixed(_ bits: UInt64) -> UInt64 {
    var mixed = bits &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }
}

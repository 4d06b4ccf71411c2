import AlcoholKinetics
public import Foundation
import Statistics
import StudyData
import StudyFiles

/// UUIDs of drinks, readings and vital signs whose source gives none.
///
/// They are derived from what the record is about, so that the same record has the same UUID wherever it
/// is imported: version 8 of RFC 9562, which leaves the derivation to its maker.
extension UUID {
  /// Creates a UUID from big-endian halves, six bits of which are replaced by version and variant.
  init(_ first: UInt64, _ second: UInt64) {
    let halves = (
      (first & 0xFFFF_FFFF_FFFF_0FFF | 0x8000).bigEndian,
      (second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000).bigEndian
    )
    self = withUnsafeBytes(of: halves) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// Derives a UUID from fields, which a byte that no text holds keeps apart.
  @_spi(StudyDay) public init(of fields: [String]) {
    let name = Array(fields.map { Array($0.utf8) }.joined(separator: [0xFF]))
    let digest = name.withUnsafeBytes { SHA256.digest(of: $0) }
    self.init(
      UInt64(digest[0]) << 32 | UInt64(digest[1]), UInt64(digest[2]) << 32 | UInt64(digest[3]))
  }

  fileprivate var halves: (UInt64, UInt64) {
    withUnsafeBytes(of: uuid) {
      (
        UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }
}

/// The seed of the UUIDs of a series' drinks and readings: the series, and the slot and ordinal of
/// each record.
///
/// The first half is the start of the SHA-256 of the series. The second half mixes the rest of it
/// with kind, time and ordinal: a digest for each of a million readings would take a fifth of an
/// import. For one kind and ordinal, different times differ in all bits that are mixed, so that
/// UUIDs of a series differ but by a chance of one in 10^18 for each pair.
struct SeriesIdentity {
  private let first: UInt64
  private let second: UInt64

  init(subject: String, occasion: String?) {
    (first, second) = UUID(of: ["series", subject] + (occasion.map { [$0] } ?? [])).halves
  }

  func record(in slot: RecordSlot, ordinal: Int) -> UUID {
    // Adding zero makes -0 the 0 that it equals.
    let bits = (slot.time.value + 0).bitPattern
    let position = UInt64(truncatingIfNeeded: ordinal) << 8 | (slot.unit?.number ?? 0)
    return UUID(first, Self.mixed(Self.mixed(second &+ position) ^ bits))
  }

  /// SplitMix64's step, which loses nothing.
  private static func mixed(_ bits: UInt64) -> UInt64 {
    SplitMix64.mixed(bits &+ SplitMix64.increment)
  }
}

import Foundation
import StudyData

/// The UUID of a drink, a reading or a vital sign.
///
/// Where the source gives none it is derived from what the record is about, so that the same record
/// has the same UUID wherever it is imported: version 8 of RFC 9562, which leaves the derivation to
/// its maker.
struct RecordUUID: Hashable, Sendable {
  /// The bytes, in order, in big-endian halves.
  let halves: (UInt64, UInt64)

  /// Takes all bits.
  init(bits first: UInt64, _ second: UInt64) {
    halves = (first, second)
  }

  /// Takes a UUID that came with its record, of whatever version.
  init(_ uuid: UUID) {
    self = withUnsafeBytes(of: uuid.uuid) { RecordUUID(bytes: $0) }
  }

  /// Takes sixteen bytes.
  init(bytes: UnsafeRawBufferPointer) {
    self.init(
      bits: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Takes bits, of which six give way to version and variant.
  init(_ first: UInt64, _ second: UInt64) {
    self.init(
      bits: first & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
      second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// Derives a UUID from fields, which a byte that no text holds keeps apart.
  init(of fields: [String]) {
    let name = Array(fields.map { Array($0.utf8) }.joined(separator: [0xFF]))
    let digest = name.withUnsafeBytes { SHA256.digest(of: $0) }
    self.init(
      UInt64(digest[0]) << 32 | UInt64(digest[1]), UInt64(digest[2]) << 32 | UInt64(digest[3]))
  }

  static func == (left: RecordUUID, right: RecordUUID) -> Bool { left.halves == right.halves }

  func hash(into hasher: inout Hasher) {
    hasher.combine(halves.0)
    hasher.combine(halves.1)
  }

  /// The same as the rest of the world has it.
  var uuid: UUID {
    withUnsafeBytes(of: (halves.0.bigEndian, halves.1.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  /// The sixteen bytes.
  var data: Data { withUnsafeBytes(of: (halves.0.bigEndian, halves.1.bigEndian)) { Data($0) } }

  /// Lends out the sixteen bytes.
  func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    withUnsafeBytes(of: (halves.0.bigEndian, halves.1.bigEndian), body)
  }
}

extension RecordUUID: CustomStringConvertible {
  /// The usual form: 8-4-4-4-12 hexadecimal digits.
  var description: String { uuid.text }
}

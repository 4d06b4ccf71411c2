import StudyData

/// The UUID of a drink, a reading or a vital sign.
///
/// Where the source gives none it is derived from what the record is about, so that the same record
/// has the same UUID wherever it is imported: version 8 of RFC 9562, made like version 5 but with
/// SHA-256.
struct RecordUUID: Hashable, Sendable {
  /// The bytes, in order.
  let bytes: SIMD16<UInt8>

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes.loadUnaligned(as: SIMD16<UInt8>.self)
  }

  /// Derives a UUID from a name.
  init(of name: UnsafeRawBufferPointer) {
    var bytes = SIMD16<UInt8>()
    let digest = SHA256.digest(of: name)
    for index in 0..<4 {
      let word = digest[index]
      for byte in 0..<4 {
        bytes[4 * index + byte] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * byte))
      }
    }
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.bytes = bytes
  }

  /// Derives a UUID from fields, which a byte that no text holds keeps apart.
  init(of fields: [String]) {
    let name = Array(fields.map { Array($0.utf8) }.joined(separator: [0xFF]))
    self = name.withUnsafeBytes { RecordUUID(of: $0) }
  }
}

extension RecordUUID: CustomStringConvertible {
  /// The usual form: 8-4-4-4-12 hexadecimal digits.
  var description: String {
    var text = ""
    for index in 0..<16 {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      let digits = String(bytes[index], radix: 16)
      text += digits.count == 1 ? "0\(digits)" : digits
    }
    return text
  }
}

/// Tells contents that were read one after the other from others, however they came in blocks.
///
/// A polynomial over words of 8 bytes modulo 2^64, which costs next to nothing beside the reading;
/// nobody has an interest in making two contents that it takes for one.
struct ContentMark: Equatable {
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var sum: UInt64 = 0
  private var count = 0
  /// The bytes of a word that is not complete.
  private var word: UInt64 = 0

  /// Takes in the next bytes.
  mutating func update(with bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while count & 7 != 0, offset < bytes.count {
      take(bytes[offset])
      offset += 1
    }
    while offset + 8 <= bytes.count {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
      count += 8
    }
    while offset < bytes.count {
      take(bytes[offset])
      offset += 1
    }
  }

  private mutating func take(_ byte: UInt8) {
    word |= UInt64(byte) << UInt64(8 * (count & 7))
    count += 1
    guard count & 7 == 0 else { return }
    add(word)
    word = 0
  }

  private mutating func add(_ word: UInt64) {
    sum = (sum ^ word) &* Self.factor
    sum ^= sum &>> 29
  }
}

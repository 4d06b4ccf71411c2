/// The bytes of a name that rows begin with, compared eight at once.
///
/// It points into the text that the name is from, and is good for as long as that.
struct PlainName {
  /// So many bytes are compared at once.
  static let wordLength = 8

  let bytes: UnsafeRawBufferPointer
  /// The first bytes, and which bits of a word they take.
  private let word: UInt64
  private let mask: UInt64

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    var (word, mask) = (UInt64(0), UInt64(0))
    for (index, byte) in bytes.prefix(Self.wordLength).enumerated() {
      word |= UInt64(byte) << (8 * index)
      mask |= 0xFF << (8 * index)
    }
    (self.word, self.mask) = (word, mask)
  }

  /// Whether the text begins with the name; no if fewer bytes than a word are left, or than the name.
  @inline(__always)
  func begins(_ text: UnsafeRawBufferPointer, at position: Int) -> Bool {
    guard text.count - position >= max(Self.wordLength, bytes.count) else { return false }
    let found = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    guard (UInt64(littleEndian: found) ^ word) & mask == 0 else { return false }
    var index = Self.wordLength
    while index < bytes.count {
      guard text[position + index] == bytes[index] else { return false }
      index += 1
    }
    return true
  }
}

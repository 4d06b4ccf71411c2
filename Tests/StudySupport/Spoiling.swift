package import TestSupport

/// Spoils the bytes of files.
package enum Spoiling {
  /// Pieces that mean something to one of the readers.
  private static let pieces: [[UInt8]] =
    words.map { Array($0.utf8) }
    + [[0], [0xFF], [0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xF0, 0x9F], [0xC3]]
  private static let words = [
    "\"", "\"\"", ",", ";", "\t", "\n", "\r", "\r\n", "-", "1e999", "nan", ".", "0,5",
    "{", "[", "\\",
  ]

  package static func mutate(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    let start = Int.random(in: 0...bytes.count, using: &generator)
    let end = min(bytes.count, start + Int.random(in: 0...20, using: &generator))
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: start)
    case 1: bytes.removeSubrange(start..<end)
    case 2: bytes.insert(contentsOf: bytes[start..<end], at: start)
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: start)
    default: bytes.removeSubrange(start...)
    }
  }
}

public import Foundation
import StudyData

/// SHA-256 as FIPS 180-4 defines it.
///
/// Implemented here because a cryptography package would add a minute to every build. Digests only identify data; nothing
/// is secret.
package struct SHA256: Sendable {
  private static let blockSize = 64

  private var state = initialState
  /// The bytes of the last, incomplete block.
  private var rest: [UInt8] = []
  package private(set) var count = 0

  package init() {}

  /// Adds the next bytes.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    var bytes = bytes
    if !rest.isEmpty {
      let missing = min(bytes.count, Self.blockSize - rest.count)
      rest.append(contentsOf: bytes[..<missing])
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard rest.count == Self.blockSize else { return }
      rest.withUnsafeBytes { Self.compress($0, into: &state) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / Self.blockSize * Self.blockSize
    Self.compress(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), into: &state)
    rest.append(contentsOf: bytes[whole...])
  }

  /// The digest of all bytes as eight words, the first in the highest place.
  package var digest: SIMD8<UInt32> {
    // A one bit, zeros, and the length in bits fill up the last block.
    var padding: [UInt8] = [0x80] + Array(repeating: 0, count: (119 - count % 64) % 64)
    withUnsafeBytes(of: (UInt64(count) * 8).bigEndian) { padding.append(contentsOf: $0) }
    var last = self
    padding.withUnsafeBytes { last.add($0) }
    return last.state
  }

  /// The digest as 64 lower-case hexadecimal digits.
  package var hexDigest: String {
    let words = digest
    return words.indices.map { index in
      let digits = String(words[index], radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  package static func digest(of bytes: UnsafeRawBufferPointer) -> SIMD8<UInt32> {
    var all = SHA256()
    all.add(bytes)
    return all.digest
  }

  package static func hexDigest(of bytes: UnsafeRawBufferPointer) -> String {
    var all = SHA256()
    all.add(bytes)
    return all.hexDigest
  }

  private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      roundConstants.withUnsafeBufferPointer { constants in
        for start in stride(from: 0, to: blocks.count, by: blockSize) {
          expand(blocks, from: start, into: schedule)
          state &+= rounds(of: schedule, constants: constants, from: state)
        }
      }
    }
  }

  /// The message schedule W of one block (FIPS 180-4, 6.2.2, step 1).
  @inline(__always)
  private static func expand(
    _ blocks: UnsafeRawBufferPointer, from start: Int,
    into w: UnsafeMutableBufferPointer<UInt32>
  ) {
    for t in 0..<16 {
      let word = blocks.loadUnaligned(fromByteOffset: start + 4 * t, as: UInt32.self)
      w[t] = UInt32(bigEndian: word)
    }
    for t in 16..<64 {
      let s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] &>> 3)
      let s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] &>> 10)
      w[t] = w[t - 16] &+ s0 &+ w[t - 7] &+ s1
    }
  }

  /// The 64 rounds (FIPS 180-4, 6.2.2, steps 2 and 3), in the standard's letters.
  ///
  /// Eight rounds are unrolled: instead of moving the eight words after every round, their roles rotate.
  @inline(__always)
  private static func rounds(
    of w: UnsafeMutableBufferPointer<UInt32>, constants k: UnsafeBufferPointer<UInt32>,
    from state: SIMD8<UInt32>
  ) -> SIMD8<UInt32> {
    var a = state[0]
    var b = state[1]
    var c = state[2]
    var d = state[3]
    var e = state[4]
    var f = state[5]
    var g = state[6]
    var h = state[7]
    for t in stride(from: 0, to: 64, by: 8) {
      round(a, b, c, &d, e, f, g, &h, w[t] &+ k[t])
      round(h, a, b, &c, d, e, f, &g, w[t + 1] &+ k[t + 1])
      round(g, h, a, &b, c, d, e, &f, w[t + 2] &+ k[t + 2])
      round(f, g, h, &a, b, c, d, &e, w[t + 3] &+ k[t + 3])
      round(e, f, g, &h, a, b, c, &d, w[t + 4] &+ k[t + 4])
      round(d, e, f, &g, h, a, b, &c, w[t + 5] &+ k[t + 5])
      round(c, d, e, &f, g, h, a, &b, w[t + 6] &+ k[t + 6])
      round(b, c, d, &e, f, g, h, &a, w[t + 7] &+ k[t + 7])
    }
    return SIMD8(a, b, c, d, e, f, g, h)
  }

  /// One round; `h` becomes the next round's `a`, `d` its `e`.
  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
    _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ word: UInt32
  ) {
    let choice = g ^ (e & (f ^ g))
    let majority = (a & b) | (c & (a | b))
    let t1 = h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ word
    d &+= t1
    h = t1 &+ (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
  }

  @inline(__always)
  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word &>> count) | (word &<< (32 &- count))
  }

  private static let initialState = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

  private static let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
    0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
    0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
    0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
    0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

/// Digests for the study day.
@_spi(StudyDay) public enum Digest {
  /// The SHA-256 of bytes, 32 bytes.
  public static func sha256(of bytes: some ContiguousBytes) -> [UInt8] {
    let words = bytes.withUnsafeBytes(SHA256.digest)
    return words.indices.flatMap { index in withUnsafeBytes(of: words[index].bigEndian, Array.init)
    }
  }
}

import CSheets
import StudyData
import StudyFiles

/// The reason why a file cannot be read as a workbook, with a remedy.
struct WorkbookProblem: Error, Equatable {
  var message: String
  var remedy: String

  init(_ message: String, remedy: String = "open it in the spreadsheet program and save it again") {
    self.message = message
    self.remedy = remedy
  }
}

/// A zip archive in memory, with the features that workbooks use: one file, entries stored or deflated, none encrypted.
///
/// The content is untrusted: offsets, lengths and checksums are verified. Against zip bombs the total unpacked size and
/// the compression ratio of each entry are limited.
///
/// Source: PKWARE, APPNOTE.TXT 6.3.10 (2022), sections 4.3 and 4.4.
final class ZipArchive {
  /// The maximum unpacked size of all entries, in bytes.
  static let budget = 1 << 29
  /// The maximum compression ratio of an entry above `harmlessSize`. Deflate reaches 1032; sheets reach 10 to 60.
  static let largestRatio = 200
  static let harmlessSize = 1 << 24

  private struct Entry {
    var method, flags: Int
    var checksum: UInt32
    var packedSize, offset: Int
  }

  private let bytes: [UInt8]
  private var entries: [String: Entry] = [:]
  private var remaining = ZipArchive.budget

  /// Reads the list of entries.
  init(_ bytes: [UInt8]) throws(WorkbookProblem) {
    self.bytes = bytes
    // The end record may be followed by a comment of up to 65535 bytes.
    let last = bytes.count - 22
    guard
      let end = stride(from: last, through: max(0, last - 0xFFFF), by: -1)
        .first(where: { number($0, 4) == 0x0605_4B50 })
    else { throw Self.damaged }
    let count = number(end + 10, 2) ?? 0
    let start = number(end + 16, 4) ?? 0
    guard start < 0xFFFF_FFFF, count < 0xFFFF else {
      throw WorkbookProblem("the workbook is larger than 4 GiB or has more than 65,534 parts")
    }
    var offset = start
    for _ in 0..<count { offset = try addEntry(at: offset) }
  }

  private static let damaged = WorkbookProblem(
    "the workbook is damaged or incomplete",
    remedy: "copy or download it again, or open it in the spreadsheet program and save it again")

  func contains(_ name: String) -> Bool { entries[name] != nil }

  /// Unpacks an entry, piece by piece.
  func read(
    _ name: String, _ body: (UnsafeRawBufferPointer) throws(WorkbookProblem) -> Void
  ) throws(WorkbookProblem) {
    guard let entry = entries[name] else {
      throw WorkbookProblem("the workbook lacks its part \(name.quoted)")
    }
    guard entry.flags & 1 == 0 else {
      throw WorkbookProblem(
        "the workbook is encrypted", remedy: "save it without a password and read that")
    }
    // The local header has its own lengths: its extra fields may differ from those in the directory.
    guard number(entry.offset, 4) == 0x0403_4B50, let nameLength = number(entry.offset + 26, 2),
      let extraLength = number(entry.offset + 28, 2)
    else { throw Self.damaged }
    let start = entry.offset + 30 + nameLength + extraLength
    guard start + entry.packedSize <= bytes.count else { throw Self.damaged }
    var checksum: UInt = 0
    var size = 0
    let check = { (piece: UnsafeRawBufferPointer) throws(WorkbookProblem) in
      size += piece.count
      self.remaining -= piece.count
      guard self.remaining >= 0,
        size <= max(Self.harmlessSize, Self.largestRatio * entry.packedSize)
      else {
        throw WorkbookProblem(
          "the workbook unpacks to more than a study can need",
          remedy: "keep the sheets with people, drinks and readings, and delete the others")
      }
      checksum = crc32(
        checksum, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(piece.count))
      try body(piece)
    }
    let packed = bytes[start..<start + entry.packedSize]
    switch entry.method {
    case 0: try packed.withPieces(check)
    case 8: try Self.inflate(packed, check)
    default:
      throw WorkbookProblem("the workbook is packed by a method that workbooks do not use")
    }
    guard UInt32(truncatingIfNeeded: checksum) == entry.checksum else { throw Self.damaged }
  }

  /// Adds the entry at an offset of the central directory, and returns the offset of the next.
  private func addEntry(at offset: Int) throws(WorkbookProblem) -> Int {
    guard number(offset, 4) == 0x0201_4B50, let flags = number(offset + 8, 2),
      let method = number(offset + 10, 2), let checksum = number(offset + 16, 4),
      let packedSize = number(offset + 20, 4), let nameLength = number(offset + 28, 2),
      let extraLength = number(offset + 30, 2), let commentLength = number(offset + 32, 2),
      let localOffset = number(offset + 42, 4), offset + 46 + nameLength <= bytes.count
    else { throw Self.damaged }
    let name = String(decoding: bytes[offset + 46..<offset + 46 + nameLength], as: UTF8.self)
    entries[name] = Entry(
      method: method, flags: flags, checksum: UInt32(checksum), packedSize: packedSize,
      offset: localOffset)
    return offset + 46 + nameLength + extraLength + commentLength
  }

  /// Reads a little-endian number of `count` bytes at an offset; nil beyond the end.
  private func number(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func inflate(
    _ packed: ArraySlice<UInt8>, _ body: (UnsafeRawBufferPointer) throws(WorkbookProblem) -> Void
  ) throws(WorkbookProblem) {
    // zlib keeps a pointer to the stream, which therefore must not move.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: packed.count)
    stream.initialize(to: z_stream())
    _ = input.initialize(from: packed)
    defer {
      stream.deallocate()
      buffer.deallocate()
      input.deallocate()
    }
    // Negative bits of the window: deflate without zlib's own header.
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else { throw damaged }
    defer { inflateEnd(stream) }
    stream.pointee.next_in = input.baseAddress
    stream.pointee.avail_in = UInt32(packed.count)
    var status = Z_OK
    while status == Z_OK {
      stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(buffer.count)
      status = CSheets.inflate(stream, Z_NO_FLUSH)
      try body(
        UnsafeRawBufferPointer(rebasing: buffer[..<(buffer.count - Int(stream.pointee.avail_out))]))
    }
    // Z_BUF_ERROR: the data end before the stream does.
    guard status == Z_STREAM_END else { throw damaged }
  }
}

extension ArraySlice<UInt8> {
  /// Calls a closure with the bytes in pieces of at most 64 KiB.
  fileprivate func withPieces(
    _ body: (UnsafeRawBufferPointer) throws(WorkbookProblem) -> Void
  ) throws(WorkbookProblem) {
    for start in stride(from: startIndex, to: endIndex, by: 1 << 16) {
      let piece = Array(self[start..<Swift.min(start + 1 << 16, endIndex)])
      let result = piece.withUnsafeBytes { bytes in
        Result { () throws(WorkbookProblem) in try body(bytes) }
      }
      try result.get()
    }
  }
}

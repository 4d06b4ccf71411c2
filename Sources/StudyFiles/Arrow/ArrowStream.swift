import Foundation
import StudyData

/// Reads an Arrow IPC stream one batch at a time. Schema, dictionaries and batches are messages with a description, in a
/// FlatBuffer, and a body (arrow.apache.org/docs/format/Columnar.html).
///
/// The content is untrusted: every length and offset is validated. Memory is that of the largest batch and of the
/// dictionaries.
final class ArrowStream {
  let schema: ArrowSchema
  private(set) var columns: [ArrowColumn] = []
  private(set) var count = 0

  private let source: ArrowSource
  private let body = ArrowMemory()
  private var dictionaries: [Int64: ArrowDictionary] = [:]

  /// The kinds of messages (Message.fbs).
  private enum Kind: UInt8 { case schema = 1, dictionary, batch }

  /// The maximum size of a description, which needs about 100 bytes per column; a longer one is not Arrow.
  private static let longestDescription = 1 << 24

  /// Opens a stream and reads its schema; also reads an Arrow file, which contains a stream.
  init(_ file: InputFile) throws(FileProblem) {
    source = ArrowSource(file)
    let memory = ArrowMemory()
    guard let (kind, header, _) = try Self.message(source, into: memory, isFirst: true),
      kind == Kind.schema.rawValue
    else { throw Self.noStream }
    schema = try ArrowSchema(header)
  }

  func next() throws(FileProblem) -> Bool {
    let memory = ArrowMemory()
    while let (kind, header, length) = try Self.message(source, into: memory) {
      switch Kind(rawValue: kind) {
      case .batch:
        let bytes = try body.read(length, from: source)
        var body = try ArrowBody(header, bytes)
        columns = try schema.fields.map { field throws(FileProblem) in
          try body.column(field.type, { id throws(FileProblem) in try dictionary(id) })
        }
        count = body.count
        return true
      case .dictionary: try readDictionary(header, length)
      case .schema, nil: throw .damaged("a message is neither dictionary nor batch")
      }
    }
    return false
  }

  private func dictionary(_ id: Int64) throws(FileProblem) -> ArrowDictionary {
    guard let dictionary = dictionaries[id] else {
      throw .damaged("a batch needs dictionary \(id), which has not come")
    }
    return dictionary
  }

  private func readDictionary(_ header: FlatTable, _ length: Int64) throws(FileProblem) {
    let id = try header.number(0, Int64.self)
    guard try header.number(2, UInt8.self) == 0 else {
      throw .unsupported(
        "dictionary \(id) is sent in pieces (delta)",
        remedy: "write the stream with whole dictionaries, or the column as plain utf8")
    }
    guard let batch = try header.table(1),
      let type = schema.fields.lazy.compactMap({ $0.type.values(ofDictionary: id) }).first
    else { throw .damaged("dictionary \(id) belongs to no column") }
    let memory = ArrowMemory()
    var body = try ArrowBody(batch, try memory.read(length, from: source))
    let column = try body.column(type) { _ throws(FileProblem) in throw Self.noStream }
    dictionaries[id] = ArrowDictionary(count: body.count, column: column, memory: memory)
  }

  // MARK: Messages

  /// Reads the description of a message; nil at the end mark. The result points into `memory`.
  private static func message(
    _ source: ArrowSource, into memory: ArrowMemory, isFirst: Bool = false, mayGoOn: Bool = false
  ) throws(FileProblem) -> (kind: UInt8, header: FlatTable, bodyLength: Int64)? {
    var mark = try word(source, isFirst: isFirst)
    // A file begins with "ARROW1" and two zeros, followed by a stream.
    if isFirst, mark == 0x4F52_5241 {
      source.isFile = true
      guard try word(source, isFirst: true) == 0x0000_3157 else { throw noStream }
      mark = try word(source, isFirst: true)
    }
    guard mark == .max else {
      throw isFirst ? noStream : .damaged("a message does not begin with its mark")
    }
    let length = Int32(bitPattern: try word(source, isFirst: isFirst))
    if length == 0, !isFirst {
      if !mayGoOn { try requireEnd(of: source) }
      return nil
    }
    guard length > 0, length <= longestDescription else {
      throw isFirst ? noStream : .damaged("the description of a message has \(length) bytes")
    }
    let message = try FlatTable(rootOf: try memory.read(Int64(length), from: source))
    guard let header = try message.table(2) else { throw .damaged("a message holds nothing") }
    let bodyLength = try message.number(3, Int64.self)
    let kind = try message.number(1, UInt8.self)
    guard bodyLength >= 0, kind != Kind.schema.rawValue || bodyLength == 0 else {
      throw .damaged("a message claims a body of \(bodyLength) bytes")
    }
    return (kind, header, bodyLength)
  }

  /// Requires that nothing follows the end mark: the rows of a second stream would be missing.
  private static func requireEnd(of source: ArrowSource) throws(FileProblem) {
    let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { rest.deallocate() }
    if source.isFile {
      // Read to the end, so that the digest is that of the whole file.
      while try source.read(into: rest) == rest.count {}
      return
    }
    guard try source.read(into: rest) > 0 else { return }
    throw .damaged(
      "something follows the end mark, as if a second stream stood behind it: write all rows into one"
    )
  }

  /// Splits consecutive streams.
  static func streams(in bytes: Data) throws(FileProblem) -> [Data] {
    let source = ArrowSource(InputFile(path: "", bytes: bytes))
    var streams: [Data] = []
    while source.offset < bytes.count {
      let start = source.offset
      repeat {
        guard
          let (_, _, length) = try message(
            source, into: ArrowMemory(), isFirst: source.offset == start, mayGoOn: true)
        else { break }
        try source.skip(length, of: bytes.count)
      } while true
      guard !source.isFile else {
        throw .unsupported("this is an Arrow file", remedy: "write Arrow streams")
      }
      streams.append(Data(bytes[start..<source.offset]))
    }
    return streams
  }

  private static func word(_ source: ArrowSource, isFirst: Bool) throws(FileProblem) -> UInt32 {
    let memory = ArrowMemory()
    do throws(FileProblem) {
      return UInt32(littleEndian: try memory.read(4, from: source).loadUnaligned(as: UInt32.self))
    } catch {
      guard error.code == .fileFormat else { throw error }
      throw isFirst
        ? noStream
        : .damaged("the stream ends without its end mark, so that rows may be missing")
    }
  }

  private static let noStream = FileProblem.damaged("this is no Arrow stream")
}

extension ArrowType {
  /// Returns the type of a dictionary's values; nil for another dictionary.
  fileprivate func values(ofDictionary id: Int64) -> ArrowType? {
    guard case .dictionary(id, _, let isView, let isLarge) = self else { return nil }
    return isView ? .textView : .text(isLarge: isLarge)
  }
}

final class ArrowSource {
  var isFile = false
  private let file: InputFile
  private(set) var offset = 0

  init(_ file: InputFile) { self.file = file }

  /// Skips bytes; throws if the stream ends before.
  func skip(_ length: Int64, of total: Int) throws(FileProblem) {
    guard length <= Int64(total - offset) else {
      throw .damaged("the stream ends within a message, which claims \(length) bytes")
    }
    offset += Int(length)
  }

  /// Fills the memory unless the file ends before, and returns the number of bytes.
  func read(into memory: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int {
    var filled = 0
    while filled < memory.count {
      do throws(InputFile.ReadFailure) {
        let rest = UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
        let count = try file.read(into: rest, at: offset)
        if count == 0 { break }
        filled += count
        offset += count
      } catch {
        throw .unreadable(error.reason)
      }
    }
    return filled
  }
}

/// A buffer for a message that grows with the bytes read, whatever length the message claims.
final class ArrowMemory {
  private static let step = 1 << 18

  private var bytes = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
  private var capacity = 0

  deinit { bytes.deallocate() }

  /// Replaces the content by `length` bytes from the source, followed by padding for reads of whole words.
  func read(_ length: Int64, from source: ArrowSource) throws(FileProblem)
    -> UnsafeRawBufferPointer
  {
    var filled = 0
    while filled < length {
      if filled == capacity { grow(filled, upTo: length) }
      let free = Int(min(length, Int64(capacity))) - filled
      let count = try source.read(
        into: UnsafeMutableRawBufferPointer(start: bytes + filled, count: free))
      filled += count
      guard count == free else {
        throw .damaged(
          "the stream ends within a message, of which \(filled) of \(length) bytes are there")
      }
    }
    return UnsafeRawBufferPointer(start: bytes, count: filled)
  }

  private func grow(_ filled: Int, upTo length: Int64) {
    capacity = Int(min(length, Int64(max(Self.step, 2 * capacity))))
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity + 8, alignment: 64)
    larger.copyMemory(from: bytes, byteCount: filled)
    bytes.deallocate()
    bytes = larger
  }
}

import StudyData

/// A validated column of a batch: every number is within its buffer; texts are validated when they are read.
///
/// A class, because a structure would be copied, with its arrays, for every field.
final class ArrowColumn {
  let type: ArrowType
  let validity: UnsafeRawPointer?
  let values: UnsafeRawPointer
  /// The buffers of texts: one, or several for views.
  let texts: [UnsafeRawBufferPointer]
  /// The values of a dictionary column.
  let dictionary: ArrowDictionary?

  init(
    type: ArrowType, validity: UnsafeRawPointer?, values: UnsafeRawPointer,
    texts: [UnsafeRawBufferPointer], dictionary: ArrowDictionary?
  ) {
    self.type = type
    self.validity = validity
    self.values = values
    self.texts = texts
    self.dictionary = dictionary
  }

  @inline(__always)
  func isMissing(_ row: Int) -> Bool {
    guard let validity else {
      if case .null = type { return true }
      return false
    }
    return Self.bit(row, of: validity) == 0
  }

  @inline(__always)
  func bool(_ row: Int) -> Bool { Self.bit(row, of: values) != 0 }

  @inline(__always)
  private static func bit(_ index: Int, of bits: UnsafeRawPointer) -> UInt8 {
    bits.load(fromByteOffset: index >> 3, as: UInt8.self) >> UInt8(index & 7) & 1
  }

  /// Returns a text as UTF-8 without NUL; nil if it is missing.
  func text(_ row: Int) throws(FileProblem) -> UnsafeRawBufferPointer? {
    switch type {
    case .text(let isLarge):
      let (start, end) =
        isLarge ? offsets(row, Int64.self) : offsets(row, Int32.self)
      guard let start, let end, 0 <= start, start <= end, end <= texts[0].count else {
        throw .damaged("a text in a batch lies outside its buffer")
      }
      return try checked(UnsafeRawBufferPointer(rebasing: texts[0][start..<end]))
    case .textView: return try checked(try view(row))
    case .dictionary(_, let index, _, _):
      guard let dictionary, let position = index.integer(at: values + row * index.width),
        0 <= position, position < dictionary.count
      else { throw .damaged("a value of a batch is not in its dictionary") }
      let entry = Int(position)
      return dictionary.column.isMissing(entry) ? nil : try dictionary.column.text(entry)
    case .number, .bool, .null: return nil
    }
  }

  @inline(__always)
  private func offsets<Offset: FixedWidthInteger>(_ row: Int, _ type: Offset.Type) -> (Int?, Int?) {
    let address = values + row * MemoryLayout<Offset>.size
    return (
      Int(exactly: address.loadUnaligned(as: type)),
      Int(exactly: (address + MemoryLayout<Offset>.size).loadUnaligned(as: type))
    )
  }

  /// Returns the text of a view: the length, then up to 12 bytes of text, or a prefix, the buffer and the offset in it.
  private func view(_ row: Int) throws(FileProblem) -> UnsafeRawBufferPointer {
    let address = values + 16 * row
    let part = { (index: Int) in Int((address + 4 * index).loadUnaligned(as: Int32.self)) }
    let length = part(0)
    if 0...12 ~= length { return UnsafeRawBufferPointer(start: address + 4, count: length) }
    let buffer = part(2)
    let start = part(3)
    guard length > 0, texts.indices.contains(buffer), start >= 0,
      start <= texts[buffer].count - length
    else { throw .damaged("a text in a batch lies outside its buffer") }
    return UnsafeRawBufferPointer(rebasing: texts[buffer][start..<start + length])
  }

  private func checked(_ text: UnsafeRawBufferPointer) throws(FileProblem)
    -> UnsafeRawBufferPointer
  {
    var rest = text.count
    var isPlain = true
    // Names are short: a loop over bytes costs less than setting up vector code.
    while rest > 0, isPlain {
      rest &-= 1
      isPlain = 1..<0x80 ~= text[rest]
    }
    if isPlain { return text }
    do throws(UTF8Text.Problem) {
      _ = try UTF8Text.checkedLength(of: text, isWhole: true)
    } catch {
      throw .damaged("a text is no UTF-8: \(error.message)")
    }
    return text
  }
}

/// The values of a dictionary, in memory of their own.
struct ArrowDictionary {
  let count: Int
  let column: ArrowColumn
  let memory: ArrowMemory
}

/// The body of a batch, with the list of its buffers.
struct ArrowBody {
  private let bytes: UnsafeRawBufferPointer
  /// The start of the bytes, also the address of empty buffers.
  private let start: UnsafeRawPointer
  private var nodes: ArraySlice<Int64>
  private var buffers: ArraySlice<Int64>
  private var views: ArraySlice<Int64>
  let count: Int

  init(_ batch: FlatTable, _ bytes: UnsafeRawBufferPointer) throws(FileProblem) {
    guard try batch.table(3) == nil else { throw .compressed }
    guard let start = bytes.baseAddress else { throw .damaged("a batch has no body") }
    let length = try batch.number(0, Int64.self)
    // A row takes at least one bit: this bounds the work for a false count.
    guard 0 <= length, length <= 8 * Int64(bytes.count) else {
      throw .damaged("a batch claims \(length) rows and has \(bytes.count) bytes")
    }
    count = Int(length)
    self.bytes = bytes
    self.start = start
    nodes = try batch.integers(1, by: 2)[...]
    buffers = try batch.integers(2, by: 2)[...]
    views = try batch.integers(4, by: 1)[...]
  }

  mutating func column(
    _ type: ArrowType, _ dictionary: (Int64) throws(FileProblem) -> ArrowDictionary
  ) throws(FileProblem) -> ArrowColumn {
    guard let length = nodes.popFirst(), let missing = nodes.popFirst(), length == Int64(count),
      0 <= missing, missing <= length
    else { throw .damaged("a column of a batch has another length than the batch") }
    guard type != .null else {
      return ArrowColumn(type: type, validity: nil, values: start, texts: [], dictionary: nil)
    }
    let validity = try buffer()
    let isWhole = missing == 0 || validity.isEmpty
    if !isWhole { try require(validity, (count + 7) / 8) }
    let values = try buffer()
    var texts: [UnsafeRawBufferPointer] = []
    var entries: ArrowDictionary?
    switch type {
    case .number(let number): try require(values, count * number.width)
    case .bool: try require(values, (count + 7) / 8)
    case .text(let isLarge):
      if count > 0 { try require(values, (count + 1) * (isLarge ? 8 : 4)) }
      texts = [try buffer()]
    case .textView:
      try require(values, 16 * count)
      guard let others = views.popFirst(), 0 <= others, others <= Int64(buffers.count) else {
        throw .damaged("a batch does not say how many buffers its texts have")
      }
      for _ in 0..<others { texts.append(try buffer()) }
    case .dictionary(let id, let index, _, _):
      try require(values, count * index.width)
      if count > 0 { entries = try dictionary(id) }
    case .null: break
    }
    return ArrowColumn(
      type: type, validity: isWhole ? nil : validity.baseAddress ?? start,
      values: values.baseAddress ?? start, texts: texts, dictionary: entries)
  }

  private mutating func buffer() throws(FileProblem) -> UnsafeRawBufferPointer {
    guard let offset = buffers.popFirst(), let length = buffers.popFirst(), 0 <= offset,
      0 <= length, offset <= Int64(bytes.count), length <= Int64(bytes.count) - offset
    else { throw .damaged("a buffer of a batch lies outside its body") }
    return UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset + length)])
  }

  private func require(_ buffer: UnsafeRawBufferPointer, _ count: Int) throws(FileProblem) {
    guard buffer.count >= count else {
      throw .damaged("a buffer of a batch has \(buffer.count) bytes and needs \(count)")
    }
  }
}

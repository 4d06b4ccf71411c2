import StudyData

/// Writes rows as Arrow IPC: a stream of messages, or a file, which is the stream between marks with the offsets of its
/// batches at the end (arrow.apache.org/docs/format/Columnar.html, "IPC File Format").
package struct ArrowWriter: Sendable {
  package enum Kind: Sendable { case text, integer, number }

  /// One value; a value that does not fit its column is written as missing.
  package enum Value: Sendable {
    case missing
    case text(String)
    case integer(Int64)
    case number(Double)
  }

  /// The number of rows per batch: small enough for the cache, large enough to make descriptions negligible.
  package static let rowsPerBatch = 4096
  /// The maximum size of texts in a batch, well within offsets of four bytes.
  private static let maximumText = 1 << 28

  package static let end: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
  /// The mark at both ends of a file; messages start at multiples of eight bytes.
  private static let mark = Array("ARROW1".utf8)

  /// The bytes before the rows: the mark of a file, and the schema.
  package let start: [UInt8]
  private let schema: [FlatValue?]
  private let isFile: Bool
  /// The offset, the length of the description and the length of the body of each batch of a file.
  private var batches: [Int64] = []
  private var length: Int
  private var columns: [ColumnBuffer]
  private var count = 0

  /// - Parameter isFile: Whether to write a file, which allows random access to batches, instead of a stream.
  package init(
    _ columns: [(name: String, kind: Kind)], metadata: [(key: String, value: String)],
    asFile isFile: Bool = false
  ) {
    self.isFile = isFile
    self.columns = columns.map { ColumnBuffer(kind: $0.kind) }
    schema = Self.schema(columns, metadata)
    start = (isFile ? Self.mark + [0, 0] : []) + Self.message(1, schema, body: []).all
    length = start.count
  }

  package var isFull: Bool {
    count >= Self.rowsPerBatch || columns.contains { $0.text.count > Self.maximumText }
  }

  /// Adds the value of a column to the current row; every column needs one.
  @inline(__always)
  package mutating func add(_ value: Value, to column: Int) {
    columns[column].add(value, at: count)
  }

  package mutating func endRow() { count += 1 }

  private static func schema(
    _ columns: [(name: String, kind: Kind)], _ metadata: [(key: String, value: String)]
  ) -> [FlatValue?] {
    let fields = columns.map { name, kind -> [FlatValue?] in
      let type: (code: UInt8, details: [FlatValue?]) =
        switch kind {
        case .text: (5, [])
        case .integer: (2, [.int(64), .byte(1)])
        case .number: (3, [.short(2)])
        }
      return [.text(name), .byte(1), .byte(type.code), .table(type.details), nil, .tables([])]
    }
    let entries = metadata.map { [FlatValue.text($0.key), .text($0.value)] as [FlatValue?] }
    return [.short(0), .tables(fields), .tables(entries)]
  }

  /// Returns the rows since the last batch as a message, and clears them; empty if there are none.
  package mutating func takeBatch() -> [UInt8] {
    guard count > 0 else { return [] }
    var body: [UInt8] = []
    var nodes: [Int64] = []
    var buffers: [Int64] = []
    for index in columns.indices { columns[index].write(count, to: &body, &nodes, &buffers) }
    let header: [FlatValue?] = [
      .long(Int64(count)), .integers(nodes, by: 2), .integers(buffers, by: 2),
    ]
    count = 0
    let message = Self.message(3, header, body: body)
    batches += [Int64(length), Int64(message.description), Int64(body.count)]
    length += message.all.count
    return message.all
  }

  /// The bytes after the last batch, in a file with the offsets of all batches.
  package var ending: [UInt8] {
    guard isFile else { return Self.end }
    // The version is V5; the list of dictionaries is empty.
    let footer = FlatValue.buffer([
      .short(4), .table(schema), .integers([], by: 3), .integers(batches, by: 3),
    ])
    var bytes = Self.end + footer
    bytes.put(Int32(footer.count))
    return bytes + Self.mark
  }

  /// Returns a message, and the number of bytes before its body.
  private static func message(
    _ kind: UInt8, _ header: [FlatValue?], body: [UInt8]
  ) -> (all: [UInt8], description: Int) {
    // The version is V5, as since Arrow 1.0.
    let description = FlatValue.buffer([
      .short(4), .byte(kind), .table(header), .long(Int64(body.count)),
    ])
    var message: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    message.put(Int32(description.count))
    message += description
    return (message + body, message.count)
  }
}

private struct ColumnBuffer: Sendable {
  let kind: ArrowWriter.Kind
  /// The bits of numbers.
  private var words: [UInt64] = []
  private var ends: [Int32] = []
  private(set) var text: [UInt8] = []
  /// A bit for each value that is not missing; empty until the first missing value.
  private var validity: [UInt8] = []
  private var missing = 0

  init(kind: ArrowWriter.Kind) { self.kind = kind }

  @inline(__always)
  mutating func add(_ value: ArrowWriter.Value, at row: Int) {
    switch (kind, value) {
    case (.number, .number(let number)): words.append(number.bitPattern)
    case (.number, .integer(let number)): words.append(Double(number).bitPattern)
    case (.integer, .integer(let number)): words.append(UInt64(bitPattern: number))
    case (.text, .text(let value)):
      text.append(contentsOf: value.utf8)
      ends.append(Int32(text.count))
    default:
      if kind == .text { ends.append(Int32(text.count)) } else { words.append(0) }
      missing += 1
      while validity.count <= row >> 3 { validity.append(0xFF) }
      validity[row >> 3] &= ~(1 << UInt8(row & 7))
    }
  }

  /// Appends the buffers to a body with their offsets, and clears them.
  mutating func write(
    _ count: Int, to body: inout [UInt8], _ nodes: inout [Int64], _ buffers: inout [Int64]
  ) {
    nodes += [Int64(count), Int64(missing)]
    let add = { (body: inout [UInt8], buffers: inout [Int64], bytes: UnsafeRawBufferPointer) in
      buffers += [Int64(body.count), Int64(bytes.count)]
      body.append(contentsOf: bytes)
      body.pad(to: 8)
    }
    if missing > 0 {
      while validity.count < (count + 7) >> 3 { validity.append(0xFF) }
      // Bits after the last row must be zero.
      if count & 7 != 0 { validity[count >> 3] &= (1 << UInt8(count & 7)) - 1 }
    }
    validity.withUnsafeBytes { add(&body, &buffers, $0) }
    if kind == .text {
      ([0] + ends).withUnsafeBytes { add(&body, &buffers, $0) }
      text.withUnsafeBytes { add(&body, &buffers, $0) }
    } else {
      words.withUnsafeBytes { add(&body, &buffers, $0) }
    }
    words.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    validity.removeAll(keepingCapacity: true)
    missing = 0
  }
}

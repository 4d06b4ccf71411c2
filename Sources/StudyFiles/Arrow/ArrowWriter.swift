import StudyData

/// Rows as Arrow IPC: a stream of messages, or a file, which is the stream between marks with the places of its batches
/// at the end (arrow.apache.org/docs/format/Columnar.html, "IPC File Format").
package struct ArrowWriter: Sendable {
  package enum Kind: Sendable { case text, integer, number }

  /// One value; what does not fit its column is missing.
  package enum Value: Sendable {
    case missing
    case text(String)
    case integer(Int64)
    case number(Double)
  }

  /// Few enough rows to stay in the cache, and so many that the description of a batch weighs nothing.
  package static let rowsPerBatch = 4096
  /// Before texts come near what offsets of four bytes can say.
  private static let mostText = 1 << 28

  package static let end: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
  /// How a file begins, after which messages lie at multiples of eight bytes, and how it ends.
  private static let mark = Array("ARROW1".utf8)

  /// What stands before the rows.
  package let start: [UInt8]
  private let schema: [FlatValue?]
  private let isFile: Bool
  /// Where each batch of a file begins, how long its description is, and how long its body.
  private var batches: [Int64] = []
  private var length: Int
  private var columns: [ColumnBuffer]
  private var count = 0

  /// - Parameter asFile: Whether it is a file, from which batches are read in any order, or a stream.
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
    count >= Self.rowsPerBatch || columns.contains { $0.text.count > Self.mostText }
  }

  /// Adds the value of the next column of a row; all columns have to get one.
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

  /// The rows since the last batch as a message; nothing if there are none.
  package mutating func takeBatch() -> [UInt8] {
    guard count > 0 else { return [] }
    var (body, nodes, buffers) = ([UInt8](), [Int64](), [Int64]())
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

  /// What ends the rows, after the last batch: in a file the places of all batches, too.
  package var ending: [UInt8] {
    guard isFile else { return Self.end }
    // The version is V5; a file of ours has no dictionaries.
    let footer = FlatValue.buffer([
      .short(4), .table(schema), .integers([], by: 3), .integers(batches, by: 3),
    ])
    var bytes = Self.end + footer
    bytes.put(Int32(footer.count))
    return bytes + Self.mark
  }

  /// A message, and how many bytes of it come before its body.
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
  /// A bit for each value that is there, once one was not.
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

  /// Appends the buffers to a body, says where they are, and begins anew.
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
      // Bits behind the last row are zeros.
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

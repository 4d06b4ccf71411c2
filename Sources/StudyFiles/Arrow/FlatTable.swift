import StudyData

/// A table in a FlatBuffer, the format of Arrow's metadata. The content is untrusted: every offset is validated.
///
/// The format: flatbuffers.dev, "Internals". A table begins with the distance back to its list of fields (the vtable);
/// each entry there is the distance from the table to the field, 0 if it is omitted.
struct FlatTable {
  private let bytes: UnsafeRawBufferPointer
  private let start: Int
  private let fields: Int
  private let fieldsEnd: Int

  init(rootOf bytes: UnsafeRawBufferPointer) throws(FileProblem) {
    try self.init(bytes, at: try Self.follow(0, in: bytes))
  }

  private init(_ bytes: UnsafeRawBufferPointer, at start: Int) throws(FileProblem) {
    self.bytes = bytes
    self.start = start
    fields = start - Int(try Self.load(Int32.self, at: start, in: bytes))
    let length = Int(try Self.load(UInt16.self, at: fields, in: bytes))
    fieldsEnd = fields + length
    guard length >= 4, fieldsEnd <= bytes.count else { throw Self.damage }
  }

  /// Returns a number; 0 if it is omitted.
  func number<Number: FixedWidthInteger>(
    _ slot: Int, _ type: Number.Type
  ) throws(FileProblem) -> Number {
    guard let offset = try offset(of: slot) else { return 0 }
    return try Self.load(type, at: offset, in: bytes)
  }

  func table(_ slot: Int) throws(FileProblem) -> FlatTable? {
    guard let offset = try offset(of: slot) else { return nil }
    return try FlatTable(bytes, at: try Self.follow(offset, in: bytes))
  }

  func text(_ slot: Int) throws(FileProblem) -> String? {
    guard let list = try list(slot, of: 1) else { return nil }
    return String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[list.start...].prefix(list.count)),
      as: UTF8.self)
  }

  /// Returns a list of tables; empty if it is omitted.
  func tables(_ slot: Int) throws(FileProblem) -> [FlatTable] {
    guard let list = try list(slot, of: 4) else { return [] }
    return try (0..<list.count).map { index throws(FileProblem) in
      try FlatTable(bytes, at: try Self.follow(list.start + 4 * index, in: bytes))
    }
  }

  /// Returns a list of structures of `width` 64-bit integers; empty if it is omitted.
  func integers(_ slot: Int, by width: Int) throws(FileProblem) -> [Int64] {
    guard let list = try list(slot, of: 8 * width) else { return [] }
    return try (0..<list.count * width).map { index throws(FileProblem) in
      try Self.load(Int64.self, at: list.start + 8 * index, in: bytes)
    }
  }

  /// Returns the offset of the first element of a list and their number; nil if it is omitted.
  private func list(_ slot: Int, of size: Int) throws(FileProblem) -> (start: Int, count: Int)? {
    guard let offset = try offset(of: slot) else { return nil }
    let start = try Self.follow(offset, in: bytes)
    let count = Int(try Self.load(UInt32.self, at: start, in: bytes))
    guard count <= (bytes.count - start - 4) / size else { throw Self.damage }
    return (start + 4, count)
  }

  private func offset(of slot: Int) throws(FileProblem) -> Int? {
    let entry = fields + 4 + 2 * slot
    guard entry + 2 <= fieldsEnd else { return nil }
    let distance = Int(try Self.load(UInt16.self, at: entry, in: bytes))
    return distance == 0 ? nil : start + distance
  }

  private static func follow(
    _ place: Int, in bytes: UnsafeRawBufferPointer
  ) throws(FileProblem) -> Int {
    place + Int(try load(UInt32.self, at: place, in: bytes))
  }

  private static func load<Number: FixedWidthInteger>(
    _ type: Number.Type, at place: Int, in bytes: UnsafeRawBufferPointer
  ) throws(FileProblem) -> Number {
    guard place >= 0, place <= bytes.count - MemoryLayout<Number>.size else { throw damage }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: type))
  }

  private static let damage = FileProblem.damaged("the description of a message is damaged")
}

/// A value to be written into a FlatBuffer.
indirect enum FlatValue: Sendable {
  case byte(UInt8), short(Int16), int(Int32), long(Int64)
  case text(String)
  /// Fields in the order of their slots; nil omits one.
  case table([FlatValue?])
  case tables([[FlatValue?]])
  /// A list of structures of `by` integers each.
  case integers([Int64], by: Int)

  /// Returns a buffer with a root table, padded to a multiple of 8 bytes.
  static func buffer(_ root: [FlatValue?]) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0]
    table(root).append(to: &bytes, from: 0)
    bytes.pad(to: 8)
    return bytes
  }

  /// The bytes in its table: those of a number, or of the distance to the value.
  private var width: Int {
    switch self {
    case .byte: 1
    case .short: 2
    case .long: 8
    case .int, .text, .table, .tables, .integers: 4
    }
  }

  /// Appends a value stored outside its table, and writes the distance to it at `place`.
  private func append(to bytes: inout [UInt8], from place: Int) {
    switch self {
    case .byte, .short, .int, .long: break
    case .text(let text):
      bytes.pad(to: 4)
      bytes.link(place)
      bytes.put(UInt32(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
      bytes.put(UInt8(0))
    case .integers(let integers, let width):
      // The first number, after the count, is aligned to its size.
      bytes.pad(to: 4)
      if bytes.count % 8 == 0 { bytes.put(UInt32(0)) }
      bytes.link(place)
      bytes.put(UInt32(integers.count / width))
      for integer in integers { bytes.put(integer) }
    case .tables(let tables):
      bytes.pad(to: 4)
      bytes.link(place)
      bytes.put(UInt32(tables.count))
      let first = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: 4 * tables.count))
      for (index, table) in tables.enumerated() {
        FlatValue.table(table).append(to: &bytes, from: first + 4 * index)
      }
    case .table(let fields): Self.append(fields, to: &bytes, from: place)
    }
  }

  private static func append(_ fields: [FlatValue?], to bytes: inout [UInt8], from place: Int) {
    var distances: [Int] = []
    var end = 4
    for field in fields {
      let width = field?.width ?? 0
      if width > 0 { end = (end + width - 1) / width * width }
      distances.append(width > 0 ? end : 0)
      end += width
    }
    bytes.pad(to: 2)
    let list = bytes.count
    bytes.put(UInt16(4 + 2 * fields.count))
    bytes.put(UInt16(end))
    for distance in distances { bytes.put(UInt16(distance)) }
    bytes.pad(to: 8)
    let start = bytes.count
    bytes.link(place)
    bytes.put(Int32(start - list))
    bytes.append(contentsOf: repeatElement(0, count: end - 4))
    for (field, distance) in zip(fields, distances) {
      switch field {
      case .byte(let number): bytes[start + distance] = number
      case .short(let number): bytes.set(number, at: start + distance)
      case .int(let number): bytes.set(number, at: start + distance)
      case .long(let number): bytes.set(number, at: start + distance)
      case let field?: field.append(to: &bytes, from: start + distance)
      case nil: break
      }
    }
  }
}

extension [UInt8] {
  /// Appends a number in little-endian order. Not named `append`, for which a literal 0 would be eight bytes.
  mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  mutating func pad(to size: Int) {
    let rest = count % size
    if rest > 0 { append(contentsOf: repeatElement(0, count: size - rest)) }
  }

  fileprivate mutating func set<Number: FixedWidthInteger>(_ number: Number, at place: Int) {
    Swift.withUnsafeBytes(of: number.littleEndian) {
      replaceSubrange(place..<place + $0.count, with: $0)
    }
  }

  /// Writes the distance to the end, where the next value will be appended.
  fileprivate mutating func link(_ place: Int) { set(UInt32(count - place), at: place) }
}

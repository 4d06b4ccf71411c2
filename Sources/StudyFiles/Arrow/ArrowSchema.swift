import StudyData

/// The supported types of columns.
enum ArrowType: Equatable {
  /// A binary number.
  case number(ArrowNumber)
  case bool
  /// A column without values: all are missing.
  case null
  /// Text with offsets of four bytes, or of eight if large.
  case text(isLarge: Bool)
  /// Text with views: short texts inline, others in any number of buffers.
  case textView
  /// Indices into a dictionary.
  case dictionary(id: Int64, index: ArrowNumber, isView: Bool, isLarge: Bool)
}

/// The memory format of a number.
enum ArrowNumber: UInt8 {
  case float64, float32, int64, int32, int16, int8, uint64, uint32, uint16, uint8

  var width: Int {
    switch self {
    case .float64, .int64, .uint64: 8
    case .float32, .int32, .uint32: 4
    case .int16, .uint16: 2
    case .int8, .uint8: 1
    }
  }

  init?(bits: Int32, isSigned: Bool) {
    let kinds: [Int32: (signed: Self, unsigned: Self)] = [
      64: (.int64, .uint64), 32: (.int32, .uint32), 16: (.int16, .uint16), 8: (.int8, .uint8),
    ]
    guard let kind = kinds[bits] else { return nil }
    self = isSigned ? kind.signed : kind.unsigned
  }

  @inline(__always)
  func double(at place: UnsafeRawPointer) -> Double {
    switch self {
    case .float64: place.loadUnaligned(as: Double.self)
    case .float32: Double(place.loadUnaligned(as: Float.self))
    case .uint64: Double(place.loadUnaligned(as: UInt64.self))
    default: Double(integer(at: place) ?? 0)
    }
  }

  /// Returns the integer at an address; nil for floating point, or if it exceeds a signed 64-bit integer.
  @inline(__always)
  func integer(at place: UnsafeRawPointer) -> Int64? {
    switch self {
    case .float64, .float32: nil
    case .int64: place.loadUnaligned(as: Int64.self)
    case .int32: Int64(place.loadUnaligned(as: Int32.self))
    case .int16: Int64(place.loadUnaligned(as: Int16.self))
    case .int8: Int64(place.loadUnaligned(as: Int8.self))
    case .uint64: Int64(exactly: place.loadUnaligned(as: UInt64.self))
    case .uint32: Int64(place.loadUnaligned(as: UInt32.self))
    case .uint16: Int64(place.loadUnaligned(as: UInt16.self))
    case .uint8: Int64(place.loadUnaligned(as: UInt8.self))
    }
  }
}

/// The columns and the metadata of a stream.
struct ArrowSchema {
  struct Field {
    let name: String
    let type: ArrowType
  }

  let fields: [Field]
  /// The metadata of the stream.
  let metadata: [(key: String, value: String)]

  var names: [String] { fields.map(\.name) }

  /// The maximum number of columns.
  private static let maximumColumns = 10_000
  /// The maximum size in bytes of all names and metadata together: in a malicious file many texts may share bytes.
  private static let maximumText = 1 << 24

  init(_ schema: FlatTable) throws(FileProblem) {
    guard try schema.number(0, Int16.self) == 0 else {
      throw .unsupported(
        "the stream has its numbers' highest byte first",
        remedy: "write it on a machine with the lowest byte first, as most have")
    }
    let tables = try schema.tables(1)
    guard tables.count <= Self.maximumColumns else {
      throw .damaged("the stream has \(tables.count) columns; \(Self.maximumColumns) are read")
    }
    var fields: [Field] = []
    var remaining = Self.maximumText
    func reserve(_ length: Int) throws(FileProblem) {
      remaining -= length
      guard remaining >= 0 else {
        throw .damaged("the texts of the stream's description are too long")
      }
    }
    for table in tables {
      let field = try Field(table)
      try reserve(field.name.utf8.count)
      fields.append(field)
    }
    self.fields = fields
    var metadata: [(String, String)] = []
    for entry in try schema.tables(2) {
      let key = try entry.text(0) ?? ""
      let value = try entry.text(1) ?? ""
      // Empty entries use memory, too.
      try reserve(key.utf8.count + value.utf8.count + 1)
      metadata.append((key, value))
    }
    self.metadata = metadata
  }
}

extension ArrowSchema.Field {
  /// The names of unsupported types, by their numbers in the format (Schema.fbs).
  private static let unread: [UInt8: String] = [
    4: "binary", 7: "decimal", 8: "date", 9: "time", 10: "timestamp", 11: "interval", 12: "list",
    13: "struct", 14: "union", 15: "fixed-size binary", 16: "fixed-size list", 17: "map",
    18: "duration", 19: "large binary", 21: "large list", 22: "run-end encoded",
    23: "binary view", 25: "list view", 26: "large list view",
  ]

  fileprivate init(_ table: FlatTable) throws(FileProblem) {
    name = try table.text(0) ?? ""
    let plain = try Self.type(of: table, name)
    guard let dictionary = try table.table(4) else {
      type = plain
      return
    }
    let index = try dictionary.table(1)
    let number = ArrowNumber(
      bits: try index?.number(0, Int32.self) ?? 32,
      isSigned: try index?.number(1, UInt8.self) ?? 1 != 0)
    guard let number else { throw .damaged("the dictionary of column \(name.quoted) has no index") }
    let id = try dictionary.number(0, Int64.self)
    switch plain {
    case .text(let isLarge):
      type = .dictionary(id: id, index: number, isView: false, isLarge: isLarge)
    case .textView: type = .dictionary(id: id, index: number, isView: true, isLarge: false)
    default: throw Self.refusal(name, "a dictionary of values that are no text")
    }
  }

  private static func type(of table: FlatTable, _ name: String) throws(FileProblem) -> ArrowType {
    let code = try table.number(2, UInt8.self)
    let details = try table.table(3)
    switch code {
    case 1: return .null
    case 2:
      let bits = try details?.number(0, Int32.self) ?? 0
      let isSigned = try details?.number(1, UInt8.self) ?? 0 != 0
      guard let number = ArrowNumber(bits: bits, isSigned: isSigned) else {
        throw .damaged("column \(name.quoted) has whole numbers of \(bits) bits")
      }
      return .number(number)
    case 3:
      switch try details?.number(0, Int16.self) ?? 0 {
      case 1: return .number(.float32)
      case 2: return .number(.float64)
      default: throw refusal(name, "numbers of half precision")
      }
    case 5: return .text(isLarge: false)
    case 6: return .bool
    case 20: return .text(isLarge: true)
    case 24: return .textView
    default: throw refusal(name, "the type \(unread[code] ?? "number \(code)")")
    }
  }

  private static func refusal(_ name: String, _ found: String) -> FileProblem {
    .unsupported(
      "column \(name.quoted) has \(found)",
      remedy: "leave it out, or cast it to float64, int64 or utf8 (in SQL: DOUBLE, BIGINT, VARCHAR)"
    )
  }
}

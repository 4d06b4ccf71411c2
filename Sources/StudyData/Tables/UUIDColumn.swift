import Foundation

/// The column with the UUIDs of drinks or readings, by which a record is known whatever else about it
/// is corrected.
struct UUIDColumn {
  /// Its name.
  static let name = "uuid"

  private let column: Column

  /// Finds the column; nil if the table has none.
  init?(header: Header) {
    guard let column = header.column(Self.name) else { return nil }
    self.column = column
  }

  /// Reads a row's UUID; nil where there is none, or, reported, none that can be used.
  func uuid(in row: CSVRow, _ register: inout UUIDRegister, log: inout FindingLog) -> UUID? {
    guard !row.isMissing(column.index) else { return nil }
    guard let uuid = UUID(canonical: row.content(of: column.index)), !uuid.isNil else {
      row.note(
        .uuid, in: column, "which is not a UUID",
        remedy: "write 32 hexadecimal digits as 8-4-4-4-12, or leave the field empty", log: &log)
      return nil
    }
    if let first = register.enter(uuid, at: SourceLocation(file: log.file, line: row.firstLine)) {
      row.note(
        .duplicateUUID, in: column, "as in line \(first.line) of \(first.name)",
        remedy: "give every drink and reading its own UUID, or leave the field empty",
        log: &log)
      return nil
    }
    return uuid
  }
}

extension UUID {
  /// Takes the 36 characters of RFC 9562, in any case; nil for any other text. (Foundation's own way
  /// lets blanks and signs pass for digits.)
  init?(canonical text: UnsafeRawBufferPointer) {
    guard text.count == 36 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    for (index, byte) in text.enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Self.digit(byte) else { return nil }
      if index < 18 {
        halves.0 = halves.0 << 4 | digit
      } else {
        halves.1 = halves.1 << 4 | digit
      }
    }
    self = withUnsafeBytes(of: (halves.0.bigEndian, halves.1.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// Whether it is the UUID of zeros, which stands for none (RFC 9562, 5.9).
  fileprivate var isNil: Bool { withUnsafeBytes(of: uuid) { $0.allSatisfy { $0 == 0 } } }
}

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
    guard let uuid = UUID(uuidString: row.text(of: column.index)), !uuid.isNil else {
      row.note(
        .uuid, in: column, "which is no UUID",
        remedy: "write 32 hexadecimal digits as 8-4-4-4-12, or leave the field empty", log: &log)
      return nil
    }
    if let first = register.enter(uuid, at: SourceLocation(file: log.file, line: row.firstLine)) {
      row.note(
        .duplicateUUID, in: column, "as in line \(first.line) of \(first.name) already",
        remedy: "give every drink and reading a UUID of its own, or leave the field empty",
        log: &log)
      return nil
    }
    return uuid
  }
}

extension UUID {
  /// Whether it is the UUID of zeros, which stands for none (RFC 9562, 5.9).
  fileprivate var isNil: Bool { withUnsafeBytes(of: uuid) { $0.allSatisfy { $0 == 0 } } }
}

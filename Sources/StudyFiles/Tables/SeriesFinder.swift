import Foundation
import StudyData

/// Finds the series that a row belongs to, quickly where it is the previous row's.
final class SeriesFinder {
  static let columnNames: Set = ["subject", "occasion"]

  let subject: Column
  private let occasion: Column?
  // The previous row's fields, compared as bytes so that no string is made for most rows.
  private let lastSubject: LastField
  private let lastOccasion: LastField?
  /// What tells resets, each of which begins a further occasion of the subject, in a table without occasions.
  private let event: Column?
  /// The number of the occasion by resets.
  private var number = 1
  /// Whether the previous row's series is in the draft.
  private var hasLast = false

  var hasOccasions: Bool { occasion != nil }

  convenience init?(header: Header, log: inout FindingLog) {
    guard let subject = header.required("subject", log: &log) else { return nil }
    self.init(subject: subject, occasion: header.column("occasion"))
  }

  init(subject: Column, occasion: Column?, event: Column? = nil) {
    self.subject = subject
    self.event = occasion == nil ? event : nil
    self.occasion = occasion
    (lastSubject, lastOccasion) = (LastField(subject), occasion.map(LastField.init))
  }

  /// Forgets the previous row, whose series is not in the draft any more.
  func forget() { hasLast = false }

  func lacksSubject(_ row: CSVRow) -> Bool { row.isMissing(subject.index) }

  /// The row's series in the draft, which is made if need be; nil, reported, if the row does not say
  /// whose it is.
  func find(
    for row: CSVRow, in draft: inout StudyDraft, log: inout FindingLog
  ) -> (subject: SubjectDraft, index: Int)? {
    guard row.names(subject, log: &log) else { return nil }
    if !lastSubject.isSame(in: row) { number = 1 } else if isReset(row) { number += 1 }
    let name = number > 1 ? "\(number)" : row.filled(occasion)
    let mention = SourceLocation(file: log.file, place: row.place(of: subject.index))
    lastSubject.remember(row)
    lastOccasion?.remember(row)
    hasLast = true
    return draft.series(of: row.text(of: subject.index), occasion: name, mention: mention)
  }

  /// Whether the row belongs to the series that was found last.
  @inline(__always)
  func isLast(_ row: CSVRow) -> Bool {
    isLastSubject(row) && lastOccasion?.isSame(in: row) ?? true && !isReset(row)
  }

  @inline(__always)
  private func isReset(_ row: CSVRow) -> Bool {
    guard let event, let number = row.shortNumber(in: event.index) else { return false }
    return number == 3 || number == 4
  }

  /// Whether the row belongs to the subject of the series that was found last.
  @inline(__always)
  func isLastSubject(_ row: CSVRow) -> Bool { hasLast && lastSubject.isSame(in: row) }

  /// Whether the row belongs to a subject, or nobody; any row does if it is nobody's subject.
  func isOf(_ key: SubjectKey?, _ row: CSVRow) -> Bool {
    guard let key else { return true }
    return isLastSubject(row) || key.isNamed(in: row, subject) || lacksSubject(row)
  }
}

/// What a column had in a row before, as bytes, so that no string is made to compare with it.
final class LastField {
  let column: Column
  private var bytes: [UInt8] = []
  private var word: FieldWord?
  /// A number as such, and whether no other rounds to it, so that it need not be written out.
  private var bits: UInt64?

  init(_ column: Column) { self.column = column }

  @inline(__always)
  func isSame(in row: CSVRow) -> Bool {
    if let word, row.word(of: column.index) == word { return true }
    if let bits, row.bits(of: column.index) == bits { return true }
    return row.content(of: column.index).equals(bytes)
  }

  /// What was remembered.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  func remember(_ row: CSVRow) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: row.content(of: column.index))
    word = row.word(of: column.index)
    // Whole numbers of 64 bits beyond 2^53 share doubles.
    bits = row.bits(of: column.index)
    if let value = bits.map(Double.init(bitPattern:)), !(abs(value) < 0x1p53) { bits = nil }
  }
}

/// The column with the UUIDs of drinks or readings, by which a record is known whatever else about it
/// is corrected.
struct UUIDColumn {
  static let name = "uuid"

  private let column: Column

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
        .duplicate, in: column, "as in line \(first.line) of \(first.name)",
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
    let isWritten = text.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == ASCII.minus : Character(Unicode.Scalar(byte)).isHexDigit
    }
    guard text.count == 36, isWritten else { return nil }
    self.init(uuidString: String(decoding: text, as: UTF8.self))
  }

  /// Whether it is the UUID of zeros, which stands for none (RFC 9562, 5.9).
  fileprivate var isNil: Bool { withUnsafeBytes(of: uuid) { $0.allSatisfy { $0 == 0 } } }
}

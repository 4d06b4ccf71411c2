import AlcoholKinetics
import Foundation
import StudyData

enum NumberCell: Equatable {
  /// Nothing: the value is missing, or the table has no such column.
  case missing
  /// Something that is no usable number, which has been reported.
  case unusable
  /// A number.
  case number(Double)

  var value: Double? {
    guard case .number(let value) = self else { return nil }
    return value
  }
}

extension CSVRow {
  @inline(__always)
  func isFilled(_ column: Column?) -> Bool { column.map { !isMissing($0.index) } ?? false }

  /// The text in a column; nil if it is missing, or the table has no such column.
  func filled(_ column: Column?) -> String? {
    guard let column, !isMissing(column.index) else { return nil }
    return text(of: column.index)
  }

  /// What the word in a field stands for, whatever its case; nil if it is missing or, reported, not known.
  func meaning<Value>(
    in column: Column?, of words: [String: Value], _ code: DiagnosticCode, _ complaint: String,
    remedy: String
  ) -> Value? {
    guard let column, let word = filled(column) else { return nil }
    if let value = words[word] ?? words[word.lowercased()] { return value }
    note(code, in: column, complaint, remedy: remedy)
    return nil
  }

  /// Whether the row names its subject; reported if not.
  func names(_ subject: Column) -> Bool {
    if !isMissing(subject.index) { return true }
    log.add(
      .subject, at: place(of: subject.index), "the row names no subject",
      remedy: "name one, or remove the row")
    return false
  }

  @inline(__always)
  func number(in column: Column?, _ rule: @autoclosure () -> ValueRule? = nil) -> NumberCell {
    guard let column else { return .missing }
    // As nearly all fields are; whatever else there is to find is looked for elsewhere.
    if let number = shortNumber(in: column.index), rule()?.allows(number) ?? true {
      return .number(number)
    }
    return isMissing(column.index) ? .missing : anyNumber(in: column, rule())
  }

  @inline(never)
  private func anyNumber(in column: Column, _ rule: ValueRule?) -> NumberCell {
    let remedy = "write a plain number such as 0.45, or leave the field empty"
    guard let number = number(content(of: column.index), in: column, remedy: remedy)
    else { return .unusable }
    guard let rule, !rule.allows(number) else { return .number(number) }
    note(rule, in: column)
    return .unusable
  }

  /// The number in a part of a field; nil, reported, if it is not a number.
  func number(_ text: UnsafeRawBufferPointer, in column: Column, remedy: String) -> Double? {
    do throws(DecimalNumber.Problem) {
      return try parse(text)
    } catch .notANumber {
      note(.number, in: column, "which is not a number", remedy: remedy)
    } catch .notFinite {
      note(.number, in: column, "which is not a finite number", remedy: remedy)
    } catch {
      note(
        .number, in: column, "which contains a comma",
        remedy: "write a decimal point, as in 0.45, and no thousands separator; or separate fields "
          + "with semicolons or tabs")
    }
    return nil
  }
}

// MARK: Concentrations

/// A concentration, or the limit of detection that it was below, as `<0.05`.
struct MeasuredCell: Equatable {
  let number: Double
  let isBelow: Bool

  /// The value of a reading: one that is below a limit of detection shows nothing.
  var value: Double { isBelow ? 0 : number }
  var limit: Double? { isBelow ? number : nil }

  /// Whether a row's own limit of detection, if any, is that of the reading; reported if not.
  @inline(__always)
  func agrees(with limit: Double?, in column: Column?, of row: CSVRow) -> Bool {
    guard isBelow, let limit, let column, limit != number else { return true }
    row.note(
      .ambiguous, in: column, "but the reading is written as below \(number)",
      remedy: "keep one of the two limits of detection")
    return false
  }
}

extension CSVRow {
  /// Reads a concentration; nil, reported, if the field holds none.
  @inline(__always)
  func measured(in column: Column) -> MeasuredCell? {
    if let number = shortNumber(in: column.index) {
      return MeasuredCell(number: number, isBelow: false)
    }
    return anyMeasured(in: column)
  }

  @inline(never)
  private func anyMeasured(in column: Column) -> MeasuredCell? {
    let content = content(of: column.index).withoutNoBreakSpacesAround
    let remedy =
      "write a plain number such as 0.45, or <0.05 if it is below 0.05; leave it empty where nothing was measured"
    guard content.first == ASCII.lessThan else {
      return number(content, in: column, remedy: remedy)
        .map { MeasuredCell(number: $0, isBelow: false) }
    }
    let rest = UnsafeRawBufferPointer(rebasing: content.dropFirst().drop(while: ASCII.isBlank))
    guard let limit = number(rest, in: column, remedy: remedy) else { return nil }
    if limit > 0 { return MeasuredCell(number: limit, isBelow: true) }
    note(
      .range, in: column, "but a limit of detection must be above 0",
      remedy: "write the limit of detection after the <")
    return nil
  }
}

struct ReadingRule {
  let unit: ConcentrationUnit
  /// The concentration in blood, in g/kg, that one unit stands for, and the highest that somebody can have.
  private let scale, highest: Double

  init(_ unit: ConcentrationUnit) {
    self.unit = unit
    scale = unit.gramsPerKilogram(using: ConversionFactors())
    highest = ConcentrationUnit.implausibleConcentration.value
  }

  /// Whether a concentration can be one; reported if it cannot, or looks wrong.
  @inline(__always)
  func accepts(_ number: Double, of row: CSVRow, in column: Column) -> Bool {
    if number >= 0, number * scale <= highest { return true }
    let rule = number >= 0 ? ValueRule.highReading(in: unit) : .reading
    row.note(rule, in: column)
    return rule.code.severity == .warning
  }
}

// MARK: Times

enum TimeUnit: String {
  case minutes, hours

  /// Reads when something happened; nil, reported, where that is missing or absurd.
  @inline(__always)
  func time(in column: Column, of row: CSVRow) -> Hours? {
    // As nearly all times are. Copying a rule, with its words, would cost more than reading the number.
    if let number = row.shortNumber(in: column.index),
      abs(minutes(number)) <= ValueRule.limitInMinutes
    {
      return hours(number)
    }
    if row.content(of: column.index).contains(UInt8(ascii: ":")) {
      row.note(
        .time, in: column, "a time of day",
        remedy:
          "give the time in \(rawValue) since the first dose; a sheet with headers of its own, as Time and Date, may have times of day"
      )
      return nil
    }
    let cell = row.number(in: column, rule)
    if cell == .missing {
      row.note(
        .time, at: row.place(of: column.index), "\(column.title) is missing",
        remedy: "give the time in \(rawValue), or remove the row")
    }
    return cell.value.map(hours)
  }

  /// Reads how long something took, 0 if that is not said; nil, reported, where it is absurd.
  func duration(in column: Column?, of row: CSVRow) -> Hours? {
    let cell = row.number(in: column, rule)
    guard let column, let number = cell.value else { return cell == .missing ? 0 : nil }
    if number >= 0 { return hours(number) }
    row.note(.duration(in: rawValue), in: column)
    return nil
  }

  @inline(__always)
  private var rule: ValueRule { self == .minutes ? .minutes : .hours }

  @inline(__always)
  private func minutes(_ number: Double) -> Double { self == .minutes ? number : 60 * number }

  @inline(__always)
  private func hours(_ number: Double) -> Hours {
    self == .minutes ? Hours(minutes: number) : Hours(number)
  }
}

// MARK: Names

/// The field that a column had in a row before, as bytes, so that no string is made to compare with it.
final class LastField {
  let column: Column
  private var bytes: [UInt8] = []
  private var word: FieldWord?
  /// A number as such, unless another rounds to it, so that it need not be written out.
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

/// A subject's name as rows are compared with it.
struct SubjectKey {
  let id: String
  private let bytes: [UInt8]

  init(_ id: String) {
    self.id = id
    bytes = Array(id.utf8)
  }

  /// Whether a field holds the name, in the same bytes or in others that stand for the same text.
  func isNamed(in row: CSVRow, _ column: Column) -> Bool {
    row.content(of: column.index).equals(bytes) || row.text(of: column.index) == id
  }
}

/// The column with the UUIDs by which drinks or readings are known whatever else is corrected.
struct UUIDColumn {
  static let name = "uuid"

  private let column: Column
  private let register: UUIDRegister

  init?(header: Header, _ register: UUIDRegister) {
    guard let column = header.column(Self.name) else { return nil }
    self.column = column
    self.register = register
  }

  /// Reads a row's UUID; nil where there is none, or, reported, none that can be used.
  func uuid(in row: CSVRow) -> UUID? {
    guard !row.isMissing(column.index) else { return nil }
    guard let uuid = UUID(canonical: row.content(of: column.index)), !uuid.isNil else {
      row.note(
        .uuid, in: column, "which is not a UUID",
        remedy: "write 32 hexadecimal digits as 8-4-4-4-12, or leave the field empty")
      return nil
    }
    let location = SourceLocation(file: row.log.file, line: row.firstLine)
    guard let first = register.enter(uuid, at: location) else { return uuid }
    row.note(
      .duplicate, in: column, "as in line \(first.line) of \(first.name)",
      remedy: "give every drink and reading its own UUID, or leave the field empty")
    return nil
  }
}

extension UUID {
  /// Takes the 36 characters of RFC 9562, in any case; Foundation lets blanks and signs pass for digits.
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

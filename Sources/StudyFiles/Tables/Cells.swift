import AlcoholKinetics
import Foundation
import StudyData

/// The result of reading a number from a field.
enum NumberCell: Equatable {
  /// The value is missing, or the table has no such column.
  case missing
  /// An invalid number, which has been reported.
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

  /// Returns the text in a column; nil if it is missing, or the table has no such column.
  func filled(_ column: Column?) -> String? {
    guard let column, !isMissing(column.index) else { return nil }
    return text(of: column.index)
  }

  /// Returns the value of a word, ignoring case; nil if it is missing or, reported, unknown.
  func meaning<Value>(
    in column: Column?, of words: [String: Value], _ code: DiagnosticCode, _ complaint: String,
    remedy: String
  ) -> Value? {
    guard let column, let word = filled(column) else { return nil }
    if let value = words[word] ?? words[word.lowercased()] { return value }
    report(code, in: column, complaint, remedy: remedy)
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
    // A fast path for nearly all fields; everything else is handled out of line.
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
    report(rule, in: column)
    return .unusable
  }

  /// Parses a number in a part of a field; nil, reported, if it is invalid.
  func number(_ text: UnsafeRawBufferPointer, in column: Column, remedy: String) -> Double? {
    do throws(DecimalNumber.Problem) {
      return try parse(text)
    } catch .notANumber {
      report(.number, in: column, "which is not a number", remedy: remedy)
    } catch .notFinite {
      report(.number, in: column, "which is not a finite number", remedy: remedy)
    } catch {
      report(
        .number, in: column, "which contains a comma",
        remedy: "write a decimal point, as in 0.45, and no thousands separator; or separate fields "
          + "with semicolons or tabs")
    }
    return nil
  }
}

// MARK: Concentrations

/// A concentration, or a limit of detection that it was below, such as `<0.05`.
struct MeasuredCell: Equatable {
  let number: Double
  let isBelow: Bool

  /// The value of the reading, 0 if it is below a limit of detection.
  var value: Double { isBelow ? 0 : number }
  var limit: Double? { isBelow ? number : nil }

  /// Whether a limit in another column of the row, if any, equals that of the reading; reported if not.
  @inline(__always)
  func agrees(with limit: Double?, in column: Column?, of row: CSVRow) -> Bool {
    guard isBelow, let limit, let column, limit != number else { return true }
    row.report(
      .ambiguous, in: column, "but the reading is written as below \(number)",
      remedy: "keep one of the two limits of detection")
    return false
  }
}

extension CSVRow {
  /// Reads a concentration; nil, reported, if the field is invalid.
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
    report(
      .range, in: column, "but a limit of detection must be above 0",
      remedy: "write the limit of detection after the <")
    return nil
  }
}

/// The plausible range of readings in a unit.
struct ReadingRule {
  /// The unit that readings are kept in, and the factor to it from the stated one.
  let unit: ConcentrationUnit
  let factor: Double
  private let stated: ConcentrationUnit
  /// The factor to a concentration in blood in g/kg, and the highest plausible concentration.
  private let scale, highest: Double

  init(_ stated: ConcentrationUnit) {
    self.stated = stated
    unit = stated.keptIn
    scale = stated.gramsPerKilogram(using: ConversionFactors())
    factor = stated.factorToKept
    highest = ConcentrationUnit.implausibleConcentration.value
  }

  /// Whether a concentration is possible; reported if it is impossible or implausible.
  @inline(__always)
  func accepts(_ number: Double, of row: CSVRow, in column: Column) -> Bool {
    if number >= 0, number * scale <= highest { return true }
    let rule = number >= 0 ? ValueRule.highReading(in: stated) : .reading
    row.report(rule, in: column)
    return rule.code.severity == .warning
  }
}

// MARK: Times

enum TimeUnit: String {
  case minutes, hours

  /// Reads a time; nil, reported, if it is missing or implausible.
  @inline(__always)
  func time(in column: Column, of row: CSVRow) -> Hours? {
    // A fast path for nearly all times: copying a rule with its texts would cost more than parsing the number.
    if let number = row.shortNumber(in: column.index),
      abs(minutes(number)) <= ValueRule.limitInMinutes
    {
      return hours(number)
    }
    if row.content(of: column.index).contains(UInt8(ascii: ":")) {
      row.report(
        .time, in: column, "a time of day",
        remedy:
          "give the time in \(rawValue) since the first dose; a sheet with headers of its own, as Time and Date, may have times of day"
      )
      return nil
    }
    let cell = row.number(in: column, rule)
    if cell == .missing {
      row.report(
        .time, at: row.place(of: column.index), "\(column.title) is missing",
        remedy: "give the time in \(rawValue), or remove the row")
    }
    return cell.value.map(hours)
  }

  /// Reads a duration, 0 if it is missing; nil, reported, if it is implausible.
  func duration(in column: Column?, of row: CSVRow) -> Hours? {
    let cell = row.number(in: column, rule)
    guard let column, let number = cell.value else { return cell == .missing ? 0 : nil }
    if number >= 0 { return hours(number) }
    row.report(.duration(in: rawValue), in: column)
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

/// The field of a column in an earlier row, as bytes, to compare without making strings.
final class LastField {
  let column: Column
  private var bytes: [UInt8] = []
  private var word: FieldWord?
  /// The bits of a binary number, so that it is compared without conversion to text; nil if other numbers share them.
  private var bits: UInt64?

  init(_ column: Column) { self.column = column }

  @inline(__always)
  func isSame(in row: CSVRow) -> Bool {
    if let word, row.word(of: column.index) == word { return true }
    if let bits, row.bits(of: column.index) == bits { return true }
    return row.content(of: column.index).equals(bytes)
  }

  /// The remembered text.
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

/// A subject's name, prepared for comparison with rows.
struct SubjectKey {
  let id: String
  private let bytes: [UInt8]

  init(_ id: String) {
    self.id = id
    bytes = Array(id.utf8)
  }

  /// Whether a field holds the name, in the same bytes or in a canonically equivalent form.
  func isNamed(in row: CSVRow, _ column: Column) -> Bool {
    row.content(of: column.index).equals(bytes) || row.text(of: column.index) == id
  }
}

/// The column of UUIDs, which identify drinks or readings across corrections.
struct UUIDColumn {
  static let name = "uuid"

  private let column: Column
  private let register: UUIDRegister

  init?(header: Header, _ register: UUIDRegister) {
    guard let column = header.column(Self.name) else { return nil }
    self.column = column
    self.register = register
  }

  /// Reads a row's UUID; nil if it is missing or, reported, invalid or a duplicate.
  func uuid(in row: CSVRow) -> UUID? {
    guard !row.isMissing(column.index) else { return nil }
    guard let uuid = UUID(canonical: row.content(of: column.index)), !uuid.isNil else {
      row.report(
        .uuid, in: column, "which is not a UUID",
        remedy: "write 32 hexadecimal digits as 8-4-4-4-12, or leave the field empty")
      return nil
    }
    let location = SourceLocation(file: row.log.file, line: row.firstLine)
    guard let first = register.enter(uuid, at: location) else { return uuid }
    row.report(
      .duplicate, in: column, "as in line \(first.line) of \(first.name)",
      remedy: "give every drink and reading its own UUID, or leave the field empty")
    return nil
  }
}

extension UUID {
  /// Parses the 36 characters of RFC 9562, ignoring case; Foundation also accepts blanks and signs as digits.
  init?(canonical text: UnsafeRawBufferPointer) {
    let isWritten = text.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == ASCII.minus : Character(Unicode.Scalar(byte)).isHexDigit
    }
    guard text.count == 36, isWritten else { return nil }
    self.init(uuidString: String(decoding: text, as: UTF8.self))
  }

  /// Whether it is the nil UUID (RFC 9562, 5.9).
  fileprivate var isNil: Bool { withUnsafeBytes(of: uuid) { $0.allSatisfy { $0 == 0 } } }
}

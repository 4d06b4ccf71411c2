import Foundation
package import StudyData

/// A record of a CSV file or a row of an Arrow stream, with the findings about it.
///
/// Its fields point into the memory of the table; the object is reused for every record.
package final class CSVRow {
  struct Field {
    enum Form: Equatable {
      case text, quoted
      /// A text of an Arrow stream, in which quotes have no meaning.
      case cell
      /// A binary number.
      case number(ArrowNumber)
    }

    var start: UnsafeRawPointer
    var count: Int
    var form: Form
  }

  // Internal, because stored properties visible to other modules are checked for exclusive access at each field.
  private(set) var count = 0
  /// Whether numbers may have a decimal comma, as they may if the separator is not a comma.
  package internal(set) var mayHaveCommas = false
  let origin: SheetOrigin?
  /// The findings about the file.
  package var log: FindingLog
  /// Findings about the row until its subject and series are known.
  private var pending: [Diagnostic] = []

  /// The bytes that offsets refer to; nil for a row of an Arrow stream.
  private var text: UnsafeRawPointer?
  private var start = 0
  private var line = 1
  /// Whether the record is known to be ASCII in one line, so that bytes are columns.
  private var isASCII = false
  private var fields: UnsafeMutableBufferPointer<Field> = .allocate(capacity: 32)
  /// Whether the row is of an Arrow stream, in which columns are counted and not characters.
  private var isOfCells = false
  /// A buffer for the decimal text of each binary number.
  private var numerals: UnsafeMutableRawBufferPointer?
  /// The size reserved for the text of a number, slightly more than any 64-bit number needs.
  private static let longestNumber = 32

  init(of path: String, origin: SheetOrigin? = nil) {
    log = FindingLog(file: path)
    self.origin = origin
  }

  deinit {
    fields.deallocate()
    numerals?.deallocate()
  }

  /// Starts a record and returns its field buffer.
  @inline(__always)
  func begin(
    in text: UnsafeRawPointer, at start: Int, line: Int
  ) -> UnsafeMutableBufferPointer<Field> {
    self.text = text
    self.start = start
    self.line = line
    count = 0
    isASCII = false
    return fields
  }

  /// Doubles the field buffer, keeps its fields, and returns it.
  func grow() -> UnsafeMutableBufferPointer<Field> {
    let larger = UnsafeMutableBufferPointer<Field>.allocate(capacity: 2 * fields.count)
    _ = larger.update(fromContentsOf: fields)
    fields.deallocate()
    fields = larger
    return larger
  }

  /// Starts a row of `count` cells and returns its field buffer, which must be filled completely.
  func begin(line: Int, count: Int) -> UnsafeMutableBufferPointer<Field> {
    while fields.count < count { _ = grow() }
    if numerals?.count != fields.count * Self.longestNumber {
      numerals?.deallocate()
      numerals = .allocate(byteCount: fields.count * Self.longestNumber, alignment: 8)
    }
    self.count = count
    self.line = line
    isOfCells = true
    return fields
  }

  /// Ends a record with the number of fields written to the buffer.
  @inline(__always)
  func end(_ count: Int, isASCII: Bool) {
    self.count = count
    self.isASCII = isASCII
  }

  // MARK: Findings

  func report(_ code: DiagnosticCode, at place: Place, _ message: String, remedy: String) {
    pending.append(log.finding(code, at: place, message, remedy: remedy))
  }

  /// Reports a finding about a field; the message begins with the field's text.
  func report(_ code: DiagnosticCode, in column: Column, _ complaint: String, remedy: String) {
    let message = "\(column.title) is \(text(of: column.index).quoted), \(complaint)"
    report(code, at: place(of: column.index), message, remedy: remedy)
  }

  func report(_ rule: ValueRule, in column: Column) {
    report(rule.code, in: column, rule.complaint, remedy: rule.remedy)
  }

  /// Moves the findings about the row to the list of its subject or series.
  @inline(__always)
  func flush(into list: inout [Diagnostic]) {
    if !pending.isEmpty { flushAll(into: &list) }
  }

  @inline(never)
  private func flushAll(into list: inout [Diagnostic]) {
    for finding in pending { log.add(finding, to: &list) }
    pending.removeAll()
  }

  // MARK: Fields

  /// Returns a field's content without surrounding blanks; doubled quotes remain doubled.
  @inline(__always)
  func content(of index: Int) -> UnsafeRawBufferPointer {
    precondition(index < count)
    if case .number(let number) = fields[index].form { return numeral(number, of: index) }
    var start = fields[index].start
    var count = fields[index].count
    while count > 0, ASCII.isBlank(start.load(as: UInt8.self)) {
      start += 1
      count &-= 1
    }
    while count > 0, ASCII.isBlank(start.load(fromByteOffset: count &- 1, as: UInt8.self)) {
      count &-= 1
    }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  /// Returns a number as text with the fewest digits that reproduce it; whole numbers without a point, because they may
  /// name subjects.
  private func numeral(_ number: ArrowNumber, of index: Int) -> UnsafeRawBufferPointer {
    guard let numerals else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let buffer = UnsafeMutableRawBufferPointer(
      rebasing: numerals[index * Self.longestNumber..<(index + 1) * Self.longestNumber])
    var whole = number.integer(at: fields[index].start)
    if whole == nil {
      let value = number.double(at: fields[index].start)
      whole = abs(value) < 1e15 ? Int64(exactly: value) : nil
    }
    guard let whole else {
      let text =
        switch number {
        case .float64: fields[index].start.loadUnaligned(as: Double.self).description
        case .float32: fields[index].start.loadUnaligned(as: Float.self).description
        default: fields[index].start.loadUnaligned(as: UInt64.self).description
        }
      buffer.copyBytes(from: text.utf8)
      return UnsafeRawBufferPointer(rebasing: buffer[..<text.utf8.count])
    }
    var rest = whole.magnitude
    var start = buffer.count
    repeat {
      start &-= 1
      buffer[start] = ASCII.zero &+ UInt8(rest % 10)
      rest /= 10
    } while rest > 0
    if whole < 0 {
      start &-= 1
      buffer[start] = ASCII.minus
    }
    return UnsafeRawBufferPointer(rebasing: buffer[start...])
  }

  @inline(__always)
  private func bytes(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.map { $0 + start }, count: end &- start)
  }

  package var width: Int { count }
  package var texts: [String] { (0..<count).map { text(of: $0) } }

  package func text(of index: Int) -> String {
    let content = content(of: index)
    guard fields[index].form == .quoted, content.contains(ASCII.quote) else {
      return String(decoding: content, as: UTF8.self)
    }
    // Quotes inside a quoted field come in pairs: keep the first of each.
    var keepsQuote = false
    let unescaped = content.filter { byte in
      keepsQuote = byte == ASCII.quote && !keepsQuote
      return byte != ASCII.quote || keepsQuote
    }
    return String(decoding: unescaped, as: UTF8.self)
  }

  /// Whether a field is quoted, or of an Arrow stream, so that comment marks in it have no meaning.
  func isQuoted(_ index: Int) -> Bool { fields[index].form != .text }

  /// Parses a number, ignoring surrounding no-break spaces.
  func parse(_ text: UnsafeRawBufferPointer) throws(DecimalNumber.Problem) -> Double {
    try DecimalNumber.parse(text.withoutNoBreakSpacesAround, mayHaveComma: mayHaveCommas)
  }

  /// Returns a field of at most eight bytes as a word; nil if it is longer.
  @inline(__always)
  func word(of index: Int) -> FieldWord? {
    precondition(index < count)
    guard case .number = fields[index].form else {
      return FieldWord(fields[index].start, count: fields[index].count)
    }
    // The digits are at the end of their buffer, where reading eight bytes would overrun it.
    return nil
  }

  /// Returns the bit pattern of a binary number; nil for text.
  @inline(__always)
  func bits(of index: Int) -> UInt64? {
    precondition(index < count)
    guard case .number(let number) = fields[index].form else { return nil }
    return number.double(at: fields[index].start).bitPattern
  }

  /// Returns the number of a field of at most 15 bytes that has only digits and at most one point; nil for any other
  /// field, which may still be a number.
  @inline(__always)
  func shortNumber(in index: Int) -> Double? {
    precondition(index < count)
    if case .number(let number) = fields[index].form {
      let value = number.double(at: fields[index].start)
      // Adding zero turns -0 into 0.
      return value.isFinite ? value + 0 : nil
    }
    return FieldWord.number(fields[index].start, count: fields[index].count)
  }

  /// Whether a field is empty, `.` or `NA`.
  @inline(__always)
  func isMissing(_ index: Int) -> Bool {
    precondition(index < count)
    let field = fields[index]
    if case .number = field.form { return false }
    // A fast path for nearly all fields: longer than two bytes without blanks at the ends.
    if field.count > 2, field.start.load(as: UInt8.self) > ASCII.space,
      field.start.load(fromByteOffset: field.count &- 1, as: UInt8.self) > ASCII.space
    {
      return false
    }
    return content(of: index).meansMissing
  }

  /// Whether the record has only blanks and separators.
  @inline(__always)
  var isBlank: Bool {
    for index in 0..<count where fields[index].form != .text || !content(of: index).isEmpty {
      return false
    }
    return true
  }

  /// Returns the place of a field, including its opening quote.
  @inline(__always)
  func place(of index: Int) -> Place {
    if let origin { return origin.place(ofLine: line, field: index) }
    if isOfCells { return Place(line: line, column: index + 1) }
    return place(at: beginning(of: index))
  }

  /// The places of all fields, counted in one pass, because headers may be wide.
  var places: [Place] {
    if isOfCells { return (0..<count).map { Place(line: line, column: $0 + 1) } }
    var offset = start
    var position = Place(line: line, column: 1)
    return (0..<count).map { index in
      let beginning = beginning(of: index)
      position = position.advanced(over: bytes(offset, beginning))
      offset = beginning
      return position
    }
  }

  package var firstLine: Int { origin?.row(ofLine: line) ?? line }

  @inline(__always)
  func place(at offset: Int) -> Place {
    if isASCII { return Place(line: line, column: 1 + offset - start) }
    return Place(line: line, column: 1).advanced(over: bytes(start, offset))
  }

  @inline(__always)
  private func beginning(of index: Int) -> Int {
    (text.map { fields[index].start - $0 } ?? 0) - (fields[index].form == .quoted ? 1 : 0)
  }
}

/// The bytes of a short field in one 64-bit word, processed in parallel. Fields vary in length, so a loop over bytes would
/// spend its time on mispredicted branches.
struct FieldWord: Equatable {
  /// The maximum number of bytes. So many are readable at the start of any field, however short.
  static let capacity = 8

  /// The bytes, the last one in the highest position, and zeros below the first.
  private let bytes: UInt64
  private let count: Int

  @inline(__always)
  init?(_ text: UnsafeRawPointer, count: Int) {
    guard count > 0, count <= Self.capacity else { return nil }
    bytes = UInt64(littleEndian: text.loadUnaligned(as: UInt64.self)) &<< (64 &- 8 &* count)
    self.count = count
  }

  /// Parses up to 15 bytes of digits with at most one point; nil for any other text.
  ///
  /// Digits and power of ten are exact doubles, so that one division rounds correctly (Clinger 1990).
  @inline(__always)
  static func number(_ text: UnsafeRawPointer, count: Int) -> Double? {
    guard count <= capacity else { return number(ofTwo: text, count: count) }
    guard let decimal = FieldWord(text, count: count)?.decimal else { return nil }
    guard let places = decimal.places else { return Double(decimal.digits) }
    return Double(decimal.digits) / DecimalNumber.powersOfTen[places]
  }

  /// Parses 9 to 15 bytes.
  @inline(never)
  private static func number(ofTwo text: UnsafeRawPointer, count: Int) -> Double? {
    let rest = count &- capacity
    guard rest < capacity, let head = FieldWord(text, count: capacity)?.decimal,
      let tail = FieldWord(text + capacity, count: rest)?.decimal,
      head.places == nil || tail.places == nil
    else { return nil }
    let powers = DecimalNumber.powersOfTen
    let tailDigits = tail.places == nil ? rest : rest &- 1
    let digits = Double(head.digits) * powers[tailDigits] + Double(tail.digits)
    guard let places = head.places.map({ $0 &+ tailDigits }) ?? tail.places else { return digits }
    return digits / powers[places]
  }

  /// The digits as one number, and the number of decimal places, nil without a point; nil for any other text.
  @inline(__always)
  private var decimal: (digits: Int64, places: Int?)? {
    // The padding becomes leading zeros.
    let digits = bytes ^ (Self.each(ASCII.zero) &<< (64 &- 8 &* count))
    let others = digits ^ Self.each(ASCII.point ^ ASCII.zero)
    let points = ~(((others & ~Self.highs) &+ ~Self.highs) | others) & Self.highs
    guard points != 0 else { return Self.areDigits(digits) ? (Self.integer(digits), nil) : nil }
    // The digits before the first point move up to close the gap; a second point fails the test for digits.
    let point = points & (0 &- points)
    let before = (point &>> 7) &- 1
    let closed = (digits & before) &<< 8 | (digits & (0 &- (point &<< 1)))
    guard count > 1, Self.areDigits(closed) else { return nil }
    return (Self.integer(closed), point.leadingZeroBitCount &>> 3)
  }

  private static let highs: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  private static func each(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  /// Whether all bytes are below ten.
  @inline(__always)
  private static func areDigits(_ bytes: UInt64) -> Bool {
    ((bytes &+ each(0x80 - 10)) | bytes) & highs == 0
  }

  /// Returns the number of eight digits, the first one lowest, by combining pairs, then fours, then all.
  @inline(__always)
  private static func integer(_ digits: UInt64) -> Int64 {
    let pairs = (digits &* 10 &+ digits &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 100 &+ pairs &>> 16) & 0x0000_FFFF_0000_FFFF
    return Int64(truncatingIfNeeded: (fours &* 10_000 &+ fours &>> 32) & 0xFFFF_FFFF)
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  func equals(_ bytes: [UInt8]) -> Bool {
    guard count == bytes.count, let start = baseAddress else { return bytes.isEmpty && isEmpty }
    return memcmp(start, bytes, count) == 0
  }

  /// Whether the bytes are one of three lower-case words, ignoring case.
  @inline(__always)
  func isAny(of first: StaticString, _ second: StaticString, _ third: StaticString) -> Bool {
    isWord(first) || isWord(second) || isWord(third)
  }

  @inline(__always)
  private func isWord(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    for index in 0..<count {
      let byte = self[index]
      let isCapital = byte &- UInt8(ascii: "A") < 26
      guard (isCapital ? byte | 0x20 : byte) == word.utf8Start[index] else { return false }
    }
    return true
  }

  /// Whether a field's content means a missing value: empty, `.` or `NA`.
  var meansMissing: Bool {
    switch count {
    case 0: true
    case 1: self[0] == ASCII.point
    case 2: self[0] == UInt8(ascii: "N") && self[1] == UInt8(ascii: "A")
    default: false
    }
  }

  /// The text without no-break spaces (U+00A0, U+202F) and blanks at its ends.
  var withoutNoBreakSpacesAround: UnsafeRawBufferPointer {
    // A fast path: nearly all fields begin and end in ASCII.
    guard let first, let last, first >= 0x80 || last >= 0x80 else { return self }
    let scalars = String(decoding: self, as: UTF8.self).unicodeScalars
    let isSpace = { (scalar: Unicode.Scalar) in
      ["\u{A0}", "\u{202F}", " ", "\t"].contains(scalar)
    }
    let before = scalars.prefix(while: isSpace)
    guard before.endIndex < scalars.endIndex else { return self }
    let after = scalars.reversed().prefix(while: isSpace)
    let start = before.reduce(0) { $0 + UTF8.width($1) }
    let end = count - after.reduce(0) { $0 + UTF8.width($1) }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}

/// Takes plain fields from text, byte by byte: no quotes, no blanks, nothing missing.
///
/// Every method either takes what it is asked for or says that it is not there; then the position is
/// anywhere in the row.
struct PlainFields {
  /// More digits may not be exact.
  private static let mostDigits = 15
  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Whole lines: whoever looks for the end of anything finds it at a line feed at last.
  private let text: UnsafeRawBufferPointer
  let separator: UInt8
  /// How many bytes have been taken.
  private(set) var position = 0

  /// - Parameter text: Lines, all of which are whole.
  init(_ text: UnsafeRawBufferPointer, separator: UInt8) {
    self.text = text
    self.separator = separator
  }

  /// Whether there is no further row.
  var isAtEnd: Bool { position == text.count }

  /// The byte that has not been taken; not at the end of the text.
  @inline(__always)
  private var next: UInt8 { text[position] }

  /// Whether a field ends here, before a separator or a line end.
  @inline(__always)
  var isAtEndOfField: Bool {
    next == separator || next == ASCII.lineFeed || next == ASCII.carriageReturn
  }

  @inline(__always)
  mutating func skipSeparator() -> Bool {
    guard next == separator else { return false }
    position += 1
    return true
  }

  @inline(__always)
  mutating func skipLineEnd() -> Bool {
    if next == ASCII.carriageReturn { position += 1 }
    guard next == ASCII.lineFeed else { return false }
    position += 1
    return true
  }

  /// Takes a field that holds just a name.
  @inline(__always)
  mutating func skip(_ name: PlainName) -> Bool {
    guard name.begins(text, at: position) else { return false }
    position += name.bytes.count
    return isAtEndOfField
  }

  /// Takes printable ASCII without quotes, and without blanks around it; it may be empty.
  @inline(__always)
  mutating func plainText() -> UnsafeRawBufferPointer? {
    let start = position
    while ASCII.isPrintable(next), next != separator, next != ASCII.quote { position += 1 }
    guard isAtEndOfField else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: text[start..<position])
    return text.first == ASCII.space || text.last == ASCII.space ? nil : text
  }

  /// Takes such text that does not mean that something is missing.
  @inline(__always)
  mutating func word() -> UnsafeRawBufferPointer? {
    guard let text = plainText(), !text.meansMissing else { return nil }
    return text
  }

  /// Whether the row that begins at a position is certain to be of another subject, if subjects
  /// are named in the first field.
  @inline(__always)
  mutating func isOther(than subject: PlainName, at start: Int) -> Bool {
    position = start
    // ASCII has no two ways to write a name.
    guard !isAtEnd, let name = word() else { return false }
    return !name.elementsEqual(subject.bytes)
  }

  /// Takes 0 or 1.
  @inline(__always)
  mutating func bit() -> Bool? {
    let digit = next &- ASCII.zero
    position += 1
    return digit <= 1 && isAtEndOfField ? digit == 1 : nil
  }

  /// Takes digits with at most one point; the number is the nearest double, as of ``DecimalNumber``.
  @inline(__always)
  mutating func number() -> Double? {
    var (mantissa, decimals) = (UInt64(0), 0)
    var digits = takeDigits(into: &mantissa)
    if next == ASCII.point {
      position += 1
      decimals = takeDigits(into: &mantissa)
      digits += decimals
    }
    guard digits > 0, digits <= Self.mostDigits, isAtEndOfField else { return nil }
    return decimals == 0 ? Double(mantissa) : Double(mantissa) / Self.powersOfTen[decimals]
  }

  @inline(__always)
  private mutating func takeDigits(into mantissa: inout UInt64) -> Int {
    let start = position
    var digit = next &- ASCII.zero
    while digit < 10 {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      position += 1
      digit = next &- ASCII.zero
    }
    return position - start
  }
}

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

  private let text: UnsafeRawBufferPointer
  private let separator: UInt8
  /// How many bytes have been taken.
  private(set) var position = 0

  init(_ text: UnsafeRawBufferPointer, separator: UInt8) {
    self.text = text
    self.separator = separator
  }

  @inline(__always)
  private var next: UInt8 { position < text.count ? text[position] : 0 }

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

  /// Takes a field that holds just these bytes.
  @inline(__always)
  mutating func skip(_ bytes: [UInt8]) -> Bool {
    guard text.count - position > bytes.count else { return false }
    for index in 0..<bytes.count where text[position + index] != bytes[index] { return false }
    position += bytes.count
    return isAtEndOfField
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
    var mantissa: UInt64 = 0
    let start = position
    takeDigits(into: &mantissa)
    var digits = position - start
    var decimals = 0
    if next == ASCII.point {
      position += 1
      let point = position
      takeDigits(into: &mantissa)
      decimals = position - point
      digits += decimals
    }
    guard digits > 0, digits <= Self.mostDigits, isAtEndOfField else { return nil }
    return decimals == 0 ? Double(mantissa) : Double(mantissa) / Self.powersOfTen[decimals]
  }

  @inline(__always)
  private mutating func takeDigits(into mantissa: inout UInt64) {
    while position < text.count {
      let digit = text[position] &- ASCII.zero
      guard digit < 10 else { return }
      mantissa = mantissa &* 10 &+ UInt64(digit)
      position += 1
    }
  }
}

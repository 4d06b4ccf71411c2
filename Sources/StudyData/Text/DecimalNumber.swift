/// Reads decimal numbers as study files write them: sign, digits, point, exponent, nothing else.
///
/// The result is the double nearest to what is written, whatever the locale. Where commas separate no
/// fields, one may stand in the place of the point.
package struct DecimalNumber {
  package enum Problem: Error {
    case notANumber
    case notFinite
    case decimalComma
  }

  private let text: UnsafeRawBufferPointer
  private var position = 0
  private var mantissa: UInt64 = 0
  private var exponent = 0

  /// The number that is written in a text, perhaps with a comma for the decimal point.
  package static func parse(
    _ text: UnsafeRawBufferPointer, mayHaveComma: Bool = false
  ) throws(Problem) -> Double {
    do throws(Problem) {
      return try parsePointed(text)
    } catch {
      guard mayHaveComma, error == .decimalComma,
        let value = withPointForComma(text, { try? parsePointed($0) })
      else { throw error }
      return value
    }
  }

  private static func parsePointed(_ text: UnsafeRawBufferPointer) throws(Problem) -> Double {
    var number = DecimalNumber(text: text)
    guard number.scan() else { throw diagnose(text) }
    // The standard library rounds correctly as well, and heeds no locale.
    let value = number.exactValue ?? Double(String(decoding: text, as: UTF8.self)) ?? .nan
    guard value.isFinite else { throw .notFinite }
    // Adding zero makes -0 the 0 that it equals, so that it is written as it was read.
    return value + 0
  }

  // MARK: Scanning

  /// Parses the text; false if it is not a number.
  @inline(__always)
  private mutating func scan() -> Bool {
    if let first = text.first, first == ASCII.minus || first == ASCII.plus { position = 1 }
    let integerDigits = takeDigits(scale: 0)
    var fractionDigits = 0
    if position < text.count, text[position] == ASCII.point {
      position += 1
      fractionDigits = takeDigits(scale: -1)
    }
    guard integerDigits + fractionDigits > 0 else { return false }
    return position == text.count || takeExponent()
  }

  /// Appends digits to the mantissa, each of which moves the exponent by `scale`.
  @inline(__always)
  private mutating func takeDigits(scale: Int) -> Int {
    let start = position
    while position < text.count, ASCII.isDigit(text[position]) {
      // A full mantissa is far beyond what can be exact; it is not used any more.
      if mantissa < 1_000_000_000_000_000_000 {
        mantissa = mantissa &* 10 &+ UInt64(text[position] &- ASCII.zero)
        exponent &+= scale
      }
      position += 1
    }
    return position - start
  }

  private mutating func takeExponent() -> Bool {
    guard text[position] | 0x20 == UInt8(ascii: "e") else { return false }
    position += 1
    guard position < text.count else { return false }
    let isNegative = text[position] == ASCII.minus
    if isNegative || text[position] == ASCII.plus { position += 1 }
    let start = position
    var magnitude = 0
    while position < text.count, ASCII.isDigit(text[position]) {
      magnitude = min(magnitude * 10 + Int(text[position] - ASCII.zero), 1_000_000)
      position += 1
    }
    exponent += isNegative ? -magnitude : magnitude
    return position > start && position == text.count
  }

  // MARK: Value

  /// The value where one multiplication or division of two exact doubles gives it, which is then
  /// rounded once and so correctly (Clinger 1990); nil elsewhere.
  @inline(__always)
  private var exactValue: Double? {
    guard mantissa < 1 << 53, abs(exponent) <= 22 else { return nil }
    let power = Self.powersOfTen[abs(exponent)]
    let digits = Double(mantissa)
    let magnitude = exponent < 0 ? digits / power : digits * power
    return text[0] == ASCII.minus ? -magnitude : magnitude
  }

  package static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  // MARK: Diagnosis

  private static func diagnose(_ text: UnsafeRawBufferPointer) -> Problem {
    let unsigned = String(decoding: text, as: UTF8.self).lowercased().drop { "+-".contains($0) }
    if ["inf", "infinity", "nan"].contains(unsigned) { return .notFinite }
    guard text.count(where: { $0 == ASCII.comma }) == 1 else { return .notANumber }
    let isNumber = withPointForComma(text) { pointed in
      var number = DecimalNumber(text: pointed)
      return number.scan()
    }
    return isNumber ? .decimalComma : .notANumber
  }

  private static func withPointForComma<Value>(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    text.map { $0 == ASCII.comma ? ASCII.point : $0 }.withUnsafeBytes(body)
  }
}

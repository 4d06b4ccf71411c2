import Foundation
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct DecimalNumberTests {
  /// The number that it equals: -0 would be written as 0, and read as another.
  @Test(arguments: ["-0", "-0.0", "-0e5", "-.0", "-0e400", "-1e-400"])
  func zeroHasNoSign(_ text: String) throws {
    let bytes = Array(text.utf8)
    let value = try bytes.withUnsafeBytes { try DecimalNumber.parse($0) }
    #expect(value == 0 && value.sign == .plus)
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("12", 12), ("+5", 5), ("-0.5", -0.5), (".5", 0.5), ("5.", 5),
    ("1e3", 1000), ("1E+3", 1000), ("25e-2", 0.25), ("0.1", 0.1),
    ("0.30000000000000004", 0.1 + 0.2),
    ("9007199254740993", 9_007_199_254_740_992), ("1e22", 1e22), ("1e23", 1e23),
    ("3e-324", .leastNonzeroMagnitude), ("1e-999", 0), ("0e999", 0),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    ("123456789012345678901234567890", 1.2345678901234568e29),
    ("0.000000000000000000000000000001", 1e-30),
  ])
  func readsNumbers(text: String, value: Double) throws {
    #expect(try Self.parse(text) == value)
  }

  @Test(arguments: [
    "", "+", "-", ".", "-.", "e5", "1e", "1e+", "12abc", "1 2", "1_000", "0x10", "1..2", "1.2.3",
    "--1", "1e5.0", "1,2,3", ",", "\u{0661}", "1\u{A0}", "#DIV/0!",
  ])
  func refusesInvalidNumbers(text: String) {
    #expect(throws: DecimalNumber.Problem.notANumber) { try Self.parse(text) }
  }

  @Test(arguments: ["inf", "-Inf", "+infinity", "NaN", "-nan", "1e309", "-1e999999999999999999999"])
  func refusesNonFiniteNumbers(text: String) {
    #expect(throws: DecimalNumber.Problem.notFinite) { try Self.parse(text) }
  }

  @Test(arguments: ["0,45", "-1,5", ",5", "1,5e3", "1,234"])
  func recognisesDecimalCommas(text: String) {
    #expect(throws: DecimalNumber.Problem.decimalComma) { try Self.parse(text) }
  }

  @Test(arguments: [("0,45", 0.45), ("-1,5", -1.5), (",5", 0.5), ("1,5e3", 1500), ("1.5", 1.5)])
  func decimalCommaIsReadWhereAllowed(text: String, value: Double) throws {
    #expect(try Self.parse(text, mayHaveComma: true) == value)
  }

  @Test(arguments: ["1.234,5", "1,234.5", "1,2,3", ",", "1 234,5"])
  func thousandsSeparatorIsRefused(text: String) {
    #expect(throws: DecimalNumber.Problem.notANumber) {
      try Self.parse(text, mayHaveComma: true)
    }
  }

  /// The standard library's conversion is correctly rounded: the bits are equal for texts of any length.
  @Test func agreesWithTheStandardLibraryToTheBit() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let text = Self.randomNumber(using: &generator)
      let expected = try #require(Double(text))
      #expect(try Self.parse(text).bitPattern == (expected + 0).bitPattern, "\(text)")
    }
  }

  /// Fields that fit a word are parsed at once, with the same numbers and refusals as byte by byte. The bytes that
  /// follow the field in memory have no influence.
  @Test func wordAtATimeParserAgreesWithByteParser() {
    var generator = SeededGenerator(seed: 3)
    let bytes = Array("0123456789.0123456789.-+e, ,\n\u{0}/:".utf8)
    var numbers = 0
    for _ in 0..<50_000 {
      let count = Int.random(in: 0...17, using: &generator)
      let isDigits = Bool.random(using: &generator)
      let text = (0..<count + FieldWord.capacity).map { _ in
        bytes[Int.random(in: 0..<(isDigits ? 11 : bytes.count), using: &generator)]
      }
      text.withUnsafeBytes { memory in
        let field = UnsafeRawBufferPointer(rebasing: memory[..<count])
        guard let start = memory.baseAddress else { return }
        let isPlain = field.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.point }
        let expected = isPlain ? try? DecimalNumber.parse(field) : nil
        let found = FieldWord.number(start, count: count)
        // More than 15 bytes, and eight digits with a point behind them, are read elsewhere.
        guard let found else {
          #expect(expected == nil || count > 15 || (count == 9 && field.last == ASCII.point))
          return
        }
        #expect(found.bitPattern == expected?.bitPattern)
        numbers += 1
      }
    }
    #expect(numbers > 10_000)
  }

  @Test func readsBackEveryDouble() throws {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(try Self.parse("\(value)").bitPattern == value.bitPattern)
    }
  }

  @Test func parsingIgnoresTheLocale() throws {
    let previous = setlocale(LC_NUMERIC, nil).map { String(cString: $0) }
    // Where the locale is not installed nothing changes, and the test says little.
    setlocale(LC_NUMERIC, "de_DE.UTF-8")
    defer { setlocale(LC_NUMERIC, previous ?? "C") }
    #expect(try Self.parse("0.30000000000000004") == 0.1 + 0.2)
  }

  @Test func readsAMillionDigits() throws {
    let third = try Self.parse("0." + String(repeating: "3", count: 1_000_000))
    #expect(third == 1.0 / 3)
  }

  private static func parse(_ text: String, mayHaveComma: Bool = false) throws -> Double {
    try Array(text.utf8).withUnsafeBytes {
      try DecimalNumber.parse($0, mayHaveComma: mayHaveComma)
    }
  }

  private static func randomNumber(using generator: inout SeededGenerator) -> String {
    let digits = { (count: Int, generator: inout SeededGenerator) in
      (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
    }
    let sign = Bool.random(using: &generator) ? "-" : ""
    let whole = digits(Int.random(in: 1...12, using: &generator), &generator)
    let fraction = digits(Int.random(in: 0...12, using: &generator), &generator)
    let exponent =
      Bool.random(using: &generator) ? "e\(Int.random(in: -30...30, using: &generator))" : ""
    return "\(sign)\(whole).\(fraction)\(exponent)"
  }
}

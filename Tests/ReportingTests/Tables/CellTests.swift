import Testing

@testable import Reporting

@Suite struct CellTests {
  @Test func nonFiniteNumbersAreMissing() {
    #expect(Cell.number(nil) == .missing)
    #expect(Cell.number(.nan) == .missing)
    #expect(Cell.number(.infinity) == .missing)
    #expect(Cell.number(-.infinity) == .missing)
    #expect(Cell.number(0) == .real(0))
  }

  @Test func absentTextIsMissing() {
    #expect(Cell.words(nil) == .missing)
    #expect(Cell.words("") == .text(""))
  }

  @Test func codesAreListedOnce() {
    #expect(Codes([]).cell == .missing)
    #expect(Codes(["W_B", "W_A", "W_B"]).cell == .text("W_B;W_A"))
  }

  @Test(arguments: [
    (0.1, "0.1"), (18, "18.0"), (-0.0, "-0.0"), (0.1 + 0.2, "0.30000000000000004"),
    (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    (1e23, "1e+23"),
  ])
  func writesTheShortestDigitsThatGiveTheNumberBack(number: Double, text: String) throws {
    #expect(Self.written(.number(number)) == text)
    let back = try #require(Double(text))
    #expect(back.bitPattern == number.bitPattern)
  }

  @Test func writesIntegersWhole() {
    #expect(Self.written(.integer(.max)) == "9223372036854775807")
    #expect(Self.written(.integer(-3)) == "-3")
    #expect(Self.written(.missing).isEmpty)
  }

  @Test func writesDecimalCommas() {
    #expect(Self.written(.number(-0.25), .comma) == "-0,25")
    #expect(Self.written(.number(1e-9), .comma) == "1e-09")
    #expect(Self.written(.text("a;b"), .comma) == "\"a;b\"")
    #expect(Self.written(.text("a;b"), .point) == "a;b")
  }

  private static func written(_ cell: Cell, _ mark: DecimalMark = .point) -> String {
    var line = ""
    cell.write(to: &line, mark)
    return line
  }
}

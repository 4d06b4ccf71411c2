import Testing

@testable import Reporting

@Suite struct NumberStyleTests {
  @Test(arguments: [
    (0, "0.00"), (1, "1.00"), (0.1234, "0.123"), (0.12351, "0.124"), (12.345, "12.3"),
    (123.4, "123"), (99.96, "100"), (0.0009996, "0.00100"), (-2.5, "-2.50"),
    (2100, "2100"), (1_234_567, "1230000"), (1.5e20, "1.50e+20"), (0.0000123, "1.23e-05"),
  ])
  func roundsToSignificantDigits(number: Double, text: String) {
    #expect(NumberStyle.significant(3).format(number) == text)
  }

  @Test(arguments: [
    (0, "0.0"), (183.204, "183.2"), (-6.79, "-6.8"), (0.96, "1.0"), (1e9, "1000000000.0"),
  ])
  func roundsToDecimals(number: Double, text: String) {
    #expect(NumberStyle.decimals(1).format(number) == text)
  }

  @Test func zeroHasNoSign() {
    #expect(NumberStyle.decimals(1).format(-0.04) == "0.0")
    #expect(NumberStyle.decimals(1).format(-0.06) == "-0.1")
    #expect(NumberStyle.significant(2).format(-0.0) == "0.0")
  }

  @Test func trailingPointIsOmitted() {
    #expect(NumberStyle.decimals(0).format(59.6) == "60")
    #expect(NumberStyle.significant(1).format(7.2) == "7")
    #expect(NumberStyle.significant(1).format(1000) == "1000")
    #expect(NumberStyle.significant(2).format(150) == "150")
  }
}

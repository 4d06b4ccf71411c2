import Testing

/// The comparison that snapshots with numbers rest on.
@Suite struct NumericTextTests {
  private func isClose(_ left: String, _ right: String) -> Bool {
    NumericText(left).isClose(to: NumericText(right), 1e-6)
  }

  @Test func smallDifferencesOfNumbersAreAccepted() {
    #expect(isClose("a,1.0000001,b", "a,1,b"))
    #expect(isClose("\"x\": -2.5e-7}", "\"x\": -2.5000001e-07}"))
    #expect(isClose("0,0", "0.0,-0.0"))
    #expect(!isClose("a,1.00001,b", "a,1,b"))
    #expect(!isClose("1", "-1"))
    #expect(!isClose("1e-300", "0"))
  }

  @Test func differencesOfWordsAreNotAccepted() {
    #expect(!isClose("a,1", "b,1"))
    #expect(!isClose("1,", "1"))
    #expect(!isClose("1,,", "1,"))
    #expect(!isClose("nan", "1"))
    // A digest, though it looks like a very large number.
    #expect(isClose("9e999999", "9e999999"))
    #expect(!isClose("9e999999", "8e999999"))
    #expect(!isClose("4095b", "4095c"))
  }
}

import Testing

@testable import StudyData

/// Days, against the calendar.
@Suite struct CalendarDayTests {
  @Test(arguments: ["2024-02-29", "2000-02-29", "1970-01-01", "1899-12-31", "0001-01-01"])
  func isoDatesAreDays(_ text: String) {
    #expect(CalendarDay(text)?.text == text)
  }

  @Test(arguments: [
    "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "2024-1-01", "20240101",
    "2024-05-01 ", "", "\u{661}024-01-01",
  ])
  func invalidTextsAreNoDays(_ text: String) {
    #expect(CalendarDay(text) == nil)
  }

  /// Each day of four centuries, after which the calendar repeats itself, follows the one before.
  @Test func daysAreNumberedInOrder() throws {
    var last = try #require(CalendarDay("1600-01-01"))
    #expect(last.number == -135_140)
    for number in (last.number + 1)...(last.number + 146_097) {
      let next = CalendarDay(number: number)
      #expect(next.text > last.text && CalendarDay(next.text)?.number == number)
      last = next
    }
    #expect(last.text == "2000-01-01")
  }
}

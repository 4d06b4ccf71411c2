import Testing

@testable import HealthData

/// Moments as Apple Health and people write them, against the calendar.
@Suite struct HealthTimeTests {
  @Test func momentsAreInUTC() {
    let time = HealthTime("2024-01-01 00:30:00 +0130")
    #expect(time?.utc == "2023-12-31 23:00:00")
    #expect(time?.day == "2024-01-01")
    #expect(HealthTime("1969-12-31 23:59:59 +0000")?.seconds == -1)
  }

  @Test(arguments: [
    ("2024-05-02 11:59:59 +0200", "2024-05-01 10:00:00"),
    ("2024-05-02 12:00:00 +0200", "2024-05-02 10:00:00"),
    ("2024-05-02 12:00:00 -1100", "2024-05-02 23:00:00"),
  ])
  func nightsCountFromNoon(_ text: String, noon: String) {
    #expect(HealthTime(text)?.noonBefore.utc == noon)
  }

  @Test(arguments: [
    "2024-05-01", "2024-05-01T10:00:00 +0200", "2024-05-01 24:00:00 +0200",
    "2024-05-01 10:00:00 0200 ", "2024-05-01 10:00:00 +02:0", "2024-15-01 10:00:00 +0200",
    // Days that are in no calendar, offsets that no clock has, years of clocks that lost theirs.
    "2024-02-30 20:45:00 +0200", "2023-02-29 20:45:00 +0200", "2024-04-31 20:45:00 +0200",
    "2024-05-00 20:45:00 +0200", "2024-00-01 20:45:00 +0200", "2024-05-01 20:15:00 +9999",
    "2024-05-01 20:15:00 +1401", "2024-05-01 20:15:00 -1201", "2024-05-01 20:15:00 +0260",
    "2024-05-01 20:15:60 +0200", "2024-05-01 20:60:00 +0200", "0001-01-01 00:00:00 +0000",
    "2200-01-01 00:00:00 +0000", "1899-12-31 23:59:59 +0000",
  ])
  func otherTextsAreNoMoments(_ text: String) {
    #expect(HealthTime(text) == nil)
    #expect(HealthTime(anyForm: text) == nil || text == "2024-05-01" || text.contains("T10"))
  }

  @Test(arguments: [
    "2024-02-29 20:45:00 +0200", "2024-05-01 20:15:00 +1400", "2024-05-01 20:15:00 -1200",
    "2024-05-01 20:15:59 +0545", "1900-01-01 00:00:00 +0000", "2199-12-31 23:59:59 -0330",
  ])
  func momentsAreReadAsTheyAre(_ text: String) {
    #expect(HealthTime(text)?.text == text)
    #expect(HealthTime(text)?.day == String(text.prefix(10)))
  }

  /// Times that an earlier version stored are still read.
  @Test func storedMomentsMayBeOfAnyYear() {
    #expect(HealthTime(utc: "0001-01-01 00:00:00", day: nil)?.day == "0001-01-01")
  }
}

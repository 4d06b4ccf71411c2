import AlcoholKinetics
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

/// Times and dates as people write them.
@Suite struct SheetTimeTests {
  @Test(arguments: [
    ("19:30", 1170.0), ("7:30 pm", 1170), ("7:30PM", 1170), ("12:05 am", 5), ("12:05 p.m.", 725),
    ("19:30:15", 1170.25), ("0:00", 0), ("24:00", 1440), ("19h30", 1170), ("7 pm", 1140),
    ("19:30 Uhr", 1170),
  ])
  func readsClockTimes(_ text: String, _ minutes: Double) {
    #expect(ClockTime.minutes(text) == minutes)
  }

  @Test(arguments: [
    "", "19", "25:00", "19:60", "19:5", "24:01", "13:00 pm", "-1:00", "19:30:60", "a:b",
    "19:30:15:2", "1930",
    "٧:30", "7.30", "h30", "99999999999999999999:00", ":", "::",
  ])
  func refusesInvalidClockTimes(_ text: String) { #expect(ClockTime.minutes(text) == nil) }

  @Test(arguments: [
    "2026-11-21", "21.11.2026", "21.11.26", "21-Nov-2026", "21 November 2026", "Nov 21, 2026",
    "2026/11/21",
    "46347", "21/11/2026", "21-11-26",
  ])
  func readsDates(_ text: String) {
    // 2026-11-21 is 20778 days after 1 January 1970 (date -d 2026-11-21 +%s / 86400).
    #expect(WrittenDate(text)?.day(.dayFirst) == 20778)
  }

  @Test(arguments: [
    "", "30.02.2026", "2026-13-01", "21", "x", "1/2", "21.11.20267", "31/31/2026", "1/2/3/4",
    "-1-1-2026",
  ])
  func refusesInvalidDates(_ text: String) { #expect(WrittenDate(text)?.day(.dayFirst) == nil) }

  @Test func monthsMayComeFirst() {
    #expect(WrittenDate("11/21/2026")?.day(.monthFirst) == 20778)
    #expect(WrittenDate("11/21/2026")?.day(.dayFirst) == nil)
  }

  @Test func readsDatesWithTimes() throws {
    for text in ["2026-11-21 19:30", "2026-11-21T19:30:00", "21.11.2026, 7:30 pm", "46347.8125"] {
      let written = try #require(WrittenDateTime(text), "\(text)")
      #expect(written.date.day(.dayFirst) == 20778 && written.minutes == 1170, "\(text)")
    }
    // An hour from UTC is taken off: the hour at which clocks are set back is told apart.
    let summer = try #require(WrittenDateTime("2026-10-25T02:30:00+02:00"))
    let winter = try #require(WrittenDateTime("2026-10-25T02:30:00+01:00"))
    #expect(winter.minutes - summer.minutes == 60)
  }

  @Test func datesAreWithin1800To2200() {
    #expect(CivilDate.text(0) == "1970-01-01")
    #expect(CivilDate.day(2026, 2, 29) == nil)
    #expect(CivilDate.day(1799, 12, 31) == nil && CivilDate.day(2201, 1, 1) == nil)
    #expect(CivilDate.day(1990, 11, 22).map { CivilDate.years(from: $0, to: 20778) } == 35)
    #expect(CivilDate.day(1990, 11, 21).map { CivilDate.years(from: $0, to: 20778) } == 36)
  }

  @Test func heightsInFeetAndInchesAreRead() {
    let height = { WrittenQuantity($0)?.value(of: .height) }
    for text in ["5'7\"", "5' 7", "5 ft 7 in", "5ft7in", "5’7”"] {
      #expect(height(text) == 67 * 2.54, "\(text)")
    }
    #expect(height("5'").map { agree($0, 60 * 2.54) } == true)
    for text in ["", "5'13\"", "'7", "x'y"] {
      #expect(height(text) == nil, "\(text)")
    }
  }

  // MARK: Evenings

  private func sheet(_ header: String, _ rows: String...) -> String {
    (["ID|Sex|Weight (kg)|Height (cm)|\(header)"] + rows.map { "eve|f|62|168|\($0)" })
      .joined(separator: "\n")
  }

  private func minutes(_ text: String, map: String? = nil) throws -> [[Double]] {
    try SheetText.study(text, map: map).series.map { $0.readings.map { $0.time.minutes } }
  }

  @Test func nightContinuesPastMidnight() throws {
    let night = sheet(
      "Time|Ethanol (g)|BAC (g/kg)", "22:50|30|", "23:50||0.3", "00:10||0.35", "1:10||0.25")
    #expect(try minutes(night) == [[60, 80, 140]])
    #expect(SheetText.findings(night).isEmpty)
    let dated = sheet(
      "Date|Time|Ethanol (g)|BAC (g/kg)", "21.11.2026|22:50|30|", "21.11.2026|23:50||0.3",
      "22.11.2026|0:10||0.35")
    #expect(try minutes(dated) == [[60, 80]])
  }

  /// Drunk before midnight, measured after it only; and a control before midnight, drunk after it.
  @Test func drinksAndReadingsMaySpanMidnight() throws {
    let after = sheet("Time|Ethanol (g)|BAC (g/kg)", "23:30|30|", "00:30||0.4", "1:30||0.3")
    #expect(try minutes(after) == [[60, 120]])
    let before = sheet("Time|Ethanol (g)|BAC (g/kg)", "23:50||0", "0:10|30|", "1:10||0.3")
    #expect(try minutes(before) == [[-20, 60]])
  }

  @Test func dateNotAdvancedPastMidnightIsAnError() {
    let night = sheet(
      "Date|Time|Ethanol (g)|BAC (g/kg)", "21.11.2026|22:50|30|", "21.11.2026|23:50||0.3",
      "21.11.2026|0:10||0.35")
    #expect(SheetText.findings(night).contains { $0.code == .time })
    let drunkAfter = sheet(
      "Date|Time|Ethanol (g)|BAC (g/kg)", "21.11.2026|22:50|30|", "21.11.2026|23:50||0.3",
      "21.11.2026|0:10|10|", "21.11.2026|0:50||0.4")
    #expect(SheetText.findings(drunkAfter).contains { $0.code == .time })
  }

  @Test func eveningsAWeekApartAreOccasions() throws {
    let weeks = sheet(
      "DateTime|Ethanol (g)|BAC (g/kg)", "2026-11-14 19:00|30|", "2026-11-14 20:00||0.4",
      "2026-11-21 19:00|30|", "2026-11-21 20:00||0.4", "2026-11-22 09:00||0")
    let study = try SheetText.study(weeks)
    #expect(study.series.map(\.occasion) == ["2026-11-14", "2026-11-21"])
    #expect(try minutes(weeks) == [[60], [60, 840]])
    let named = sheet(
      "Occasion|DateTime|Ethanol (g)|BAC (g/kg)", "1|2026-11-14 19:00|30|",
      "1|2026-11-14 20:00||0.4",
      "1|2026-11-21 19:00|30|", "1|2026-11-21 20:00||0.4")
    #expect(SheetText.findings(named).contains { $0.code == .time })
    let inMinutes = sheet(
      "Time (min)|Ethanol (g)|BAC (g/kg)", "0|30|", "60||0.4", "10080|30|", "10140||0.4")
    #expect(SheetText.findings(inMinutes).contains { $0.code == .time })
  }

  @Test func clocksWithoutOrderAreErrors() {
    let twoEvenings = sheet(
      "Time|Ethanol (g)|BAC (g/kg)", "19:00|30|", "20:00||0.4", "23:00||0.1", "19:30||0.2")
    #expect(SheetText.findings(twoEvenings).contains { $0.code == .time })
    // Clocks are set back: without dates that cannot be told from an error.
    let back = sheet(
      "Time|Ethanol (g)|BAC (g/kg)", "1:00|30|", "2:50||0.4", "2:10||0.3")
    #expect(SheetText.findings(back).contains { $0.code == .time })
    let byTime = sheet(
      "Time|Ethanol (g)|BAC (g/kg)", "0:10||0.3", "22:00|30|", "23:00||0.4")
    #expect(SheetText.findings(byTime).contains { $0.severity == .error })
    let text = sheet("Time|Ethanol (g)|BAC (g/kg)", "19:00|30|", "20:00||0.4", "late||0.1")
    #expect(SheetText.findings(text).map(\.code) == [.time])
  }

  @Test func dateOrderIsInferredOrQueried() throws {
    let header = "DateTime|Ethanol (g)|BAC (g/kg)"
    let american = sheet(
      header, "11/12/2026 19:00|30|", "11/12/2026 20:00||0.4", "11/19/2026 19:00|30|",
      "11/19/2026 20:00||0.4")
    #expect(try SheetText.study(american).series.map(\.occasion) == ["2026-11-12", "2026-11-19"])
    let note = try #require(SheetText.notes(american)["DateTime"])
    #expect(note.contains("month before day, as 11/19/2026"))
    let either = sheet(
      header, "1/2/2026 19:00|30|", "1/2/2026 20:00||0.4", "5/6/2026 19:00|30|",
      "5/6/2026 20:00||0.4")
    let found = SheetText.findings(either)
    #expect(found.map(\.code) == [.time])
    #expect(found[0].statements.contains("DateTime=datetime_dmy"))
    #expect(try minutes(either, map: "DateTime=datetime_dmy") == [[60], [60]])
    let both = sheet(header, "11/19/2026 19:00|30|", "19/11/2026 20:00||0.4")
    #expect(SheetText.findings(both).map(\.code) == [.time])
  }

  @Test func spreadsheetSerialsAreTimes() throws {
    let serial = sheet(
      "DateTime|Ethanol (g)|BAC (g/kg)", "46347.7916666667|30|", "46347.8333333333||0.4")
    #expect(try minutes(serial) == [[60]])
    let fractions = sheet(
      "Date|Time|Ethanol (g)|BAC (g/kg)", "46347|0.979166666666667|30|",
      "46348|0.0208333333333333||0.4")
    #expect(try minutes(fractions) == [[60]])
  }

  /// One time with its distance from UTC among others without would be hours off.
  @Test func utcOffsetsAreStatedForAllTimesOrNone() throws {
    func sheet(_ first: String, _ second: String) -> String {
      """
      ID|Weight (kg)|DateTime|Ethanol (g)|BAC (g/kg)
      eve|62|2026-11-21T20:00:00\(first)|30|
      eve|62|2026-11-21T20:25:00\(second)||0.4
      """
    }
    for offsets in [("+02:00", ""), ("", "Z")] {
      let findings = SheetText.findings(sheet(offsets.0, offsets.1))
      #expect(findings.map(\.code).contains(.time), "\(findings)")
    }
    for offsets in [("", ""), ("+02:00", "+02:00")] {
      let study = try SheetText.study(sheet(offsets.0, offsets.1))
      #expect(agree(study.series[0].readings.first?.time.minutes, 25))
    }
    #expect(
      agree(try SheetText.study(sheet("+01:00", "Z")).series[0].readings.first?.time.minutes, 85))
  }
}

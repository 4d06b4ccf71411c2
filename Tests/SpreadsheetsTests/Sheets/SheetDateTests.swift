import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

@Suite struct SheetDateTests {
  /// Dates as Excel shows them (ECMA-376-1, 18.17.4.1), but for the last three: a day keeps its time, and a number that
  /// is no date stays a number.
  static let dates:
    [(serial: Double, epoch: SheetDate.Epoch, shown: SheetDate.Shown, text: String)] = [
      (1, .year1900, .day, "1900-01-01"),
      (59, .year1900, .day, "1900-02-28"),
      (60, .year1900, .day, "1900-02-29"),
      (61, .year1900, .day, "1900-03-01"),
      (46_347, .year1900, .day, "2026-11-21"),
      (44_885, .year1904, .day, "2026-11-21"),
      (0, .year1904, .day, "1904-01-01"),
      (2_958_465, .year1900, .day, "9999-12-31"),
      (0.8125, .year1900, .time, "19:30"),
      (0.812_673_611_111_111, .year1900, .time, "19:30:15"),
      (0.999_999_999, .year1900, .time, "24:00"),
      (1.0625, .year1900, .time, "25:30"),
      (46_347.999_999_999, .year1900, .dayAndTime, "2026-11-22T00:00"),
      (46_347.8125, .year1900, .dayAndTime, "2026-11-21T19:30"),
      (46_347.8125, .year1900, .time, "2026-11-21T19:30"),
      (46_347.8125, .year1900, .day, "2026-11-21T19:30"),
      (-1.5, .year1900, .day, "-1.5"),
      (2_958_466, .year1900, .day, "2958466"),
    ]

  @Test(arguments: dates)
  func serialDatesAreWritten(
    serial: Double, epoch: SheetDate.Epoch, shown: SheetDate.Shown, text: String
  ) {
    #expect(SheetDate(serial: serial, epoch: epoch, shown: shown).text == text)
  }

  static let formats: [(code: String, shown: SheetDate.Shown?)] = [
    ("yyyy-mm-dd", .day), ("mmm\\-yy;@", .day), ("[$-407]d. mmmm yyyy", .day), ("mm", .day),
    ("h:mm AM/PM", .time), ("[h]:mm", .time), ("[mm]:ss", .time), ("mm:ss.0", .time),
    ("[ss]", .time),
    ("dd.mm.yyyy hh:mm", .dayAndTime), ("m/d/yy h:mm", .dayAndTime),
    ("General", nil), ("0.00", nil), ("#,##0 \"days\"", nil), ("0\\h", nil),
    ("[Red]0;[Blue]-0", nil),
    ("0_d", nil), ("@", nil), ("0.00E+00", nil), ("[>=100]0;0.0", nil), ("", nil), ("\"", nil),
    ("[", nil),
  ]

  @Test(arguments: formats) func dateKindFollowsNumberFormat(code: String, shown: SheetDate.Shown?)
  {
    #expect(SheetDate.Shown(code: code) == shown)
  }

  @Test(arguments: [
    (0, "A1"), (25, "Z1"), (26, "AA1"), (701, "ZZ1"), (702, "AAA1"), (16_383, "XFD1"),
  ])
  func columnsHaveLetters(column: Int, name: String) {
    #expect(Sheet.cellName(row: 0, column: column) == name)
  }
}

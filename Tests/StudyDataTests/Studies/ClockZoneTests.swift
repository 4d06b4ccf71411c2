import Testing

@testable import StudyData

@Suite struct ClockZoneTests {
  private func local(_ date: String, _ hour: Int, _ minute: Int = 0) throws -> Int {
    try #require(CalendarDay(date)).number * 86_400 + hour * 3600 + minute * 60
  }

  /// The hour that is skipped has no moment, the one that is repeated two, and every other hour one.
  @Test(arguments: [
    ("Europe/Berlin", "2024-03-31", 2, 30, [Int]()),
    ("Europe/Berlin", "2024-10-27", 2, 30, [7200, 3600]),
    ("Europe/Berlin", "2024-10-27", 3, 0, [3600]), ("Europe/Berlin", "2024-07-01", 2, 30, [7200]),
    ("America/New_York", "2024-03-10", 2, 30, []),
    ("America/New_York", "2024-11-03", 1, 30, [-14_400, -18_000]),
    // Half an hour.
    ("Australia/Lord_Howe", "2024-10-06", 2, 15, []),
    ("Australia/Lord_Howe", "2024-10-06", 2, 45, [39_600]),
    ("Australia/Lord_Howe", "2024-04-07", 1, 45, [39_600, 37_800]),
    // At midnight.
    ("America/Santiago", "2024-09-08", 0, 30, []), ("Africa/Cairo", "2024-04-26", 0, 30, []),
    ("Asia/Beirut", "2024-03-31", 0, 30, []),
    // A day that never was.
    ("Pacific/Apia", "2011-12-30", 12, 0, []),
    ("Asia/Kathmandu", "2024-01-01", 0, 0, [20_700]),
  ])
  func localTimesHaveNoneOneOrTwoMoments(
    _ name: String, _ date: String, _ hour: Int, _ minute: Int, _ offsets: [Int]
  ) throws {
    let zone = try #require(ClockZone(name))
    let time = try local(date, hour, minute)
    #expect(zone.moments(showing: time).map { time - $0 } == offsets)
  }

  /// Days follow each other without a gap, also where clocks are set forward at midnight, and begin with their date.
  @Test(arguments: [
    "America/Santiago", "Africa/Cairo", "Asia/Beirut", "Europe/Berlin", "Australia/Lord_Howe",
    "Pacific/Apia",
  ])
  func daysBeginWithTheirDate(_ name: String) throws {
    let zone = try #require(ClockZone(name))
    let first = try #require(CalendarDay("2024-01-01")).number
    for number in first..<(first + 366) {
      let start = zone.start(of: CalendarDay(number: number))
      #expect(zone.local(at: start).divided(by: 86_400).quotient == number)
      #expect(zone.local(at: start - 1).divided(by: 86_400).quotient == number - 1)
    }
  }

  /// BST is Bangladesh's time to Foundation, and GMT+5 means two things.
  @Test(arguments: [
    "", "BST", "EST", "GMT+5", "+02:00", "europe/berlin", "Europe/Berlinn", "Berlin",
    "../etc/passwd", "/",
    String(repeating: "a/", count: 100),
  ])
  func refusesUnknownTimeZones(_ name: String) {
    #expect(ClockZone(name) == nil)
  }

  @Test func suggestsSimilarTimeZones() {
    #expect(ClockZone.names(like: "Berlin") == ["Europe/Berlin"])
    #expect(ClockZone.names(like: "europe/berlin") == ["Europe/Berlin"])
    #expect(ClockZone.names(like: "Europe/Berlni") == ["Europe/Berlin"])
    #expect(ClockZone.names(like: "new york") == ["America/New_York"])
    #expect(ClockZone.names(like: "") == [] && ClockZone.names(like: "\u{0}\u{1}\u{2}") == [])
    #expect(ClockZone.common.count == 12)
  }

  @Test func readsOffsetsFromUTC() {
    for (text, seconds) in [
      ("+02:00", 7200), ("-3:30", -12_600), ("+0545", 20_700), ("Z", 0), ("-00:00", 0),
    ] {
      #expect(ClockOffset.seconds(text) == seconds)
    }
    for text in [
      "", "+", "+2", "2:00", "+02:60", "+16:00", "+02:00:00", "+0\u{0662}:00", "+-2:00", "ZZ",
    ] {
      #expect(ClockOffset.seconds(text) == nil, "\(text)")
    }
    #expect([0, 7200, -12_600].map(ClockOffset.text) == ["+00:00", "+02:00", "-03:30"])
  }
}

import AlcoholKinetics
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// A night that is written past midnight without the day is found, and rows that are only not in order
/// are not.
@Suite struct DayJumpTests {
  private static func timeline(_ minutes: [Double]) -> Timeline<Reading> {
    var timeline = Timeline<Reading>()
    for (index, time) in minutes.enumerated() {
      timeline.append(
        Reading(time: Hours(minutes: time), value: 0.1, unit: .bloodGramsPerKilogram),
        at: Place(line: index + 2, column: 5))
    }
    return timeline
  }

  @Test(arguments: [
    ([1200, 1290, 1430, 20, 80, 140], 5),
    ([0, 30, 60, -1350, -1320], 5),
    // One row of another day, written too early or too late.
    ([0, 30, 60, -1350, 120, 150], 5),
    ([0, 30, 60, 1530, 120, 150], 6),
    // Just 12 and just 36 hours.
    ([720, 0], 3), ([2160, 0], 3),
    // The second of two nights begins on the clock of the first.
    ([1200, 1430, 1500, 60, 100], 5),
  ])
  func jumpOverMidnightIsDetected(_ minutes: [Double], line: Int) {
    #expect(DayJump(Self.timeline(minutes))?.place == Place(line: line, column: 5))
  }

  @Test(arguments: [
    [0, 30, 60, 90], [], [5], [90, 60, 30, 0], [0, 60, 30, 90], [0, 719.9, 0], [2161, 0],
    // Two instruments, one after the other, each over a whole day.
    [0, 60, 120, 480, 1440, 0, 60, 120, 480, 1440],
    [0, 60, 840, -10, 60, 850],
    // In order.
    [0, 60, 1440, 1500, 2880],
  ])
  func otherOrdersAreNoMidnightJump(_ minutes: [Double]) {
    #expect(DayJump(Self.timeline(minutes)) == nil)
  }

  /// Rows of a table of events are drinks and readings in one order.
  @Test func drinksAndReadingsOfATableShareATimeline() throws {
    var sample = EventSample(
      """
      ID,TIME,AMT,DV,SEX,AGE,HT,WT
      ann,20,40,.,female,30,165,60
      ann,23,20,.,female,30,165,60
      ann,0.5,.,0.9,female,30,165,60
      ann,1.5,.,0.7,female,30,165,60

      """)
    let found = try #require(sample.findings.first)
    #expect(found.code == .time && found.location.line == 4)
    #expect(found.message.contains("22.5 hours before that of the previous row"))
    // Sorted by time, alcohol is there half a day before it was drunk.
    sample.text = """
      ID,TIME,AMT,DV,SEX,AGE,HT,WT
      ann,0.5,.,0.9,female,30,165,60
      ann,1.5,.,0.7,female,30,165,60
      ann,20,40,.,female,30,165,60
      ann,23,20,.,female,30,165,60

      """
    let sorted = try #require(sample.findings.first)
    #expect(sorted.code == .time && sorted.location.line == 2)
    #expect(sample.findings.count == 1)
  }

  /// Whichever way a study is read, none of it is fitted.
  @Test func streamsDetectTheSameJumps() throws {
    let sample = StudySample(
      drinks: "subject,time_min,ethanol_g\nann,1260,40\n",
      readings:
        "subject,time_min,bac_g_per_kg\nann,1300,0.5\nann,1430,0.4\nann,20,0.3\nann,80,0.2\n")
    let whole = try sample.read()
    #expect(whole.series[0].firstError?.code == .time)
    var stream = try StudyStream(sample.folder())
    #expect(try stream.next() == whole.series[0])
  }
}

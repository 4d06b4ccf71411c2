import Testing

@testable import promille

/// The progress line of long work. The time is given, so that no test waits.
@Suite struct ProgressMeterTests {
  @Test func shortWorkShowsNoProgress() {
    var meter = ProgressMeter(of: 100)
    let shown = (1...100).map { meter.advance(at: .milliseconds(9 * $0)) }
    #expect(shown.allSatisfy { $0 == nil })
  }

  @Test func progressIsShownAfterASecondThenAtIntervals() {
    var meter = ProgressMeter(of: nil)
    var times: [Int] = []
    for milliseconds in stride(from: 50, through: 2000, by: 50)
    where meter.advance(at: .milliseconds(milliseconds)) != nil {
      times.append(milliseconds)
    }
    #expect(times == [1000, 1200, 1400, 1600, 1800, 2000])
  }

  /// After a series that took long, the interval counts from what was shown for it.
  @Test func intervalCountsFromTheLastDisplay() {
    var meter = ProgressMeter(of: nil)
    let times = [5000, 5100, 5199, 5200, 5399, 5401]
    let shown = times.map { meter.advance(at: .milliseconds($0)) != nil }
    #expect(shown == [true, false, false, true, false, true])
  }

  @Test(arguments: [
    (10, 100, 2.0, "10 of 100 series, 5.0 series/s, 18 s left"),
    (100, 1000, 2.0, "100 of 1000 series, 50 series/s, 18 s left"),
    (100, 100, 2.0, "100 of 100 series, 50 series/s, 0 s left"),
    (1, 3, 1.5, "1 of 3 series, 0.7 series/s, 3 s left"),
    (1, 100, 1.2, "1 of 100 series, 0.8 series/s, 119 s left"),
    (1, 121, 1.0, "1 of 121 series, 1.0 series/s, 2 min left"),
    (1, 122, 1.0, "1 of 122 series, 1.0 series/s, 3 min left"),
    (4000, 40000, 1.0, "4000 of 40000 series, 4000 series/s, 9 s left"),
  ])
  func progressStatesDoneAndRemaining(done: Int, total: Int, seconds: Double, text: String) {
    var meter = ProgressMeter(of: total)
    for _ in 1..<done { #expect(meter.advance(at: .zero) == nil) }
    #expect(meter.advance(at: .seconds(seconds)) == text)
  }

  /// The number of series may be unknown where that of people is known: two of ten took two seconds.
  @Test func timeLeftIsThatOfThePeopleToCome() {
    var meter = ProgressMeter(of: nil, people: 10)
    for isNext in [true, false, true] {
      #expect(meter.advance(at: .zero, ofNextPerson: isNext) == nil)
    }
    #expect(
      meter.advance(at: .seconds(2), ofNextPerson: false)
        == "2 of 10 people, 2.0 series/s, 8 s left")
  }

  @Test func progressWithoutTotalStatesRateOnly() {
    var meter = ProgressMeter(of: nil)
    #expect(meter.advance(at: .seconds(2)) == "1 series, 0.5 series/s")
  }
}

import DayDatabase
import Foundation
import HTTPTypes
@_spi(StudyDay) import StudyData
import Testing

@testable import StudyServer

/// Days of all zones: those that a zone skipped, too.
@Suite struct ZonedDayTests {
  /// Days that were none there: the zone went over the date line.
  static let skipped = [
    ("2011-12-30", "Pacific/Apia"), ("2011-12-30", "Pacific/Fakaofo"),
    ("1993-08-21", "Pacific/Kwajalein"), ("1994-12-31", "Pacific/Kiritimati"),
  ]

  @Test(arguments: skipped) func aDayThatWasSkippedHasNoMoments(
    _ date: String, _ name: String
  ) throws {
    let zone = try ClockZone(named: name)
    let day = ZonedDay(try #require(CalendarDay(date)), in: zone)
    #expect(day.moments.isEmpty)
    let before = ZonedDay(CalendarDay(number: day.date.number - 1), in: zone)
    #expect(before.moments.upperBound == day.moments.lowerBound)
  }

  @Test func theReportOfASkippedDayIsEmpty() async throws {
    try await ServedDay.run { served in
      for (date, zone) in Self.skipped {
        let report = try await served.send(.get, "/reports/\(date)?zone=\(zone)", as: "vera")
        #expect(report.status == 200, "\(zone): \(report.text)")
        #expect(report.json["starts"] == report.json["ends"] && report.json["people"] == [])
      }
    }
  }

  /// Days follow one another without gap or overlap, from 1970 to 2070 everywhere. Where clocks are not changed within two
  /// days, a day has 24 hours; only the others need a look.
  @Test func daysFollowOneAnotherInAllZones() throws {
    let first = 0
    let last = 36_524
    for name in TimeZone.knownTimeZoneIdentifiers {
      guard let zone = ClockZone(name), let clock = TimeZone(identifier: name) else { continue }
      // No zone changes its clocks and changes them back within six days.
      let offsets = stride(from: first, through: last + 6, by: 6).map {
        clock.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0) * 86_400))
      }
      var looked = -1
      for (index, (before, after)) in zip(offsets, offsets.dropFirst()).enumerated()
      where before != after {
        for number in max(looked + 1, 6 * index - 2)...(6 * index + 8) {
          let day = ZonedDay(CalendarDay(number: number), in: zone)
          let next = ZonedDay(CalendarDay(number: number + 1), in: zone)
          #expect(day.moments.upperBound == next.moments.lowerBound, "\(name) \(day.date.text)")
          #expect(day.moments.count <= 48 * 3_600_000, "\(name) \(day.date.text)")
          guard !day.moments.isEmpty else { continue }
          for moment in [day.moments.lowerBound, day.moments.upperBound - 1] {
            let containingDay = ZonedDay(containing: moment, in: zone)
            #expect(containingDay.moments.lowerBound <= moment, "\(name) \(day.date.text)")
          }
        }
        looked = 6 * index + 8
      }
    }
  }
}

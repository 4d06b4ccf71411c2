import AlcoholKinetics
import Foundation
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Tables of events with times of day: hours that passed, by the rule of sheets.
@Suite struct ClockedEventsTests {
  private static let autumn = """
    ID,DATE,TIME,AMT,DV,EVID,SEX,AGE,HT,WT
    1,2024-10-26,22:00,60,.,1,m,30,178,80
    1,2024-10-26,22:30,.,0.772,0,m,30,178,80
    1,2024-10-27,01:00,.,0.711,0,m,30,178,80
    1,2024-10-27,03:00,.,0.351,0,m,30,178,80
    1,2024-10-27,04:00,.,0.231,0,m,30,178,80

    """

  private static func opened(
    _ text: String, _ zone: String? = nil, map: String? = nil
  ) throws -> StudyReader {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "events.csv")
    return try StudyReader(
      sheet: folder("events.csv"),
      map: (try map.map { try ColumnMap($0) } ?? .empty).read(by: zone.flatMap { ClockZone($0) }))
  }

  private static func study(_ text: String, _ zone: String? = nil) throws -> Study {
    try opened(text, zone).study()
  }

  @Test func datesAndTimesBecomeHours() throws {
    let summer = Self.autumn.replacing("-10-2", with: "-07-2")
    let opened = try Self.opened(summer)
    #expect(opened.taken.map(\.column) == ["DATE", "TIME"])
    #expect(opened.summary == "drinks: 1 at 0 min")
    let study = try opened.study()
    #expect(study.series[0].readings.map(\.time.value) == [0.5, 3, 5, 6])
    #expect(study.series[0].subject.covariates.isEmpty)
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func timesOfDayPassMidnight() throws {
    let table = Self.autumn.split(separator: "\n").map { line in
      line.split(separator: ",").enumerated().filter { $0.offset != 1 }.map(\.element).joined(
        separator: ",")
    }.joined(separator: "\n")
    let study = try Self.study(table)
    #expect(study.series[0].readings.map(\.time.value) == [0.5, 3, 5, 6])
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func clockChangeIsWarnedOfWithoutTimeZone() throws {
    let found = try Self.study(Self.autumn).allDiagnostics
    #expect(found.map(\.code) == [.clocksChanged])
    #expect(found.first?.location.line == 2)
    let berlin = try Self.study(Self.autumn, "Europe/Berlin")
    #expect(berlin.series[0].readings.map(\.time.value) == [0.5, 3, 6, 7])
    #expect(berlin.allDiagnostics.isEmpty)
  }

  @Test func repeatedTimeIsAnErrorAtItsPlace() throws {
    let study = try Self.study(
      Self.autumn.replacing("27,03:00", with: "27,02:30"), "Europe/Berlin")
    let errors = study.allDiagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code) == [.time])
    #expect(errors.first?.location.line == 5)
  }

  @Test func invalidTimeIsAnErrorOfItsSeriesOnly() throws {
    let other = Self.autumn.split(separator: "\n").dropFirst().map { "2" + $0.dropFirst() }
      .joined(separator: "\n").replacing("-10-2", with: "-07-2")
    let text = Self.autumn.replacing("-10-2", with: "-07-2").replacing("01:00", with: "1 o:clock")
    let study = try Self.study(text + other)
    #expect(study.series.map(\.firstError?.code) == [.time, nil])
    #expect(study.series[0].firstError?.location.line == 4)
  }

  @Test func datesSeparateOccasions() throws {
    let second = Self.autumn.split(separator: "\n").dropFirst().joined(separator: "\n")
      .replacing("-10-2", with: "-07-1")
    let study = try Self.study(Self.autumn.replacing("-10-2", with: "-07-2") + second)
    #expect(study.series.map(\.occasion) == ["2024-07-26", "2024-07-16"])
    #expect(study.series.map(\.readings.count) == [4, 4])
  }

  @Test func ambiguousDatesAreQueried() throws {
    let text = Self.autumn.replacing("2024-10-26", with: "03/04/2024").replacing(
      "2024-10-27", with: "05/04/2024")
    let error = #expect(throws: StudyError.self) { try Self.opened(text) }
    #expect(error?.diagnostics.map(\.code) == [.time])
    #expect(error?.diagnostics.first?.statements == ["DATE=date_dmy", "DATE=date_mdy"])
  }

  @Test func datesWithTimesStandInOneColumn() throws {
    let text = Self.autumn.replacing("DATE,TIME", with: "TIME").replacing(",22:", with: " 22:")
      .replacing("27,0", with: "27 0")
    let study = try Self.study(text, "Asia/Tokyo")
    #expect(study.series[0].readings.map(\.time.value) == [0.5, 3, 5, 6])
  }

  @Test func tablesInHoursAreReadUnchanged() throws {
    let opened = try Self.opened("ID,TIME,AMT,DV\n1,0,40,.\n1,1,.,0.5\n")
    #expect(opened.taken.isEmpty)
    #expect(try opened.study().series[0].readings.map(\.time.value) == [1])
  }
}

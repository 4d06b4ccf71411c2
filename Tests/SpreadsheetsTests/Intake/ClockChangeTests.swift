import AlcoholKinetics
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Nights in which clocks are changed: hours count that passed.
@Suite struct ClockChangeTests {
  private static let autumn = """
    Name|Weight (kg)|Ethanol (g)|When|BAC (g/kg)
    A|80|60|2024-10-26 22:00|
    A|||2024-10-26 22:30|0.772
    A|||2024-10-27 01:00|0.711
    A|||2024-10-27 03:00|0.351
    A|||2024-10-27 04:00|0.231
    """

  private static func sheet(_ text: String, _ zone: String?) throws -> Study {
    let map = ColumnMap.empty.read(by: zone.flatMap { ClockZone($0) })
    let sheet = try #require(try SheetStudy([SheetText.table(text)], path: "sheet", map: map))
    return try sheet.folder.study()
  }

  @Test func clockChangeWithoutTimeZoneIsWarnedOf() throws {
    let study = try Self.sheet(Self.autumn, nil)
    let found = study.allDiagnostics.filter { $0.code == .clocksChanged }
    #expect(found.count == 1 && found[0].location.line == 2)
    #expect(found[0].message.contains("Europe/Berlin: 7 h"))
    #expect(found[0].message.hasSuffix("6 h were counted"))
    #expect(study.series[0].readings.last?.time == 6)
  }

  /// The times of a wide table with a date count as others do.
  @Test func timesInHeadersGiveElapsedHours() throws {
    let wide = """
      Name|Weight (kg)|Date|Drink time|Ethanol (g)|BAC 22:30 (g/kg)|BAC 23:00 (g/kg)|BAC 01:00 (g/kg)|BAC 02:30 (g/kg)|BAC 04:00 (g/kg)
      A|80|2024-10-26|22:00|60|0.77|0.9|0.71|0.5|0.23
      """
    let autumn = wide.replacing("|BAC 02:30 (g/kg)", with: "").replacing("|0.5|", with: "|")
    #expect(
      try Self.sheet(autumn, "Europe/Berlin").series[0].readings.map(\.time.value)
        == [0.5, 1, 3, 7])
    let study = try Self.sheet(autumn, nil)
    #expect(study.series[0].readings.map(\.time.value) == [0.5, 1, 3, 6])
    #expect(study.allDiagnostics.contains { $0.code == .clocksChanged })
    let spring = wide.replacing("2024-10-26", with: "2024-03-30")
    #expect(
      try Self.sheet(spring, "Europe/Berlin").allDiagnostics.contains { $0.code == .time })
    let summer = try Self.sheet(wide.replacing("2024-10-26", with: "2024-06-10"), nil)
    #expect(summer.series[0].readings.last?.time == 6)
    #expect(!summer.allDiagnostics.contains { $0.code == .clocksChanged })
  }

  @Test func timeZoneGivesElapsedHours() throws {
    let berlin = try Self.sheet(Self.autumn, "Europe/Berlin")
    #expect(berlin.series[0].readings.map(\.time.value) == [0.5, 3, 6, 7])
    #expect(!berlin.allDiagnostics.contains { $0.code == .clocksChanged })
    let tokyo = try Self.sheet(Self.autumn, "Asia/Tokyo")
    #expect(tokyo.series[0].readings.map(\.time.value) == [0.5, 3, 5, 6])
  }

  @Test func skippedOrRepeatedTimeIsAnError() throws {
    let spring = Self.autumn.replacing("2024-10-26", with: "2024-03-30").replacing(
      "2024-10-27", with: "2024-03-31"
    ).replacing("03:00", with: "02:30")
    let skipped = try Self.sheet(spring, "Europe/Berlin").allDiagnostics.filter {
      $0.code == .time
    }
    #expect(skipped.count == 1 && skipped[0].location.line == 5)
    #expect(skipped[0].message.contains("does not exist in Europe/Berlin"))
    #expect(skipped[0].remedy.contains("2024-03-31 03:30+02:00"))
    #expect(try Self.sheet(spring, nil).allDiagnostics.contains { $0.code == .clocksChanged })
    let twice = try Self.sheet(
      Self.autumn.replacing("27 03:00", with: "27 02:30"), "Europe/Berlin")
    #expect(twice.series[0].firstError?.code == .time)
    #expect(twice.series[0].firstError?.message.contains("comes twice") == true)
  }

  @Test func otherNightsAndStatedOffsetsAreNotWarnedOf() throws {
    let summer = Self.autumn.replacing("2024-10-26", with: "2024-07-26").replacing(
      "2024-10-27", with: "2024-07-27")
    #expect(try !Self.sheet(summer, nil).allDiagnostics.contains { $0.code == .clocksChanged })
    let stated = Self.autumn.replacing(":00|", with: ":00+02:00|").replacing(
      ":30|", with: ":30+02:00|")
    #expect(try !Self.sheet(stated, nil).allDiagnostics.contains { $0.code == .clocksChanged })
  }

  @Test func drinkDurationGivesElapsedHours() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Drinking start|Drinking end|Sample time|BAC (g/kg)
      A|80|60|2024-10-27 01:30|2024-10-27 03:30||
      A||||||
      A|||||2024-10-27 06:00|0.4
      """
    let study = try Self.sheet(sheet, "Europe/Berlin")
    #expect(study.series[0].drinks[0].duration == 3)
    #expect(study.series[0].readings[0].time == 5.5)
  }
}

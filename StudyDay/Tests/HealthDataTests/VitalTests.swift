import DayDatabase
import Foundation
import HealthData
import StoreSupport
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Vital signs per day, thresholds, and days that are left out.
@Suite struct VitalTests {
  private let folder: TemporaryFolder
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try StudyStore.day(folder("study.sqlite"), for: .writing)
  }

  private func add(_ records: [String]) throws {
    _ = try store.add(
      health: HealthText.stream(HealthText.export(records)), file: "export.xml",
      HealthOptions(subject: "ann"))
  }

  /// A heart rate at noon of so many days of May, from the first.
  private func heartRates(_ rates: Double?...) -> [String] {
    rates.enumerated().compactMap { index, rate in
      rate.map {
        HealthText.record(
          "HeartRate", "\($0)", "count/min",
          at: "2024-05-\(index < 9 ? "0" : "")\(index + 1) 12:00:00 +0200")
      }
    }
  }

  @Test func entriesOfADayAreAveraged() throws {
    try add([
      HealthText.record("HeartRate", "60", "count/min", at: "2024-05-01 00:30:00 +0200"),
      HealthText.record("HeartRate", "90", "count/min", at: "2024-05-01 23:59:59 +0200"),
      HealthText.record("HeartRate", "75", "count/min", at: "2024-05-02 00:00:00 +0200"),
    ])
    let days = try store.vitalDays()
    #expect(days.map(\.day) == ["2024-05-01", "2024-05-02"])
    #expect(days.map(\.mean) == [75, 75] && days.map(\.count) == [2, 1])
    #expect(days[0].lowest == 60 && days[0].highest == 90)
  }

  @Test func twoValuesForOneTimeAreKept() throws {
    let records = [
      HealthText.record("HeartRate", "60", "count/min", at: "2024-05-01 12:00:00 +0200"),
      HealthText.record("HeartRate", "90", "count/min", at: "2024-05-01 12:00:00 +0200"),
    ]
    try add(records)
    try add(records)
    #expect(try store.vitalDays().map(\.count) == [2])
  }

  @Test func daysAreFiltered() throws {
    try add(
      heartRates(60, 61, 62) + [
        HealthText.record("StepCount", "100", "count", at: "2024-05-02 12:00:00 +0200")
      ])
    try store.changeVitalSettings { if $0.kind == .heartRate { $0.importance = 5 } }
    #expect(
      try store.vitalDays(VitalFilter(importance: 4)).map(\.kind)
        == Array(repeating: .heartRate, count: 3))
    #expect(try store.vitalDays(VitalFilter(kinds: [.stepCount])).map(\.mean) == [100])
    #expect(try store.vitalDays(VitalFilter(days: "2024-05-02"..."2024-05-02")).count == 2)
    #expect(try store.vitalDays(VitalFilter(subjects: ["bob"])).isEmpty)
  }

  // MARK: Thresholds

  /// Means over three days: 70, 75, 80, 90, 93.3, 86.7, and after a gap 60 alone, then 80.
  @Test func stretchesBeyondAThresholdAreListed() throws {
    try add(heartRates(70, 80, 90, 100, 90, 70, nil, nil, nil, 60, 100))
    try store.changeVitalSettings(spanDays: 3) { setting in
      guard setting.kind == .heartRate else { return }
      setting.importance = 4
      setting.above = 85
      setting.below = 72
    }
    let crossings = try store.vitalCrossings()
    #expect(crossings.map(\.side) == [.below, .below, .above])
    #expect(crossings.map(\.firstDay) == ["2024-05-01", "2024-05-10", "2024-05-04"])
    #expect(crossings.map(\.lastDay) == ["2024-05-01", "2024-05-10", "2024-05-06"])
    #expect(abs(crossings[2].extreme - 280 / 3.0) < 1e-12)
    #expect(
      try store.vitalCrossings(VitalFilter(days: "2024-05-05"..."2024-05-05")).map(\.side) == [
        .above
      ])
  }

  @Test func onlyImportantKindsCross() throws {
    try add(heartRates(100, 100))
    try store.changeVitalSettings {
      $0.above = 50
      $0.importance = 3
    }
    #expect(try store.vitalCrossings().isEmpty)
  }

  @Test func aBadImportanceIsRefused() throws {
    let error = #expect(throws: StoreError.self) {
      try store.changeVitalSettings { $0.importance = 6 }
    }
    #expect(error?.code == .value)
    #expect(try store.vitalSettings().kinds.allSatisfy { $0.importance == 3 })
  }

  // MARK: Days that are left out

  @Test func occasionsOnBadDaysAreLeftOut() throws {
    try add(
      heartRates(88) + [
        HealthText.record(
          "NumberOfAlcoholicBeverages", "1", "count", at: "2024-05-01 20:00:00 +0200"),
        HealthText.record(
          "NumberOfAlcoholicBeverages", "1", "count", at: "2024-05-02 20:00:00 +0200"),
      ])
    let rule = try #require(DayRule("HeartRate>80"))
    let exclusion = try store.study(excludingDaysWith: [rule])
    #expect(exclusion.study.series.map(\.occasion) == ["2024-05-02"])
    #expect(exclusion.excluded.map(\.series.occasion) == ["2024-05-01"])
    let secondRule = try #require(DayRule("HeartRate<80"))
    #expect(try store.study(excludingDaysWith: [secondRule]).excluded.isEmpty)
  }

  @Test(arguments: ["HeartRate", "HeartRate>", "HeartRate>x", ">80", "HeartRate>inf"])
  func badRulesAreNone(_ text: String) {
    #expect(DayRule(text) == nil)
  }
}

@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import HealthData
import StoreSupport
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Import of Apple Health exports.
@Suite struct HealthImportTests {
  private let folder: TemporaryFolder
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try StudyStore.day(folder("study.sqlite"), for: .writing)
  }

  @discardableResult
  private func add(
    _ records: [String], selection: ImportSelection = ImportSelection()
  ) throws -> (counts: ImportCounts, findings: [HealthFinding]) {
    try store.add(
      health: HealthText.stream(HealthText.export(records)), file: "export.xml",
      HealthOptions(subject: "ann"), selection: selection)
  }

  /// Times count from noon; 14 g a drink; Apple's 0.0006 is 0.06 g in 100 ml.
  @Test func anEveningBecomesASeries() throws {
    let (counts, findings) = try add(HealthText.evening)
    #expect(findings.isEmpty)
    #expect(counts[.drinks].added == 3 && counts[.readings].added == 2)
    let series = try store.study().series
    #expect(series.map(\.occasion) == ["2024-05-01"])
    let drinks = [
      Drink(time: 8, duration: 0.5, ethanol: .mass(14)),
      Drink(time: 8, duration: 0.5, ethanol: .mass(14)),
      Drink(time: 12.25, ethanol: .mass(21)),
    ]
    #expect(series.first?.drinks == drinks)
    let unit = ConcentrationUnit.bloodGramsPer100Millilitres
    #expect(
      series.first?.readings == [
        Reading(time: 9.5, value: 0.0006 * 100, unit: unit),
        Reading(time: 14.5, value: 0.0002 * 100, unit: unit),
      ])
  }

  /// She turned 34 on the next day, and weighed 60 kg then.
  @Test func measuresAreThoseOfTheTime() throws {
    try add(
      HealthText.evening + [
        HealthText.record(
          "NumberOfAlcoholicBeverages", "1", "count", at: "2024-05-25 20:00:00 +0200")
      ])
    let subjects = try store.study().series.map(\.subject)
    #expect(subjects.map(\.sex) == [.female, .female])
    #expect(subjects.map(\.age) == [33, 34])
    #expect(subjects.map(\.height) == [1.65, 1.65])
    #expect(abs((subjects[0].weight?.value ?? 0) - 60) < 1e-9)
    #expect(subjects[1].weight == 70)
  }

  @Test func theSameExportAgainChangesNothing() throws {
    try add(HealthText.evening)
    let study = try store.study()
    let counts = try add(HealthText.evening).counts
    #expect(counts.total.added == 0 && counts.total.changed == 0)
    #expect(counts.total.unchanged == 9)
    #expect(try store.study() == study)
  }

  @Test func aLaterExportAddsAndChanges() throws {
    try add(Array(HealthText.evening.dropLast()))
    var later = HealthText.evening
    later[6] = HealthText.record(
      "BloodAlcoholContent", "0.0007", "%", at: "2024-05-01 21:30:00 +0200")
    let counts = try add(later).counts
    #expect(counts[.readings].added == 1 && counts[.readings].changed == 1)
    #expect(try store.rows("SELECT old_value, new_value FROM changes").count == 1)
  }

  @Test func aNightIsOneOccasionWhereTheClocksChange() throws {
    try add([
      HealthText.record(
        "NumberOfAlcoholicBeverages", "1", "count", at: "2024-10-26 22:00:00 +0200"),
      HealthText.record("BloodAlcoholContent", "0.0001", "%", at: "2024-10-27 02:30:00 +0100"),
    ])
    let series = try store.study().series
    #expect(series.count == 1)
    #expect(series[0].drinks.map(\.time) == [10])
    #expect(series[0].readings.map(\.time) == [15.5])
  }

  @Test func startEndUnitAndSourceAreKept() throws {
    try add([
      HealthText.record(
        "DistanceCycling", "2", "mi", at: "2024-05-01 23:50:00 -0500",
        to: "2024-05-02 00:20:00 -0500", source: "B\u{FC}ke &amp; Co")
    ])
    #expect(
      try store.rows(
        """
        SELECT start_utc, end_utc, day, round(value, 6), given_value, given_unit, source FROM vitals
        """
      ) == [
        [
          "2024-05-02 04:50:00", "2024-05-02 05:20:00", "2024-05-01", "3.218688", "2.0", "mi",
          "B\u{FC}ke & Co",
        ]
      ])
  }

  // MARK: Units

  /// By hand: 1 mi = 1.609344 km, 1 kcal = 4.184 kJ, 1 L = 1000 ml, 98.6 F = 37 C,
  /// 90 mg/dL / 180.156 g/mol = 4.99567 mmol/L.
  static let conversions: [(type: String, value: String, unit: String, expected: Double)] = [
    ("HeartRate", "88", "count/min", 88), ("HeartRate", "1.5", "count/s", 90),
    ("BodyTemperature", "98.6", "degF", 37), ("BodyTemperature", "37", "degC", 37),
    ("BloodGlucose", "90", "mg/dL", 4.99567041), ("BloodGlucose", "5", "mmol/L", 5),
    ("BloodGlucose", "5", "mmol&lt;180.1558800000541&gt;/L", 5),
    ("DietaryWater", "0.25", "L", 250), ("DietaryWater", "8", "fl_oz_us", 236.5882365),
    ("DistanceWalkingRunning", "2", "mi", 3.218688), ("DistanceCycling", "500", "m", 0.5),
    ("ActiveEnergyBurned", "418.4", "kJ", 100), ("BasalEnergyBurned", "70", "Cal", 70),
    ("StepCount", "512", "count", 512), ("RespiratoryRate", "14", "count/min", 14),
    ("BodyMass", "11", "st", 69.85322498), ("Height", "5.5", "ft", 167.64),
  ]

  @Test(arguments: conversions)
  func unitsAreConverted(type: String, value: String, unit: String, expected: Double) throws {
    try add([HealthText.record(type, value, unit, at: "2024-05-01 10:00:00 +0000")])
    let vital = try #require(try store.vitalDays().first)
    #expect(abs(vital.mean - expected) < 1e-7 * expected)
    #expect(
      try store.rows("SELECT start_utc, source FROM vitals") == [["2024-05-01 10:00:00", "Watch"]])
  }

  // MARK: What is refused

  static let refused: [(record: String, code: HealthFinding.Code)] = [
    (HealthText.record("BodyTemperature", "98.6", "degC", at: "2024-05-01 10:00:00 +0000"), .range),
    (HealthText.record("HeartRate", "0", "count/min", at: "2024-05-01 10:00:00 +0000"), .range),
    (
      HealthText.record("BloodAlcoholContent", "0.08", "%", at: "2024-05-01 10:00:00 +0000"), .range
    ),
    (HealthText.record("HeartRate", "88", "Hz", at: "2024-05-01 10:00:00 +0000"), .unit),
    (HealthText.record("HeartRate", "nan", "count/min", at: "2024-05-01 10:00:00 +0000"), .record),
    (HealthText.record("HeartRate", "88", "count/min", at: "yesterday"), .record),
    (
      HealthText.record(
        "HeartRate", "88", "count/min", at: "2024-05-01 10:00:00 +0000",
        to: "2024-05-01 09:00:00 +0000"), .record
    ),
  ]

  @Test(arguments: refused)
  func implausibleVitalsAreLeftOut(record: String, code: HealthFinding.Code) throws {
    let good = HealthText.record("HeartRate", "60", "count/min", at: "2024-05-01 11:00:00 +0000")
    let (counts, findings) = try add([record, good])
    #expect(findings.map(\.code) == [code])
    #expect(findings.first?.line == 13)
    #expect(counts.total.refused == 1 && counts[.vitals].added == 1)
  }

  // MARK: Selection

  @Test func importTakesSelectedRecords() throws {
    let counts = try add(
      HealthText.evening + [
        HealthText.record("HeartRate", "60", "count/min", at: "2024-05-01 11:00:00 +0000"),
        HealthText.record("StepCount", "60", "count", at: "2024-05-01 11:00:00 +0000"),
      ],
      selection: ImportSelection(
        types: [.vitals, .readings], kinds: ["HeartRate"], days: "2024-05-01"..."2024-05-01")
    ).counts
    #expect(counts[.drinks].added == 0)
    #expect(counts[.readings].added == 1)
    #expect(counts[.vitals].added == 1)
  }
}

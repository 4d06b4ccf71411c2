@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import GRDB
import HealthData
import StoreSupport
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Vital signs that lie beside a study in a table.
@Suite struct VitalEntryTests {
  private let folder: TemporaryFolder
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try StudyStore.day(folder("study.sqlite"), for: .writing)
  }

  private static func uuid(_ index: UInt8) -> UUID {
    UUID(uuid: (9, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, index))
  }

  @discardableResult
  private func add(
    _ entries: VitalEntry..., selection: ImportSelection = ImportSelection()
  ) throws -> (counts: ImportCounts, refusals: [Diagnostic]) {
    try store.addSmall(vitals: entries, selection: selection)
  }

  private func heartRate(
    _ value: Double, at start: String = "2024-05-01 20:15:00 +0200", _ uuid: UUID? = nil
  ) -> VitalEntry {
    VitalEntry(subject: "ann", kind: "HeartRate", start: start, value: value, uuid: uuid)
  }

  // MARK: Synchronising

  @Test func theSameAgainChangesNothing() throws {
    let entries = [heartRate(60), heartRate(61, Self.uuid(1)), heartRate(62, Self.uuid(2))]
    #expect(try store.addSmall(vitals: entries).counts[.vitals].added == 3)
    let again = try store.addSmall(vitals: entries).counts[.vitals]
    #expect(again.unchanged == 3 && again.added == 0 && again.changed == 0)
  }

  @Test func aCorrectedVitalWithAUUIDIsTheSame() throws {
    try add(heartRate(60, Self.uuid(1)), heartRate(70, at: "2024-05-02"))
    let counts = try add(
      heartRate(65, at: "2024-04-30T23:30+02:00", Self.uuid(1)), heartRate(70, at: "2024-05-02")
    ).counts[.vitals]
    #expect(counts.changed == 1 && counts.unchanged == 1 && counts.added == 0)
    #expect(try store.vitalDays().map(\.day) == ["2024-04-30", "2024-05-02"])
    #expect(try store.vitalDays().map(\.mean) == [65, 70])
    #expect(
      try store.rows("SELECT column_name, old_value, new_value FROM changes ORDER BY id") == [
        ["start_utc", "2024-05-01 18:15:00", "2024-04-30 21:30:00"],
        ["end_utc", "2024-05-01 18:15:00", "2024-04-30 21:30:00"], ["value", "60.0", "65.0"],
      ])
  }

  @Test func existingVitalAdoptsUUID() throws {
    try add(heartRate(60))
    #expect(try add(heartRate(60, Self.uuid(1))).counts[.vitals].changed == 1)
    #expect(try add(heartRate(60)).counts[.vitals].unchanged == 1)
    #expect(try store.vitalEntries().map(\.uuid) == [Self.uuid(1)])
    #expect(try add(heartRate(60, Self.uuid(2))).counts[.vitals].added == 1)
  }

  @Test func appleHealthExportMatchesVitals() throws {
    let record = HealthText.record(
      "HeartRate", "60", "count/min", at: "2024-05-01 20:15:00 +0200")
    for _ in 0..<2 {
      _ = try store.add(
        health: HealthText.stream(HealthText.export([record])), file: "export.xml",
        HealthOptions(subject: "ann"))
      let entries = try store.vitalEntries()
      #expect(entries.count == 1)
      let counts = try store.addSmall(vitals: entries).counts[.vitals]
      #expect(counts.unchanged == 1 && counts.added == 0)
    }
  }

  @Test func importTakesSelectedRecords() throws {
    let steps = VitalEntry(subject: "bob", kind: "StepCount", start: "2024-05-01", value: 10)
    let none = ImportSelection(types: [.drinks])
    #expect(try add(heartRate(60), steps, selection: none).counts[.vitals].added == 0)
    let kinds = ImportSelection(types: [.vitals], kinds: ["StepCount"])
    #expect(try add(heartRate(60), steps, selection: kinds).counts[.vitals].added == 1)
    let subjects = ImportSelection(subjects: ["ann"], times: 0...1)
    #expect(try add(heartRate(60), steps, selection: subjects).counts[.vitals].added == 1)
  }

  // MARK: There and back

  /// Day and moment round-trip in every offset, and at every second around midnight.
  @Test func momentsComeBack() throws {
    var entries: [VitalEntry] = []
    for offset in ["-1200", "-0930", "-0100", "+0000", "+0530", "+1400"] {
      for clock in ["00:00:00", "00:00:01", "09:29:59", "12:00:00", "23:59:59"] {
        entries.append(heartRate(60 + Double(entries.count), at: "2024-05-01 \(clock) \(offset)"))
      }
    }
    _ = try store.addSmall(vitals: entries)
    let sql = "SELECT start_utc, end_utc, day, value, hex(uuid) FROM vitals ORDER BY 1, 2, 5"
    let expected = try store.rows(sql)
    #expect(Set(expected.map { $0[2] }) == ["2024-05-01"])
    #expect(expected.count == 30)
    let file = try VitalFile.text(of: store.vitalEntries())
    let copy = try StudyStore.day(folder("other.sqlite"), for: .writing)
    try folder.makeFolder("study")
    try folder.write(file, to: "study/vitals.csv")
    let read = try #require(try VitalFile.read(inFolder: folder("study")))
    let (_, refusals) = try copy.addSmall(vitals: read.entries)
    #expect(refusals.isEmpty)
    #expect(try VitalFile.text(of: copy.vitalEntries()) == file)
    #expect(
      try copy.rows(sql) == expected)
  }

  // MARK: What is refused

  static let refused: [(entry: VitalEntry, code: DiagnosticCode)] = [
    (
      VitalEntry(subject: "zoe", kind: "HeartRate", start: "2024-05-01", value: 60), .subject
    ),
    (VitalEntry(subject: "ann", kind: "Pulse", start: "2024-05-01", value: 60), .vitalKind),
    (VitalEntry(subject: "ann", kind: "HeartRate", start: "1.5.2024", value: 60), .vitalTime),
    (
      VitalEntry(subject: "ann", kind: "HeartRate", start: "2024-05-01 10:00", value: 60),
      .vitalTime
    ),
    (
      VitalEntry(
        subject: "ann", kind: "HeartRate", start: "2024-05-02", end: "2024-05-01", value: 60),
      .vitalTime
    ),
    (
      VitalEntry(subject: "ann", kind: "HeartRate", start: "2024-05-01", value: 60, unit: "Hz"),
      .vitalUnit
    ),
    (
      VitalEntry(subject: "ann", kind: "BodyTemperature", start: "2024-05-01", value: 98.6),
      .vitalRange
    ),
  ]

  @Test(arguments: refused)
  func implausibleVitalsAreLeftOut(entry: VitalEntry, code: DiagnosticCode) throws {
    let (counts, refusals) = try add(heartRate(60), entry)
    #expect(refusals.map(\.code) == [code])
    #expect(counts[.vitals].refused == 1 && counts[.vitals].added == 1)
  }

  @Test(arguments: [Int64.max, -1])
  func vitalOrdinalAtIntegerLimitIsDamage(_ ordinal: Int64) throws {
    let entry = VitalEntry(
      subject: "ann", kind: "HeartRate", start: "2024-05-01 20:15:00 +0200", value: 60)
    _ = try store.addSmall(vitals: [entry])
    try DatabaseQueue(path: store.path).writeWithoutTransaction {
      try $0.execute(sql: "UPDATE vitals SET ordinal = \(ordinal), value = 61")
    }
    let error = #expect(throws: StoreError.self) {
      try store.addSmall(vitals: [entry])
    }
    #expect(error?.code == .corrupt)
  }
}

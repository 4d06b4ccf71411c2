import AlcoholKinetics
import Foundation
import GRDB
import StoreSupport
import StudyData
import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// A record with a UUID stays the same record when any of its fields is corrected.
@Suite struct GivenUUIDTests {
  private let folder: TemporaryFolder
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try StudyStore(path: folder("study.sqlite"), for: .writing)
  }

  private static func uuid(_ index: Int) -> UUID {
    UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(index)))
  }

  /// The small study, in which every drink and reading has a UUID.
  private static func identified() -> Study {
    var study = SmallStudy.study()
    for index in study.series.indices {
      let first = index * 6
      study.series[index].uuids = GivenUUIDs(
        drinks: (0..<2).map { uuid(first + $0) }, readings: (2..<6).map { uuid(first + $0) })
    }
    return study
  }

  private func changes() throws -> [[String]] {
    try store.rows(
      "SELECT table_name, row, column_name, old_value, new_value FROM changes ORDER BY id")
  }

  // MARK: Corrections

  @Test func aCorrectedTimeKeepsTheRecord() throws {
    try store.add(Self.identified())
    var study = Self.identified()
    study.series[0].readings[3].time = 2.25
    study.series[1].drinks[1].time = 0.75
    let counts = try store.add(study)
    #expect(counts[.readings].changed == 1 && counts[.readings].unchanged == 7)
    #expect(counts[.drinks].changed == 1 && counts[.drinks].unchanged == 3)
    #expect(counts.total.added == 0)
    #expect(try store.study() == study)
    #expect(
      try changes() == [
        ["readings", Self.uuid(5).uuidString.lowercased(), "time_h", "2.0", "2.25"],
        ["drinks", Self.uuid(7).uuidString.lowercased(), "time_h", "1.0", "0.75"],
      ])
  }

  @Test func exchangedTimesAreTwoCorrections() throws {
    try store.add(Self.identified())
    var study = Self.identified()
    let (first, second) = (study.series[0].readings[1], study.series[0].readings[2])
    study.series[0].readings[1].value = second.value
    study.series[0].readings[2].value = first.value
    study.series[0].uuids.readings.swapAt(1, 2)
    let counts = try store.add(study)
    #expect(counts[.readings].changed == 2 && counts.total.added == 0)
    #expect(try store.study() == study)
    #expect(try store.add(study).total.changed == 0)
  }

  @Test func aRecordMovesToAnotherOccasionAndSubject() throws {
    var study = Self.identified()
    study.series[0].occasion = "evning"
    try store.add(study)
    study.series[0].occasion = "evening"
    study.series[1].uuids.readings.swapAt(0, 1)
    let moved = study.series[0].readings.removeLast()
    let uuid = study.series[0].uuids.readings.removeLast()
    study.series[1].readings.append(moved)
    study.series[1].readings[4].time = 2.5
    study.series[1].uuids.readings.append(uuid)
    let counts = try store.add(study)
    #expect(counts.total.added == 0)
    #expect(counts[.drinks].changed == 2)
    #expect(Set(try store.study().series) == Set(study.series))
    #expect(try store.add(study).total.changed == 0)
  }

  @Test func unitAndValueOfARecordMayChange() throws {
    try store.add(Self.identified())
    var study = Self.identified()
    for index in study.series[0].readings.indices {
      study.series[0].readings[index].unit = .bloodGramsPerLitre
      study.series[0].readings[index].value *= 2
    }
    let counts = try store.add(study)
    #expect(counts[.readings].changed == 4 && counts[.readings].added == 0)
    #expect(try store.study() == study)
  }

  // MARK: With and without

  @Test func existingRecordTakesItsUUID() throws {
    try store.add(SmallStudy.study())
    let counts = try store.add(Self.identified())
    #expect(counts[.readings].changed == 8 && counts[.drinks].changed == 4)
    #expect(counts.total.added == 0)
    #expect(try store.study() == Self.identified())
    #expect(
      try store.rows("SELECT DISTINCT column_name FROM changes ORDER BY 1").joined().sorted()
        == ["is_uuid_given", "uuid"])
  }

  @Test func fileWithoutUUIDsUpdatesTheSameRecords() throws {
    try store.add(Self.identified())
    var study = SmallStudy.study()
    study.series[0].readings[1].value = 0.75
    let counts = try store.add(study)
    #expect(counts[.readings].changed == 1 && counts.total.added == 0)
    var expected = Self.identified()
    expected.series[0].readings[1].value = 0.75
    #expect(try store.study() == expected)
  }

  @Test func differentUUIDAtTheSameTimeIsANewRecord() throws {
    try store.add(Self.identified())
    var study = Self.identified()
    study.series[0].readings = [study.series[0].readings[0]]
    study.series[0].uuids.readings = [Self.uuid(99)]
    let counts = try store.add(study)
    #expect(counts[.readings].added == 1)
    #expect(try store.study().series[0].readings.map(\.time) == [0.5, 0.5, 1, 1.5, 2])
  }

  /// A record that moves is not replaced by the one that takes its place.
  @Test func newRecordMayReplaceAMovedOne() throws {
    try store.add(Self.identified())
    var study = Self.identified()
    let old = study.series[0].readings[0]
    study.series[0].readings[0].time = 0.25
    study.series[0].readings.insert(
      Reading(time: old.time, value: 0.9, unit: old.unit), at: 1)
    study.series[0].uuids.readings.insert(nil, at: 1)
    let counts = try store.add(study)
    #expect(counts[.readings].changed == 1 && counts[.readings].added == 1)
    #expect(try store.study() == study)
    #expect(try store.add(study).total.changed == 0)
  }

  /// A record that moves to a later series is not replaced by the one that takes its place, which is imported first.
  @Test func recordMayMoveToALaterSeries() throws {
    try store.add(Self.identified())
    var study = Self.identified()
    let moved = study.series[0].readings[0]
    study.series[1].readings.insert(moved, at: 1)
    study.series[1].uuids.readings.insert(study.series[0].uuids.readings[0], at: 1)
    study.series[0].readings[0].value = 0.9
    study.series[0].uuids.readings[0] = nil
    let counts = try store.add(study)
    #expect(counts[.readings].changed == 1 && counts[.readings].added == 1)
    #expect(try store.study().asAdded(to: store.path) == study)
  }

  @Test func selectionKeepsUUIDsWithTheirRecords() throws {
    let selection = ImportSelection(types: [.readings], times: 1...1.5)
    try store.add(Self.identified(), selection: selection)
    let series = try store.study().series
    #expect(series.map(\.uuids.readings) == [[3, 4], [9, 10]].map { $0.map(Self.uuid) })
  }

  // MARK: Through files

  /// CSV, database, CSV, database: nothing is lost, and the second import finds all of it.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func uuidsSurviveCSVAndDatabaseRoundTrips(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var study = try StudyReader.read(PackageFolder.dataset("nacar-2021"))
    for index in study.series.indices {
      // Findings name files; these are other files.
      study.series[index].diagnostics = []
      study.series[index].uuids = GivenUUIDs(
        drinks: study.series[index].drinks.map { _ in generator.maybeUUID() },
        readings: study.series[index].readings.map { _ in generator.maybeUUID() })
    }
    try store.add(study)
    let files = try StudyWriter.files(of: try store.study())
    try folder.makeFolder("study")
    for file in files { try folder.write(file.text, to: "study/\(file.name)") }
    var read = try StudyReader.read(folder("study"))
    for index in read.series.indices { read.series[index].diagnostics = [] }
    #expect(read.series == study.series)
    let counts = try store.add(read)
    #expect(counts.total.added == 0 && counts.total.changed == 0)
    let other = try StudyStore(path: folder("other.sqlite"), for: .writing)
    try other.add(read)
    #expect(try StudyWriter.files(of: try other.study()).map(\.text) == files.map(\.text))
  }
}

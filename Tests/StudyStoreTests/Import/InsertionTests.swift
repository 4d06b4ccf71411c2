import AlcoholKinetics
import Foundation
import GRDB
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Drinks and readings that come one by one, as on the day of a study.
@Suite struct InsertionTests {
  private let folder: TemporaryFolder
  private let path: String
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    path = folder("study.sqlite")
    try StudyStore.change(path) { try $0.add(SmallStudy.study()) }
    store = try StudyStore(path: path, for: .changing)
  }

  private static func reading(_ value: Double = 0.25, at time: Double = 2.5) -> Reading {
    Reading(time: Hours(time), value: value, unit: .breathMilligramsPerLitre)
  }

  private func refusal(_ body: () throws -> Void) throws -> [DiagnosticCode] {
    let before = try store.rows("SELECT count(*), total(value) FROM readings, series, drinks")
    let refusal = #expect(throws: StudyError.self) { try body() }
    #expect(
      try store.rows("SELECT count(*), total(value) FROM readings, series, drinks") == before)
    for finding in refusal?.diagnostics ?? [] {
      #expect(finding.location.file == path && !finding.message.contains("row"))
    }
    return refusal?.diagnostics.map(\.code) ?? []
  }

  // MARK: What is stored

  @Test func aReadingAndADrinkAreStored() throws {
    let (first, second) = (UUID(), UUID())
    let reading = try store.insert(
      reading: Self.reading(), of: "ann", uuid: first, source: "station 2")
    #expect(reading.isNew && reading.value == Self.reading() && reading.uuid == first)
    #expect(reading.findings.isEmpty)
    let drink = Drink(time: 2.25, duration: 0.25, ethanol: .mass(10))
    #expect(try store.insert(drink: drink, of: "ann", uuid: second).value == drink)

    var study = SmallStudy.study()
    study.series[0].readings.append(Self.reading())
    study.series[0].drinks.append(drink)
    study.series[0].uuids = GivenUUIDs(
      drinks: [nil, nil, second], readings: [nil, nil, nil, nil, first])
    study.series[0].sources = [4: "station 2"]
    #expect(try store.study() == study)
    #expect(
      try store.rows("SELECT source, instrument FROM reading_list WHERE source NOTNULL")
        == [["station 2", "AL"]])
    // The next import knows them by their UUIDs.
    #expect(try store.add(study).total.unchanged == 16)
  }

  @Test func resentReadingIsStoredOnce() throws {
    let uuid = UUID()
    #expect(try store.insert(reading: Self.reading(), of: "ann", uuid: uuid).isNew)
    let again = try store.insert(reading: Self.reading(), of: "ann", uuid: uuid)
    #expect(!again.isNew && again.value == Self.reading())
    #expect(try store.study().series[0].readings.count == 5)
  }

  @Test func simultaneousSamplesAreBothStored() throws {
    for value in [0.2, 0.2, 0.3] {
      #expect(try store.insert(reading: Self.reading(value), of: "ann").isNew)
    }
    #expect(try store.study().series[0].readings.count == 7)
  }

  @Test func anOccasionBeginsWithItsFirstRecord() throws {
    try store.insert(reading: Self.reading(), of: "ann", on: "2024-05-01")
    try store.insert(reading: Self.reading(), of: "ann", on: "2024-05-01")
    let series = try store.study().series.filter { $0.occasion == "2024-05-01" }
    #expect(series.map(\.readings.count) == [2])
    #expect(
      try store.rows("SELECT day FROM series WHERE occasion NOTNULL") == [["2024-05-01"]])
  }

  /// A finding about a missing dose is resolved once the dose is stored.
  @Test func laterDoseResolvesMissingDose() throws {
    var study = SmallStudy.study()
    study.series.removeLast()
    study.series[0].subject = Subject(id: "cem", weight: 70)
    study.series[0].drinks = []
    study.series[0].diagnostics = [
      Diagnostic(.doseMissing, at: SourceLocation(file: "a"), message: "m", remedy: "r")
    ]
    try store.add(study)
    try store.insert(drink: Drink(time: 0, ethanol: .mass(20)), of: "cem")
    let series = try #require(try store.study().series.first { $0.subject.id == "cem" })
    #expect(series.firstError == nil)
  }

  @Test func aDoubtfulReadingIsStoredWithAWarning() throws {
    let stored = try store.insert(
      reading: Reading(time: 3, value: 12, unit: .bloodGramsPerKilogram), of: "ann")
    #expect(stored.isNew && stored.findings.map(\.severity) == [.warning])
  }

  // MARK: What is refused

  @Test func anUnknownSubjectIsRefused() throws {
    #expect(
      try refusal { try store.insert(reading: Self.reading(), of: "nobody") } == [.subject])
    #expect(try refusal { try store.insert(reading: Self.reading(), of: "") } == [.subject])
  }

  @Test(arguments: [-0.1, .nan, .infinity, -.infinity]) func anImpossibleValueIsRefused(
    _ value: Double
  ) throws {
    let codes = try refusal { try store.insert(reading: Self.reading(value), of: "ann") }
    #expect(codes == [value.isFinite ? .range : .number])
    #expect(
      try refusal {
        try store.insert(drink: Drink(time: 0, ethanol: .mass(Grams(value))), of: "ann")
      }.count == 1)
    #expect(
      try refusal {
        try store.insert(reading: Self.reading(at: value.isFinite ? 1e9 : value), of: "ann")
      }.count == 1)
    #expect(
      try refusal {
        var reading = Self.reading()
        reading.limitOfDetection = value
        try store.insert(reading: reading, of: "ann")
      }.count == 1)
  }

  @Test func aUUIDOfAnotherRecordIsRefused() throws {
    let uuid = UUID()
    try store.insert(reading: Self.reading(), of: "ann", uuid: uuid)
    for body in [
      { try store.insert(reading: Self.reading(0.26), of: "ann", uuid: uuid) },
      { try store.insert(reading: Self.reading(), of: "bob", uuid: uuid) },
      { try store.insert(reading: Self.reading(), of: "ann", on: "2", uuid: uuid) },
    ] {
      #expect(try refusal { _ = try body() } == [.duplicate])
    }
    #expect(
      try refusal {
        try store.insert(drink: Drink(time: 0, ethanol: .mass(1)), of: "ann", uuid: uuid)
      } == [.duplicate])
  }

  @Test func aTextThatIsTooLongIsRefused() throws {
    let long = String(repeating: "x", count: 1 << 26 + 1)
    for body in [
      { try store.insert(reading: Self.reading(), of: long) },
      { try store.insert(reading: Self.reading(), of: "ann", on: long) },
      { try store.insert(reading: Self.reading(), of: "ann", source: long) },
    ] {
      let error = #expect(throws: StoreError.self) { try body() }
      #expect(error?.code == .value)
    }
    #expect(try store.study() == SmallStudy.study())
  }

  @Test func aDatabaseForReadingIsNotChanged() throws {
    let reader = try StudyStore(path: path, for: .reading)
    let error = #expect(throws: StoreError.self) {
      try reader.insert(reading: Self.reading(), of: "ann")
    }
    #expect(error?.code == .notWritable)
    #expect(try reader.study() == SmallStudy.study())
  }

  @Test func damagedOrdinalIsReported() throws {
    let uuid = UUID()
    try store.insert(reading: Self.reading(), of: "ann", uuid: uuid)
    try DatabaseQueue(path: path).writeWithoutTransaction { db in
      try db.execute(sql: "UPDATE readings SET ordinal = \(Int64.max) WHERE is_uuid_given = 1")
    }
    let error = #expect(throws: StoreError.self) {
      try store.insert(reading: Self.reading(), of: "ann")
    }
    #expect(error?.code == .corrupt)
  }

  // MARK: Beside others

  /// A reader sees what was there when it began, however many insertions come meanwhile.
  @Test func openReaderIsNotDisturbed() throws {
    let reader = try DatabaseQueue(path: path)
    try reader.inDatabase { db in
      try db.execute(sql: "BEGIN")
      let before = try Int.fetchOne(db, sql: "SELECT count(*) FROM readings")
      for index in 0..<20 {
        try store.insert(reading: Self.reading(at: 3 + Double(index) / 60), of: "ann")
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM readings") == before)
      try db.execute(sql: "COMMIT")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM readings") == 28)
    }
  }

  @Test func aThousandInsertionsAreAllStored() throws {
    for index in 0..<1000 {
      try store.insert(reading: Self.reading(at: 3 + Double(index) / 60), of: "ann")
    }
    #expect(try store.study().series.map(\.readings.count) == [1004, 4])
  }

  /// Two connections insert at once: each waits for the other, and nothing is lost.
  @Test func twoConnectionsTakeTurns() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (name, subject) in [("a", "ann"), ("b", "bob")] {
        group.addTask {
          let store = try StudyStore(path: path, for: .changing)
          for index in 0..<100 {
            let stored = try store.insert(
              reading: Self.reading(at: 3 + Double(index) / 60), of: subject, source: name)
            #expect(stored.isNew)
          }
        }
      }
      try await group.waitForAll()
    }
    let study = try StudyStore(path: path, for: .reading).study()
    #expect(study.series.map(\.readings.count) == [104, 104])
    #expect(study.series.allSatisfy { $0.firstError == nil })
  }
}

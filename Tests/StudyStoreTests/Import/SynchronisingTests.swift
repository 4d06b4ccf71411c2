import AlcoholKinetics
import GRDB
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Importing again adds what is new, updates what changed and leaves the rest alone.
@Suite struct SynchronisingTests {
  private let folder: TemporaryFolder
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try StudyStore(path: folder("study.sqlite"), for: .writing)
  }

  @Test(arguments: 100..<115 as Range<UInt64>)
  func reimportingAStudyChangesNothing(seed: UInt64) throws {
    var random = RandomStudy(seed: seed)
    let study = random.make()
    let first = try store.add(study)
    let second = try store.add(study)
    #expect(first.total.changed == 0 && first.total.unchanged == 0)
    #expect(second.total.added == 0 && second.total.changed == 0)
    #expect(second.total.unchanged == first.total.added)
    #expect(try store.study().asAdded(to: store.path) == study)
    #expect(try store.rows("SELECT * FROM changes").isEmpty)
  }

  @Test func simultaneousSamplesMayChangeOrder() throws {
    var study = SmallStudy.study()
    let sample = study.series[0].readings[1]
    let samples = [0.31, 0.29].map { value in
      var sample = sample
      sample.value = value
      return sample
    }
    study.series[0].readings.replaceSubrange(1...1, with: samples)
    try store.add(study)
    var other = study
    other.series[0].readings.swapAt(1, 2)
    let swapped = try store.add(other)
    #expect(swapped.total.added == 0 && swapped.total.changed == 0)
    other.series[0].readings[1].value = 0.28
    let counts = try store.add(other)
    #expect(counts[.readings].added == 0 && counts[.readings].changed == 1)
    #expect(
      try store.rows("SELECT old_value, new_value FROM changes") == [["0.29", "0.28"]])
    #expect(try store.study().series[0].readings.map(\.value) == [0.125, 0.31, 0.28, 0.375, 0.5])
  }

  @Test func overlappingStudyAddsOnlyNewRecords() throws {
    let study = SmallStudy.study()
    var earlier = study
    var later = study
    for index in study.series.indices {
      earlier.series[index].readings.removeLast(2)
      later.series[index].readings.removeFirst()
      later.series[index].drinks = []
      later.series[index].diagnostics = [
        Diagnostic(
          .doseMissing, at: SourceLocation(file: "readings.csv", line: 2), message: "no drink",
          remedy: "add it")
      ]
    }
    try store.add(earlier)
    let counts = try store.add(later)
    #expect(counts[.readings].added == 4)
    #expect(counts[.readings].unchanged == 2)
    #expect(try store.study() == study)
  }

  @Test func changedValueIsUpdatedAndTheOldOneLogged() throws {
    try store.add(SmallStudy.study())
    var study = SmallStudy.study()
    study.series[0].readings[1].value = 0.75
    study.series[0].drinks[0].ethanol = .perBodyWeight(0.5)
    study.series[1].subject.weight = 81
    study.series[1].subject.covariates["fed"] = "no"
    let counts = try store.add(study, from: "second")
    #expect(counts[.readings].changed == 1 && counts[.readings].unchanged == 7)
    #expect(counts[.drinks].changed == 1 && counts[.drinks].unchanged == 3)
    #expect(counts[.subjects].changed == 1 && counts[.subjects].unchanged == 1)
    #expect(try store.study() == study)
    let changes = try store.rows(
      """
      SELECT table_name, column_name, old_value, new_value, source
      FROM changes JOIN imports ON imports.id = import_id ORDER BY changes.id
      """)
    #expect(
      changes == [
        ["drinks", "ethanol_g", "20.0", "NULL", "second"],
        ["drinks", "ethanol_g_per_kg", "NULL", "0.5", "second"],
        ["readings", "value", "0.25", "0.75", "second"],
        ["subjects", "weight_kg", "80.0", "81.0", "second"],
        ["subjects", "fed", "NULL", "no", "second"],
      ])
  }

  @Test func missingFieldsKeepStoredValues() throws {
    try store.add(SmallStudy.study())
    var study = SmallStudy.study()
    study.instrument = nil
    study.series[0].subject = Subject(id: "ann")
    let counts = try store.add(study)
    #expect(counts.total.changed == 0)
    #expect(try store.study() == SmallStudy.study())
  }

  @Test func anotherInstrumentIsLogged() throws {
    try store.add(SmallStudy.study())
    var study = SmallStudy.study()
    study.instrument = Instrument(name: "another", resolution: 0.001)
    try store.add(study)
    let changes = try store.rows(
      "SELECT table_name, old_value, new_value FROM changes WHERE column_name = 'instrument_id'")
    #expect(changes.contains(["study", "1.0", "2.0"]))
    #expect(try store.study().instrument == study.instrument)
  }

  @Test func readingsInAnotherUnitAreNewRecords() throws {
    try store.add(SmallStudy.study())
    var study = SmallStudy.study()
    for index in study.series[0].readings.indices {
      study.series[0].readings[index].unit = .bloodGramsPerLitre
    }
    #expect(try store.add(study)[.readings].added == 4)
    #expect(try store.study().series[0].readings.count == 8)
  }

  @Test func newFindingsReplaceOldOnes() throws {
    var study = SmallStudy.study()
    study.series[0].diagnostics = [
      Diagnostic(
        .range, at: SourceLocation(file: "readings.csv"), message: "m", remedy: "r")
    ]
    try store.add(study)
    try store.add(SmallStudy.study())
    #expect(try store.study() == SmallStudy.study())
  }

  @Test func occasionsReplaceAnEmptySeries() throws {
    let subject = Subject(id: "ann")
    try store.add(
      Study(name: "a", series: [Series(subject: subject, drinks: [], readings: [])]))
    let drink = Drink(time: 0, ethanol: .mass(1))
    let series = Series(subject: subject, occasion: "x", drinks: [drink], readings: [])
    try store.add(Study(name: "a", series: [series]))
    #expect(try store.study().series == [series])
  }

  // MARK: Selection

  @Test func selectionLimitsImportedRecords() throws {
    let selection = ImportSelection(
      types: [.readings], subjects: ["bob"], times: Hours(0.75)...Hours(1.5))
    let counts = try store.add(SmallStudy.study(), selection: selection)
    #expect(counts[.subjects].added == 1)
    #expect(counts[.drinks].added == 0)
    let series = try store.study().series
    #expect(series.map(\.subject.id) == ["bob"])
    #expect(series.first?.readings.map(\.time) == [1, 1.5])
  }

  // MARK: UUIDs

  @Test func derivedUUIDsAreTheSameInEveryDatabase() throws {
    let sql = "SELECT hex(uuid) FROM readings UNION ALL SELECT hex(uuid) FROM drinks"
    try store.add(SmallStudy.study())
    let first = try store.rows(sql)
    let other = try StudyStore(path: folder("other.sqlite"), for: .writing)
    var study = SmallStudy.study()
    study.series.reverse()
    try other.add(study)
    let second = try other.rows(sql)
    #expect(Set(first) == Set(second))
    #expect(Set(first).count == 12)
    // Version 8, variant 2 of RFC 9562.
    #expect(first.allSatisfy { $0[0].dropFirst(12).first == "8" })
    #expect(first.allSatisfy { "89AB".contains($0[0].dropFirst(16).first ?? "-") })
  }
}

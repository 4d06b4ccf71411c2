import AlcoholKinetics
import GRDB
import StoreSupport
import StudyData
import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// A database has the findings that its files would have in a folder.
@Suite struct StoredFindingTests {
  private static let subjects = """
    subject,sex,age_y,height_cm,weight_kg
    ann,female,30,165,60
    bob,male,40,180,80

    """
  private static let drinks = """
    subject,time_min,duration_min,ethanol_g,ethanol_g_per_kg
    ann,0,10,30,
    bob,0,10,,0.5

    """
  private static let readings = """
    subject,time_min,bac_g_per_kg,lod
    ann,30,0.652,0.01
    ann,60,0.675,0.01
    ann,120,0.540,0.01
    ann,180,0.390,0.01
    bob,30,0.652,0.01
    bob,60,0.675,0.01
    bob,120,0.540,0.01
    bob,180,0.390,0.01

    """

  /// A change of a database, and the same change of the files.
  struct Change: Sendable, CustomTestStringConvertible {
    var sql: String
    var old: String
    var new: String

    init(_ sql: String, _ old: String, _ new: String) {
      self.sql = sql
      self.old = old
      self.new = new
    }

    var testDescription: String { sql }
  }

  private static let ofAnn = "series_id = 1 AND time_h = 1.0"
  private static let changes = [
    Change("subjects SET age_y = 500 WHERE id = 1", "female,30", "female,500"),
    Change("subjects SET age_y = -1 WHERE id = 1", "female,30", "female,-1"),
    Change("subjects SET height_m = 18 WHERE id = 1", "30,165", "30,1800"),
    Change("subjects SET weight_kg = 0 WHERE id = 1", "165,60", "165,0"),
    Change("subjects SET weight_kg = 137 WHERE id = 1", "165,60", "165,137"),
    Change("subjects SET weight_kg = NULL WHERE id = 1", "165,60", "165,"),
    Change("drinks SET time_h = 1e9 WHERE series_id = 1", "ann,0,10", "ann,6e10,10"),
    Change("drinks SET duration_h = -1 WHERE series_id = 1", "ann,0,10", "ann,0,-60"),
    Change("drinks SET ethanol_g = -3 WHERE series_id = 1", "10,30,", "10,-3,"),
    Change("drinks SET ethanol_g = 6000 WHERE series_id = 1", "10,30,", "10,6000,"),
    Change("drinks SET ethanol_g_per_kg = -1 WHERE series_id = 2", "10,,0.5", "10,,-1"),
    Change("drinks SET ethanol_g_per_kg = 60 WHERE series_id = 2", "10,,0.5", "10,,60"),
    Change("readings SET value = -1 WHERE \(ofAnn)", "ann,60,0.675", "ann,60,-1"),
    Change("readings SET value = 18.9 WHERE \(ofAnn)", "ann,60,0.675", "ann,60,18.9"),
    Change("readings SET value = 3.9 WHERE \(ofAnn)", "ann,60,0.675", "ann,60,3.9"),
    Change("readings SET time_h = -1 WHERE \(ofAnn)", "ann,60,0.675", "ann,-60,0.675"),
    Change("readings SET time_h = 1e9 WHERE \(ofAnn)", "ann,60,0.675", "ann,6e10,0.675"),
    Change(
      "readings SET time_h = 0.5, ordinal = 1 WHERE \(ofAnn)", "ann,60,0.675", "ann,30,0.675"),
    Change(
      "readings SET limit_of_detection = -5 WHERE \(ofAnn)", "ann,60,0.675,0.01",
      "ann,60,0.675,-5"),
  ]

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("study.sqlite")
    let study = try StudyReader.read(write(Self.subjects, Self.drinks, Self.readings))
    #expect(study.allDiagnostics.isEmpty)
    try StudyStore.change(path) { try $0.add(study) }
  }

  private func write(_ subjects: String, _ drinks: String, _ readings: String) throws -> String {
    try folder.makeFolder("study")
    try folder.write(subjects, to: "study/subjects.csv")
    try folder.write(drinks, to: "study/drinks.csv")
    try folder.write(readings, to: "study/readings.csv")
    return folder("study")
  }

  private func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try DatabaseQueue(path: path, configuration: configuration).write { db in
      try db.execute(sql: sql)
      #expect(db.changesCount > 0)
    }
  }

  private func codes(_ study: Study) -> [String: Set<DiagnosticCode>] {
    Dictionary(
      study.series.map { ($0.subject.id, Set($0.diagnostics.map(\.code))) },
      uniquingKeysWith: { $0.union($1) })
  }

  @Test(arguments: changes) func databaseHasTheFindingsOfItsFiles(_ change: Change) throws {
    try execute("UPDATE \(change.sql)")
    let store = try StudyStore(path: path, for: .reading)
    let stored = try store.study()
    let texts = [Self.subjects, Self.drinks, Self.readings].map {
      $0.replacing(change.old, with: change.new)
    }
    let read = try StudyReader.read(write(texts[0], texts[1], texts[2]))
    #expect(codes(read) != ["ann": [], "bob": []])
    // A database has no order of its own that could be wrong.
    #expect(codes(stored) == codes(read).mapValues { $0.subtracting([.timeOrder]) })
    #expect(stored.series.map(\.firstError?.code) == read.series.map(\.firstError?.code))
    #expect(stored.series.map(\.drinks.count) == read.series.map(\.drinks.count))
    #expect(stored.series.map(\.readings.count) == read.series.map(\.readings.count))
    for finding in stored.allDiagnostics { #expect(finding.location.file == path) }
  }

  @Test func removedRowsAreReportedInBoth() throws {
    try execute("DELETE FROM drinks WHERE series_id = 1")
    try execute("DELETE FROM readings WHERE series_id = 2")
    let stored = try StudyStore(path: path, for: .reading).study()
    #expect(codes(stored) == ["ann": [.doseMissing], "bob": [.seriesReadings]])
    try execute("DELETE FROM readings")
    let silent = try StudyStore(path: path, for: .reading).study()
    #expect(silent.diagnostics.map(\.code) == [.noReadings])
  }

  /// Findings about all series together are the same in both.
  @Test func breathTakenForBloodIsDoubtedInBoth() throws {
    var (subjects, drinks, readings) = (
      "subject,sex,age_y,height_cm,weight_kg\n", "subject,time_min,ethanol_g\n",
      "subject,time_min,bac_g_per_kg\n"
    )
    for person in ["a", "b", "c"] {
      subjects += "\(person),female,30,165,60\n"
      drinks += "\(person),0,40\n"
      readings += "\(person),45,0.45\n\(person),90,0.37\n"
    }
    let read = try StudyReader.read(write(subjects, drinks, readings))
    #expect(read.diagnostics.map(\.code) == [.breathAsBlood])
    let place = folder("breath.sqlite")
    let bare = Study(name: "breath", series: read.series)
    try StudyStore.change(place) { try $0.add(bare) }
    let stored = try StudyStore(path: place, for: .reading).study()
    #expect(stored.diagnostics.map(\.code) == [.breathAsBlood])
    #expect(stored.diagnostics.allSatisfy { $0.location.file == place })
    // What was told of the files is told once.
    let kept = folder("kept.sqlite")
    try StudyStore.change(kept) { try $0.add(read) }
    #expect(
      try StudyStore(path: kept, for: .reading).study().diagnostics.map(\.code) == [.breathAsBlood])
  }

  @Test func findingNamesTableAndRow() throws {
    try execute("UPDATE readings SET value = -1 WHERE \(Self.ofAnn)")
    try execute("UPDATE subjects SET height_m = 18 WHERE id = 2")
    let study = try StudyStore(path: path, for: .reading).study()
    #expect(
      study.allDiagnostics.map(\.description) == [
        "\(path): error E_RANGE: readings, row 2 of series 1: value is -1.0, which is "
          + "negative; give 0 for a reading below detection, or exclude it",
        "\(path): error E_RANGE: subjects, row 2: height_m is 18.0, which is not a plausible "
          + "body height; give the height in m, 0.5 to 2.6",
      ])
  }

  /// Excluded readings may have any value, in both.
  @Test func excludedReadingsAreNotChecked() throws {
    try execute("UPDATE readings SET value = -1, is_excluded = 1 WHERE \(Self.ofAnn)")
    #expect(try StudyStore(path: path, for: .reading).study().allDiagnostics.isEmpty)
  }

  @Test func findingsOfTheFilesAreNotRepeated() throws {
    let texts = [
      Self.subjects, Self.drinks,
      Self.readings.replacing("ann,60,0.675", with: "ann,60,3.9") + "bob,10,-1,0.01\n",
    ]
    let read = try StudyReader.read(write(texts[0], texts[1], texts[2]))
    #expect(codes(read) == ["ann": [.readingScale], "bob": [.range]])
    let other = folder("other.sqlite")
    try StudyStore.change(other) { try $0.add(read) }
    #expect(try StudyStore(path: other, for: .reading).study() == read)
  }

  /// A finding of the files hides no other of the same code in the rows.
  @Test func rowErrorsAreReportedBesideFileErrors() throws {
    let read = try StudyReader.read(
      write(Self.subjects, Self.drinks, Self.readings + "bob,10,-1,0.01\n"))
    #expect(codes(read) == ["ann": [], "bob": [.range]])
    let other = folder("other.sqlite")
    try StudyStore.change(other) { try $0.add(read) }
    try DatabaseQueue(path: other).write {
      try $0.execute(sql: "UPDATE drinks SET ethanol_g_per_kg = -1 WHERE series_id = 2")
    }
    let messages = try StudyStore(path: other, for: .reading).study().allDiagnostics.map(\.message)
    #expect(messages.count == 2 && messages[0].hasPrefix("bac_g_per_kg is \"-1\""))
    #expect(messages.last?.contains("ethanol_g_per_kg is -1.0") == true, "\(messages)")
  }

  @Test func codesOfEarlierVersionsAreRead() throws {
    let read = try StudyReader.read(
      write(Self.subjects, Self.drinks, Self.readings + "bob,10,-1,0.01\n"))
    let other = folder("other.sqlite")
    try StudyStore.change(other) { try $0.add(read) }
    let rename = { (code: String) in
      try DatabaseQueue(path: other).write {
        try $0.execute(sql: "UPDATE findings SET code = ?", arguments: [code])
      }
    }
    try rename("E_READING_NEGATIVE")
    #expect(try StudyStore(path: other, for: .reading).study() == read)
    try rename("E_NEVER_GIVEN")
    #expect(throws: StoreError.self) { _ = try StudyStore(path: other, for: .reading).study() }
  }

  @Test func findingsOfAMillionBadRowsAreLimited() throws {
    try execute(
      """
      WITH RECURSIVE a (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM a WHERE n < 5000)
      INSERT INTO readings (series_id, time_h, unit, ordinal, value, uuid)
      SELECT 1, 4 + n / 100.0, 'bac_g_per_kg', 0, -1, zeroblob(16) FROM a
      """)
    let study = try StudyStore(path: path, for: .reading).study()
    #expect(study.allDiagnostics.count == 101)
    #expect(study.diagnostics.map(\.code) == [.moreFindings])
  }

  @Test(arguments: [
    "resolution = 0", "resolution = -1", "relative_accuracy = 2", "limit_of_detection = -1",
    "mouth_alcohol_window_h = -1", "resolution = 9e999",
  ])
  func anImpossibleInstrumentIsRefused(_ change: String) throws {
    let other = folder("other.sqlite")
    try StudyStore.change(other) { try $0.add(SmallStudy.study()) }
    try DatabaseQueue(path: other).write {
      try $0.execute(sql: "UPDATE instruments SET \(change) WHERE name = 'AL'")
    }
    let error = #expect(throws: StoreError.self) {
      _ = try StudyStore(path: other, for: .reading).study()
    }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("instruments") == true)
  }
}

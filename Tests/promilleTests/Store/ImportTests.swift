import Foundation
import GRDB
import TestSupport
import Testing

/// `promille import`, and databases as studies.
@Suite struct ImportTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder("study.sqlite")
  }

  @Test func importCountsRecordsByType() async throws {
    var study = SmallStudy()
    let first = try await Command.promille(
      "import", try study.write(to: folder), "--into", database)
    #expect(first.status == 0)
    #expect(try first.rows.map { $0["type"] } == ["subjects", "drinks", "readings"])
    #expect(try first.rows.map { $0["added"] } == ["3", "3", "24"])
    study.readings = study.readings.replacing("bob,15,0.494", with: "bob,15,0.5")
    study.readings += "cem,400,0\n"
    let second = try await Command.promille(
      "import", try study.write(to: folder), "--into", database)
    #expect(try second.rows.map { $0["added"] } == ["0", "0", "1"])
    #expect(try second.rows.map { $0["changed"] } == ["0", "0", "1"])
    #expect(try second.rows.map { $0["unchanged"] } == ["3", "3", "23"])
  }

  /// Commands on a study day's database use the blood:breath ratio that its pages use.
  @Test func breathRatioOfAStudyDayIsUsed() async throws {
    let done = try await Command.promille(
      "import", PackageFolder.dataset("made-up-24"), "--into", database)
    #expect(done.status == 0)
    try await DatabaseQueue(path: database).write { db in
      try db.execute(
        sql: """
          INSERT INTO grdb_migrations VALUES ('4-vitals');
          CREATE TABLE settings (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID, STRICT;
          INSERT INTO settings (name, value) VALUES ('blood_breath_ratio', 2300)
          """)
    }
    func fits(_ more: String...) async throws -> (rows: [[String: String]], errors: String) {
      let run = try await Command.promille(["fit", database, "--format", "csv"] + more)
      return (try run.rows, run.errors)
    }
    let settled = try await fits()
    #expect(settled.errors.contains("the blood:breath ratio is 2300"))
    #expect(!settled.errors.contains("W_BREATH_RATIO_ASSUMED"))
    #expect(try await settled.rows == fits("--blood-breath-ratio", "2300").rows)
    #expect(try await settled.rows != fits("--blood-breath-ratio", "2100").rows)
  }

  /// A database gives what its folder gives, but for the name of the study.
  @Test(arguments: Command.names)
  func everyCommandAcceptsADatabase(_ command: String) async throws {
    let study = PackageFolder.dataset("nacar-2021")
    let done = try await Command.promille("import", study, "--into", database)
    #expect(done.status == 0)
    let ofFolder = try await Command.promille(command, study, "--format", "json")
    let ofDatabase = try await Command.promille(command, database, "--format", "json")
    #expect(ofDatabase.status == ofFolder.status)
    #expect(ofDatabase.output == ofFolder.output.replacing("\"\(study)\"", with: "\"\(database)\""))
  }

  /// Commands that write something else than results accept a database as well.
  @Test(arguments: [
    ["simulate"], ["export", "--to", "nonmem"], ["export", "--to", "json"],
  ])
  func exportsAcceptADatabase(_ command: [String]) async throws {
    let study = PackageFolder.dataset("nacar-2021")
    _ = try await Command.promille("import", study, "--into", database)
    let ofFolder = try await Command.promille([command[0], study] + command.dropFirst())
    let ofDatabase = try await Command.promille([command[0], database] + command.dropFirst())
    #expect(ofFolder.status == 0 && !ofFolder.output.isEmpty)
    #expect(ofDatabase.status == 0, "\(ofDatabase.errors)")
    #expect(ofDatabase.output.replacing(database, with: study) == ofFolder.output)
  }

  @Test(arguments: [["report"], ["plot", "--subject", "1"]])
  func reportOfADatabaseMatchesItsFolders(_ command: [String]) async throws {
    let study = PackageFolder.dataset("nacar-2021")
    _ = try await Command.promille("import", study, "--into", database)
    let ending = command[0] == "plot" ? "svg" : "html"
    for (place, page) in [(study, "a.\(ending)"), (database, "b.\(ending)")] {
      let run = try await Command.promille(
        [command[0], place] + command.dropFirst() + ["-o", folder(page)],
        environment: ["SOURCE_DATE_EPOCH": "1700000000"])
      #expect(run.status == 0)
    }
    let ofDatabase = try folder.read("b.\(ending)").replacing(database, with: study)
      .replacing("b.\(ending)", with: "a.\(ending)")
    #expect(try ofDatabase == folder.read("a.\(ending)"))
  }

  /// Two studies with subjects 1, 2 and so on are soon mixed up.
  @Test func subjectsOfAnotherStudyAreWarnedOf() async throws {
    var other = SmallStudy()
    _ = try await Command.promille("import", try other.write(to: folder), "--into", database)
    other.subjects = other.subjects.replacing("180,70", with: "190,95")
    let place = try other.write(to: folder, as: "other")
    let done = try await Command.promille("import", place, "--into", database)
    #expect(done.status == 0)
    #expect(done.errors.contains("warning W_STORE_OTHER_STUDY: 1 subjects of other "))
    let again = try await Command.promille("import", place, "--into", database)
    #expect(!again.errors.contains("W_STORE_OTHER_STUDY"))
  }

  @Test func anImpossibleUUIDIsNamed() async throws {
    var study = SmallStudy()
    study.drinks = "subject,time_min,ethanol_g,uuid\nann,0,30,5d3b6f8e\nbob,0,40,\ncem,0,40,.\n"
    let done = try await Command.promille(
      "import", try study.write(to: folder), "--into", database)
    #expect(done.status == 1)
    #expect(done.errors.contains("drinks.csv:2:10: error E_UUID: "))
  }

  @Test func importedErrorsFailTheirSubjects() async throws {
    let study = try SmallStudy.withBadSubject.write(to: folder)
    let done = try await Command.promille("import", study, "--into", database)
    #expect(done.status == 1)
    #expect(done.errors.contains("E_RANGE"))
    let fit = try await Command.promille("fit", database)
    #expect(fit.status == 1)
    #expect(try fit.rows.map { $0["status"] } == ["ok", "failed", "ok"])
  }

  @Test func malformedStudyMakesNoDatabase() async throws {
    let study = try SmallStudy.malformed.write(to: folder)
    let done = try await Command.promille("import", study, "--into", database)
    #expect(done.status == 65)
    #expect(try folder.contents == ["study"])
  }

  @Test func selectionLimitsImportedRecords() async throws {
    let study = try SmallStudy().write(to: folder)
    let done = try await Command.promille(
      "import", study, "--into", database, "--types", "readings", "--subject", "bob", "--from",
      "30", "--to", "120")
    #expect(try done.rows.map { $0["added"] } == ["1", "0", "3"])
  }

  @Test func selectionOfUnknownSubjectsIsWarnedOf() async throws {
    let study = try SmallStudy().write(to: folder)
    let done = try await Command.promille(
      "import", study, "--into", database, "--subject", "zoe", "--subject", "bob")
    #expect(try done.rows.map { $0["added"] } == ["1", "1", "8"])
    #expect(
      done.errors.contains("warning W_NOBODY: --subject zoe is not one of its 3 subjects"))
    #expect(!done.errors.contains("bob"))
    let fit = try await Command.promille("fit", database, "--exclude-day-with", "HeartRate>90")
    #expect(fit.status == 0)
    #expect(fit.errors.contains("warning W_NO_VITALS: no day has a value of HeartRate"))
  }

  @Test func importLeavesNoSideFiles() async throws {
    let study = try SmallStudy().write(to: folder)
    for _ in 0..<2 {
      _ = try await Command.promille("import", study, "--into", database)
      _ = try await Command.promille("check", database)
      #expect(try folder.contents == ["study", "study.sqlite"])
    }
  }
}

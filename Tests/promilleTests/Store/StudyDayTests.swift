import Foundation
import GRDB
import TestSupport
import Testing

/// Commands and data of the study day, which is a package of its own, as the toolkit treats them.
@Suite struct StudyDayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["vitals", "audit", "backup"])
  func misplacedStudyDayCommandsAreNamed(_ command: String) async throws {
    let run = try await Command.promille(command, "study.sqlite", "x")
    #expect(run.status == 64)
    #expect(run.errors.contains("type: promille serve \(command) study.sqlite x\n"))
    let blank = try await Command.promille(command, "ann's study.sqlite")
    #expect(blank.errors.contains(#"promille serve \#(command) 'ann'\''s study.sqlite'"#))
  }

  @Test func appleHealthExportPointsToServe() async throws {
    try folder.write("<HealthData/>", to: "export.xml")
    try folder.write("PK", to: "export.zip")
    for study in [folder("export.xml"), folder("export.zip"), folder.path] {
      let run = try await Command.promille("import", study, "--into", folder("study.sqlite"))
      #expect(run.status == 64)
      #expect(run.errors.contains("promille serve import-health \(study) --into "))
    }
    let piped = try await Command.shell(
      "cat \"$1\" | promille import - --into \"$2\"", folder("export.xml"), folder("study.sqlite"))
    #expect(piped.status == 64 && piped.errors.contains("promille serve import-health - "))
    #expect(try folder.contents == ["export.xml", "export.zip"])
  }

  /// Imports and exports that drop vital signs say so.
  @Test func leftOutVitalSignsAreWarnedOf() async throws {
    let study = try SmallStudy().write(to: folder)
    let database = folder("study.sqlite")
    let silent = try await Command.promille("import", study, "--into", database)
    #expect(silent.status == 0 && !silent.errors.contains("W_VITALS_LEFT_OUT"))
    try folder.write(
      "subject,kind,start,value\nann,HeartRate,2024-05-01,80\n", to: "study/vitals.csv")
    let said = "warning W_VITALS_LEFT_OUT: "
    let imported = try await Command.promille("import", study, "--into", database)
    #expect(imported.status == 0 && imported.errors.contains(said))
    #expect(imported.errors.contains("promille serve import-health \(study) --into"))
    for (form, out) in [("csv", "out"), ("sqlite", "out.sqlite"), ("json", "out.json")] {
      let run = try await Command.promille("export", study, "--to", form, "-o", folder(out))
      #expect(run.status == 0 && run.errors.contains(said), "\(run.errors)")
    }
  }

  /// A fit of the exported study would convert breath by another ratio.
  @Test func leftOutBreathRatioIsWarnedOf() async throws {
    let study = try SmallStudy().write(to: folder)
    let database = try await day("study.sqlite", ratio: 2300, of: study)
    let said = "warning W_INSTRUMENT_LEFT_OUT: the blood:breath ratio from the settings"
    for form in ["csv", "sqlite", "json", "events", "nonmem"] {
      let run = try await Command.promille("export", database, "--to", form, "-o", folder(form))
      #expect(run.status == 0 && run.errors.contains(said), "\(run.errors)")
      #expect(run.errors.contains("add --blood-breath-ratio 2300\n"))
      #expect(!run.errors.contains("the blood:breath ratio is 2300"), "nothing is converted")
    }
    let copied = try await Command.promille("import", database, "--into", folder("other.sqlite"))
    #expect(copied.status == 0 && copied.errors.contains(said), "\(copied.errors)")
  }

  /// Readings of several studies are converted alike, whichever of them is named first.
  @Test func studiesShareOneBreathRatio() async throws {
    let study = try SmallStudy().write(to: folder)
    let first = try await day("one.sqlite", ratio: 2300, of: study)
    let second = try await day("other.sqlite", ratio: 2100, of: study)
    let taken = try await Command.promille("population", study, first)
    #expect(taken.errors.contains("the blood:breath ratio is 2300"), "\(taken.errors)")
    let split = try await Command.promille("population", first, second)
    #expect(split.status == 64)
    #expect(split.errors.contains("different blood:breath ratios: 2100, 2300"), "\(split.errors)")
  }

  /// Makes a database with a study and the settings of a study day.
  private func day(_ name: String, ratio: Double, of study: String) async throws -> String {
    _ = try await Command.promille("import", study, "--into", folder(name))
    try await DatabaseQueue(path: folder(name)).write { db in
      try db.execute(
        sql: """
          INSERT INTO grdb_migrations VALUES ('4-vitals');
          CREATE TABLE vitals (value REAL NOT NULL) STRICT;
          CREATE TABLE settings (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID, STRICT;
          INSERT INTO settings (name, value) VALUES ('blood_breath_ratio', \(ratio))
          """)
    }
    return folder(name)
  }

  @Test func excludingDaysNeedsVitalSigns() async throws {
    let study = try SmallStudy().write(to: folder)
    let none = try await Command.promille("fit", study, "--exclude-day-with", "HeartRate>90")
    #expect(none.status == 64)
    _ = try await Command.promille("import", study, "--into", folder("study.sqlite"))
    let run = try await Command.promille(
      "fit", folder("study.sqlite"), "--exclude-day-with", "HeartRate>90")
    #expect(run.errors.contains("warning W_NO_VITALS: no day has a value of HeartRate"))
    #expect(try run.rows.count == 3)
  }

  /// Without the program that serves, the error says how to get it.
  @Test func missingServerProgramIsReported() async throws {
    let alone = folder("promille")
    try FileManager.default.copyItem(atPath: try Executable.promille.get().path, toPath: alone)
    let run = try await Command.shell("PATH=/nowhere \"$1\" serve x.sqlite", alone)
    #expect(run.status == 66 && run.errors.contains("error E_SERVE_MISSING: "), "\(run.errors)")
  }

  /// The program gets all arguments unchanged.
  @Test func serveArgumentsArePassedUnchanged() async throws {
    let alone = folder("promille")
    try FileManager.default.copyItem(atPath: try Executable.promille.get().path, toPath: alone)
    try folder.write("#!/bin/sh\nprintf '[%s]' \"$@\"\n", to: "promille-serve")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder("promille-serve"))
    let run = try await Command.shell("\"$1\" serve audit 'a b' --verify -o x --help", alone)
    #expect(run.status == 0 && run.output == "[audit][a b][--verify][-o][x][--help]")
  }

  /// An event table is recognised on standard input.
  @Test func importReadsEventsFromPipe() async throws {
    let run = try await Command.shell(
      "printf 'ID,TIME,AMT,DV\\nann,0,40,.\\nann,1,.,0.5\\n' | promille import - --into \"$1\"",
      folder("study.sqlite"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(try run.rows.map { $0["added"] } == ["1", "1", "1"])
  }

  @Test func exportMapsColumnsFromPipe() async throws {
    let run = try await Command.shell(
      "printf 'ID,TIME,AMT,DV,Mass\\nann,0,40,.,70\\nann,1,.,0.5,70\\n' "
        + "| promille export - --to events --map Mass=weight_kg")
    #expect(try run.rows.map { $0["WT"] } == ["70", "70"])
  }
}

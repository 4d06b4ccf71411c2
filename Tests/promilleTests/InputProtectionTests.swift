import Foundation
import TestSupport
import Testing

@testable import promille

/// Results do not overwrite their inputs.
@Suite struct InputProtectionTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
    try folder.link("link.csv", to: "study/readings.csv")
  }

  private static let cases: [[String]] = [
    ["check", "-o", "study/subjects.csv"], ["fit", "-o", "study/readings.csv"],
    ["fit", "--residuals", "study/drinks.csv"], ["fit", "-o", "link.csv"],
    ["fit", "-o", "study/../study/readings.csv"], ["compare", "-o", "study/readings.csv"],
    ["sober", "-o", "study/readings.csv"], ["simulate", "-o", "study/drinks.csv"],
    ["report", "--format", "md", "-o", "study/readings.csv"],
    ["export", "--to", "nonmem", "-o", "study/drinks.csv"],
  ]

  @Test(arguments: cases)
  func inputsAreNotOverwritten(_ arguments: [String]) async throws {
    let placed = arguments.map { $0.contains(".csv") ? folder($0) : $0 }
    let run = try await Command.promille([placed[0], study] + placed.dropFirst())
    #expect(run.status == 73)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("E_OUTPUT: cannot write \(try #require(placed.last))"))
    #expect(run.errors.contains("it is read by this command; choose another place with -"))
    #expect(try folder.read("study/subjects.csv") == SmallStudy().subjects)
    #expect(try folder.read("study/drinks.csv") == SmallStudy().drinks)
    #expect(try folder.read("study/readings.csv") == SmallStudy().readings)
  }

  @Test func databaseAndStandardInputAreNotOverwritten() async throws {
    let database = folder("study.sqlite")
    _ = try await Command.promille("import", study, "--into", database)
    let before = try Data(contentsOf: URL(filePath: database))
    let listed = try await Command.promille("check", database, "-o", database)
    let stored = try await Command.promille("import", study, "--into", database, "-o", database)
    #expect(listed.status == 73 && stored.status == 73)
    #expect(try Data(contentsOf: URL(filePath: database)) == before)

    let events = try await Command.promille("export", study, "--to", "events").output
    try folder.write(events, to: "events.csv")
    let script = "promille fit - -o \"$1\" < \"$1\""
    #expect(try await Command.shell(script, folder("events.csv")).status == 73)
    #expect(try folder.read("events.csv") == events)
  }

  @Test func resultsMayNotShareAFile() async throws {
    let other = folder("study") + "/../x.csv"
    let run = try await Command.promille(
      "fit", study, "-o", folder("x.csv"), "--residuals", other)
    #expect(run.status == 73)
    #expect(run.errors.contains("-o names the same file; choose another place with --residuals"))
    #expect(try folder.contents == ["link.csv", "study"])
  }

  // MARK: Results that are not there yet

  @Test(arguments: [
    ["import", "study", "--into", "new.sqlite", "-o", "new.sqlite"],
    ["import", "study", "--into", "new.sqlite", "-o", "study/../new.sqlite"],
    ["import", "study", "--into", "new.sqlite", "-o", "NEW.sqlite"],
    ["import", "study", "--into", "there/new.sqlite", "-o", "place/new.sqlite"],
    ["import", "study", "--into", "new.sqlite", "-o", "leading"],
    ["import", "study", "--into", "new.sqlite", "-o", "new.sqlite-wal"],
    ["import", "study", "--into", "new.sqlite", "-o", "new.sqlite-journal"],
    ["fit", "study", "-o", "new.csv", "--residuals", "NEW.csv"],
    ["import", "study", "--into", "\u{E9}.sqlite", "-o", "e\u{301}.sqlite"],
    ["report", "study", "-o", "new.html", "--keep-plots", "new.html"],
  ])
  func resultsMayNotShareAPlace(_ arguments: [String]) async throws {
    try folder.makeFolder("there")
    try folder.link("place", to: "there")
    try folder.link("leading", to: "new.sqlite")
    let before = try folder.contents
    let run = try await Command.promille(
      arguments.enumerated().map { index, argument in
        index == 0 || argument.hasPrefix("-") ? argument : folder(argument)
      })
    #expect(run.status == 73)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("error E_OUTPUT: cannot write "), "\(run.errors)")
    #expect(try folder.contents == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("there")).isEmpty)
  }

  /// Files that SQLite keeps beside a database hold data of it.
  @Test func sqliteSideFilesAreNotOverwritten() async throws {
    let database = folder("study.sqlite")
    _ = try await Command.promille("import", study, "--into", database)
    let run = try await Command.promille("check", database, "-o", "\(database)-wal")
    #expect(run.status == 73)
    #expect(run.errors.contains("SQLite keeps part of the database, \(database), there"))
    let script = "promille import \"$1\" --into \"$2\" >> \"$2\""
    let appended = try await Command.shell(script, study, database)
    #expect(appended.status == 73)
    #expect(appended.errors.contains("standard output goes to the same file"))
    #expect(try await Command.promille("check", database).status == 0)
  }

  @Test func differentPlacesAreAccepted() async throws {
    let run = try await Command.promille(
      "fit", study, "--interval", "none", "-o", folder("a.csv"),
      "--residuals", folder("b.csv"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.contents == ["a.csv", "b.csv", "link.csv", "study"])
  }

  /// An exported table of events lacks settings of the study, which a warning lists with the options that replace them.
  @Test func eventExportWarnsOfLostSettings() async throws {
    try folder.write(
      #"{"promille": {"instrument": {"mouth_alcohol_window_min": 20, "limit_of_detection": 0.1}}}"#,
      to: "study/datapackage.json")
    let events = folder("events.csv")
    let run = try await Command.promille("export", study, "--to", "events", "-o", events)
    #expect(run.status == 0)
    #expect(run.errors.contains("warning W_INSTRUMENT_LEFT_OUT: "))
    #expect(run.errors.contains("add --exclude-after-drink 20 --lod 0.1\n"))
    let told = try await Command.promille(
      "fit", events, "--exclude-after-drink", "20", "--lod", "0.1")
    let whole = try await Command.promille("fit", study)
    #expect(told.output == whole.output)
    #expect(try await Command.promille("fit", events).output != whole.output)
  }
}

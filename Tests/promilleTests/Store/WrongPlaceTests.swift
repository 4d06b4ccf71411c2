import TestSupport
import Testing

/// Paths in the place of a database that are none: the message says what they are and what to do.
@Suite struct WrongPlaceTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
  }

  @Test(arguments: [["check", "--upgrade"]])
  func upgradeOfAStudyFolderIsRefused(_ command: [String]) async throws {
    for (place, what) in [
      (study, "a study folder"), ("\(study)/readings.csv", "a table of a study"),
    ] {
      let run = try await Command.promille([command[0], place] + command.dropFirst())
      #expect(run.status == 65)
      #expect(run.output.isEmpty)
      #expect(run.errors.hasPrefix("\(place): error E_STORE_FOREIGN: this is \(what)"))
      #expect(run.errors.contains("import it first: promille import \(study) --into study.sqlite"))
    }
    let done = try await Command.promille("import", study, "--into", folder("study.sqlite"))
    #expect(done.status == 0)
    let run = try await Command.promille(
      [command[0], folder("study.sqlite")] + command.dropFirst())
    #expect(run.status == 0)
  }

  @Test func upgradeOfAnEventTableIsRefused() async throws {
    try folder.write("ID,TIME,AMT,DV\nann,0,40,.\n", to: "events.csv")
    let run = try await Command.promille("check", folder("events.csv"), "--upgrade")
    #expect(run.status == 65)
    #expect(run.errors.contains("promille import STUDY --into study.sqlite"))
  }

  /// Settings and upgrades need a database: one that is misspelt is not made.
  @Test(arguments: [["check", "--upgrade"]])
  func misspeltDatabaseIsNotCreated(_ command: [String]) async throws {
    let run = try await Command.promille(
      [command[0], folder("studdy.sqlite")] + command.dropFirst())
    #expect(run.status == 66)
    #expect(run.errors.contains("error E_STORE_MISSING: "))
    #expect(try folder.contents == ["study"])
  }

  @Test func importIntoAFolderIsRefused() async throws {
    let run = try await Command.promille("import", study, "--into", study)
    #expect(run.status == 73)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("error E_STORE_NOT_WRITABLE: a folder exists at this path; name a"))
  }

  // MARK: Curves

  private static let curves = """
    subject,time_min,bac_g_per_kg
    ann,1,0.1
    ann,200,0
    bob,1,0.1
    bob,210,0
    cem,1,0.1
    cem,220,0

    """

  /// Curves of another program can be scored against a study in every form.
  @Test func givenCurvesAreScoredAgainstEveryFormOfStudy() async throws {
    try folder.write(Self.curves, to: "curves.csv")
    _ = try await Command.promille("import", study, "--into", folder("study.sqlite"))
    _ = try await Command.promille("export", study, "--to", "events", "-o", folder("events.csv"))
    let expected = try await Command.promille(
      "sober", study, "--predictions", folder("curves.csv"), "--threshold", "0")
    #expect(expected.status == 0, "\(expected.errors)")
    let times = try expected.rows.filter { $0["method"] == "curves" }
      .map { $0["sober_predicted_min"] }
    #expect(times == ["200.0", "210.0", "220.0"])
    for place in [folder("study.sqlite"), folder("events.csv")] {
      let run = try await Command.promille(
        "sober", place, "--predictions", folder("curves.csv"), "--threshold", "0")
      #expect(run == expected)
    }
    let piped = try await Command.shell(
      "promille sober - --predictions \"$2\" --threshold 0 <\"$1\"", folder("events.csv"),
      folder("curves.csv"))
    #expect(piped == expected)
  }

  /// Given curves may also be the readings of a study, in a folder or a database.
  @Test func givenCurvesMayBeAStudyFolder() async throws {
    try folder.write(Self.curves, to: "curves.csv")
    var predicted = SmallStudy()
    predicted.readings = Self.curves
    let place = try predicted.write(to: folder, as: "predicted")
    _ = try await Command.promille("import", place, "--into", folder("predicted.sqlite"))
    let expected = try await Command.promille(
      "sober", study, "--predictions", folder("curves.csv"))
    for curves in [place, folder("predicted.sqlite")] {
      let run = try await Command.promille("sober", study, "--predictions", "curves=\(curves)")
      #expect(run.output == expected.output && run.status == expected.status)
    }
    let json = try await Command.promille(
      "sober", study, "--predictions", folder("predicted.sqlite"), "--format", "json")
    #expect(json.output.contains("\(place)/readings.csv"))
  }

  @Test func invalidCurvesAreReported() async throws {
    try folder.write("subject,time_min\nann,0\n", to: "curves.csv")
    let run = try await Command.promille(
      "sober", study, "--predictions", folder("curves.csv"))
    #expect(run.status == 65)
    #expect(run.errors.contains("curves.csv:1: error E_COLUMN_MISSING: "))
    let none = try await Command.promille("sober", study, "--predictions", folder("nowhere.csv"))
    #expect(none.status == 66)
    #expect(none.errors.contains("nowhere.csv: error E_FILE_MISSING: "))
  }
}

import Foundation
import TestSupport
import Testing

/// Results of parts of the subjects, put together, are those of one run; and parts that make no whole are refused.
/// `Tests/Tools/parts.py` does the same with a larger cohort.
@Suite struct PartTests {
  private let folder: TemporaryFolder
  private let cohort: String

  init() async throws {
    folder = try TemporaryFolder()
    cohort = folder("cohort")
    let made = try await Command.promille(
      "simulate", "--cohort", "12", "--seed", "2", "-o", cohort)
    #expect(made.status == 0)
  }

  private func part(
    _ number: Int, of count: Int = 3, _ command: [String] = ["fit", "--interval", "none"],
    _ options: String...
  ) async throws -> String {
    let path = folder("part-\(number)-of-\(count)")
    let run = try await Command.promille(
      [command[0], cohort] + command.dropFirst() + options + [
        "--subjects-part", "\(number)/\(count)", "-q", "-o", path,
      ])
    // A part in which somebody has no result is a part nevertheless.
    #expect([0, 1].contains(run.status), "\(run.errors)")
    return path
  }

  private func refused(_ parts: [String], _ words: String...) async throws {
    let run = try await Command.promille(["merge"] + parts + ["-o", folder("merged")])
    #expect(run.status == 65)
    #expect(run.errors.contains("E_PARTS"))
    for word in words { #expect(run.errors.contains(word), "\(run.errors)") }
    #expect(!FileManager.default.fileExists(atPath: folder("merged")))
  }

  @Test(arguments: [
    (["fit", "--interval", "none"], "csv", 3), (["fit", "--interval", "none"], "ndjson", 2),
    (["fit", "--interval", "none"], "arrow", 3),
    // More parts than subjects: some have none.
    (["fit", "--method", "elimination-line"], "csv", 20), (["sober"], "csv", 1),
    (["sober"], "arrow", 4), (["compare"], "csv", 3),
    (["fit", "--model", "all", "--starts", "1", "--interval", "none"], "arrow", 2),
  ])
  func togetherTheyAreOneRun(command: [String], format: String, count: Int) async throws {
    var parts: [String] = []
    for number in 1...count {
      parts.append(try await part(number, of: count, command, "--format", format))
    }
    let whole = try await Command.promille(
      [command[0], cohort] + command.dropFirst() + [
        "--format", format, "-q", "-o", folder("whole"),
      ])
    let merged = try await Command.promille(
      ["merge"] + parts.reversed() + ["-q", "-o", folder("merged")])
    #expect(merged.status == whole.status)
    let expected = try Data(contentsOf: URL(filePath: folder("whole")))
    #expect(try Data(contentsOf: URL(filePath: folder("merged"))) == expected)
  }

  @Test func partsThatAreNoWholeAreRefused() async throws {
    let (one, two, three) = (try await part(1), try await part(2), try await part(3))
    try await refused([one, three], "1 is missing: 2")
    try await refused([one, two, two, three], "both part 2")
    let other = try await part(2, of: 4)
    try await refused([one, other, three], "the number of parts")
    try FileManager.default.removeItem(atPath: three + ".part")
    try await refused([one, two, three], "there is no", "--subjects-part")
    let options = try await part(3, ["fit", "--interval", "none", "--loss", "huber"])
    try await refused([one, two, options], "the options")
    let format = try await part(3, ["fit", "--interval", "none", "--format", "ndjson"])
    try await refused([one, two, format], "the format")
    _ = try await part(3)
    // Results that somebody changed, or that were not written to their end.
    let text = try String(contentsOfFile: three, encoding: .utf8)
    for changed in [String(text.dropLast(20)), text + text, text.replacing("ok", with: "no"), ""] {
      try changed.write(toFile: three, atomically: true, encoding: .utf8)
      try await refused([one, two, three], three)
    }
    try text.write(toFile: three, atomically: true, encoding: .utf8)
    let record = try String(contentsOfFile: three + ".part", encoding: .utf8)
    for changed in [
      String(record.dropLast(5)), "", "{}\n", record + record,
      record.replacing(" 1\n", with: " 99999999999999999999\n"),
      record.replacing(" 1\n", with: " -1\n"),
    ] {
      try changed.write(toFile: three + ".part", atomically: true, encoding: .utf8)
      try await refused([one, two, three], three)
    }
  }

  /// The study changed between two parts: a subject came, or a number did.
  @Test(arguments: ["weight", "subject"])
  func partsOfDifferentFilesAreRefused(change: String) async throws {
    let (one, two) = (try await part(1), try await part(2))
    let path = cohort + "/readings.csv"
    let readings = try String(contentsOfFile: path, encoding: .utf8)
    let changed =
      change == "weight" ? readings.replacing("0.1", with: "0.2") : readings + "\n"
    try changed.write(toFile: path, atomically: true, encoding: .utf8)
    try await refused([one, two, try await part(3)], "different files")
  }

  @Test(arguments: [
    ["--subjects-part", "0/3", "-o", "x"], ["--subjects-part", "4/3", "-o", "x"],
    ["--subjects-part", "1/3"], ["--subjects-part", "1/3", "-o", "x.json"],
    ["--subjects-part", "1/3", "-o", "x", "--summary"],
    ["--subjects-part", "1/3", "-o", "x", "--residuals", "y"],
  ])
  func whatCannotBeMergedIsRefused(options: [String]) async throws {
    let run = try await Command.promille(["fit", cohort] + options)
    #expect(run.status == 64, "\(run.errors)")
  }

  @Test func noPartTakesThePlaceOfWhatItIsMadeFrom() async throws {
    let parts = [try await part(1, of: 1)]
    let run = try await Command.promille(["merge"] + parts + ["-o", parts[0] + ".part"])
    #expect(run.status == 73 && run.errors.contains("E_OUTPUT"))
    let missing = try await Command.promille("merge", folder("nowhere"))
    #expect(missing.status == 65 && missing.errors.contains("E_PARTS"))
  }
}

/// Arrow through the command: the rows are those of CSV, and options that do not fit are refused.
@Suite struct ArrowCommandTests {
  private static let events = """
    ID,TIME,AMT,DV,SEX,WEIGHT_KG,HEIGHT_CM,AGE_Y
    a,0,40,,male,80,180,30
    a,1,,0.5,male,80,180,30
    a,2,,0.35,male,80,180,30
    a,3,,0.2,male,80,180,30
    """

  @Test func resultsAreAStream() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.events, to: "events.csv")
    let run = try await Command.promille(
      "fit", folder("events.csv"), "--interval", "none", "-q", "-o", folder("fits.arrows"))
    #expect(run.status == 0, "\(run.errors)")
    let bytes = try Data(contentsOf: URL(filePath: folder("fits.arrows")))
    #expect(bytes.prefix(4) == Data([0xFF, 0xFF, 0xFF, 0xFF]))
    #expect(bytes.suffix(8) == Data([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]))
    let table = try await Command.promille(
      "check", folder("fits.arrows"), "--input-format", "arrow", "--format", "csv")
    #expect(table.status == 65 && table.errors.contains("E_NOT_A_FOLDER"))
  }

  @Test func textIsNoStream() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.events, to: "events.csv")
    let run = try await Command.promille("fit", folder("events.csv"), "--input-format", "arrow")
    #expect(run.status == 65 && run.errors.contains("E_ARROW"))
  }

  @Test func optionsThatDoNotFitAreRefused() async throws {
    let folder = try TemporaryFolder()
    let study = try SmallStudy().write(to: folder)
    let run = try await Command.promille("fit", study, "--input-format", "arrow")
    #expect(run.status == 64 && run.errors.contains("--input-format"))
    let map = try await Command.promille(
      "fit", study + "/readings.csv", "--input-format", "arrow", "--map", "a=subject")
    #expect(map.status == 64 && map.errors.contains("--map"))
  }
}

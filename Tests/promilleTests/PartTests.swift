import Foundation
import TestSupport
import Testing

/// Results of parts of the subjects, put together, are those of one run.
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

  @Test(arguments: [
    (["fit", "--interval", "none"], "csv", 3), (["fit", "--interval", "none"], "ndjson", 2),
    // More parts than subjects: some have none.
    (["fit", "--method", "elimination-line"], "csv", 20), (["sober"], "csv", 1),
    (["compare"], "csv", 3),
    (["fit", "--model", "all", "--starts", "1", "--interval", "none"], "ndjson", 2),
  ])
  func partsTogetherMatchAWholeRun(command: [String], format: String, count: Int) async throws {
    var parts: [String] = []
    for number in 1...count {
      parts.append(try await part(number, of: count, command, "--format", format))
    }
    let whole = try await Command.promille(
      [command[0], cohort] + command.dropFirst() + [
        "--format", format, "-q", "-o", folder("whole"),
      ])
    let written = try parts.map { try Data(contentsOf: URL(filePath: $0)) }
    let expected = try Data(contentsOf: URL(filePath: folder("whole")))
    #expect([0, 1].contains(whole.status))
    func rows(_ bytes: Data) -> [String] {
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      return format == "csv" ? Array(lines.dropFirst()) : lines
    }
    #expect(written.flatMap(rows).sorted() == rows(expected).sorted())
  }

  @Test(arguments: [
    ["--subjects-part", "0/3", "-o", "x"], ["--subjects-part", "4/3", "-o", "x"],
    ["--subjects-part", "1/3", "-o", "x.json"], ["--subjects-part", "1/3", "-o", "x", "--summary"],
  ])
  func invalidPartOptionsAreRefused(options: [String]) async throws {
    let run = try await Command.promille(["fit", cohort] + options)
    #expect(run.status == 64, "\(run.errors)")
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

  @Test func arrowResultsAreAStream() async throws {
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

  @Test func csvAsArrowInputIsRefused() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.events, to: "events.csv")
    let run = try await Command.promille("fit", folder("events.csv"), "--input-format", "arrow")
    #expect(run.status == 65 && run.errors.contains("E_FILE_FORMAT"))
  }

  @Test func contradictoryArrowOptionsAreRefused() async throws {
    let folder = try TemporaryFolder()
    let study = try SmallStudy().write(to: folder)
    let run = try await Command.promille("fit", study, "--input-format", "arrow")
    #expect(run.status == 64 && run.errors.contains("--input-format"))
    let map = try await Command.promille(
      "fit", study + "/readings.csv", "--input-format", "arrow", "--map", "a=subject")
    #expect(map.status == 64 && map.errors.contains("--map"))
  }
}

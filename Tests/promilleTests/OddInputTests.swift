import Foundation
import TestSupport
import Testing

/// Unusual inputs, with which nothing may crash, hang or mislead.
@Suite struct OddInputTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let oddNames = [
    "a,b", "say \"so\"", "new\nline", "q\"\u{301}x", "日本語", "\u{1F469}\u{200D}\u{1F467}",
    "esc\u{1B}[31m", "=1+1", "x\r\ny", "\u{202E}rtl", "-o",
  ]

  // MARK: Names

  /// A study whose subjects have every odd name.
  private func studyOfOddNames() throws -> String {
    var study = SmallStudy()
    let quoted = Self.oddNames.map { name in
      // Below the level of characters, where a quote may be part of another.
      let scalars = name.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
      return "\"" + String(String.UnicodeScalarView(scalars)) + "\""
    }
    study.subjects =
      "subject,sex,age_y,height_cm,weight_kg\n"
      + quoted.map { "\($0),male,40,180,70\n" }.joined()
    study.drinks = "subject,time_min,ethanol_g\n" + quoted.map { "\($0),0,40\n" }.joined()
    study.readings =
      "subject,time_min,bac_g_per_kg\n" + quoted.map { "\($0),30,0.6\n\($0),300,0\n" }.joined()
    return try study.write(to: folder)
  }

  @Test func oddNamesAreKeptInCSV() async throws {
    let run = try await Command.promille("check", try studyOfOddNames(), "--format", "csv")
    #expect(run.status == 0)
    let names = try run.rows.map { Array(($0["subject"] ?? "").unicodeScalars) }
    #expect(names == Self.oddNames.map { Array($0.unicodeScalars) })
  }

  @Test func oddNamesAreKeptInJSON() async throws {
    let run = try await Command.promille("check", try studyOfOddNames(), "--format", "json")
    let series = try #require(try run.json["series"] as? [[String: Any]])
    let names = series.map { Array(($0["subject"] as? String ?? "").unicodeScalars) }
    #expect(names == Self.oddNames.map { Array($0.unicodeScalars) })
  }

  @Test func oddNamesDoNotBreakTables() async throws {
    let run = try await Command.promille("sober", try studyOfOddNames(), "--format", "table")
    let table = run.output.split(separator: "\n\n").first { $0.hasPrefix("subject ") } ?? ""
    #expect(table.split(separator: "\n").count == 2 + 5 * Self.oddNames.count)
    #expect(!run.output.contains("\u{1B}"))
  }

  @Test(arguments: ["two  spaces", "náme 日本語", "new\nline", "-x", "a'b\"c", "\\", "%d"])
  func foldersMayHaveAnyName(_ name: String) async throws {
    let study = try SmallStudy().write(to: folder, as: name)
    let run = try await Command.promille("check", study, "--format", "json")
    #expect(run.status == 0)
    let provenance = try #require(try run.json["provenance"] as? [String: Any])
    let inputs = try #require(provenance["inputs"] as? [[String: String]])
    #expect(inputs.first?["file"] == "\(study)/subjects.csv")
  }

  // MARK: Files that are none

  @Test func pipesInPlaceOfFilesDoNotHang() async throws {
    let study = try SmallStudy().write(to: folder)
    try FileManager.default.removeItem(atPath: folder("study/readings.csv"))
    try folder.makePipe("study/readings.csv")
    try await expectUnreadable(study, "study/readings.csv")
    try folder.makePipe("pipe")
    let run = try await Command.promille("fit", folder("pipe"))
    #expect(run.status == 65)
    #expect(run.errors.contains("pipe: error E_NOT_A_FOLDER: "))
  }

  @Test func linksInCirclesDoNotHang() async throws {
    let study = try SmallStudy().write(to: folder)
    try FileManager.default.removeItem(atPath: folder("study/drinks.csv"))
    try folder.link("study/drinks.csv", to: "drinks.csv")
    try await expectUnreadable(study, "study/drinks.csv")
    try folder.link("one", to: "two")
    try folder.link("two", to: "one")
    let run = try await Command.promille("check", folder("one"))
    #expect(run.status == 66)
    #expect(run.errors.contains("one: error E_NO_SUCH_STUDY: "))
  }

  @Test func foldersInPlaceOfFilesAreReported() async throws {
    let study = try SmallStudy().write(to: folder)
    try FileManager.default.removeItem(atPath: folder("study/subjects.csv"))
    try folder.makeFolder("study/subjects.csv")
    try await expectUnreadable(study, "study/subjects.csv")
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func unreadableFilesAreReported() async throws {
    let study = try SmallStudy().write(to: folder)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0], ofItemAtPath: folder("study/drinks.csv"))
    try await expectUnreadable(study, "study/drinks.csv")
  }

  private func expectUnreadable(_ study: String, _ file: String) async throws {
    for command in Command.names {
      let run = try await Command.promille(command, study)
      #expect(run.status == 66)
      #expect(run.output.isEmpty)
      #expect(run.complaints.count == 1)
      #expect(run.errors.contains("\(file): error E_FILE_UNREADABLE: "))
    }
  }

  @Test func emptyFoldersAndFilesAreReported() async throws {
    try folder.makeFolder("empty")
    let empty = try await Command.promille("check", folder("empty"))
    #expect(empty.status == 66)
    #expect(empty.complaints.count == 2)
    var blank = SmallStudy()
    (blank.subjects, blank.drinks, blank.readings) = ("", "", "")
    let run = try await Command.promille("check", try blank.write(to: folder))
    #expect(run.status == 65)
    #expect(try run.rows.filter { $0["code"] == "E_EMPTY_FILE" }.count >= 2)
  }

  // MARK: Contents

  @Test func binaryGarbageIsBadData() async throws {
    let study = try SmallStudy().write(to: folder)
    for file in ["subjects.csv", "drinks.csv", "readings.csv"] {
      let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 7 &+ 0x80) }
      try folder.write(Data(bytes), to: "study/\(file)")
    }
    for command in Command.names {
      let run = try await Command.promille(command, study)
      #expect(run.status == 65)
      #expect(run.complaints.count == 3)
      #expect(run.errors.contains("study/readings.csv:1:1: error E_ENCODING: "))
    }
  }

  /// Time must not grow with the square of what is in a line; it would be far beyond the limit.
  @Test(.timeLimit(.minutes(10)), arguments: ["subjects", "drinks", "readings"])
  func manyColumnsAreReadInTime(_ table: String) async throws {
    var study = SmallStudy()
    let columns = (0..<100_000).map { ",c\($0)" }.joined()
    switch table {
    case "subjects": study.subjects = "subject\(columns)\n"
    case "drinks": study.drinks = "subject,time_min,ethanol_g\(columns)\n"
    default: study.readings = "subject,time_min,bac_g_per_kg\(columns)\n"
    }
    let run = try await Command.promille("fit", try study.write(to: folder), "-q")
    #expect([1, 65].contains(run.status))
  }

  @Test func longLinesAreQuotedInPart() async throws {
    var study = SmallStudy()
    study.readings = String(repeating: "x", count: 300_000)
    let run = try await Command.promille("fit", try study.write(to: folder))
    #expect(run.status == 65)
    #expect(run.errors.utf8.count < 5000)
  }

  @Test func tooFewReadingsAreReported() async throws {
    var study = SmallStudy()
    study.readings = "subject,time_min,bac_g_per_kg\nann,30,0.5\nbob,30,0\nbob,60,0\n"
    // At face value: otherwise the second zero only repeats the first.
    let run = try await Command.promille("fit", try study.write(to: folder), "--censor", "none")
    #expect(run.status == 1)
    let codes = try run.rows.map { $0["reason"]?.prefix { $0 != ":" } }
    #expect(codes == ["E_TOO_FEW_READINGS", "E_NOTHING_MEASURED", "E_TOO_FEW_READINGS"])
  }

  @Test func negativeTimesAreRead() async throws {
    var study = SmallStudy()
    study.drinks = "subject,time_min,ethanol_g\nann,-60,30\nbob,-60,40\ncem,-60,40\n"
    study.readings = "subject,time_min,bac_g_per_kg\nbob,-30,0.6\nbob,120,0.2\nbob,240,0\n"
    let path = try study.write(to: folder)
    let run = try await Command.promille("sober", path, "--r-factor", "0.68")
    #expect(run.status == 0)
    let row = try run.rows[1]
    let measured = try #require(row["sober_first_below_min"].flatMap { Double($0) })
    let lastAbove = try #require(row["sober_last_above_min"].flatMap { Double($0) })
    #expect(abs(measured - 300) < 1e-9)
    #expect(abs(lastAbove - 180) < 1e-9)
  }

  /// Curves that never reach sobriety, and steps beyond the range of integers.
  @Test(arguments: [
    ["--beta", "1e-18"], ["--every", "1e-20"], ["--every", "5e-324"],
    ["--every", "0.1", "--until", "1e6"],
  ])
  func curvesWithoutEndAreRefused(_ options: [String]) async throws {
    let study = try SmallStudy().write(to: folder)
    let run = try await Command.promille(
      ["simulate", study, "--r-factor", "0.7"] + options)
    #expect(run.status == 1)
    #expect(run.output == "subject,occasion,r_factor,time_min,bac_g_per_kg\n")
    #expect(run.complaints.count { $0.contains("E_CURVE_TOO_LONG") } == 3)
  }

  /// Excluded readings may have any value, and are drawn at the edge of the canvas.
  @Test(arguments: ["-1e30", "1e30", "-1e308", "1e308"])
  func excludedReadingsFarAwayAreDrawn(_ value: String) async throws {
    var study = SmallStudy()
    study.readings = study.readings.split(separator: "\n").enumerated()
      .map { "\($1),\($0 == 0 ? "exclude" : "0")\n" }.joined()
    study.readings += "cem,420,\(value),1\n"
    let run = try await Command.promille(
      "fit", try study.write(to: folder), "--plot", "--format", "table", "--starts", "2")
    #expect(run.status == 0)
    #expect(run.output.contains("cem: . fitted"))
  }

  @Test(arguments: ["1e308", "5e-324"])
  func extremeNumbersAreReadOrRefused(_ number: String) async throws {
    let study = try SmallStudy().write(to: folder)
    let sober = ["--ka", "--beta", "--threshold", "--blood-density"]
    let fit = ["--r-factor", "--blood-water", "--blood-density"]
    let calls =
      [["sober", study, "--r-factor", number], ["compare", study, "--r-factor", number]]
      + sober.map { ["sober", study, "--r-factor", "0.7", $0, number] }
      + sober.map { ["compare", study, "--r-factor", "0.7", $0, number] }
      + fit.map { ["fit", study, "--starts", "2", $0, number] }
      + ["--ka", "--beta", "--every"].map { ["simulate", study, "--r-factor", "0.7", $0, number] }
    for call in calls {
      let run = try await Command.promille(call)
      let isFailed = run.errors.contains("rows have no result")
      #expect(run.status == (isFailed ? 1 : 0), "\(call): \(run.errors)")
      let text = run.output.lowercased()
      #expect(!text.contains("nan") && !text.contains("inf,"), "\(call)")
    }
  }

  // MARK: Surroundings

  @Test func localesDoNotChangeOutput() async throws {
    let study = try SmallStudy().write(to: folder)
    for format in ["table", "csv", "json"] {
      let arguments = ["sober", study, "--format", format]
      let plain = try await Command.promille(arguments)
      let german = try await Command.promille(
        arguments, environment: ["LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"])
      #expect(german.output == plain.output)
    }
  }

  @Test func noColourIsUsedOnATerminalWithoutAName() async throws {
    let study = try SmallStudy.withBadSubject.write(to: folder)
    let run = try await Command.onTerminal("fit", study, "--starts", "1")
    #expect(run.status == 1)
    #expect(!run.output.contains("\u{1B}") && !run.errors.contains("\u{1B}"))
  }
}

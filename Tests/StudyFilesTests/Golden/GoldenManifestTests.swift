import Foundation
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct GoldenManifestTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("study/golden")
  }

  private static let sound = """
    {"results": [{
      "file": "fit.csv", "command": ["fit", "{study}"], "key": ["subject"],
      "columns": ["subject", "r"], "truth": "{study}/truth.csv",
      "tolerances": [
        {"columns": ["r", "*"], "absolute": 0.5, "relative": 0.1, "reason": "in words"},
        {"columns": ["n"], "left_out": true, "reason": "in words"}
      ]
    }]}
    """

  private func manifests(_ text: String, studies: String? = nil) throws -> [GoldenManifest] {
    try folder.write(text, to: "study/golden/manifest.json")
    return try GoldenManifest.manifests(in: folder("study"), studies: studies)
  }

  @Test func manifestIsReadWhole() throws {
    let manifest = try #require(try manifests(Self.sound).first)
    #expect(manifest.study == folder("study"))
    #expect(manifest.file == folder("study/golden/manifest.json"))
    #expect(manifest.reasonForAbsence == nil)
    let result = try #require(manifest.results.first)
    #expect(result.file == folder("study/golden/fit.csv"))
    #expect(result.command == ["fit", "{study}"])
    #expect(result.location.line == 2 && result.location.column == 33)
    #expect(result.key == ["subject"])
    #expect(result.columns == ["subject", "r"])
    #expect(result.truth == "{study}/truth.csv")
    #expect(
      result.rules == [
        GoldenRule(
          columns: ["r", "*"], .within(absolute: 0.5, relative: 0.1), because: "in words"),
        GoldenRule(columns: ["n"], .leftOut, because: "in words"),
      ])
  }

  @Test func manifestIsFoundFromAnyParentFolder() throws {
    _ = try manifests(Self.sound)
    let golden = try GoldenManifest.manifests(in: folder("study/golden/"))
    #expect(golden.map(\.file) == [folder("study/golden/manifest.json")])
    let all = try GoldenManifest.manifests(in: folder.path)
    #expect(all.map(\.study) == [folder("study")])
  }

  @Test func manifestMayNameAStudyElsewhere() throws {
    let text = "{\"study\": \"other\", \"may_be_absent\": \"not free\", \"results\": []}"
    let beside = try #require(try manifests(text).first)
    #expect(beside.study == folder("study/golden/other"))
    #expect(beside.reasonForAbsence == "not free")
    #expect(try manifests(text, studies: "data").map(\.study) == ["data/other"])
  }

  @Test func missingManifestIsReported() throws {
    for path in [folder.path, folder("study"), folder("nowhere")] {
      let error = try #require(throws: StudyError.self) {
        try GoldenManifest.manifests(in: path)
      }
      #expect(error.kind == .noInput)
      #expect(error.diagnostics.map(\.code) == [.fileMissing])
      #expect(error.diagnostics.map(\.location.file) == [path])
    }
  }

  /// A manifest with one thing wrong, the text that the finding points to, and what it says.
  struct Fault: CustomTestStringConvertible, Sendable {
    var manifest: String
    var place: String
    var says: String

    /// In the manifest itself.
    init(_ manifest: String, at place: String, says: String) {
      self.manifest = manifest
      self.place = place
      self.says = says
    }

    /// In a result.
    static func result(_ members: String, at place: String, says: String) -> Fault {
      let rest = "\"command\": [\"fit\"], \"key\": [\"subject\"]"
      return Fault("{\"results\": [{\(members), \(rest)}]}", at: place, says: says)
    }

    /// In a tolerance.
    static func tolerance(_ members: String, at place: String, says: String) -> Fault {
      let list = "\"tolerances\": [{\"columns\": [\"r\"], \(members)}]"
      return .result("\"file\": \"fit.csv\", \(list)", at: place, says: says)
    }

    var testDescription: String { "\(says): \(manifest)" }
  }

  static let faults: [Fault] = [
    Fault("", at: "", says: "a value is expected"),
    Fault("[]", at: "[]", says: "the manifest is not an object"),
    Fault("{}", at: "{}", says: "no results"),
    Fault("{\"result\": []}", at: "\"result\"", says: "\"result\""),
    Fault("{\"results\": {}}", at: "{}}", says: "results is not a list"),
    Fault("{\"results\": [1]}", at: "1", says: "a result is not an object"),
    Fault("{\"study\": 1, \"results\": []}", at: "1,", says: "study is not a string"),
    Fault("{\"results\": [], \"may_be_absent\": true}", at: "true", says: "not a string"),
    Fault(
      "{\"results\": [{\"file\": \"a.csv\", \"command\": [\"fit\"]}]}", at: "{\"file\"",
      says: "no key"),
    Fault(
      "{\"results\": [{\"file\": \"a.csv\", \"command\": [], \"key\": [\"a\"]}]}", at: "[],",
      says: "command is empty"),
    Fault(
      "{\"results\": [{\"file\": \"a.csv\", \"command\": [\"fit\"], \"key\": [\"\"]}]}", at: "\"\"",
      says: "without a name"),
    .result("\"file\": \"fit.txt\"", at: "\"fit.txt\"", says: "name of a CSV file"),
    .result("\"file\": \"../fit.csv\"", at: "\"../fit", says: "name of a CSV file"),
    .result("\"file\": \".csv\"", at: "\".csv", says: "name of a CSV file"),
    .result("\"file\": 7", at: "7", says: "file is not a string"),
    .result("\"truth\": \"t.csv\"", at: "{\"truth\"", says: "no file"),
    .result("\"file\": \"a.csv\", \"keys\": []", at: "\"keys\"", says: "\"keys\""),
    .result("\"file\": \"a.csv\", \"columns\": []", at: "[],", says: "columns is empty"),
    .result("\"file\": \"a.csv\", \"columns\": [\"b\", \"b\"]", at: "\"b\"]", says: "twice"),
    .result("\"file\": \"a.csv\", \"columns\": [7]", at: "7", says: "not a string"),
    .result("\"file\": \"a.csv\", \"columns\": 7", at: "7", says: "not a list"),
    .result("\"file\": \"a.csv\", \"truth\": true", at: "true", says: "truth is not a string"),
    .tolerance("\"absolute\": 1", at: "{\"columns\"", says: "no reason"),
    .tolerance("\"absolute\": 1, \"reason\": \"so\"", at: "\"so\"", says: "in words"),
    .tolerance("\"reason\": \"in words\"", at: "{\"columns\"", says: "or left_out"),
    .tolerance(
      "\"relative\": 0.1, \"left_out\": true, \"reason\": \"in words\"", at: "{\"columns\"",
      says: "or left_out"),
    .tolerance("\"left_out\": 1, \"reason\": \"in words\"", at: "1,", says: "not true or false"),
    .tolerance("\"absolute\": 0, \"reason\": \"in words\"", at: "0,", says: "out of range"),
    .tolerance("\"relative\": 1, \"reason\": \"in words\"", at: "1,", says: "out of range"),
    .tolerance("\"near\": 1, \"reason\": \"in words\"", at: "\"near\"", says: "\"near\""),
    .tolerance(
      "\"absolute\": 1, \"reason\": \"in words\"}, "
        + "{\"columns\": [\"r\"], \"absolute\": 2, \"reason\": \"in words\"",
      at: "[\"r\"], \"absolute\": 2", says: "already has a tolerance"),
  ]

  @Test(arguments: faults)
  func invalidManifestIsRefusedWithItsPlace(_ fault: Fault) throws {
    let error = try #require(throws: StudyError.self) { try manifests(fault.manifest) }
    #expect(error.kind == .badData)
    let finding = try #require(error.diagnostics.first)
    #expect(finding.code == .fileFormat)
    #expect(finding.location.file == folder("study/golden/manifest.json"))
    #expect(finding.location.line == 1)
    #expect(finding.message.contains(fault.says), "\(finding)")
    let column = try #require(finding.location.column)
    #expect(fault.manifest.dropFirst(column - 1).hasPrefix(fault.place), "\(finding)")
  }

  @Test func duplicateFilesAreRefused() throws {
    let result = "{\"file\": \"a.csv\", \"command\": [\"fit\"], \"key\": [\"subject\"]}"
    let error = try #require(throws: StudyError.self) {
      try manifests("{\"results\": [\n\(result),\n\(result)]}")
    }
    #expect(error.diagnostics.map(\.location.line) == [3])
    #expect(error.diagnostics.first?.message.contains("listed twice") == true)
  }

  @Test func invalidUTF8IsRefused() throws {
    try folder.write(Data([0x7B, 0xFF, 0x7D]), to: "study/golden/manifest.json")
    let error = try #require(throws: StudyError.self) {
      try GoldenManifest.manifests(in: folder("study"))
    }
    #expect(error.diagnostics.map(\.code) == [.fileFormat])
    #expect(error.diagnostics.map(\.location.column) == [2])
  }
}

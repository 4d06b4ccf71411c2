import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct JSONReaderTests {
  @Test(arguments: [
    "{}", "[]", " [1, -2.5e3, \"a\", true, false, null, {}, [[]]] ",
    "{\"a\": {\"a\": []}, \"b\": {\"a\": 0}}",
    "\"x\"", "0", "-0", "10", "0.5e-3", "[-0.10]", "1E+2", "\t\r\n{\n}\n",
  ])
  func acceptsJSON(_ text: String) throws {
    _ = try Self.read(text)
  }

  @Test(arguments: [
    ("", 1, 1), ("{", 1, 2), ("{\"a\"}", 1, 5), ("{\"a\":}", 1, 6), ("{\"a\":1,}", 1, 8),
    ("{a:1}", 1, 2), ("[1,\n 2", 2, 3), ("[1 2]", 1, 4), ("[1,]", 1, 4), ("{} {}", 1, 4),
    ("nul", 1, 1), ("01x", 1, 1), ("+1", 1, 1), (".5", 1, 1), ("1.", 1, 1), ("01", 1, 1),
    ("-01.5", 1, 1), ("1.e5", 1, 1), ("[00]", 1, 2), ("-", 1, 1), ("NaN", 1, 1),
    ("\"abc", 1, 5), ("\"a\nb\"", 1, 3), ("\"\\x\"", 1, 3), ("\"\\", 1, 3), ("\"\\u12\"", 1, 4),
    ("\"\\ud800\"", 1, 8), ("'a'", 1, 1), ("{\"a\": 1,\n \"a\": 1}", 2, 2),
    ("[{\"a\": 1, \"\\u0061\": 2}]", 1, 11),
  ])
  func refusesInvalidJSON(text: String, line: Int, column: Int) throws {
    let problem = try #require(throws: DescriptorProblem.self) { try Self.read(text) }
    #expect(problem.place == Place(line: line, column: column))
  }

  @Test(arguments: [
    ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"),
    ("\"gr\u{FC}n\"", "gr\u{FC}n"),
    ("\"\\u00fc\\ud83c\\udf77\"", "\u{FC}\u{1F377}"),
  ])
  func readsStrings(text: String, value: String) throws {
    guard case .string(let found) = try Self.read(text).value else {
      Issue.record("not a string")
      return
    }
    #expect(found == value)
  }

  @Test func refusesDeepNesting() {
    let text = String(repeating: "[", count: 100_000)
    #expect(throws: DescriptorProblem.self) { try Self.read(text) }
  }

  private static func read(_ text: String) throws -> JSONNode {
    try Array(text.utf8).withUnsafeBytes { try JSONReader.read($0) }
  }
}

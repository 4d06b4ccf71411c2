import Testing

@testable import StudyData

@Suite struct UTF8TextTests {
  @Test(arguments: [
    "", "a", "plain text, longer than eight bytes", "12345678", "gr\u{FC}n", "\u{20AC}5",
    "\u{1F377}",
    "1234567\u{FC}", "\u{FC}\u{FC}\u{FC}\u{FC} and then plain text again",
  ])
  func acceptsText(_ text: String) throws {
    let checked = try Self.check(Array(text.utf8))
    #expect(checked == Array(text.utf8))
  }

  @Test func dropsByteOrderMark() throws {
    #expect(try Self.check([0xEF, 0xBB, 0xBF, 0x61]) == [0x61])
  }

  @Test(arguments: [
    ([0x61, 0xFC], 1, 2),  // Latin-1.
    ([0x61, 0x0A, 0xC3], 2, 1),  // Cut off.
    ([0xC0, 0x80], 1, 1),  // Overlong.
    ([0xED, 0xA0, 0x80], 1, 1),  // Half of a pair.
    ([0xF4, 0x90, 0x80, 0x80], 1, 1),  // Beyond Unicode.
    ([0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x00], 1, 10),
    ([0x00, 0x61], 1, 1),
    ([0xFF, 0xFE, 0x61, 0x00], 1, 1),  // UTF-16.
    ([0xFE, 0xFF, 0x00, 0x61], 1, 1),
    ([0xEF, 0xBB, 0xBF, 0x61, 0xFF], 1, 2),  // The mark is no character.
    ([0xC3, 0xBC, 0xFF], 1, 2),  // Two bytes, one character.
  ])
  func refusesInvalidUTF8(bytes: [UInt8], line: Int, column: Int) throws {
    let problem = try #require(throws: UTF8Text.Problem.self) { try Self.check(bytes) }
    #expect(problem.place == Place(line: line, column: column))
  }

  private static func check(_ bytes: [UInt8]) throws -> [UInt8] {
    try bytes.withUnsafeBytes { Array(try UTF8Text.check($0)) }
  }
}

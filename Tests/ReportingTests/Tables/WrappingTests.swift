import TestSupport
import Testing

@testable import Reporting

@Suite struct WrappingTests {
  @Test func leavesShortTextAlone() {
    #expect("a line".wrapped(to: 6) == "a line")
    #expect("".wrapped(to: 6).isEmpty)
  }

  @Test func breaksAtSpacesAndIndents() {
    #expect("one two three four".wrapped(to: 9) == "one two\n  three\n  four")
    #expect("one two three four".wrapped(to: 7) == "one two\n  three\n  four")
    #expect("aa bb cc dd".wrapped(to: 8) == "aa bb cc\n  dd")
    #expect("aa bb cc dd".wrapped(to: 7) == "aa bb\n  cc dd")
  }

  @Test func givesALongWordALineOfItsOwn() {
    #expect("a longlongword b".wrapped(to: 5) == "a\n  longlongword\n  b")
    #expect("longlongword".wrapped(to: 5) == "longlongword")
  }

  @Test func keepsAnOptionWithItsValue() {
    let text = "then use --standard-errors robust with --interval wald. No --pairs, --by sex"
    #expect(
      text.wrapped(to: 26)
        == "then use\n  --standard-errors robust\n  with --interval wald. No\n  --pairs, --by sex")
    #expect("a (--by sex) --all --by sex".wrapped(to: 6) == "a\n  (--by sex)\n  --all\n  --by sex")
  }

  @Test func widthCountsCharacters() {
    #expect("ééé e\u{301}e\u{301}".wrapped(to: 6) == "ééé e\u{301}e\u{301}")
  }

  /// The name of a file may hold them, and must be found again.
  @Test func keepsSpacesThatFollowEachOther() {
    #expect("my  study/drinks.csv:2".wrapped(to: 100) == "my  study/drinks.csv:2")
  }

  @Test func wrappingKeepsEveryWord() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let words = (0..<20).map { _ in
        String(repeating: "x", count: Int.random(in: 1...9, using: &random))
      }
      let width = Int.random(in: 1...30, using: &random)
      let lines = words.joined(separator: " ").wrapped(to: width).split(separator: "\n")
      #expect(lines.flatMap { $0.split(separator: " ") }.map(String.init) == words)
      #expect(lines.allSatisfy { $0.count <= width || !$0.drop { $0 == " " }.contains(" ") })
    }
  }
}

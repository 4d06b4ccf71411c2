import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct CSVSeparatorTests {
  @Test(arguments: [
    ("a,b,c\n1;2;3;4;5\n", CSVSeparator.comma),
    ("a;b;c\n0,5;1,2\n", .semicolon),
    ("a\tb\n", .tab),
    ("\n  \r\na;b\n", .semicolon),
    ("\"a,b,c\";d\n", .semicolon),
    ("\"a\nb\";c\n", .semicolon),
    ("a;b,c", .comma),
    ("alone", .comma),
    ("", .comma),
  ])
  func separatorIsRecognisedFromHeader(text: String, separator: CSVSeparator) {
    let found = Array(text.utf8).withUnsafeBytes { CSVSeparator(ofHeaderIn: $0) }
    #expect(found == separator)
  }
}

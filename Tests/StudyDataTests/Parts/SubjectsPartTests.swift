import Testing

@testable import StudyData

/// Parts of subjects are the same for everybody and ever.
@Suite struct SubjectsPartTests {
  /// FNV-1a of 64 bits with fmix64 of MurmurHash3, by Python: see `stable_hash` in the article ACohortOnACluster.
  @Test(
    arguments: [
      ("", 0xEFD01F60BA992926),
      ("a", 0x82A2A958A9BECE5B),
      ("p01", 0xFD450F36148AABE9),
      ("ü", 0x9A8FA3AAAA09FD21),
      ("200000", 0xECA523E0E03DD3F4),
    ] as [(String, UInt64)])
  func hashMatchesPublishedValues(name: String, hash: UInt64) {
    #expect(SubjectsPart.hash(name) == hash)
  }

  @Test func everySubjectIsInOnePart() {
    for count in [1, 2, 3, 16, 1000] {
      let parts = (1...count).compactMap { SubjectsPart("\($0)/\(count)") }
      #expect(parts.count == count)
      for name in ["", "1", "2", "p01", "ü", "Ann O'Hara"] {
        #expect(parts.count { $0.contains(name) } == 1)
      }
    }
  }

  /// Names that differ in a number are spread as evenly as chance does: chi-squared with 15 degrees of freedom is
  /// above 37.7 once in a thousand times.
  @Test(arguments: ["", "s", "subject-"])
  func numberedNamesAreSpreadEvenly(prefix: String) {
    var counts = [Double](repeating: 0, count: 16)
    for number in 0..<16_000 { counts[Int(SubjectsPart.hash("\(prefix)\(number)") % 16)] += 1 }
    #expect(counts.reduce(0) { $0 + ($1 - 1000) * ($1 - 1000) / 1000 } < 37.7)
  }

  @Test(arguments: [
    "", "3", "0/4", "5/4", "-1/4", "1/0", "1/4/4", "a/b", " 1/4", "1/4 ", "+1/4", "1/1000001",
    "99999999999999999999/4",
  ])
  func invalidTextsAreNoPart(text: String) {
    #expect(SubjectsPart(text) == nil)
  }
}

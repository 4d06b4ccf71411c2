import Testing

@testable import StudyData

@Suite struct SpellingTests {
  private static let names = ["ka", "beta", "vmax", "michaelis-menten"]

  @Test(arguments: [
    ("kb", "ka"), ("BETA", "beta"), ("vmx", "vmax"), ("michaelis", nil),
    ("michaelismenten", "michaelis-menten"),
    ("gamma", nil), ("", nil), ("bta", "beta"),
  ])
  func suggestsNearestName(word: String, near: String?) {
    #expect(word.nearest(in: Self.names) == near)
  }
}

import Testing

@testable import StudyServer

@Suite struct StudyServerTests {
  @Test func pagesAreEmbedded() { #expect(pageBytes() > 0) }
}

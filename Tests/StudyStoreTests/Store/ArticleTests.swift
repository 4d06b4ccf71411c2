import Foundation
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// The article tells of every code.
@Suite struct ArticleTests {
  @Test func articleSchemaHasEveryCode() throws {
    let file = PackageFolder.root.appending(
      path: "Sources/StudyStore/Documentation.docc/TheSchema.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    for code in StoreError.Code.allCases { #expect(text.contains("| `\(code.rawValue)` |")) }
  }
}

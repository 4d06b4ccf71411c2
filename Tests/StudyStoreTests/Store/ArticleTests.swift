import Foundation
import StudyStore
import TestSupport
import Testing

/// The articles tell of every code and every kind.
@Suite struct ArticleTests {
  private func article(_ name: String) throws -> String {
    let file = PackageFolder.root.appending(
      path: "Sources/StudyStore/Documentation.docc/\(name).md")
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func schemaHasEveryCode() throws {
    let text = try article("TheSchema")
    for code in StoreError.Code.allCases { #expect(text.contains("| `\(code.rawValue)` |")) }
  }

  @Test func healthHasEveryCodeAndKind() throws {
    let text = try article("AppleHealth")
    for code in HealthFinding.Code.allCases { #expect(text.contains("| `\(code.rawValue)` |")) }
    for kind in VitalKind.allCases { #expect(text.contains("`\(kind.rawValue)`")) }
  }
}

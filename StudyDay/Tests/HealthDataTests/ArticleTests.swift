import Foundation
import HealthData
import TestSupport
import Testing

/// The article tells of every code and every kind.
@Suite struct ArticleTests {
  @Test func healthHasEveryCodeAndKind() throws {
    let file = PackageFolder.root.appending(
      path: "StudyDay/Sources/HealthData/Documentation.docc/AppleHealth.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    for code in HealthFinding.Code.allCases { #expect(text.contains("| `\(code.rawValue)` |")) }
    for kind in VitalKind.allCases { #expect(text.contains("`\(kind.rawValue)`")) }
  }
}

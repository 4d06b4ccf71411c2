import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// The article on the format tells all there is, and nothing else.
@Suite struct FormatArticleTests {
  private let article: String

  init() throws {
    let path = "Sources/StudyFiles/Documentation.docc/StudyFormat.md"
    article = try String(contentsOf: PackageFolder.root.appending(path: path), encoding: .utf8)
  }

  @Test func listsExactlyTheUnitsThereAre() {
    let listed = article.matches(of: /\| `((?:bac|serum|brac)_\w+)` \|/).map { String($0.output.1) }
    #expect(listed == ConcentrationUnit.allCases.map(\.rawValue))
  }
}

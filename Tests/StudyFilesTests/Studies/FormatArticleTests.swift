import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// The article on the format names what there is.
@Suite struct FormatArticleTests {
  private let article: String

  init() throws {
    let path = "Sources/StudyFiles/Documentation.docc/StudyFormat.md"
    article = try String(contentsOf: PackageFolder.root.appending(path: path), encoding: .utf8)
  }

  @Test func unitsNamedInFormatArticleExist() {
    let named = Set(article.matches(of: /`((?:bac|serum|brac)_\w+)`/).map { String($0.output.1) })
    #expect(named.isSubset(of: ConcentrationUnit.allCases.map(\.rawValue)))
    #expect(named.count > 2 && article.contains("`promille explain units` lists them"))
  }
}

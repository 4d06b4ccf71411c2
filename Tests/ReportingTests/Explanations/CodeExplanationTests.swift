import Foundation
import StudyData
import TestSupport
import Testing

@testable import Reporting

/// Every code that the sources can print is explained, and nothing else.
@Suite struct CodeExplanationTests {
  private static let articlePath = "Sources/Reporting/Documentation.docc/Codes.md"

  @Test func explainsExactlyTheCodesInTheSources() throws {
    let explained = CodeExplanation.all.map(\.code)
    #expect(Set(explained).count == explained.count, "a code is explained twice")
    #expect(try Self.codesInSources().symmetricDifference(explained).sorted() == [])
  }

  @Test func explainsEveryCodeOfAStudy() {
    let explained = Set(CodeExplanation.all.map(\.code))
    #expect(DiagnosticCode.allCases.map(\.rawValue).filter { !explained.contains($0) } == [])
  }

  @Test func speaksInWholeSentences() {
    for explanation in CodeExplanation.all {
      for text in [explanation.found, explanation.why, explanation.remedy] {
        #expect(text.hasSuffix(".") && !text.contains("  "), "\(explanation.code): \(text)")
      }
    }
  }

  @Test func isWhatTheArticleLists() throws {
    let file = PackageFolder.root.appending(path: Self.articlePath)
    if ProcessInfo.processInfo.environment["PROMILLE_UPDATE_SNAPSHOTS"] == "1" {
      try Data(CodeExplanation.article.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == CodeExplanation.article)
  }

  @Test func isFoundWhateverTheCase() {
    #expect(CodeExplanation.of("w_at_bound")?.code == "W_AT_BOUND")
    #expect(CodeExplanation.of("W_AT_BOUNDS") == nil)
    #expect(ResultCatalogue.reports.similar(to: "AT_BOUND") == "W_AT_BOUND")
    #expect(ResultCatalogue.reports.similar(to: "hello") == nil)
  }

  /// The codes that stand in a string of the sources.
  private static func codesInSources() throws -> Set<String> {
    let sources = PackageFolder.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var codes: Set<String> = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /[" ]([ENW]_[A-Z][A-Z0-9_]+)[": ]/) {
        codes.insert(String(match.output.1))
      }
    }
    return codes
  }
}

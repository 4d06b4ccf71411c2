import Foundation
import StudyData
import TestSupport
import Testing

@testable import Reporting

/// Explanations cover exactly the codes that the sources can print.
@Suite struct CodeExplanationTests {
  @Test func explainsExactlyTheCodesInTheSources() throws {
    let explained = CodeExplanation.all.map(\.code)
    #expect(Set(explained).count == explained.count, "a code is explained twice")
    #expect(try Self.codesInSources().symmetricDifference(explained).sorted() == [])
  }

  @Test func explainsEveryCodeOfAStudy() {
    let explained = Set(CodeExplanation.all.map(\.code))
    #expect(DiagnosticCode.allCases.map(\.rawValue).filter { !explained.contains($0) } == [])
  }

  @Test func explanationsAreWholeSentences() {
    for explanation in CodeExplanation.all {
      for text in [explanation.finding, explanation.why, explanation.remedy] {
        #expect(text.hasSuffix(".") && !text.contains("  "), "\(explanation.code): \(text)")
      }
    }
  }

  @Test func statesTheLimitsOfBodies() throws {
    let range = try #require(CodeExplanation.of("E_RANGE")).finding
    #expect(range.contains("Ages are \(BodyRange.ages.words) years"))
    #expect(
      range.contains("heights \(BodyRange.heights.words) cm, weights \(BodyRange.weights.words) kg")
    )
    let mass = try #require(CodeExplanation.of("W_BODY_MASS")).finding
    let limits = BodyRange.massIndices
    #expect(
      mass.contains("below \(Int(limits.lowerBound)) or above \(Int(limits.upperBound)) kg/m2"))
  }

  /// A code of an earlier version is that of one code of today, and of none beside it.
  @Test func findsCodesOfEarlierVersions() throws {
    let explanation = try #require(CodeExplanation.of("e_age_range"))
    #expect(explanation.code == "E_RANGE")
    #expect(
      explanation.text(askedFor: "e_age_range").hasPrefix("E_RANGE (error, was E_AGE_RANGE)\n"))
    #expect(explanation.text(askedFor: "E_RANGE").hasPrefix("E_RANGE (error)\n"))
    let former = CodeExplanation.all.flatMap(\.formerCodes)
    #expect(former.count > 70 && Set(former).count == former.count)
    #expect(Set(former).isDisjoint(with: CodeExplanation.all.map(\.code)))
    for explanation in CodeExplanation.all {
      #expect(explanation.formerCodes.allSatisfy { $0.prefix(2) == explanation.code.prefix(2) })
    }
  }

  @Test func codesAreFoundInAnyCase() {
    #expect(CodeExplanation.of("w_at_bound")?.code == "W_AT_BOUND")
    #expect(CodeExplanation.of("W_AT_BOUNDS") == nil)
    #expect(ResultCatalogue.similar(to: "AT_BOUND") == "W_AT_BOUND")
    #expect(ResultCatalogue.similar(to: "hello") == nil)
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

import Foundation
import StudyData
import TestSupport
import Testing

/// Every code that the sources can print is explained, and nothing else: in our articles, or by the toolkit.
@Suite struct CodeTests {
  private static let sources = PackageFolder.root.appending(path: "StudyDay/Sources")

  private static func codes(in text: String, _ pattern: Regex<(Substring, Substring)>) -> Set<
    String
  > {
    Set(text.matches(of: pattern).map { String($0.output.1) })
  }

  @Test func codesOfTheSourcesAreExplained() throws {
    let files = FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil)
    var printed: Set<String> = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      printed.formUnion(
        Self.codes(
          in: try String(contentsOf: file, encoding: .utf8), /[" ]([EW]_[A-Z][A-Z0-9_]+)[": ]/))
    }
    let explained = try [
      "StudyServer/Documentation.docc/Codes.md", "HealthData/Documentation.docc/AppleHealth.md",
    ].reduce(into: Set<String>()) { codes, article in
      let text = try String(contentsOf: Self.sources.appending(path: article), encoding: .utf8)
      codes.formUnion(Self.codes(in: text, /`([EW]_[A-Z][A-Z0-9_]+)`/))
    }
    let ofToolkit = Set(CodeExplanation.all.map(\.code))
    #expect(
      printed.subtracting(ofToolkit).symmetricDifference(explained.subtracting(ofToolkit)).sorted()
        == [])
  }
}

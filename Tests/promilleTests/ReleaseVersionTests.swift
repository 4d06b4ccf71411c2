import Foundation
import TestSupport
import Testing

/// The version and its day are written in several places, which must agree before a release is made.
@Suite struct ReleaseVersionTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: PackageFolder.root.appending(path: path), encoding: .utf8)
  }

  private func version() async throws -> String {
    try await Command.promille("--version").output.trimmingCharacters(in: .newlines)
  }

  @Test func programVersionIsTheLastReleaseOfTheChangelog() async throws {
    let last = try #require(
      try Self.text("CHANGELOG.md").firstMatch(of: /\n## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)\n/)
    )
    #expect(String(last.1) == (try await version()))
  }

  @Test func citationNamesTheLastRelease() async throws {
    let lines = try Self.text("CITATION.cff").split(separator: "\n").map(String.init)
    let version = try await version()
    #expect(lines.first { $0.hasPrefix("version: ") } == "version: \(version)")
    let day = try #require(
      lines.first { $0.hasPrefix("date-released: ") }?.split(separator: " ").last)
    #expect(try Self.text("CHANGELOG.md").contains("\n## [\(version)] - \(day)\n"))
  }

  /// Texts that name a version of Promille (paper, articles, packaging) name this one. Only the list of changes names
  /// earlier ones.
  @Test func textsNameThisVersion() async throws {
    let version = try await version()
    var naming: Set<String> = []
    for path in try Self.texts() {
      for match in try Self.text(path).matches(of: /[Pp]romille[ _-]v?(\d+\.\d+\.\d+)/) {
        #expect(String(match.1) == version, "\(path): \(match.0)")
        naming.insert(path)
      }
    }
    #expect(
      naming.contains("Sources/Reporting/Documentation.docc/FromASpreadsheetToAReport.md"))
  }

  /// The packages for R and Python are of the command's version.
  @Test func pythonAndRPackagesNameThisVersion() async throws {
    let version = try await version()
    let package = try Self.text("r/DESCRIPTION")
    #expect(package.contains("\nVersion: \(version)\n"))
    #expect(package.contains("promille \(version) or newer"))
    #expect(try Self.text("python/pyproject.toml").contains("promille-serve==\(version)"))
  }

  /// Texts for people, and what makes packages.
  private static func texts() throws -> [String] {
    let files = FileManager.default
    let root = PackageFolder.root
    let beside = try files.contentsOfDirectory(atPath: root.path)
      .filter { $0.hasSuffix(".md") && $0 != "CHANGELOG.md" }
    let below = ["Documentation", "Packaging", "Sources"].flatMap { folder in
      (files.enumerator(atPath: root.appending(path: folder).path)?.allObjects as? [String] ?? [])
        .filter { folder == "Packaging" || $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
    return (beside + below).filter { path in
      var isFolder: ObjCBool = false
      return files.fileExists(atPath: root.appending(path: path).path, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }
}

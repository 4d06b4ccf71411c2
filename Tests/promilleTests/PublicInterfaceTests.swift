import Foundation
import TestSupport
import Testing

/// The public interface is a committed list, so that a review sees each change of it.
@Suite struct PublicInterfaceTests {
  private static let list = PackageFolder.root.appending(path: "Tests/api.txt")

  /// PROMILLE_UPDATE_SNAPSHOTS=1 writes the list again.
  @Test func publicDeclarationsAreListed() throws {
    var lines: [String] = []
    for file in try Self.sources() {
      let module = file.pathComponents[PackageFolder.root.pathComponents.count + 1]
      lines += InterfaceText(try String(contentsOf: file, encoding: .utf8)).declarations
        .map { "\(module)\t\($0)" }
    }
    try Snapshot.expect(lines.sorted().joined(separator: "\n") + "\n", in: Self.list)
  }

  @Test func interfaceListHasOwnersCasesAndWholeSignatures() {
    let text = """
      public struct Fit: Sendable {
        public let beta: Double
        package let hidden = 1
        public init(
          beta: Double = 0.15
        ) throws {
          self.beta = beta
        }
        public enum Status: String {
          case ok, failed
          func describe() {}
        }
      }
      extension Fit {
        @_spi(StudyDay) public static let usual = Fit(beta: 0.15)
        struct Inner {
          let value: Int
        }
      }
      """
    #expect(
      InterfaceText(text).declarations == [
        "\tpublic struct Fit: Sendable",
        "Fit\tpublic let beta: Double",
        "Fit\tpublic init( beta: Double = 0.15 ) throws",
        "Fit\tpublic enum Status: String",
        "Fit.Status\tcase ok, failed",
        "Fit\t@_spi(StudyDay) public static let usual",
      ])
  }

  private static func sources() throws -> [URL] {
    let folder = PackageFolder.root.appending(path: "Sources")
    let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
    return paths.filter { $0.hasSuffix(".swift") && !$0.hasPrefix("promille/") }
      .map { folder.appending(path: $0) }
  }
}

/// The public declarations of a source file, each with its owner before a tab.
///
/// It relies on the indentation by which `swift format` shows what is inside of what.
private struct InterfaceText {
  private(set) var declarations: [String] = []
  /// The types that the current line is in, the innermost last.
  private var owners: [Owner] = []

  private struct Owner {
    let indentation: Int
    let name: String
    /// Its cases or requirements are public without saying so.
    let hasPublicMembers: Bool
  }

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let indentation = line.prefix { $0 == " " }.count
      let words = line.dropFirst(indentation)
      guard !words.isEmpty, !words.hasPrefix("//") else { continue }
      owners.removeAll { $0.indentation >= indentation }
      if isPublic(words, at: indentation) {
        let path = owners.map(\.name).joined(separator: ".")
        declarations.append(path + "\t" + Self.signature(lines[index...]))
      }
      if let match = words.firstMatch(
        of: /\b(struct|enum|class|actor|protocol|extension) ([\w.]+)/),
        words.last == "{" || words.contains(": ")
      {
        let isOpen = (match.1 == "enum" || match.1 == "protocol") && words.contains("public ")
        owners.append(
          Owner(indentation: indentation, name: String(match.2), hasPublicMembers: isOpen))
      }
    }
  }

  private func isPublic(_ words: Substring, at indentation: Int) -> Bool {
    if words.hasPrefix("public import") { return false }
    if words.prefixMatch(of: /(@\S+ )*public\b/) != nil { return true }
    guard let owner = owners.last, owner.hasPublicMembers, indentation == owner.indentation + 2
    else { return false }
    return words.prefixMatch(
      of: /(indirect )?case |(static |mutating )?(func|var|init|associatedtype)\b/)
      != nil && !words.contains("private ")
  }

  /// The declaration that begins a text, without its body or value.
  private static func signature(_ lines: ArraySlice<Substring>) -> String {
    var text = ""
    var depth = 0
    for line in lines {
      for character in line.drop(while: { $0 == " " }) {
        if depth == 0,
          character == "{" || character == "=" && text.last == " " && text.dropLast().last != "="
        {
          return text.trimmingCharacters(in: .whitespaces)
        }
        depth += "([".contains(character) ? 1 : ")]".contains(character) ? -1 : 0
        text.append(character)
      }
      if depth == 0 { return text }
      text += " "
    }
    return text
  }
}

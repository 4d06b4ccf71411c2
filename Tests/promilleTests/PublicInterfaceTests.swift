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
    let isProtocol: Bool
  }

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.split(separator: " ")
      guard let first = words.first, first != "{", !first.hasPrefix("//") else { continue }
      let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
      owners.removeAll { $0.indentation >= indentation }
      let isPublic = words.prefix { $0.hasPrefix("@") || $0 == "public" }.last == "public"
      if isPublic ? !words.contains("import") : isMember(words, at: indentation) {
        let path = owners.map(\.name).joined(separator: ".")
        declarations.append(path + "\t" + Self.signature(lines[index...]))
      }
      if let keyword = words.firstIndex(where: Self.typeKeywords.contains),
        words.indices.contains(keyword + 1), isDeclaration(words[..<keyword])
      {
        let name = words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "." }
        let isOpen = isPublic && (words[keyword] == "enum" || words[keyword] == "protocol")
        owners.append(
          Owner(
            indentation: indentation, name: String(name), hasPublicMembers: isOpen,
            isProtocol: words[keyword] == "protocol"))
      }
    }
  }

  private static let typeKeywords: Set<Substring> = [
    "struct", "enum", "class", "actor", "protocol", "extension",
  ]

  /// Whether only modifiers stand before the keyword of a type.
  private func isDeclaration(_ modifiers: ArraySlice<Substring>) -> Bool {
    modifiers.allSatisfy {
      $0.hasPrefix("@")
        || ["public", "package", "private", "fileprivate", "final", "indirect"].contains($0)
    }
  }

  /// Whether a line declares a case or a requirement of a public type, which is public without saying so.
  private func isMember(_ words: [Substring], at indentation: Int) -> Bool {
    guard let owner = owners.last, owner.hasPublicMembers, indentation == owner.indentation + 2
    else { return false }
    let keyword = words.first { !["indirect", "static", "mutating"].contains($0) } ?? ""
    return keyword == "case"
      || (isInProtocol && ["func", "var", "associatedtype"].contains(keyword))
      || (isInProtocol && keyword.hasPrefix("init"))
  }

  private var isInProtocol: Bool { owners.last?.isProtocol == true }

  /// The declaration that begins a text, without its body or value.
  private static func signature(_ lines: ArraySlice<Substring>) -> String {
    var text = ""
    var depth = 0
    for line in lines {
      for word in line.split(separator: " ") {
        if depth == 0, word == "{" || word == "=" { return text }
        depth += word.utf8.reduce(0) { depth, byte in
          switch byte {
          case UInt8(ascii: "("), UInt8(ascii: "["): depth + 1
          case UInt8(ascii: ")"), UInt8(ascii: "]"): depth - 1
          default: depth
          }
        }
        text += (text.isEmpty ? "" : " ") + word
      }
      if depth == 0 { return text }
    }
    return text
  }
}

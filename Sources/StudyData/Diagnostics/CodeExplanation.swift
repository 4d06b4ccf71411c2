import Foundation

/// The explanation of a stable code: the finding, its consequence and the remedy.
///
/// Codes are never reused: scripts rely on them. Codes that became one are found by their old names, too. Everything
/// that is said of a code follows from its row in `codes.txt`, which is part of the program.
public struct CodeExplanation: Hashable, Sendable {
  /// The code, as `W_AT_BOUND`.
  public let code: String
  /// Codes of earlier versions that became this one.
  public let formerCodes: [String]
  /// The finding that the code reports.
  package let finding: String
  /// The consequence of the finding, or the program's reaction to it.
  public let why: String
  public let remedy: String

  /// Codes about one subject.
  public struct Section: Hashable, Sendable {
    public let title: String
    public let explanations: [CodeExplanation]
  }

  /// Every code that Promille can print, by what it is about: `codes.txt` says what its lines hold.
  public static let sections: [Section] = {
    let table = String(decoding: PackageResources.codes_txt, as: UTF8.self)
    return table.split(separator: "\n## ").dropFirst().map { section in
      let lines = section.split(separator: "\n").map { String($0.drop { $0 == " " }) }
      return Section(
        title: lines[0],
        explanations: stride(from: 1, to: lines.count - 3, by: 4).map {
          let names = lines[$0].components(separatedBy: " was ")
          return CodeExplanation(
            code: names[0],
            formerCodes: names.dropFirst().flatMap { $0.components(separatedBy: ", ") },
            finding: lines[$0 + 1], why: lines[$0 + 2], remedy: lines[$0 + 3])
        })
    }
  }()

  /// Every code that Promille can print.
  public static let all = sections.flatMap(\.explanations)

  /// The explanation of a code, or of the one that it became, in upper or lower case; nil if there is no such code.
  public static func of(_ code: String) -> CodeExplanation? {
    let code = code.uppercased()
    return all.first { $0.code == code } ?? all.first { $0.formerCodes.contains(code) }
  }

  /// The severity: error, warning or note.
  public var kind: String {
    code.hasPrefix("E_") ? "error" : code.hasPrefix("W_") ? "warning" : "note"
  }
}

/// What a stable code stands for: what was found, why it matters, and what to do.
///
/// Codes are never renamed or reused: scripts rely on them. Everything that is said of a code follows from its row
/// in `codes.txt`, which is part of the program.
public struct CodeExplanation: Hashable, Sendable {
  /// The code, as `W_AT_BOUND`.
  public let code: String
  public let found: String
  /// Why it matters, or what was done about it.
  public let why: String
  public let remedy: String

  /// Codes about one subject.
  public struct Section: Hashable, Sendable {
    public let title: String
    public let explanations: [CodeExplanation]
  }

  /// Every code that Promille can print, by what it is about: `codes.txt` says what its lines hold.
  public static let sections: [Section] = {
    var table = String(decoding: PackageResources.codes_txt, as: UTF8.self)
    for (name, limit) in limits { table = table.replacing("{{\(name)}}", with: limit) }
    return table.split(separator: "\n## ").dropFirst().map { section in
      let lines = section.split(separator: "\n").map {
        $0.drop { $0 == " " }.replacing(#"\n"#, with: "\n")
      }.map(String.init)
      return Section(
        title: lines[0],
        explanations: stride(from: 1, to: lines.count - 3, by: 4).map {
          CodeExplanation(
            code: lines[$0], found: lines[$0 + 1], why: lines[$0 + 2], remedy: lines[$0 + 3])
        })
    }
  }()

  private static let limits = [
    ("ages", BodyRange.ages.words), ("heights", BodyRange.heights.words),
    ("weights", BodyRange.weights.words),
    ("least mass index", "\(Int(BodyRange.massIndices.lowerBound))"),
    ("greatest mass index", "\(Int(BodyRange.massIndices.upperBound))"),
  ]

  /// Every code that Promille can print.
  public static let all = sections.flatMap(\.explanations)

  /// The explanation of a code, in upper or lower case; nil if there is no such code.
  public static func of(_ code: String) -> CodeExplanation? {
    all.first { $0.code == code.uppercased() }
  }

  /// How grave it is: an error, a warning or a note.
  public var kind: String {
    code.hasPrefix("E_") ? "error" : code.hasPrefix("W_") ? "warning" : "note"
  }
}

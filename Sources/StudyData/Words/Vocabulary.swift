/// The tables that sheets are read with, which are part of the program: what people write, in `words.tsv`, and what a
/// column can be said to be, in `columns.tsv`. Their comments say what a line holds.
package enum Vocabulary {
  package struct Line {
    package let meaning: String
    package let words: [String]
  }

  private static let lists: [String: [Line]] = {
    var lists: [String: [Line]] = [:]
    for fields in table(PackageResources.words_tsv) where fields.count == 3 {
      let words = fields[2].split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      for meaning in fields[1].split(separator: ";") {
        lists[fields[0], default: []].append(Line(meaning: meaning.trimmed, words: words))
      }
    }
    return lists
  }()

  package static func lines(_ list: String) -> [Line] { lists[list] ?? [] }

  package static func meanings(_ list: String) -> [String: String] {
    let pairs = lines(list).flatMap { line in line.words.map { ($0, line.meaning) } }
    return Dictionary(pairs) { $1 }
  }

  package static func words(_ list: String, _ meaning: String) -> [String] {
    lines(list).filter { $0.meaning == meaning }.flatMap(\.words)
  }

  /// Whether a text is one of the words of a list for a meaning.
  package static func has(_ text: String, _ list: String, _ meaning: String) -> Bool {
    sets[list]?[meaning]?.contains(text) ?? false
  }

  private static let sets = lists.mapValues { lines in
    Dictionary(lines.map { ($0.meaning, Set($0.words)) }) { $0.union($1) }
  }

  /// The fields of the lines of a table, but for comments.
  static func table(_ bytes: [UInt8]) -> [[String]] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }
}

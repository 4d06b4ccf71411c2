import AlcoholKinetics

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
    for unit in ConcentrationUnit.Row.all {
      lists["unit of \(unit.matrix.rawValue)", default: []].append(
        Line(meaning: unit.name, words: unit.words.map(\.text)))
      // Where nothing says of what, units that are in use for one of them alone.
      lists["unit of alcohol", default: []].append(
        Line(meaning: unit.name, words: unit.words.filter(\.saysMatrix).map(\.text)))
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

  /// A word whose letters beyond ASCII were lost or read in another code page, as "poèet" for "počet" or "grã¶ãÿe" for
  /// "größe": the one word that has the same others. Any other word is as it is.
  package static func repaired(_ word: String) -> String {
    guard word.utf8.count <= 40, !spelt.contains(word), let key = skeleton(word),
      let words = skeletons[key], words.count == 1
    else { return word }
    return words[0]
  }

  /// The words that have letters beyond ASCII, by their others.
  private static let skeletons: [String: [String]] = Dictionary(grouping: spelt) {
    skeleton($0) ?? ""
  }

  private static let spelt: Set<String> = {
    let texts = lists.values.joined().flatMap(\.words)
    let words = texts.flatMap { $0.split { $0.isWhitespace || "_-.:#?()/".contains($0) } }
    return Set(words.map { $0.lowercased() }.filter { skeleton($0) != nil })
  }()

  /// A word with one sign for the letters beyond ASCII that stand together; nil if it has none, or fewer than two others.
  private static func skeleton(_ word: String) -> String? {
    var (text, others, isBeyond) = ("", 0, false)
    for letter in word {
      if letter.isASCII {
        text.append(letter)
        others += letter.isLetter ? 1 : 0
        isBeyond = false
      } else if !isBeyond {
        text += "\u{FFFD}"
        isBeyond = true
      }
    }
    return others < 2 || !text.contains("\u{FFFD}") ? nil : text
  }

  /// The fields of the lines of a table, but for comments.
  static func table(_ bytes: [UInt8]) -> [[String]] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }
}

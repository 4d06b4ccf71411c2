public import AlcoholKinetics
import StudyData

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

  /// A word whose letters beyond ASCII were lost or misread, as "poèet" for "počet", as it was meant.
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

/// What cells of sheets say that hold no quantity.
package enum SheetCellText {
  /// The number in a cell that has nothing else.
  package static func number(_ text: String, _ mayHaveComma: Bool = false) -> Double? {
    WrittenQuantity.number(text, mayHaveComma ? .always : .ifCertain)
  }

  // Every cell is looked at.
  private static let missing = Set(Vocabulary.words("cell", "missing"))

  /// Whether a cell says that there is nothing: as in study files, and as people write it.
  package static func isMissing(_ cell: String) -> Bool { missing.contains(cell) }

  /// Whether a laboratory says that it has no result.
  package static func isWithoutResult(_ cell: String) -> Bool {
    cell.utf8.count <= 40 && Vocabulary.has(cell.lowercased(), "cell", "without result")
  }

  /// Whether a reading is said to be below the limit of detection, which stands elsewhere.
  package static func isBelowLimit(_ cell: String) -> Bool {
    Vocabulary.has(cell.lowercased(), "cell", "below limit")
  }
}

/// A mark beside readings that are not to be used. Raw values are the names that `--map` has for such columns.
package enum ReadingMark: String {
  /// Yes, beside a reading that is not to be used.
  case flag = "exclude"
  /// No, beside such a reading.
  case use = "include"
  /// Anything, of which some words say so.
  case remark = "exclude_remark"

  /// Takes what a header means that nothing else is known of.
  package init(_ header: HeaderText) {
    self = header.isCalled("inclusion") ? .use : header.isCalled("exclusion") ? .flag : .remark
  }

  /// Whether a cell says that the reading beside it is not to be used.
  package func excludes(_ text: String) -> Bool {
    self == .flag && Self.has(text, "yes") || self == .use && Self.has(text, "no")
      || Self.isDiscarded(text)
  }

  /// The mark of a cell in the words of study files; the cell itself if it says something else.
  package func exclusion(_ text: String) -> String {
    if excludes(text) { return "1" }
    if self == .remark || Self.has(text, "fine") { return "0" }
    return Self.has(text, self == .use ? "yes" : "no") ? "0" : text
  }

  /// What to ask of a column that may mark a reading.
  package func question(of column: String, _ cell: String) -> (message: String, remedy: String) {
    (
      "the column \(column.quoted) says \(cell.quoted) beside a reading, which may not be one to use",
      "say whether it tells which readings to leave out"
    )
  }

  /// Whether a cell says yes, or no; nil for any other.
  package static func answer(_ text: String) -> Bool? {
    has(text, "yes") ? true : has(text, "no") || has(text, "fine") ? false : nil
  }

  private static func has(_ text: String, _ meaning: String) -> Bool {
    text.utf8.count <= 40 && Vocabulary.has(text.lowercased(), "mark", meaning)
  }

  /// Whether a text has a word for a reading that is not to be used.
  private static func isDiscarded(_ text: String) -> Bool {
    guard text.utf8.count <= 400 else { return false }
    let words = text.lowercased().split { !$0.isLetter }.map(String.init)
    return words.indices.contains { index in
      (1...3).contains { count in
        index + count <= words.count
          && Vocabulary.has(
            words[index..<index + count].joined(separator: " "), "mark", "discarded")
      }
    }
  }
}

/// Whose glasses, measures and standard drinks are meant where a drink is written without its size.
public enum DrinkRegion: String, CaseIterable, Codable, Hashable, Sendable {
  /// The United States.
  case us
  /// The United Kingdom.
  case uk
  /// The continent of Europe.
  case eu
  /// Australia.
  case au

  /// Its standard drink: 14 g in the United States (NIAAA), a unit of 8 g in the United Kingdom (Department of Health),
  /// 10 g in Australia (NHMRC 2020) and in most of Europe (Kalinowski & Humphreys 2016).
  public var standardDrink: Grams {
    switch self {
    case .us: 14
    case .uk: 8
    case .eu, .au: 10
    }
  }
}

public import AlcoholKinetics
import StudyData

/// The built-in tables for the interpretation of sheets: words in `words.tsv`, and meanings of columns in `columns.tsv`.
/// Comments in the tables describe their lines.
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
      // Without a stated matrix only units that imply one.
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

  /// Returns a word with its non-ASCII letters restored if an encoding error has replaced them, as in "poèet" for "počet".
  package static func repaired(_ word: String) -> String {
    guard word.utf8.count <= 40, !spelt.contains(word), let key = skeleton(word),
      let words = skeletons[key], words.count == 1
    else { return word }
    return words[0]
  }

  /// The words with non-ASCII letters, by their skeletons.
  private static let skeletons: [String: [String]] = Dictionary(grouping: spelt) {
    skeleton($0) ?? ""
  }

  private static let spelt: Set<String> = {
    let texts = lists.values.joined().flatMap(\.words)
    let words = texts.flatMap { $0.split { $0.isWhitespace || "_-.:#?()/".contains($0) } }
    return Set(words.map { $0.lowercased() }.filter { skeleton($0) != nil })
  }()

  /// Returns a word with each run of non-ASCII letters replaced by U+FFFD; nil if it has none, or fewer than two ASCII
  /// letters.
  private static func skeleton(_ word: String) -> String? {
    var text = ""
    var others = 0
    var isBeyond = false
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

  /// Returns the fields of the lines of a table without comments.
  static func table(_ bytes: [UInt8]) -> [[String]] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }
}

/// Recognition of cells without a quantity: missing values, and readings below a limit.
package enum SheetCellText {
  /// Returns the number of a cell; nil if the cell holds anything else.
  package static func number(_ text: String, _ mayHaveComma: Bool = false) -> Double? {
    ParsedQuantity.number(text, mayHaveComma ? .always : .ifCertain)
  }

  // A set of its own, because every cell is tested.
  private static let missing = Set(Vocabulary.words("cell", "missing"))

  /// Whether a cell is empty or has a word for a missing value.
  package static func isMissing(_ cell: String) -> Bool { missing.contains(cell) }

  /// Whether a cell has a word for a missing laboratory result.
  package static func isWithoutResult(_ cell: String) -> Bool {
    cell.utf8.count <= 40 && Vocabulary.has(cell.lowercased(), "cell", "without result")
  }

  /// Whether a cell has a word for a reading below a limit of detection that is stated elsewhere.
  package static func isBelowLimit(_ cell: String) -> Bool {
    Vocabulary.has(cell.lowercased(), "cell", "below limit")
  }
}

/// The kind of a column that marks excluded readings. Raw values are the names of such columns in `--map`.
package enum ReadingMark: String {
  /// Yes marks an excluded reading.
  case flag = "exclude"
  /// No marks an excluded reading.
  case use = "include"
  /// Some words in a remark mark an excluded reading.
  case remark = "exclude_remark"

  /// Infers the kind from the header of an unrecognised column.
  package init(_ header: HeaderText) {
    self = header.isCalled("inclusion") ? .use : header.isCalled("exclusion") ? .flag : .remark
  }

  /// Whether a cell marks its reading as excluded.
  package func excludes(_ text: String) -> Bool {
    self == .flag && Self.has(text, "yes") || self == .use && Self.has(text, "no")
      || Self.isDiscarded(text)
  }

  /// Returns the mark as `1` or `0`, as in study files; the cell itself if it is neither.
  package func exclusion(_ text: String) -> String {
    if excludes(text) { return "1" }
    if self == .remark || Self.has(text, "fine") { return "0" }
    return Self.has(text, self == .use ? "yes" : "no") ? "0" : text
  }

  /// Returns the question about a column that may mark excluded readings.
  package func question(of column: String, _ cell: String) -> (message: String, remedy: String) {
    (
      "the column \(column.quoted) says \(cell.quoted) beside a reading, which may not be one to use",
      "say whether it tells which readings to leave out"
    )
  }

  /// Returns true for yes, false for no, and nil for any other cell.
  package static func answer(_ text: String) -> Bool? {
    has(text, "yes") ? true : has(text, "no") || has(text, "fine") ? false : nil
  }

  private static func has(_ text: String, _ meaning: String) -> Bool {
    text.utf8.count <= 40 && Vocabulary.has(text.lowercased(), "mark", meaning)
  }

  /// Whether a text contains a word or phrase for a discarded reading.
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

/// The region whose glasses, measures and standard drinks apply to drinks without a stated size.
public enum DrinkRegion: String, CaseIterable, Codable, Hashable, Sendable {
  /// The United States.
  case us
  /// The United Kingdom.
  case uk
  /// The continent of Europe.
  case eu
  /// Australia.
  case au

  /// The standard drink of the region: 14 g in the United States (NIAAA), a unit of 8 g in the United Kingdom (Department of Health),
  /// 10 g in Australia (NHMRC 2020) and in most of Europe (Kalinowski & Humphreys 2016).
  public var standardDrink: Grams {
    switch self {
    case .us: 14
    case .uk: 8
    case .eu, .au: 10
    }
  }
}

import Foundation

extension StringProtocol {
  /// The text as a message may show it: invisible characters escaped, the rest cut off.
  package func excerpt(limit: Int = 40) -> String {
    var shown = ""
    for scalar in unicodeScalars.prefix(limit) {
      if scalar.isPlain {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += scalar.escaped
      }
    }
    return unicodeScalars.dropFirst(limit).isEmpty ? shown : shown + "..."
  }

  package var quoted: String { "\"\(excerpt())\"" }

  /// The text without blanks of any kind around it.
  package var trimmed: String {
    // Most cells have none, which their ends tell.
    let bytes = Substring(self).utf8
    let seen = UInt8(ascii: "!")...UInt8(ascii: "~")
    if let first = bytes.first, let last = bytes.last, seen ~= first, seen ~= last {
      return String(self)
    }
    guard let start = firstIndex(where: { !$0.isWhitespace }),
      let end = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }

  /// The text as a terminal, a page or a picture may show it: one line, in which everything that
  /// would break it, be taken for a command or hide or turn round what stands beside it is written
  /// as an escape.
  ///
  /// Every writer of text for people uses it, so that code that composes a text does not need to.
  package var printable: String {
    guard unicodeScalars.contains(where: { !$0.isShown }) else { return String(self) }
    return unicodeScalars.reduce(into: "") { shown, scalar in
      if scalar.isShown {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += scalar.escaped
      }
    }
  }
}

extension String {
  /// The lines of the text, each as people may be shown it.
  package var printableLines: String {
    // By scalars: a carriage return and a line feed are one character, and no line end of ours.
    unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Substring($0).printable }.joined(separator: "\n")
  }
}

extension Double {
  /// The number with one decimal at most, for a message.
  package var shown: String {
    let tenths = (self * 10).rounded() / 10
    return Int(exactly: tenths).map(String.init) ?? "\(tenths)"
  }
}

extension Unicode.Scalar {
  /// Whether it is seen as what it is, also between quotes: no blank but the ordinary one.
  package var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    case .spaceSeparator:
      self == " "
    default:
      true
    }
  }

  /// True unless the scalar controls a terminal or a page, or hides or reorders other characters.
  ///
  /// Format characters include the bidirectional controls (Unicode Standard Annex 9); only those
  /// that join letters and emoji are shown.
  package var isShown: Bool {
    if isASCII { return value >= 0x20 && value != 0x7F }
    if FileName.byte(self) != nil { return false }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return false
    case .format: return self == "\u{200C}" || self == "\u{200D}"
    default: return !properties.isNoncharacterCodePoint
    }
  }

  fileprivate var escaped: String {
    switch self {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default:
      if let byte = FileName.byte(self) { return "\\x\(String(byte, radix: 16))" }
      return "\\u{\(String(value, radix: 16))}"
    }
  }
}

extension String {
  /// The text as a word of a command, in quotes where needed; characters that are not seen as escapes.
  package var quotedForShell: String {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%"
    let isPlain = !isEmpty && unicodeScalars.allSatisfy { plain.unicodeScalars.contains($0) }
    if isPlain { return self }
    // By scalars: a quote with an accent is a quote.
    guard unicodeScalars.contains(where: { !$0.isShown }) else {
      return "'\(unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined())'"
    }
    let escaped = unicodeScalars.map { scalar -> String in
      if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
      return scalar.isShown
        ? String(scalar) : String(scalar).utf8.map { String(format: "\\%03o", $0) }.joined()
    }
    return "$'\(escaped.joined())'"
  }
}

/// Texts as people are shown them, for the study day.
@_spi(StudyDay) public enum ShownText {
  /// The text in quotes: one line, not too long, in which everything that is not seen is shown as an escape.
  public static func quoted(_ text: some StringProtocol) -> String { text.quoted }

  /// The text as a terminal or a page may show it.
  public static func printable(_ text: some StringProtocol) -> String { text.printable }
}

extension String {
  /// The word of a list most like this one, whatever the case; nil if more than one letter in four differs.
  package func nearest(in words: some Sequence<String>) -> String? {
    guard count > 1 else { return nil }
    let limit = Swift.max(1, count / 4)
    let word = lowercased()
    let near = words.map { ($0, word.distance(to: $0.lowercased())) }.filter { $0.1 <= limit }
    return near.min { $0.1 < $1.1 }?.0
  }

  /// The number of letters to add, remove or change to come to another text (Levenshtein 1966).
  package func distance(to text: String) -> Int {
    let text = Array(text)
    var row = Array(0...text.count)
    for (index, letter) in enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in text.indices {
        let changed = diagonal + (letter == text[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(changed, row[column] + 1, row[column + 1] + 1)
      }
    }
    return row[text.count]
  }
}

extension Sequence {
  /// The first element of each key.
  package func unique<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }

  /// The elements with equal keys, in the order in which each key comes first.
  package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, values: [Element])] {
    var places: [Key: Int] = [:]
    var groups: [(key: Key, values: [Element])] = []
    for element in self {
      let key = key(element)
      if let index = places[key] {
        groups[index].values.append(element)
      } else {
        places[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}

extension Sequence where Element: Hashable {
  /// The distinct elements, in the order of their first occurrence.
  package var uniqued: [Element] { unique { $0 } }
}

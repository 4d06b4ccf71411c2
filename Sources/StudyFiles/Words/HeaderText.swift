import StudyData

/// The header of a column, split into words and unit.
package struct HeaderText {
  /// The words in lower case, separated by single blanks.
  package let words: String
  /// The unit in brackets or after a comma or semicolon; nil if there is none.
  package let unit: String?

  package init(_ header: String) {
    let text = header.trimmed.lowercased()
    if let open = text.lastIndex(where: { "([{".contains($0) }),
      let close = text[open...].lastIndex(where: { ")]}".contains($0) }), open != text.startIndex
    {
      let after = text[text.index(after: close)...]
      words = Self.plain(text[..<open] + " " + after)
      unit = Self.unit(text[text.index(after: open)..<close])
    } else if let comma = text.lastIndex(where: { ",;".contains($0) }), comma != text.startIndex {
      words = Self.plain(text[..<comma])
      unit = Self.unit(text[text.index(after: comma)...])
    } else {
      words = Self.plain(text)
      unit = nil
    }
  }

  /// Whether the words are in a list of the vocabulary for headers, such as `count`.
  package func isCalled(_ what: String) -> Bool { Vocabulary.has(words, "header", what) }

  /// The meaning and the unit of the header, also of one without brackets such as `weight kg` and `bac g/kg`.
  package var reading: (word: ColumnWord, unit: String?)? {
    if let dose = Self.doseUnit(words, unit) { return (.ethanol, dose) }
    if let word = ColumnWord.called(words) { return (word.fitting(unit), unit) }
    guard unit == nil else {
      return Self.elapsed(words.split(separator: " ")).map { ($0.word, unit) } ?? asked
    }
    if let slash = words.firstIndex(of: "/"),
      let word = ColumnWord.called(words[..<slash].trimmed)
    {
      let unit = words[words.index(after: slash)...].trimmed
      if word.takes(unit) { return (word, unit) }
    }
    let parts = words.split(separator: " ")
    for count in stride(from: min(parts.count, 8) - 1, through: 1, by: -1) {
      guard let word = ColumnWord.called(parts[..<count].joined(separator: " ")) else { continue }
      var rest = parts[count...]
      if rest.first == "in" || rest.first == "per" { rest = rest.dropFirst() }
      let unit = rest.joined(separator: " ")
      if word.takes(unit) { return (word, unit) }
    }
    if let elapsed = Self.elapsed(parts) { return elapsed }
    if let asked { return asked }
    // "% alcohol" has the unit first.
    if parts.count > 1,
      case .alcohol? = ColumnWord.called(parts.dropFirst().joined(separator: " ")),
      ColumnWord.strength.meaning(in: String(parts[0])) != nil
    {
      return (.alcohol(nil), String(parts[0]))
    }
    if parts.count > 1, ColumnWord.volume.meaning(in: words) != nil { return (.volume, words) }
    // A header may be only a unit of concentration: `g/210 L`, `‰` or `promille`.
    guard words.contains(where: { "/%‰".contains($0) }) || words.contains("r") else { return nil }
    let alone = ColumnWord.alcohol(nil)
    return alone.meaning(in: words)?.kind == .reading ? (alone, words) : nil
  }

  /// The meaning of a question such as `What is your participant ID?` or `How old are you?`; nil if it is not one.
  private var asked: (word: ColumnWord, unit: String?)? {
    guard words.utf8.count <= 100 else { return nil }
    let all = words.split(separator: " ").map(String.init)
    let rest = all.filter { !Vocabulary.has($0, "header", "asking") }
    guard rest.count < all.count, let word = ColumnWord.called(rest.joined(separator: " ")) else {
      return nil
    }
    return (word, unit)
  }

  /// Returns the unit of a header for pure alcohol, such as `ml of ethanol`, `Units (8 g)` or `Drinks (US)`; nil for
  /// others.
  private static func doseUnit(_ words: String, _ unit: String?) -> String? {
    guard words.utf8.count <= 40 else { return nil }
    let all = unit.map { ["\(words) of \($0)", "\(words) \($0)"] } ?? [words]
    return all.first { $0.contains(" ") && ColumnWord.ethanol.meaning(in: $0) != nil }
  }

  /// Parses a time since the beginning, such as `hours after` or `min post dose`; nil for others.
  private static func elapsed(_ parts: [Substring]) -> (word: ColumnWord, unit: String?)? {
    guard parts.count > 1, isTime(parts[0]), countsFromBeginning(parts) ?? false else { return nil }
    let unit = String(parts[0])
    return (.elapsed, ColumnWord.times[unit] == nil ? nil : unit)
  }

  /// Whether a header counts time from the beginning; nil if it does not count from any event.
  private static func countsFromBeginning(_ parts: [Substring]) -> Bool? {
    guard
      let time = parts.indices.first(where: { index in
        isTime(parts[index])
          && parts[(index + 1)...].prefix(2).contains {
            Vocabulary.has(String($0), "header", "since")
          }
      })
    else { return nil }
    return !parts[time...].contains(where: isLater)
  }

  private static func isTime(_ word: Substring) -> Bool {
    ColumnWord.times[String(word)] != nil || Vocabulary.has(String(word), "header", "time")
  }

  /// Whether a word refers to a later event: the end of drinking, or a further drink.
  private static func isLater(_ word: Substring) -> Bool {
    let word = String(word)
    return Vocabulary.has(word, "header", "not the beginning")
      || Vocabulary.lines("ordinal").contains { $0.meaning != "1" && $0.words.contains(word) }
  }

  /// Whether the header counts time from a later event, as in `Time since last drink`.
  package var isTimeFromEnd: Bool { Self.countsFromBeginning(words.split(separator: " ")) == false }

  private static func unit(_ text: some StringProtocol) -> String? {
    var unit = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    // Abbreviations such as lbs. and vol. end in a point.
    while unit.hasSuffix(".") { unit.removeLast() }
    return unit.isEmpty ? nil : String(unit)
  }

  /// Returns the words of a text separated by single blanks, without punctuation.
  private static func plain(_ text: some StringProtocol) -> String {
    let words = text.split { $0.isWhitespace || "_-.:#?".contains($0) }
    // A fast path: most headers are ASCII.
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return words.joined(separator: " ") }
    let plain = words.map { String($0).replacing("’", with: "'") }
    return plain.map(Vocabulary.repaired).joined(separator: " ")
  }
}

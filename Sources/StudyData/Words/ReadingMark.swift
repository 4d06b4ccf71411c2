/// What a column says beside readings: that some are not to be used. Raw values are the names that `--map` has for such
/// columns.
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

  /// What a cell of a column that is known to mark readings says, in the words of study files; the cell if that cannot be
  /// told.
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

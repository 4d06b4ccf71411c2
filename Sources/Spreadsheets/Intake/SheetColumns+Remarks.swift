import StudyData
import StudyFiles

/// What a column without a meaning says beside readings: that some are not to be used, or anything else.
enum ReadingMark {
  /// What a cell of a column for exclusions says, in the words of study files; the cell if that cannot be told.
  static func exclusion(_ text: String, _ form: ColumnMeaning.Form) -> String {
    if isDiscarded(text) { return "1" }
    if form == .remark || has(text, "fine") { return "0" }
    let (excludes, keeps) = form == .inverted ? ("no", "yes") : ("yes", "no")
    if has(text, excludes) { return "1" }
    return has(text, keeps) ? "0" : text
  }

  static func isYes(_ text: String) -> Bool { has(text, "yes") }
  static func isNo(_ text: String) -> Bool { has(text, "no") }

  private static func has(_ text: String, _ meaning: String) -> Bool {
    text.utf8.count <= 40 && Vocabulary.has(text.lowercased(), "mark", meaning)
  }

  /// Whether a text has a word for a reading that is not to be used.
  static func isDiscarded(_ text: String) -> Bool {
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

extension SheetColumns {
  /// Asks about columns that are not recognised and mark readings as such that are not to be used.
  mutating func askForMarks() {
    let readings = readingColumns.map(\.index)
    let unknown = unknown
    guard !readings.isEmpty, !unknown.isEmpty else { return }
    let read = rows.filter { row in readings.contains { row.filled($0) != nil } }
    for column in unknown {
      let header = column.header
      let (isFlag, isUse) = (header.isCalled("exclusion"), header.isCalled("inclusion"))
      let marked = read.first { row in
        guard let text = row.filled(column.index) else { return false }
        return isFlag && ReadingMark.isYes(text) || isUse && ReadingMark.isNo(text)
          || ReadingMark.isDiscarded(text)
      }
      guard let marked else {
        if isFlag || isUse { change(column.index) { $0.note = "marks no reading" } }
        continue
      }
      let name = isUse ? "include" : isFlag ? "exclude" : "exclude_remark"
      columns.removeAll { $0.index == column.index }
      questions.add(
        .columnUnit, at: table.place(marked, column.index),
        message:
          "the column \(column.title.quoted) says \(marked.text(column.index).quoted) beside a reading, "
          + "which may not be one to use",
        remedy: "say whether it tells which readings to leave out",
        statements: column.stated(as: [name, "ignore"]))
    }
  }

  /// What a column says of a subject, and in how many rows with a reading.
  private struct Use {
    let text: String
    let isInFirstRow: Bool
    var read = 0
  }

  /// At most so many columns of a sheet describe people.
  private static let mostCovariates = 200

  /// Takes columns that nothing reads and that say the same in all rows of a subject as descriptions of people; those
  /// that say something of single rows are remarks of these.
  mutating func findCovariates() {
    var candidates = unknown
    guard candidates.count <= Self.mostCovariates else { return }
    let isAtFirstRows = describesPeopleInFirstRows
    let readings = readingColumns.map(\.index)
    var uses: [String: [Int: Use]] = [:]
    var read: [String: Int] = [:]
    for (subject, row) in rowsOfSubjects() {
      let isRead = readings.contains { row.filled($0) != nil }
      let isFirst = read[subject] == nil
      read[subject, default: 0] += isRead ? 1 : 0
      candidates.removeAll { column in
        guard let text = row.filled(column.index) else { return false }
        var use = uses[subject]?[column.index] ?? Use(text: text, isInFirstRow: isFirst)
        use.read += isRead ? 1 : 0
        uses[subject, default: [:]][column.index] = use
        return use.text != text
      }
    }
    // What stands beside some readings of a subject and not beside others is about those.
    var isOfRows: Set<Int> = []
    for (subject, columns) in uses {
      for (index, use) in columns where use.read > 0 && use.read < read[subject] ?? 0 {
        if !(isAtFirstRows && use.isInFirstRow && use.read == 1) { isOfRows.insert(index) }
      }
    }
    // A column in which nobody has anything says nothing.
    let filled = Set(uses.values.flatMap(\.keys))
    for column in candidates where filled.contains(column.index) && !isOfRows.contains(column.index)
    {
      if hasReadings, column.header.isCalled("remark"), read.count < rows.count { continue }
      replace(column.index, by: "covariate", note: "the same in all rows of a subject")
    }
    for column in unknown where isOfRows.contains(column.index) || column.header.isCalled("remark")
    {
      let texts = values(of: column.index).uniqued.prefix(3).map { $0.excerpt(limit: 30).quoted }
      guard !texts.isEmpty else { continue }
      change(column.index) { $0.note = "remarks of rows: \(texts.joined(separator: ", "))" }
    }
  }

  /// Whether what describes people stands in the first of their rows only, as where cells are merged.
  private var describesPeopleInFirstRows: Bool {
    guard let subject = column(.subject)?.index else { return false }
    let facts = columns.filter { [.sex, .age, .birth, .height, .weight].contains($0.meaning.kind) }
    return rows.contains { row in
      !row.isEmpty
        && (row.filled(subject) == nil
          || !facts.isEmpty && facts.allSatisfy { row.filled($0.index) == nil })
    }
  }
}

import StudyData
import StudyFiles

extension SheetColumns {
  /// Asks about columns that are not recognised and mark readings as such that are not to be used.
  mutating func askForMarks() {
    // Which of several it is that has the readings may not be known yet.
    let readings =
      columns.filter { $0.meaning.kind == .reading }.map(\.index) + readingColumns.map(\.index)
    let unknown = unknown
    guard !readings.isEmpty, !unknown.isEmpty else { return }
    let read = rowsOfSubjects().filter { _, row in readings.contains { row.filled($0) != nil } }
    let evenings = evenings(read)
    for column in unknown {
      let mark = ReadingMark(column.header)
      let said = read.first { _, row in row.filled(column.index).map(mark.excludes) ?? false }
      guard let marked = said?.row ?? odd(column, mark, evenings) else {
        if mark != .remark { change(column.index) { $0.note = "marks no reading" } }
        continue
      }
      columns.removeAll { $0.index == column.index }
      let text = marked.text(column.index)
      let (message, remedy) = mark.question(of: column.title, text)
      let names: [ReadingMark] =
        said != nil
        ? [mark] : ReadingMark.answer(text) == nil ? [] : mark == .remark ? [.flag, .use] : [mark]
      questions.add(
        .columnUnit, at: table.place(marked, column.index), message: message,
        remedy: names.isEmpty
          ? "if it is not, say so with yes in a column Exclude; if not, leave the column out"
          : remedy,
        statements: column.stated(as: names.map(\.rawValue) + ["ignore"]))
    }
  }

  /// The rows with a reading, by subject and occasion, without those that only describe a subject.
  private func evenings(_ read: [(subject: String, row: SheetTable.Row)]) -> [[SheetTable.Row]] {
    guard wide.columns.isEmpty else { return [] }
    let apart = [column(.occasion), column(.date)].compactMap { $0?.index }
    let isDescribed = describesPeopleInFirstRows
    return read.grouped { subject, row in [subject] + apart.map(row.text) }.map { _, all in
      all.map(\.row).dropFirst(isDescribed ? 1 : 0).map(\.self)
    }
  }

  /// The row of a reading that a column tells from others of the occasion; nil if it tells none.
  private func odd(
    _ column: SheetColumn, _ mark: ReadingMark, _ evenings: [[SheetTable.Row]]
  ) -> SheetTable.Row? {
    let isAny = mark != .remark || column.header.isCalled("quality")
    guard isAny || values(of: column.index).allSatisfy({ ReadingMark.answer($0) != nil }) else {
      return nil
    }
    for rows in evenings {
      let groups = rows.grouped { row in
        row.filled(column.index).map { ReadingMark.answer($0).map { "\($0)" } ?? $0 } ?? ""
      }
      guard groups.count > 1 else { continue }
      // The fewest; of those, the last.
      let fewest = groups.map(\.values.count).min()
      let filled = groups.filter { !$0.key.isEmpty }
      return (filled.last { $0.values.count == fewest } ?? filled.last)?.values.first
    }
    return nil
  }

  /// What a column says of a subject, and in how many rows with a reading.
  private struct Use {
    let text: String
    let isInFirstRow: Bool
    var read = 0
  }

  /// At most so many columns of a sheet describe people.
  private static let mostCovariates = 200

  /// Takes unused columns that say the same in all rows of a subject as covariates, and others as remarks.
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
  var describesPeopleInFirstRows: Bool {
    guard let subject = column(.subject)?.index else { return false }
    let facts = columns.filter { [.sex, .age, .birth, .height, .weight].contains($0.meaning.kind) }
    return rows.contains { row in
      !row.isEmpty
        && (row.filled(subject) == nil
          || !facts.isEmpty && facts.allSatisfy { row.filled($0.index) == nil })
    }
  }
}

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
    let read = rows.filter { row in readings.contains { row.filled($0) != nil } }
    for column in unknown {
      let mark = ReadingMark(column.header)
      let marked = read.first { row in row.filled(column.index).map(mark.excludes) ?? false }
      guard let marked else {
        if mark != .remark { change(column.index) { $0.note = "marks no reading" } }
        continue
      }
      columns.removeAll { $0.index == column.index }
      let (message, remedy) = mark.question(of: column.title, marked.text(column.index))
      questions.add(
        .columnUnit, at: table.place(marked, column.index), message: message, remedy: remedy,
        statements: column.stated(as: [mark.rawValue, "ignore"]))
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

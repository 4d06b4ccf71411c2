import StudyData
import StudyFiles

extension SheetTable {
  /// The position of the header among the rows: a title and a few notes may stand over it. Of several rows that name
  /// subjects, as where groups of columns have names of their own, it is the one that names most columns.
  func headerIndex(_ map: ColumnMap) -> Int {
    var best = (index: 0, names: 0)
    for (index, row) in rows.prefix(20).enumerated() {
      let cells = row.cells.prefix(1000)
      guard cells.contains(where: { SheetColumns.subjectRank(of: $0, map) != nil }),
        cells.count(where: { !$0.trimmed.isEmpty }) > 1
      else { continue }
      let names = cells.count {
        map.target(of: $0) != nil || ColumnMeaning.named($0.trimmed) != nil
          || HeaderText($0).reading != nil
      }
      if names > best.names { best = (index, names) }
    }
    return best.index
  }

  /// Joins a row of units below the header to it, and takes rows of statistics out.
  ///
  /// - Returns: The rows of statistics.
  mutating func takeOutWhatIsNoData(_ headerIndex: Int, _ map: ColumnMap) -> [Row] {
    guard rows.indices.contains(headerIndex) else { return [] }
    joinUnits(below: headerIndex, map)
    return takeOutSummaries(below: headerIndex, map)
  }

  private mutating func joinUnits(below headerIndex: Int, _ map: ColumnMap) {
    guard rows.indices.contains(headerIndex + 1) else { return }
    var header = rows[headerIndex]
    let below = rows[headerIndex + 1].cells
    guard !below.contains(where: { WrittenQuantity($0, decimalComma: .always) != nil })
    else { return }
    var joined = 0
    for (index, cell) in below.enumerated() where header.cells.indices.contains(index) {
      let title = header.cells[index]
      let unit = cell.trimmed.filter { !"()[]".contains($0) }
      // A unit that is not known is asked for by the header as it is.
      guard !unit.isEmpty, map.target(of: title) == nil,
        let (word, stated) = HeaderText(title).reading, stated == nil,
        word.takes(unit.lowercased())
      else { continue }
      header.cells[index] = "\(title.trimmed) (\(unit))"
      joined += 1
    }
    guard joined > 1 || joined == below.count(where: { !$0.trimmed.isEmpty }), joined > 0 else {
      return
    }
    rows[headerIndex] = header
    rows.remove(at: headerIndex + 1)
  }

  private mutating func takeOutSummaries(below headerIndex: Int, _ map: ColumnMap) -> [Row] {
    let ranks = rows[headerIndex].cells.map { SheetColumns.subjectRank(of: $0, map) }
    guard let best = ranks.compactMap(\.self).min(), let subject = ranks.firstIndex(of: best) else {
      return []
    }
    var summaries: [Row] = []
    let notes = rows.dropFirst(headerIndex + 1).reversed().prefix {
      rows[headerIndex].cells.count > 2 && SheetSummary.isNote($0.cells)
    }
    rows.removeLast(notes.count)
    var kept = Array(rows.prefix(headerIndex + 1))
    for row in rows.dropFirst(headerIndex + 1) {
      let own = row.cells.indices.contains(subject) ? row.cells[subject] : ""
      let name = own.trimmed.isEmpty ? row.cells.first { !$0.trimmed.isEmpty } ?? "" : own
      if SheetSummary.isOne(name, afterAnother: !summaries.isEmpty) {
        summaries.append(row)
      } else {
        kept.append(row)
      }
    }
    rows = kept
    return summaries + notes.reversed().filter { $0.cells.contains { !$0.trimmed.isEmpty } }
  }
}

/// What people call rows of statistics below the rows of a table.
enum SheetSummary {
  /// Whether a row of this name is one. Abbreviations may be somebody's initials, and Max is a name: they count
  /// behind a row whose name leaves no doubt.
  static func isOne(_ name: String, afterAnother: Bool) -> Bool {
    guard name.utf8.count <= 40 else { return false }
    let words = HeaderText(name).words
    return certain.contains(words) || afterAnother && possible.contains(words)
  }

  /// Whether a row has nothing, or one text alone that is a note and not somebody's name: `* repeated`, `Source: ...`.
  static func isNote(_ cells: [String]) -> Bool {
    let texts = cells.lazy.map(\.trimmed).filter { !$0.isEmpty }.prefix(2)
    guard let text = texts.first else { return true }
    guard texts.count == 1 else { return false }
    // A time of day may stand alone, where nothing was measured.
    guard text.contains(where: \.isLetter), ClockTime.minutes(text) == nil else { return false }
    return text.first.map { "*†‡".contains($0) } ?? false || text.contains(":")
      || text.split(separator: " ").count > 3
  }

  private static let certain = Set(Vocabulary.words("summary", "certain"))
  private static let possible = Set(Vocabulary.words("summary", "possible"))
}

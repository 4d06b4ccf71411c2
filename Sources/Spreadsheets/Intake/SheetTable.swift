import StudyData
import StudyFiles

/// A table of a spreadsheet: rows of text, with the header somewhere near the top.
///
/// Cells of a workbook are converted to text: a number is written as a plain decimal, a date as
/// `2026-11-21`, a time as `19:30:00`, both as `2026-11-21 19:30:00`.
struct SheetTable: Sendable {
  /// A row with its number in the spreadsheet, from 1.
  struct Row: Sendable {
    let number: Int
    var cells: [String]

    var isEmpty: Bool { cells.allSatisfy { $0.trimmed.isEmpty } }

    /// Returns the trimmed text of a column; empty if the row ends before it.
    func text(_ index: Int) -> String {
      guard cells.indices.contains(index) else { return "" }
      let text = cells[index].trimmed
      // Typographic minus signs begin with this byte, which few cells do: a cheap test first.
      guard text.utf8.first == 0xE2, let sign = text.first, "−–‒﹣".contains(sign),
        text.dropFirst().first.map({ $0.isASCIIDigit || $0 == "." }) ?? false
      else { return text }
      return "-" + text.dropFirst()
    }

    /// Returns the subject in a column; a number written as 1.0 by another program is 1.
    func name(_ index: Int) -> String? {
      guard let name = filled(index) else { return nil }
      guard name.utf8.last == UInt8(ascii: "0") else { return name }
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
        parts[1].allSatisfy({ $0 == "0" }),
        parts[0].allSatisfy(\.isASCIIDigit)
      else { return name }
      return String(parts[0])
    }

    /// Returns the trimmed text of a column; nil if it is empty or a word for a missing value.
    func filled(_ index: Int) -> String? {
      let text = text(index)
      return SheetCellText.isMissing(text) ? nil : text
    }
  }

  /// The name in findings: the path of the file, with the name of the sheet in brackets if there are several.
  let file: String
  var rows: [Row]
  /// Whether a comma may be the decimal point.
  var mayHaveDecimalComma = false
  var name: String?
  var findings: [Diagnostic] = []
  /// Whether the table is the sheet of one person.
  var isOfOnePerson = false
  /// The row in the sheet of each column, if the table was transposed.
  var sourceLines: [Int]?
  /// The headers before the table was transposed.
  var formerHeaders: [String] = []

  func number(_ text: String) -> Double? { SheetCellText.number(text, mayHaveDecimalComma) }

  func quantity(_ text: String) -> ParsedQuantity? {
    // If commas separate fields, a comma is a decimal point only where it cannot be anything else.
    ParsedQuantity(text, decimalComma: mayHaveDecimalComma ? .always : .ifCertain)
  }

  /// Returns the location of a cell, by its row and the index of its column.
  func place(_ row: Row, _ column: Int) -> SourceLocation {
    SourceLocation(file: file, line: row.number, column: column + 1)
  }

  /// Whether the headers are in the first column, one below the other.
  var isTransposed: Bool {
    let words = rows.prefix(30).compactMap { row in
      row.cells.first.flatMap { HeaderText($0).reading?.word }
    }
    return Set(words).count > 2
  }
}

extension SheetTable {
  init(_ sheet: Sheet) {
    self.init(
      file: sheet.label,
      rows: sheet.textRows.enumerated().map { Row(number: $0 + 1, cells: $1) }, name: sheet.name,
      findings: sheet.findings)
  }

  /// Returns the sheets of a workbook that are not hidden and have cells.
  static func shown(in file: InputFile) throws(StudyError) -> [SheetTable] {
    try Workbook(file).sheets.filter { !$0.isHidden && !$0.rows.isEmpty }.map { SheetTable($0) }
  }

  /// Reads a whole CSV file or Arrow stream.
  init(reading file: InputFile, separator: CSVSeparator? = nil) throws(StudyError) {
    var rows: [Row] = []
    do throws(CSVProblem) {
      let reader = CSVTable(file, separator: separator)
      while let row = try reader.nextRow() { rows.append(row) }
      self.init(file: file.path, rows: rows, mayHaveDecimalComma: reader.row.mayHaveCommas)
      if let (encoding, place) = reader.conversion {
        findings.append(FindingLog(file: file.path).conversion(from: encoding, at: place))
      }
    } catch {
      throw error.refusal(of: file.path)
    }
  }

  /// Returns the first row of a table; nil if it cannot be read.
  static func header(of file: InputFile) -> [String]? { (try? CSVTable(file).nextRow())?.cells }
}

extension CSVTable {
  /// Reads the next record as a row of a sheet.
  func nextRow() throws(CSVProblem) -> SheetTable.Row? {
    try nextRecord() ? SheetTable.Row(number: row.firstLine, cells: row.texts) : nil
  }
}

// MARK: Header, units and statistics

extension SheetTable {
  /// Returns the index of the header: among the rows that name subjects, the one with the most known columns.
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

  /// Merges a row of times below the header into it, if the cell above them names the measurement.
  mutating func joinTimes(below headerIndex: Int, _ map: ColumnMap) {
    guard rows.indices.contains(headerIndex + 1) else { return }
    var header = rows[headerIndex]
    let below = rows[headerIndex + 1]
    let filled = below.cells.indices.filter { !below.text($0).isEmpty }
    guard filled.count > 2, let first = filled.first, !header.text(first).isEmpty,
      filled.count(where: { header.text($0).isEmpty }) > 0,
      filled.allSatisfy({ index in
        let text = below.text(index)
        // Protocols write T30 for 30 min.
        let time = text.first == "T" || text.first == "t" ? String(text.dropFirst()) : text
        return ParsedQuantity(time, decimalComma: .always) != nil || ClockTime.minutes(text) != nil
      })
    else { return }
    // Each filled cell of the header begins a block of columns, such as breath beside blood.
    let starts = filled.filter { !header.text($0).isEmpty }
    let blocks = starts.map { start in
      filled.filter { $0 >= start && $0 < starts.first(where: { $0 > start }) ?? .max }
    }
    let joined = blocks.map { Self.titles(of: header.text($0[0]), at: $0.map(below.text), map) }
    guard joined.allSatisfy({ $0 != nil }) else { return }
    for (block, titles) in zip(blocks, joined) {
      for (index, title) in zip(block, titles ?? []) {
        while header.cells.count <= index { header.cells.append("") }
        header.cells[index] = title
      }
    }
    rows[headerIndex] = header
    rows.remove(at: headerIndex + 1)
  }

  /// Returns headers for columns of times below a text; nil if it names neither a measurement nor a unit of time.
  private static func titles(of text: String, at times: [String], _ map: ColumnMap) -> [String]? {
    let title = HeaderText(text)
    guard !title.isTimeFromEnd else { return nil }
    let words = title.words.split(separator: " ").map(String.init)
    let measured = (1...max(1, words.count)).reversed().lazy
      .map { words.prefix($0).joined(separator: " ") }
      .first { if case .alcohol? = ColumnWord.called($0) { true } else { false } }
    let unitOfTimes = words.first { ColumnWord.times[$0] != nil }
    guard measured != nil || unitOfTimes != nil || map.target(of: text) != nil else { return nil }
    let isOfTimes = title.unit.map { ColumnWord.times[$0] != nil } ?? false
    return times.map {
      Self.title(
        of: $0, unit: isOfTimes ? title.unit : unitOfTimes, words: measured,
        ofValue: isOfTimes ? nil : title.unit)
    }
  }

  /// Returns the header of a column of a wide table, such as `BrAC 30 min (mg/L)`.
  static func title(of time: String, unit: String?, words: String?, ofValue: String?) -> String {
    let hasUnit = SheetCellText.number(time, true) == nil
    let parts = [words, time, hasUnit ? nil : unit, ofValue.map { "(\($0))" }]
    return parts.compactMap(\.self).joined(separator: " ")
  }

  /// Removes rows that repeat the header, as at the top of each printed page.
  mutating func dropRepeatedHeaders(of headerIndex: Int) {
    guard rows.indices.contains(headerIndex) else { return }
    let header = rows[headerIndex].cells.map(\.headerText)
    guard header.count(where: { !$0.isEmpty }) > 1 else { return }
    var index = -1
    rows.removeAll { row in
      index += 1
      return index > headerIndex && row.cells.lazy.map(\.headerText).elementsEqual(header)
    }
  }

  /// Merges a row of units below the header into it.
  mutating func joinUnits(below headerIndex: Int, _ map: ColumnMap) {
    guard rows.indices.contains(headerIndex + 1) else { return }
    var header = rows[headerIndex]
    let below = rows[headerIndex + 1].cells
    guard !below.contains(where: { ParsedQuantity($0, decimalComma: .always) != nil })
    else { return }
    var joined = 0
    for (index, cell) in below.enumerated() where header.cells.indices.contains(index) {
      let title = header.cells[index]
      let unit = cell.trimmed.filter { !"()[]".contains($0) }
      // An unknown unit is left in its row: the question is then about the header alone.
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

  /// Removes rows of statistics and notes, and returns them.
  mutating func removeSummaries(below headerIndex: Int, _ map: ColumnMap) -> [Row] {
    guard rows.indices.contains(headerIndex) else { return [] }
    let ranks = rows[headerIndex].cells.map { SheetColumns.subjectRank(of: $0, map) }
    guard let best = ranks.compactMap(\.self).min(), let subject = ranks.firstIndex(of: best) else {
      return []
    }
    var summaries: [Row] = []
    let notes = rows.dropFirst(headerIndex + 1).reversed().prefix {
      rows[headerIndex].cells.count > 2 && SheetSummary.isNote($0.cells)
    }
    rows.removeLast(notes.count)
    let named = Set(
      Set(rows.dropFirst(headerIndex + 1).compactMap { $0.name(subject) })
        .map { HeaderText($0).words })
    var kept = Array(rows.prefix(headerIndex + 1))
    var hasSummary = false
    // The result for the last name: rows of one name are usually contiguous.
    var last: (name: String, isSummary: Bool, hasSummary: Bool)?
    for row in rows.dropFirst(headerIndex + 1) {
      if SheetSummary.isComment(row.cells), rows[headerIndex].cells.count > 2 {
        summaries.append(row)
        continue
      }
      let subjectCell = row.cells.indices.contains(subject) ? row.cells[subject] : ""
      let name =
        subjectCell.trimmed.isEmpty
        ? row.cells.first { !$0.trimmed.isEmpty } ?? "" : subjectCell
      if last?.name != name || last?.hasSummary != hasSummary {
        let isSummary =
          SheetSummary.isSummary(name, afterAnother: hasSummary)
          || SheetSummary.isTotal(name, of: named)
        last = (name, isSummary, hasSummary)
      }
      if last?.isSummary ?? false {
        hasSummary = true
        summaries.append(row)
      } else {
        kept.append(row)
      }
    }
    rows = kept
    return summaries + notes.reversed().filter { !$0.isEmpty }
  }
}

/// Recognition of rows of statistics, comments and notes.
enum SheetSummary {
  /// Whether a name is that of a row of statistics. Abbreviations, and Max, count only after a certain one.
  static func isSummary(_ name: String, afterAnother: Bool) -> Bool {
    guard name.utf8.count <= 40 else { return false }
    let words = HeaderText(name).words
    return Vocabulary.has(words, "summary", "certain")
      || afterAnother && Vocabulary.has(words, "summary", "possible")
  }

  /// Whether a name is that of a total, of all rows or of one of the named subjects, such as `P1 total`.
  static func isTotal(_ name: String, of named: Set<String>) -> Bool {
    guard name.utf8.count <= 60 else { return false }
    var words = HeaderText(name).words.split(separator: " ").map(String.init)
    if let index = words.firstIndex(where: { Vocabulary.has($0, "summary", "total") }) {
      words.remove(at: index)
      return words.isEmpty || named.contains(words.joined(separator: " "))
    }
    return false
  }

  /// Whether the only text of a row begins like a comment, or has more than three words.
  static func isComment(_ cells: [String]) -> Bool {
    let texts = cells.lazy.map(\.trimmed).filter { !$0.isEmpty }.prefix(2)
    guard texts.count == 1, let text = texts.first, let first = text.first else { return false }
    return "*†‡#".contains(first) || text.hasPrefix("//")
      || !text.contains(":") && text.split(separator: " ").count > 3
  }

  /// Whether a row is empty, or its only text is a note and not a name, such as `* repeated` or `Source: ...`.
  static func isNote(_ cells: [String]) -> Bool {
    let texts = cells.lazy.map(\.trimmed).filter { !$0.isEmpty }.prefix(2)
    guard let text = texts.first else { return true }
    guard texts.count == 1 else { return false }
    // A time of day alone is a row without a measurement.
    guard text.contains(where: \.isLetter), ClockTime.minutes(text) == nil else { return false }
    return text.first.map { "*†‡".contains($0) } ?? false || text.contains(":")
      || text.split(separator: " ").count > 3
  }
}

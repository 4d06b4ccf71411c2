import StudyData
import StudyFiles

/// A table as people keep it in a spreadsheet: rows of text, the header somewhere near the top.
///
/// A workbook of another format becomes one of these: a number is written as a plain decimal, a date as
/// `2026-11-21`, a time as `19:30:00`, both as `2026-11-21 19:30:00`.
struct SheetTable: Sendable {
  /// A row with its number, from 1, as the spreadsheet shows it.
  struct Row: Sendable {
    let number: Int
    var cells: [String]

    var isEmpty: Bool { cells.allSatisfy { $0.trimmed.isEmpty } }

    /// The text in a column, without blanks around it; nothing if the row ends before it.
    func text(_ index: Int) -> String {
      guard cells.indices.contains(index) else { return "" }
      let text = cells[index].trimmed
      // A minus as it is typeset begins with this byte; few cells do.
      guard text.utf8.first == 0xE2, let sign = text.first, "−–‒﹣".contains(sign),
        text.dropFirst().first.map({ $0.isASCIIDigit || $0 == "." }) ?? false
      else { return text }
      return "-" + text.dropFirst()
    }

    /// Somebody's name in a column: a number that a program wrote with a point, as 1.0, is the number.
    func name(_ index: Int) -> String? {
      guard let name = filled(index) else { return nil }
      // Most names are no such number.
      guard name.utf8.last == UInt8(ascii: "0") else { return name }
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
        parts[1].allSatisfy({ $0 == "0" }),
        parts[0].allSatisfy(\.isASCIIDigit)
      else { return name }
      return String(parts[0])
    }

    /// The text in a column; nil if it says that there is nothing.
    func filled(_ index: Int) -> String? {
      let text = text(index)
      return SheetCellText.isMissing(text) ? nil : text
    }
  }

  /// What findings call it: the path of its file, and the name of the sheet in brackets if there are several.
  let file: String
  var rows: [Row]
  /// Whether a comma may be the decimal point.
  var mayHaveDecimalComma = false
  var name: String?
  var findings: [Diagnostic] = []
  /// Whether all of it is about one person, who has a sheet.
  var isOfOnePerson = false
  /// The number of the row that each column was, if the table was turned round.
  var turnedLines: [Int]?
  /// What columns were called before the table was turned round.
  var formerHeaders: [String] = []

  func number(_ text: String) -> Double? { SheetCellText.number(text, mayHaveDecimalComma) }

  func quantity(_ text: String) -> WrittenQuantity? {
    // Where commas part the fields, only what cannot be anything else is a decimal comma.
    WrittenQuantity(text, decimalComma: mayHaveDecimalComma ? .always : .ifCertain)
  }

  /// The place of a cell, by its row and the index of its column.
  func place(_ row: Row, _ column: Int) -> SourceLocation {
    SourceLocation(file: file, line: row.number, column: column + 1)
  }

  /// Whether what columns are called stands in the first column, one below the other.
  var liesOnItsSide: Bool {
    let words = rows.prefix(30).compactMap { row in
      row.cells.first.flatMap { HeaderText($0).reading?.word }
    }
    return Set(words).count > 2
  }
}

extension SheetTable {
  init(_ sheet: Sheet) {
    self.init(
      file: sheet.place,
      rows: sheet.textRows.enumerated().map { Row(number: $0 + 1, cells: $1) }, name: sheet.name,
      findings: sheet.findings)
  }

  /// The sheets of a workbook that are not hidden and have cells.
  static func shown(in file: InputFile) throws(StudyError) -> [SheetTable] {
    try Workbook(file).sheets.filter { !$0.isHidden && !$0.rows.isEmpty }.map { SheetTable($0) }
  }

  /// Reads all of a CSV file, or of an Arrow stream.
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

  /// The names in the first row of a table; nil if it has none that can be read.
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
  /// The position of the header: of several rows that name subjects, the one that names most columns.
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

  /// Joins a row of times below the header to it, where the cell above them says what was measured.
  mutating func joinTimes(below headerIndex: Int, _ map: ColumnMap) {
    guard rows.indices.contains(headerIndex + 1) else { return }
    var header = rows[headerIndex]
    let below = rows[headerIndex + 1]
    let places = below.cells.indices.filter { !below.text($0).isEmpty }
    guard places.count > 2, let first = places.first, !header.text(first).isEmpty,
      places.count(where: { header.text($0).isEmpty }) > 0,
      places.allSatisfy({ place in
        let text = below.text(place)
        // As T30.
        let time = text.first == "T" || text.first == "t" ? String(text.dropFirst()) : text
        return WrittenQuantity(time, decimalComma: .always) != nil || ClockTime.minutes(text) != nil
      })
    else { return }
    // Each cell with a text begins a block, as of breath beside blood.
    let starts = places.filter { !header.text($0).isEmpty }
    let blocks = starts.map { start in
      places.filter { $0 >= start && $0 < starts.first(where: { $0 > start }) ?? .max }
    }
    let joined = blocks.map { Self.titles(of: header.text($0[0]), at: $0.map(below.text), map) }
    guard joined.allSatisfy({ $0 != nil }) else { return }
    for (block, titles) in zip(blocks, joined) {
      for (place, title) in zip(block, titles ?? []) {
        while header.cells.count <= place { header.cells.append("") }
        header.cells[place] = title
      }
    }
    rows[headerIndex] = header
    rows.remove(at: headerIndex + 1)
  }

  /// Headers of columns at times below a text; nil if it names neither a measurement nor a unit of time.
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

  /// The header of a column of a wide table, as `BrAC 30 min (mg/L)`.
  static func title(of time: String, unit: String?, words: String?, ofValue: String?) -> String {
    let hasUnit = SheetCellText.number(time, true) == nil
    let parts = [words, time, hasUnit ? nil : unit, ofValue.map { "(\($0))" }]
    return parts.compactMap(\.self).joined(separator: " ")
  }

  /// Leaves out rows that repeat the header, as on every page.
  mutating func dropRepeatedHeaders(of headerIndex: Int) {
    guard rows.indices.contains(headerIndex) else { return }
    let header = rows[headerIndex].cells.map(\.headerText)
    guard header.count(where: { !$0.isEmpty }) > 1 else { return }
    var place = -1
    rows.removeAll { row in
      place += 1
      return place > headerIndex && row.cells.lazy.map(\.headerText).elementsEqual(header)
    }
  }

  /// Joins a row of units below the header to it.
  mutating func joinUnits(below headerIndex: Int, _ map: ColumnMap) {
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

  /// Takes rows of statistics and notes out, and gives them back.
  mutating func takeOutSummaries(below headerIndex: Int, _ map: ColumnMap) -> [Row] {
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
    // Rows of one name follow each other.
    var last: (name: String, isOne: Bool, hasSummary: Bool)?
    for row in rows.dropFirst(headerIndex + 1) {
      if SheetSummary.isComment(row.cells), rows[headerIndex].cells.count > 2 {
        summaries.append(row)
        continue
      }
      let own = row.cells.indices.contains(subject) ? row.cells[subject] : ""
      let name = own.trimmed.isEmpty ? row.cells.first { !$0.trimmed.isEmpty } ?? "" : own
      if last?.name != name || last?.hasSummary != hasSummary {
        let isOne =
          SheetSummary.isOne(name, afterAnother: hasSummary)
          || SheetSummary.isTotal(name, of: named)
        last = (name, isOne, hasSummary)
      }
      if last?.isOne ?? false {
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

/// What people call rows of statistics below the rows of a table.
enum SheetSummary {
  /// Whether a row of this name is one. Abbreviations, and Max, count only behind a row without doubt.
  static func isOne(_ name: String, afterAnother: Bool) -> Bool {
    guard name.utf8.count <= 40 else { return false }
    let words = HeaderText(name).words
    return Vocabulary.has(words, "summary", "certain")
      || afterAnother && Vocabulary.has(words, "summary", "possible")
  }

  /// Whether a row of this name is a total: of all, or of one of those named, as `P1 total`.
  static func isTotal(_ name: String, of named: Set<String>) -> Bool {
    guard name.utf8.count <= 60 else { return false }
    var words = HeaderText(name).words.split(separator: " ").map(String.init)
    if let place = words.firstIndex(where: { Vocabulary.has($0, "summary", "total") }) {
      words.remove(at: place)
      return words.isEmpty || named.contains(words.joined(separator: " "))
    }
    return false
  }

  /// Whether a row among others has one text alone that begins as a comment, or has more than three words.
  static func isComment(_ cells: [String]) -> Bool {
    let texts = cells.lazy.map(\.trimmed).filter { !$0.isEmpty }.prefix(2)
    guard texts.count == 1, let text = texts.first, let first = text.first else { return false }
    return "*†‡#".contains(first) || text.hasPrefix("//")
      || !text.contains(":") && text.split(separator: " ").count > 3
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
}

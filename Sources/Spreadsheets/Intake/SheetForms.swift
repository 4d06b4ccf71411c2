import StudyData
import StudyFiles

/// Converts tables with a column per person, or with a sheet per person, to tables with a column of subjects.
struct SheetForms {
  /// The placeholder for the name of a sheet in statements of `--map`.
  static let sheetName = "[sheet]"

  /// The tables, with converted ones in place of their sources.
  private(set) var columns: [SheetColumns] = []
  private(set) var questions: [Diagnostic] = []
  private(set) var warnings: [Diagnostic] = []
  /// The headers of tables that name no subjects.
  private(set) var otherHeaders: [String] = []

  private let map: ColumnMap
  /// The names of people in the tables, by their lower-case forms.
  private var people: [String: String] = [:]

  init(_ tables: [SheetTable], map: ColumnMap) {
    self.map = map
    let tables = Self.withOccasions(tables.flatMap { $0.blocks(map) }, map)
    var named: [SheetColumns?] = tables.map { table in
      guard !table.isTransposed, table.headerOfOnePerson(map) == nil else { return nil }
      let columns = SheetColumns(table, map: map)
      return columns.hasSubject ? columns : nil
    }
    for columns in named.compactMap(\.self) {
      guard let subject = columns.column(.subject)?.index else { continue }
      for name in columns.rows.compactMap({ $0.name(subject) }) { people[name.lowercased()] = name }
    }
    let isAlone = named.allSatisfy { $0 == nil }
    var unnamed: [SheetTable] = []
    for (index, table) in tables.enumerated() where named[index] == nil {
      if let header = table.headerOfOnePerson(map) {
        if let name = name(of: table, above: header) {
          named[index] = SheetColumns(table.ofOnePerson(name, header: header, map), map: map)
        } else {
          unnamed.append(table)
        }
      } else if let turned = withColumnPerPerson(table) {
        named[index] = SheetColumns(turned, map: map)
      } else if isAlone, table.isTransposed {
        named[index] = SheetColumns(table.transposed(from: 0, map), map: map)
      }
    }
    columns = named.compactMap(\.self).filter(\.hasSubject)
    for (table, columns) in zip(tables, named) where columns == nil {
      let header = table.headerOfOnePerson(map) ?? table.headerIndex(map)
      guard table.rows.indices.contains(header) else { continue }
      otherHeaders += table.rows[header].cells.map(\.headerText).filter { !$0.isEmpty }
    }
    askForPeople(unnamed)
  }

  // MARK: A sheet per session

  /// Returns the tables with the name of their sheet as a column of occasions, if `--map` states so.
  private static func withOccasions(_ tables: [SheetTable], _ map: ColumnMap) -> [SheetTable] {
    guard map.target(of: sheetName) == "occasion" else { return tables }
    return tables.map { table in
      guard let name = table.name else { return table }
      let header = table.headerOfOnePerson(map) ?? table.headerIndex(map)
      return table.adding([("Occasion", name)], from: header)
    }
  }

  // MARK: A sheet per person

  /// Returns the subject of a sheet, from a line above its header or from the name of the sheet; nil if neither names
  /// anybody.
  private func name(of table: SheetTable, above header: Int) -> String? {
    let line = table.facts(above: header, map).first {
      SheetColumns.subjectRank(of: $0.title, map) != nil
    }
    if let line { return people[line.value.lowercased()] ?? line.value }
    guard let name = table.name?.trimmed, !name.isEmpty else { return nil }
    return people[name.lowercased()] ?? (map.target(of: Self.sheetName) == "subject" ? name : nil)
  }

  /// Asks for the subjects of sheets without one; a single such sheet beside others with readings may be a draft and is
  /// left out with a warning.
  private mutating func askForPeople(_ tables: [SheetTable]) {
    guard let first = tables.first else { return }
    let isNamed = first.name != nil
    guard
      tables.count > 1 || columns.isEmpty || isNamed && !columns.contains(where: \.hasReadings)
    else {
      guard isNamed else { return }
      warnings.add(
        .sheetLeftOut, at: SourceLocation(file: first.file),
        message: "the sheet has times and readings, but nothing says whose; it was left out",
        remedy: "add a column of subjects, or remove the sheet if it does not belong to the study")
      return
    }
    if tables.count == 1, !columns.isEmpty {
      questions.add(
        .columnMissing, in: first.file,
        message: "the sheet has times and readings, but no column says whose they are",
        remedy: "add a column of subjects, or say which it is",
        statements: ["\(ColumnChoice.anyColumn)=subject"])
      return
    }
    let names = tables.map { ($0.name ?? $0.file).quoted }
    questions.add(
      .columnMissing, in: first.file,
      message: tables.count == 1
        ? "no column says whose the rows are"
        : "no column of the sheets \(names.joined(separator: ", ").excerpt(limit: 200)) says whose the rows are",
      remedy: first.name == nil
        ? "write a line \"Name: ...\" above the header, or add a column of names or say which it is"
        : "write a line \"Name: ...\" above each header, or, if the sheets are called after people, say so",
      statements: first.name == nil
        ? ["\(ColumnChoice.anyColumn)=subject"] : ["\(Self.sheetName)=subject"])
  }

  // MARK: A column per person

  /// Returns the transpose of a table of times with a column for each person of another table; nil for other tables.
  private mutating func withColumnPerPerson(_ table: SheetTable) -> SheetTable? {
    guard !people.isEmpty else { return nil }
    for (index, row) in table.rows.prefix(20).enumerated() {
      let titles = row.cells.map(\.headerText)
      let filled = titles.indices.filter { !titles[$0].isEmpty }
      guard let corner = filled.first, SheetTable.isTime(titles[corner], map) else { continue }
      let others = filled.dropFirst().filter {
        map.target(of: titles[$0]) != "ignore"
          && !SheetSummary.isSummary(titles[$0], afterAnother: true)
      }
      let strangers = others.filter { people[titles[$0].lowercased()] == nil }
      guard others.count - strangers.count > 1 else { continue }
      // Unknown names are asked about before the table is used.
      for stranger in strangers {
        questions.add(
          .columnAmbiguous,
          at: table.place(row, stranger),
          message:
            "the columns are called by people, but nobody is called \(titles[stranger].quoted)",
          remedy: "correct the name, or leave the column out",
          statements: ["\(titles[stranger].excerpt())=ignore"])
      }
      guard strangers.isEmpty else { return nil }
      var turned = table.transposed(from: index, columns: [corner] + others, map)
      for line in turned.rows.indices.dropFirst() {
        let name = turned.rows[line].cells[0].headerText
        turned.rows[line].cells[0] = people[name.lowercased()] ?? name
      }
      return turned
    }
    return nil
  }

  /// Returns the meaning of every column; columns with the same meaning in the sheets of several people once.
  static func joined(_ columns: [SheetColumns]) -> [TakenColumn] {
    let sheets = columns.filter(\.table.isOfOnePerson)
    guard sheets.count > 1 else { return columns.flatMap(\.taken) }
    let same = sheets.flatMap(\.taken).grouped { [$0.column, $0.takenAs, $0.note] }
    let joined = same.map { _, all in
      var taken = all[0]
      if all.count > 1 { taken.note += (taken.note.isEmpty ? "" : "; ") + "in \(all.count) sheets" }
      return taken
    }
    return columns.filter { !$0.table.isOfOnePerson }.flatMap(\.taken) + joined
  }
}

extension SheetPerson {
  /// Merges an unnamed occasion, of drinks in another table, into the only one that a wide table has of the person.
  mutating func joinOneOccasion() {
    let named = occasions.indices.filter { occasions[$0].name != nil }
    guard occasions.count == 2, named.count == 1 else { return }
    let name = occasions[named[0]].name
    occasions = [(name, occasions.flatMap(\.events))]
  }
}

/// A property of the person or of the sheet, from a line above the header.
struct SheetFact {
  let title: String
  let value: String

  /// Returns the facts of a line with one more cell: a further drink, or the time of a drink; nil if the line is not about
  /// drinks.
  fileprivate func adding(_ cell: String, number: Int) -> [SheetFact]? {
    let numbered = NumberedHeader(title)
    let header = HeaderText(numbered?.rest ?? title)
    let isText = header.isCalled("drinks") || header.reading?.word == .drink
    guard
      isText || header.reading.map({ [.ethanol, .volume, .strength].contains($0.word) }) ?? false
    else { return nil }
    if isText, ClockTime.minutes(cell) != nil {
      return [self, SheetFact(title: "Drink \(numbered?.number ?? 1) time", value: cell)]
    }
    if isText { return [SheetFact(title: title, value: "\(value) + \(cell)")] }
    let unit = header.unit.map { " (\($0))" } ?? ""
    return [self, SheetFact(title: "\(header.words) \(number)\(unit)", value: cell)]
  }
}

extension SheetTable {
  // MARK: Of one person

  /// Returns the index of a header with times and readings but without subjects; nil if there is none.
  func headerOfOnePerson(_ map: ColumnMap) -> Int? {
    var best: (index: Int, names: Int)?
    for (index, row) in rows.prefix(30).enumerated() {
      let cells = row.cells.prefix(1000).map(\.headerText).filter { !$0.isEmpty }
      guard cells.contains(where: { Self.isTime($0, map) }),
        cells.contains(where: { Self.isMeasured($0, map) }),
        !cells.contains(where: { SheetColumns.subjectRank(of: $0, map) != nil })
      else { continue }
      let names = cells.count { map.target(of: $0) != nil || HeaderText($0).reading != nil }
      if names > best?.names ?? 1 { best = (index, names) }
    }
    guard let best, !namesSeveralPeople(above: best.index, map) else { return nil }
    let usual = headerIndex(map)
    guard usual != best.index, rows.indices.contains(usual) else { return best.index }
    let names = rows[usual].cells.prefix(1000).count { HeaderText($0).reading != nil }
    return names < best.names || usual < best.index && names <= 2 ? best.index : nil
  }

  /// Whether lines above a row hold a value for each of several people, as in tables with a column per person.
  private func namesSeveralPeople(above header: Int, _ map: ColumnMap) -> Bool {
    rows.prefix(header).contains { row in
      let cells = row.cells.prefix(1000).map(\.headerText)
      let values = cells.dropFirst().filter { !$0.isEmpty }
      guard values.count > 1, let first = cells.first else { return false }
      let isTitle = { (text: String) in HeaderText(text.filter { $0 != ":" }).reading != nil }
      let isOfPeople = first.isEmpty || SheetColumns.subjectRank(of: first, map) != nil
      return isOfPeople && !values.contains(where: isTitle)
    }
  }

  fileprivate static func isTime(_ title: String, _ map: ColumnMap) -> Bool {
    if let stated = (map.target(of: title) ?? title).meaning {
      if case .time = stated.kind { return true }
      return false
    }
    switch HeaderText(title).reading?.word {
    case .time, .elapsed, .dateTime: return true
    default: return false
    }
  }

  private static func isMeasured(_ title: String, _ map: ColumnMap) -> Bool {
    if let stated = (map.target(of: title) ?? title).meaning { return stated.kind == .reading }
    if case .alcohol? = HeaderText(title).reading?.word { return true }
    return false
  }

  /// Returns the facts in lines above a header: `Weight: 61 kg` in one cell or in two; lines about drinks may have more.
  fileprivate func facts(above header: Int, _ map: ColumnMap) -> [SheetFact] {
    var facts: [SheetFact] = []
    for row in rows.prefix(header) {
      let cells = row.cells.map(\.headerText).filter { !$0.isEmpty }
      let isLine = cells.count == 2 && !row.text(0).isEmpty && cells[0].contains(where: \.isLetter)
      let countBefore = facts.count
      var index = 0
      var further = 1
      while index < cells.count {
        var cell = cells[index]
        index += 1
        // "until" after a time of drinking is its end.
        if HeaderText(cell).isCalled("until"), let last = facts.last,
          HeaderText(last.title).reading?.word == .time(.drink)
        {
          cell = "Drinking end"
        }
        if index > 2, !Self.isTitle(cell, map), facts.count > countBefore, let last = facts.last {
          further += 1
          if let both = last.adding(cell, number: further) { facts = facts.dropLast() + both }
          continue
        }
        if let colon = cell.firstIndex(of: ":"),
          isLine && index == 1 || Self.isTitle(cell[..<colon].trimmed, map)
        {
          let value = cell[cell.index(after: colon)...].trimmed
          if !value.isEmpty {
            facts.append(SheetFact(title: cell[..<colon].trimmed, value: value))
          } else if index < cells.count {
            facts.append(SheetFact(title: cell[..<colon].trimmed, value: cells[index]))
            index += 1
          }
        } else if isLine && index == 1 || Self.isTitle(cell, map), index < cells.count {
          facts.append(SheetFact(title: cell, value: cells[index]))
          index += 1
        }
      }
    }
    return facts
  }

  /// Returns the table with columns for the person and for the facts above the header.
  fileprivate func ofOnePerson(_ name: String, header: Int, _ map: ColumnMap) -> SheetTable {
    let others = facts(above: header, map).filter { fact in
      // The date and the subject of the sheet itself are not columns of its rows.
      switch HeaderText(fact.title).reading?.word {
      case .subject, .time(.row), .elapsed, .dateTime, .alcohol: false
      default: true
      }
    }
    var table = self
    table.isOfOnePerson = true
    table.rows = Array(rows.dropFirst(header))
    return table.adding([("Subject", name)] + others.map { ($0.title, $0.value) }, from: 0)
  }

  /// Returns the table with constant columns added.
  fileprivate func adding(_ added: [(title: String, value: String)], from header: Int) -> SheetTable
  {
    var table = self
    let width = table.rows.dropFirst(header).map(\.cells.count).max() ?? 0
    for index in table.rows.indices.dropFirst(header) {
      let cells = table.rows[index].cells
      guard index == header || !table.rows[index].isEmpty else { continue }
      table.rows[index].cells =
        cells + Array(repeating: "", count: width - cells.count)
        + added.map { index == header ? $0.title : $0.value }
    }
    return table
  }

  /// Splits a sheet in which the tables of several people follow each other under equal headers; otherwise returns it
  /// unchanged.
  fileprivate func blocks(_ map: ColumnMap) -> [SheetTable] {
    guard let first = headerOfOnePerson(map) else { return [self] }
    let titles = rows[first].cells.map(\.headerText)
    let headers = rows.indices.filter { $0 >= first && rows[$0].cells.map(\.headerText) == titles }
    guard headers.count > 1 else { return [self] }
    let starts = headers.enumerated().map { block, header -> Int in
      guard block > 0 else { return 0 }
      var start = header
      // The block begins with the lines of facts above its header.
      while start - 1 > headers[block - 1], SheetTable.isFact(rows[start - 1], map) {
        start -= 1
      }
      return start
    }
    return starts.enumerated().map { block, start in
      var table = self
      table.rows = Array(rows[start..<(block + 1 < starts.count ? starts[block + 1] : rows.count)])
      return table
    }
  }

  private static func isFact(_ row: Row, _ map: ColumnMap) -> Bool {
    guard let cell = row.cells.map(\.headerText).first(where: { !$0.isEmpty }) else { return false }
    return isTitle(cell.prefix { $0 != ":" }.trimmed, map)
  }

  /// Whether a text is the label of a value, such as `Weight` of `61 kg`.
  private static func isTitle(_ text: String, _ map: ColumnMap) -> Bool {
    let header = HeaderText(text)
    return map.target(of: text) != nil || header.reading != nil || header.isCalled("drinks")
      || NumberedHeader(text).map { HeaderText($0.rest).reading?.word == .drink } ?? false
  }

  // MARK: Transposed

  /// Returns the transpose of the table, with the first column as the header.
  fileprivate func transposed(
    from first: Int, columns: [Int]? = nil, _ map: ColumnMap
  ) -> SheetTable {
    let lines = rows.dropFirst(first).filter { !$0.isEmpty }
    let width = lines.map(\.cells.count).max() ?? 0
    let columns = columns ?? Array(0..<width)
    let cell = { (line: Int, column: Int) in
      let cells = lines[line].cells
      return cells.indices.contains(column) ? cells[column] : ""
    }
    var titles = lines.indices.map { line in columns.first.map { cell(line, $0).headerText } ?? "" }
    let isReadAt = titles.map {
      ParsedQuantity($0, decimalComma: .always) != nil || ClockTime.minutes($0) != nil
    }
    var unused: Set<Int> = []
    if isReadAt.count(where: \.self) > 2 {
      // Rows that only label the times and the readings below them are dropped.
      let times = titles.indices.filter { Self.isTime(titles[$0], map) }
      let unit = times.first.flatMap { Self.unitOfTimes(titles[$0], map) }
      let labels = titles.indices.filter { line in
        Self.isMeasured(titles[line], map)
          && columns.dropFirst().allSatisfy { cell(line, $0).trimmed.isEmpty }
      }
      let reading =
        labels.first.map { titles[$0] }
        ?? (rows.prefix(first) + times.prefix(1).map { lines[$0] }).flatMap(\.cells).map(
          \.headerText
        )
        .first { Self.isMeasured($0, map) }
      let header = reading.map(HeaderText.init)
      for line in titles.indices where isReadAt[line] {
        titles[line] = Self.title(
          of: titles[line], unit: unit, words: header?.words, ofValue: header?.unit)
      }
      unused = Set(times + labels).subtracting([0])
    }
    if !titles.isEmpty, !titles.contains(where: { SheetColumns.subjectRank(of: $0, map) != nil }) {
      titles[0] = "Subject"
    }
    let kept = titles.indices.filter { !unused.contains($0) }
    var table = self
    table.sourceLines = kept.map { lines[$0].number }
    table.formerHeaders =
      (lines.first?.cells.map(\.headerText) ?? []) + unused.sorted().map { titles[$0] }
    table.rows = columns.enumerated().map { line, column in
      Row(number: column + 1, cells: kept.map { line == 0 ? titles[$0] : cell($0, column) })
    }
    return table
  }

  /// Returns the unit of a header of times; nil if it states none.
  private static func unitOfTimes(_ title: String, _ map: ColumnMap) -> String? {
    let reading = HeaderText(title).reading
    let meaning =
      (map.target(of: title) ?? title).meaning
      ?? reading.flatMap { word, unit in unit.flatMap(word.meaning) }
    guard let meaning, meaning.form == .number else { return nil }
    return ColumnWord.unit(of: meaning)
  }

  /// Returns the line and column in the sheet from which the table was transposed.
  func place(line: Int?, column: Int?) -> (line: Int?, column: Int?) {
    guard let sourceLines, let line else { return (line, column) }
    guard let column else { return (nil, nil) }
    return (
      sourceLines.indices.contains(column - 1) ? sourceLines[column - 1] : sourceLines.first, line
    )
  }
}

extension String {
  fileprivate var meaning: ColumnMeaning? { ColumnMeaning.named(self) }
}

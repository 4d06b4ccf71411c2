import StudyData
import StudyFiles

/// Tables whose people stand beside each other, or have a sheet each, made tables in which a column names them.
struct SheetForms {
  /// Stands in statements for the name of a sheet.
  static let sheetName = "[sheet]"

  /// The tables, those of another form in the place of what they were made of.
  private(set) var columns: [SheetColumns] = []
  private(set) var questions: [Diagnostic] = []
  /// What the columns of tables are called that name nobody.
  private(set) var otherHeaders: [String] = []

  private let map: ColumnMap
  /// What the tables that name people call them, by the same in small letters.
  private var people: [String: String] = [:]

  init(_ tables: [SheetTable], map: ColumnMap) {
    self.map = map
    let tables = Self.withOccasions(tables.flatMap { $0.blocks(map) }, map)
    var named: [SheetColumns?] = tables.map { table in
      guard !table.liesOnItsSide, table.headerOfOnePerson(map) == nil else { return nil }
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
      } else if isAlone, table.liesOnItsSide {
        named[index] = SheetColumns(table.turned(from: 0, map), map: map)
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

  /// Tables with the name of their sheet as that of the occasion, if that was said.
  private static func withOccasions(_ tables: [SheetTable], _ map: ColumnMap) -> [SheetTable] {
    guard map.target(of: sheetName) == "occasion" else { return tables }
    return tables.map { table in
      guard let name = table.name else { return table }
      let header = table.headerOfOnePerson(map) ?? table.headerIndex(map)
      return table.adding([("Occasion", name)], from: header)
    }
  }

  // MARK: A sheet per person

  /// Who a sheet is about: as a line above its header says, or its name if that is somebody's.
  private func name(of table: SheetTable, above header: Int) -> String? {
    let told = table.facts(above: header, map).first {
      SheetColumns.subjectRank(of: $0.title, map) != nil
    }
    if let told { return people[told.value.lowercased()] ?? told.value }
    guard let name = table.name?.trimmed, !name.isEmpty else { return nil }
    return people[name.lowercased()] ?? (map.target(of: Self.sheetName) == "subject" ? name : nil)
  }

  /// Asks about sheets that name nobody if there are several, or nothing else: one may be a trial.
  private mutating func askForPeople(_ tables: [SheetTable]) {
    guard let first = tables.first, tables.count > 1 || columns.isEmpty else { return }
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

  /// A table of times with a column for each person whom another table names, turned round; nil if it is none.
  private mutating func withColumnPerPerson(_ table: SheetTable) -> SheetTable? {
    guard !people.isEmpty else { return nil }
    for (index, row) in table.rows.prefix(20).enumerated() {
      let titles = row.cells.map(\.headerText)
      let places = titles.indices.filter { !titles[$0].isEmpty }
      guard let corner = places.first, SheetTable.isTime(titles[corner], map) else { continue }
      let others = places.dropFirst().filter {
        map.target(of: titles[$0]) != "ignore"
          && !SheetSummary.isOne(titles[$0], afterAnother: true)
      }
      let strangers = others.filter { people[titles[$0].lowercased()] == nil }
      guard others.count - strangers.count > 1 else { continue }
      // Who is not known is asked about first.
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
      var turned = table.turned(from: index, columns: [corner] + others, map)
      for place in turned.rows.indices.dropFirst() {
        let name = turned.rows[place].cells[0].headerText
        turned.rows[place].cells[0] = people[name.lowercased()] ?? name
      }
      return turned
    }
    return nil
  }

  /// What every column was taken as; columns that are the same in the sheets of several people once.
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
  /// Joins what another table says was drunk to the one occasion that a wide table has of the person.
  mutating func joinOneOccasion() {
    let named = occasions.indices.filter { occasions[$0].name != nil }
    guard occasions.count == 2, named.count == 1 else { return }
    let name = occasions[named[0]].name
    occasions = [(name, occasions.flatMap(\.events))]
  }
}

/// What a line above a header says.
struct SheetFact {
  let title: String
  let value: String

  /// The same with a further cell of its line: one more drink, or when it was drunk. Nil if it is not about drinks.
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

  /// The position of a header that names times and doses or readings, but nobody; nil if there is none.
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
    let other = headerIndex(map)
    guard other != best.index, rows.indices.contains(other) else { return best.index }
    let namesOfOther = rows[other].cells.prefix(1000).count { HeaderText($0).reading != nil }
    return namesOfOther < best.names || other < best.index && namesOfOther <= 2 ? best.index : nil
  }

  /// Whether lines above a row hold a value for each of several people, as where these stand beside each other.
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

  /// The facts in lines above a header, as `Weight: 61 kg`, or in two cells; of drinks, in more.
  fileprivate func facts(above header: Int, _ map: ColumnMap) -> [SheetFact] {
    var facts: [SheetFact] = []
    for row in rows.prefix(header) {
      let cells = row.cells.map(\.headerText).filter { !$0.isEmpty }
      let isLine = cells.count == 2 && !row.text(0).isEmpty && cells[0].contains(where: \.isLetter)
      let known = facts.count
      var (index, further) = (0, 1)
      while index < cells.count {
        var cell = cells[index]
        index += 1
        // From when to when somebody drank.
        if HeaderText(cell).isCalled("until"), let last = facts.last,
          HeaderText(last.title).reading?.word == .time(.drink)
        {
          cell = "Drinking end"
        }
        if index > 2, !Self.isTitle(cell, map), facts.count > known, let last = facts.last {
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

  /// The same with columns for the person and what the lines above the header say of it.
  fileprivate func ofOnePerson(_ name: String, header: Int, _ map: ColumnMap) -> SheetTable {
    let others = facts(above: header, map).filter { fact in
      // When the sheet was written, and what of, is no column of its rows.
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

  /// The same with columns that say one thing in all rows below the header.
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

  /// The parts of a sheet in which people stand one below the other under equal headers; else the sheet.
  fileprivate func blocks(_ map: ColumnMap) -> [SheetTable] {
    guard let first = headerOfOnePerson(map) else { return [self] }
    let titles = rows[first].cells.map(\.headerText)
    let headers = rows.indices.filter { $0 >= first && rows[$0].cells.map(\.headerText) == titles }
    guard headers.count > 1 else { return [self] }
    let starts = headers.enumerated().map { place, header -> Int in
      guard place > 0 else { return 0 }
      var start = header
      // The lines above it, as far as they have one thing and its name.
      while start - 1 > headers[place - 1], SheetTable.saysSomething(rows[start - 1], map) {
        start -= 1
      }
      return start
    }
    return starts.enumerated().map { place, start in
      var table = self
      table.rows = Array(rows[start..<(place + 1 < starts.count ? starts[place + 1] : rows.count)])
      return table
    }
  }

  private static func saysSomething(_ row: Row, _ map: ColumnMap) -> Bool {
    guard let cell = row.cells.map(\.headerText).first(where: { !$0.isEmpty }) else { return false }
    return isTitle(cell.prefix { $0 != ":" }.trimmed, map)
  }

  /// Whether a text says what another one is, as `Weight` of `61 kg`.
  private static func isTitle(_ text: String, _ map: ColumnMap) -> Bool {
    let header = HeaderText(text)
    return map.target(of: text) != nil || header.reading != nil || header.isCalled("drinks")
      || NumberedHeader(text).map { HeaderText($0.rest).reading?.word == .drink } ?? false
  }

  // MARK: Turned round

  /// The table with its rows as columns: what stood in the first column is the header.
  fileprivate func turned(from first: Int, columns: [Int]? = nil, _ map: ColumnMap) -> SheetTable {
    let lines = rows.dropFirst(first).filter { !$0.isEmpty }
    let width = lines.map(\.cells.count).max() ?? 0
    let columns = columns ?? Array(0..<width)
    let cell = { (line: Int, column: Int) in
      let cells = lines[line].cells
      return cells.indices.contains(column) ? cells[column] : ""
    }
    var titles = lines.indices.map { line in columns.first.map { cell(line, $0).headerText } ?? "" }
    let isReadAt = titles.map {
      WrittenQuantity($0, decimalComma: .always) != nil || ClockTime.minutes($0) != nil
    }
    var unused: Set<Int> = []
    if isReadAt.count(where: \.self) > 2 {
      // The rows that say what the times and the readings below them are hold neither.
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
    table.turnedLines = kept.map { lines[$0].number }
    table.formerHeaders =
      (lines.first?.cells.map(\.headerText) ?? []) + unused.sorted().map { titles[$0] }
    table.rows = columns.enumerated().map { place, column in
      Row(number: column + 1, cells: kept.map { place == 0 ? titles[$0] : cell($0, column) })
    }
    return table
  }

  /// The unit of a header of times; nil if it states none.
  private static func unitOfTimes(_ title: String, _ map: ColumnMap) -> String? {
    let reading = HeaderText(title).reading
    let meaning =
      (map.target(of: title) ?? title).meaning
      ?? reading.flatMap { word, unit in unit.flatMap(word.meaning) }
    guard let meaning, meaning.form == .number else { return nil }
    return ColumnWord.unit(of: meaning)
  }

  /// A place in the sheet that a table was turned from.
  func place(line: Int?, column: Int?) -> (line: Int?, column: Int?) {
    guard let turnedLines, let line else { return (line, column) }
    guard let column else { return (nil, nil) }
    return (
      turnedLines.indices.contains(column - 1) ? turnedLines[column - 1] : turnedLines.first, line
    )
  }
}

extension String {
  fileprivate var meaning: ColumnMeaning? { ColumnMeaning.named(self) }
}

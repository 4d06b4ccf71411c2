import AlcoholKinetics
import StudyData
import StudyFiles

struct SheetColumn {
  let index: Int
  let title: String
  /// What the study calls it, if it describes people: as the sheet does, unless another column is called so.
  var nameInStudy: String
  var meaning = ColumnMeaning.ignored
  var note = ""
  /// What the header says was drunk, as that of a column "Beer (ml)".
  var drink: String?
  /// The unit of a concentration or of a limit, as its header states it.
  var unit: String?
  var matrix: ConcentrationUnit.Matrix?
  /// Whether the meaning is stated by its exact name, and not only read from a header.
  var isStated = false
  /// Whether numbers without a unit tell by their size whether they are cm or m.
  var isHeightBySize = false

  init(
    index: Int, title: String, meaning: ColumnMeaning = .ignored, unit: String? = nil,
    matrix: ConcentrationUnit.Matrix? = nil
  ) {
    (self.index, self.title, nameInStudy) = (index, title, title)
    (self.meaning, self.unit, self.matrix) = (meaning, unit, matrix)
  }

  /// The words of its header.
  var header: HeaderText { HeaderText(title) }

  /// The statement that the column is something, as ``ColumnMap`` takes it.
  func stated(as name: String) -> String { "\(title.excerpt())=\(name)" }

  func stated(as names: [String]) -> [String] { names.map(stated) }
}

/// Finds the meanings of columns: by statements, by headers, and by what the columns hold.
struct SheetColumns {
  let table: SheetTable
  /// Rows that hold statistics of the others, and were left out.
  let summaries: [SheetTable.Row]
  /// The position of the header among the rows.
  let headerIndex: Int
  var columns: [SheetColumn] = []
  var wide = WideColumns()
  /// Further columns of readings that were taken with those of the first.
  private(set) var replicates: [SheetColumn] = []
  var questions: [Diagnostic] = []
  /// What was asked of columns, with its place among the questions.
  private var asked:
    [(complaint: String, choices: [String], question: Int, columns: [SheetColumn])] =
      []

  let map: ColumnMap
  /// The column that says what samples are of.
  var samples: Samples?
  /// The columns that state the units of others row by row, by the position of those.
  var unitColumns: [Int: Int] = [:]
  /// Whether a column holds dates: once, as headers may be many.
  private var hasDate = false

  init(_ table: SheetTable, map: ColumnMap) {
    var table = table
    headerIndex = table.headerIndex(map)
    table.dropRepeatedHeaders(of: headerIndex)
    table.joinTimes(below: headerIndex, map)
    table.joinUnits(below: headerIndex, map)
    summaries = table.takeOutSummaries(below: headerIndex, map)
    self.table = table
    self.map = map
    hasDate = header.cells.contains { cell in
      map.target(of: cell)?.hasPrefix("date") ?? (HeaderText(cell).reading?.word == .date)
    }
    recognise()
    settleSubjects()
    reportRepeated()
  }

  /// How surely a header names people; nil if it does not.
  static func subjectRank(of header: String, _ map: ColumnMap) -> Int? {
    if let target = map.target(of: header) { return target == "subject" ? -1 : nil }
    guard case .subject(let rank)? = HeaderText(header).reading?.word else { return nil }
    return rank
  }

  // MARK: Rows and columns

  var header: SheetTable.Row {
    table.rows.indices.contains(headerIndex)
      ? table.rows[headerIndex] : SheetTable.Row(number: 1, cells: [])
  }

  var headers: [String] {
    (header.cells.map(\.headerText) + table.formerHeaders).filter { !$0.isEmpty }
  }

  var rows: ArraySlice<SheetTable.Row> { table.rows.dropFirst(headerIndex + 1) }

  /// The rows and whose they are, also of merged cells; none if no column names subjects.
  func rowsOfSubjects() -> some Sequence<(subject: String, row: SheetTable.Row)> {
    let subject = column(.subject)?.index
    let rows = subject == nil ? [] : rows
    return sequence(state: (rows: rows.makeIterator(), name: "")) { state in
      guard let row = state.rows.next() else { return nil }
      state.name = subject.flatMap(row.name) ?? state.name
      return (state.name, row)
    }
  }

  /// What the column holds, at most so much as tells its unit.
  func values(of index: Int) -> [String] {
    Array(rows.lazy.compactMap { $0.filled(index) }.prefix(5000))
  }

  var unknown: [SheetColumn] { columns.filter { $0.note == "not recognised" } }

  /// Whether the table says whose its rows are: without that it is no sheet of people.
  var hasSubject: Bool { column(.subject) != nil }

  func column(_ kind: ColumnMeaning.Kind) -> SheetColumn? {
    columns.first { $0.meaning.kind == kind }
  }

  /// Changes a column by its position.
  mutating func change(_ index: Int, _ body: (inout SheetColumn) -> Void) {
    if let place = columns.firstIndex(where: { $0.index == index }) { body(&columns[place]) }
  }

  mutating func replace(_ index: Int, by name: String, note: String) {
    guard let meaning = ColumnMeaning.named(name) else { return }
    change(index) {
      $0.meaning = meaning
      $0.note = note
    }
  }

  /// Adds a note on a column, by its position.
  mutating func note(_ note: String, ofColumn index: Int) {
    change(index) { $0.note += $0.note.isEmpty || note.isEmpty ? note : "; \(note)" }
  }

  /// Adds a note on the column of a kind, if there is one.
  mutating func note(_ note: String, of kind: ColumnMeaning.Kind) {
    if let column = column(kind) { self.note(note, ofColumn: column.index) }
  }

  func place(_ index: Int) -> SourceLocation { table.place(header, index) }

  // MARK: Recognition

  private mutating func recognise() {
    findSamples()
    findUnitColumns()
    findWideColumns()
    let isWide = Set(wide.columns.map(\.column.index))
    for (index, cell) in header.cells.enumerated() where !isWide.contains(index) {
      let column = SheetColumn(index: index, title: cell.headerText)
      guard !column.title.isEmpty else { continue }
      if let target = map.target(of: column.title) {
        add(column, ColumnMeaning.named(target), note: "as stated") { $0.isStated = true }
      } else if let exact = ColumnMeaning.named(column.title), exact.isExactHeader {
        add(column, exact) { $0.isStated = true }
      } else if isCount(column) {
        add(column, .ignored, note: "not recognised")
      } else if column.header.isTimeFromEnd {
        askForTimeFromEnd(column)
      } else if let (word, unit) = column.header.reading {
        recognise(column, isStrength(column, word, unit) ? .strength : word, unit)
      } else if !recogniseDrink(column) {
        add(column, .ignored, note: "not recognised")
      }
    }
    settleWideUnits()
    takeUnclaimed()
    numberDrinks()
    takeBeginAndEnd()
    takeSexes()
    settleSubmission()
    settleEthanol()
    takeCount()
    // What is certain first: it may settle the others.
    for isCertain in [true, false] {
      for column in unknown { takeUnitAlone(column, ifCertain: isCertain) }
    }
    askForUnclaimed()
    askForMarks()
    columns.sort { $0.index < $1.index }
  }

  /// Takes a column of numbers whose header is a unit and nothing else, as `ml`, unless another has what it may be.
  private mutating func takeUnitAlone(_ column: SheetColumn, ifCertain: Bool) {
    guard
      let choices = ColumnWord.choices(ofUnit: column.header.words)?.compactMap(ColumnMeaning.named)
    else { return }
    let numbers = values(of: column.index).map { SheetCellText.number($0, true) }
    let free = choices.filter { choice in
      choice.kind == .unused
        || self.column(choice.kind) == nil
          && (choice.kind != .reading || wide.columns.isEmpty)
    }
    guard !numbers.isEmpty, numbers.allSatisfy({ $0 != nil }), let first = free.first,
      first.kind != .unused
    else { return }
    let high = numbers.compactMap(\.self).max() ?? 0
    // No instrument measures so little in blood, and nobody has more in the breath.
    let isBreath = first.unit == .breathMilligramsPerLitre && high <= 3
    guard free.count == 1 || isBreath else {
      guard !ifCertain else { return }
      columns.removeAll { $0.index == column.index }
      return ask(column, choices: free.map(\.name), "names a unit and nothing else")
    }
    replace(
      column.index, by: first.name,
      note: isBreath ? "the unit alone; up to \(high.shown) fits breath" : "the unit alone")
  }

  /// Takes a column for what it means, which `settle` may add to.
  mutating func add(
    _ column: SheetColumn, _ meaning: ColumnMeaning?, note: String = "",
    _ settle: (inout SheetColumn) -> Void = { _ in }
  ) {
    guard let meaning else { return }
    var column = column
    column.meaning = meaning
    column.note = note
    settle(&column)
    columns.append(column)
  }

  mutating func recognise(_ column: SheetColumn, _ word: ColumnWord, _ header: String?) {
    let index = column.index
    let unit = header ?? unitOfRows(of: index)
    if let unit, let (meaning, choices) = concentration(word, in: unit) {
      guard let meaning else {
        return ask(
          column, choices: choices,
          "is in \(unit), and does not say whether that is of blood, serum or breath")
      }
      let why = Self.note(on: unit, meaning) ?? Self.note(onUnitOf: header)
      let samples = samples.map { "; what the sample is of in \($0.title.excerpt())" } ?? ""
      return add(column, meaning, note: why + samples) {
        $0.unit = header
        $0.matrix = word.matrix
      }
    }
    if let unit {
      guard !isAskedForDuration(column, word, unit), !isAskedForUnit(column, word, unit) else {
        return
      }
      guard let meaning = word.meaning(in: unit) else {
        // A strength by weight is a fifth more by volume, and a limit in another unit another limit.
        if word != .strength, word != .detectionLimit, let meaning = plain(word, index) {
          return add(column, meaning, note: "the words in brackets are not used")
        }
        return askForKnownUnit(column, word, unit)
      }
      if case .time = meaning.kind, meaning.form == .number,
        let first = hoursAndMinutes(in: values(of: index))
      {
        return add(column, word, hoursAndMinutes: first)
      }
      guard !isAskedForFractions(column, meaning) else { return }
      if word == .height, meaning.name == "height_ft", let asked = askForInches(column) {
        return questions.append(asked)
      }
      return add(column, meaning, note: Self.note(onUnitOf: header)) {
        if word == .detectionLimit { $0.unit = unit }
      }
    }
    let values = values(of: index)
    if let meaning = plain(word, index) {
      guard !isAskedForFractions(column, meaning) else { return }
      return add(column, meaning)
    }
    if let (meaning, note) = infer(word, from: values) {
      guard !isAskedForFractions(column, meaning) else { return }
      return add(column, meaning, note: note) {
        $0.matrix = word.matrix
        $0.isHeightBySize = word == .height
      }
    }
    // Beside a volume with its unit it may be how many.
    if word == .volume,
      values.allSatisfy({ table.number($0).map { $0 <= DrinkHeader.mostDrinks } ?? false }),
      self.header.cells.prefix(200).contains(where: {
        HeaderText($0).reading.map { $0.word == .volume && $0.unit != nil } ?? false
      }), !values.isEmpty
    {
      return ask(
        column, choices: ["drink_count", "ignore"],
        "may say how many of the drink in the row there were")
    }
    // A column without a value needs no answer.
    guard !values.isEmpty else { return add(column, .ignored, note: "empty") }
    // "promille" alone says its unit by its name.
    if case .alcohol(.blood) = word, let meaning = word.meaning(in: column.header.words) {
      return add(column, meaning, note: "per mille, taken as g/kg")
    }
    ask(column, choices: word.choices, "states no unit")
  }

  private static func note(onUnitOf header: String?) -> String {
    header == nil ? "unit in another column" : "unit in the header"
  }

  /// Takes columns that say nothing that is used for what they are: not recognised.
  private mutating func takeUnclaimed() {
    let isUsed = Set(unitColumns.values).union([samples?.index].compactMap(\.self))
    for column in columns where [.matrix, .unit].contains(column.meaning.kind) {
      guard !isUsed.contains(column.index), !column.isStated else { continue }
      replace(column.index, by: "ignore", note: "not recognised")
    }
  }

  /// What the column of a word means that needs no unit: dates with times of day are both.
  private func plain(_ word: ColumnWord, _ index: Int) -> ColumnMeaning? {
    word == .date && holdsTimes(index) ? .named("datetime") : word.plain
  }

  /// Whether a column of dates has times of day, which no other column has.
  private func holdsTimes(_ index: Int) -> Bool {
    let hasTime = header.cells.contains { cell in
      if let target = map.target(of: cell).flatMap(ColumnMeaning.named) { return target.isTime }
      switch HeaderText(cell).reading?.word {
      case .time, .dateTime, .elapsed: return true
      default: return false
      }
    }
    guard !hasTime, wide.columns.isEmpty else { return false }
    return values(of: index).contains { WrittenDateTime($0).map { $0.minutes != 0 } ?? false }
  }

  // MARK: Questions

  private static let mostAlike = 20

  mutating func ask(
    _ column: SheetColumn, choices: [String], _ complaint: String, remedy: String = "say what it is"
  ) {
    // Columns of which the same is asked are asked about together: so many as can still be read.
    let alike = asked.lastIndex {
      $0.complaint == complaint && $0.choices == choices && $0.columns.count < Self.mostAlike
    }
    let place = alike ?? asked.count
    if alike == nil {
      asked.append((complaint, choices, questions.count, []))
      questions.add(.columnUnit, at: self.place(column.index), message: "", remedy: remedy)
    }
    asked[place].columns.append(column)
    let columns = asked[place].columns
    let titles = columns.map(\.title.quoted).joined(separator: ", ")
    let what = columns.count == 1 ? "the column" : "each of the columns"
    questions[asked[place].question].message =
      "\(what) \(titles) \(complaint)" + examples(of: columns[0].index)
    questions[asked[place].question].statements = choices.map { name in
      columns.map { $0.stated(as: name) }.joined(separator: ",")
    }
  }

  /// The first few values of a column, to be read behind what is asked of it.
  func examples(of index: Int) -> String {
    let examples = values(of: index).uniqued.prefix(3)
    return examples.isEmpty
      ? "" : ": " + examples.map { $0.excerpt(limit: 20) }.joined(separator: ", ")
  }

  // MARK: Hours and minutes

  /// The first cell of a column whose cells are hours and minutes with a colon between them; nil if they are not.
  private func hoursAndMinutes(in values: [String]) -> String? {
    let found = values.filter { ElapsedTime.minutes($0) != nil }
    return found.count * 2 > values.count ? found.first : nil
  }

  /// Takes hours and minutes under a header that states hours or minutes, and asks where they may be times of day.
  private mutating func add(
    _ column: SheetColumn, _ word: ColumnWord, hoursAndMinutes first: String
  ) {
    let prefix = if case .time(let whose) = word { whose.prefix } else { "" }
    let times = values(of: column.index).compactMap(ElapsedTime.minutes)
    let isInHours = column.header.reading?.unit.flatMap { ColumnWord.times[$0] } == "h"
    guard isInHours, ElapsedTime.fits(times) else {
      return ask(
        column, choices: ["time_h_min", "time"].map { prefix + $0 },
        "has \(first.quoted), which may be hours and minutes since the beginning or a time of day")
    }
    add(
      column, ColumnMeaning.named(prefix + "time_h_min"),
      note: "hours and minutes, as \(first.excerpt())")
  }

  // MARK: By what the column holds

  private func infer(_ word: ColumnWord, from values: [String]) -> (ColumnMeaning, String)? {
    guard !values.isEmpty else { return nil }
    let found = { (name: String, note: String) in ColumnMeaning.named(name).map { ($0, note) } }
    if let found = inferFromCells(word, values) { return found }
    let numbers = values.compactMap(table.number).sorted()
    let range = numbers.first.map { "\($0.shown) to \((numbers.last ?? $0).shown)" } ?? ""
    let isNumeric = numbers.count == values.count
    switch word {
    case .height:
      let bySize = Set([numbers.first, numbers.last].map { $0.flatMap(ColumnMeaning.height) })
      guard isNumeric, bySize.count == 1, let meaning = bySize.first ?? nil else { return nil }
      return (meaning, "no unit stated; \(range) fits \(ColumnName(meaning.name)?.unit ?? "")")
    case .weight:
      guard isNumeric, let high = numbers.last else { return nil }
      let median = numbers[numbers.count / 2]
      if (45...95).contains(median), high <= 160 {
        return found("weight_kg", "no unit stated; \(range) fits kg")
      }
    case .elapsed:
      if hoursAndMinutes(in: values) != nil { return found("time_h_min", "hours and minutes") }
    case .time(let whose):
      let prefix = whose.prefix
      let clocks = values.count { ClockTime.minutes($0) != nil }
      if clocks == values.count { return found(prefix + "time", "clock times") }
      // A few may be neither: they are reported in their rows.
      let dates = values.count { WrittenDateTime($0) != nil }
      if dates * 2 > values.count { return found(prefix + "datetime", "dates with times") }
      if clocks * 2 > values.count { return found(prefix + "time", "clock times") }
      if isNumeric, hasDate, numbers.allSatisfy({ 0..<1 ~= $0 }) {
        return found(prefix + "time", "a spreadsheet's fractions of a day")
      }
    default: break
    }
    return nil
  }

  // MARK: Several of a kind

  private mutating func settleSubjects() {
    let named = columns.filter { $0.meaning.kind == .subject }
    guard named.count > 1 else { return }
    let ranks = named.map { Self.subjectRank(of: $0.title, map) ?? 0 }
    guard let best = ranks.min(), ranks.count(where: { $0 == best }) == 1 else { return }
    // A form may number its answers.
    let isForm = header.cells.prefix(200).contains { HeaderText($0).reading?.word == .submission }
    if isForm, let numbers = zip(named, ranks).first(where: { $1 == best })?.0, best > 0,
      let other = zip(named, ranks).first(where: { $1 != best && repeats($0.index) })?.0,
      rows.count > 2, !repeats(numbers.index)
    {
      questions.add(
        .columnAmbiguous, at: place(numbers.index),
        message:
          "\(numbers.title.quoted) is another in every row, and \(other.title.quoted) is not",
        remedy: "say which of them names people",
        statements: [other, numbers].map { $0.stated(as: "subject") })
    }
    for (column, rank) in zip(named, ranks) where rank != best {
      replace(column.index, by: "covariate", note: "another column names the subject")
    }
  }

  /// Whether a column has a text in two rows.
  private func repeats(_ index: Int) -> Bool {
    let values = values(of: index)
    return Set(values).count < values.count
  }

  /// Whether columns of readings are of two instruments, as stated, or numbered, as `BAC 1 (g/L)` and `BAC 2 (g/L)`.
  private func isReplicate(_ column: SheetColumn, of first: SheetColumn) -> Bool {
    guard column.meaning.kind == .reading, column.meaning == first.meaning else { return false }
    let areStated = [column, first].allSatisfy { map.target(of: $0.title) != nil }
    guard !areStated else { return column.title.lowercased() != first.title.lowercased() }
    guard let number = NumberedHeader(column.title), let other = NumberedHeader(first.title)
    else { return false }
    return number.rest == other.rest && number.number != other.number
  }

  private mutating func reportRepeated() {
    // Each drink of a row has columns of its own.
    struct Slot: Hashable {
      let kind: ColumnMeaning.Kind
      var number: Int?
      var drink: String?
    }
    var seen: [Slot: SheetColumn] = [:]
    for column in columns {
      let kind = column.meaning.kind
      guard ![.covariate, .unused, .unit, .matrix, .sampleNumber, .submission].contains(kind) else {
        continue
      }
      let ofHeader = column.drink == nil ? nil : NumberedHeader(column.title)?.number
      let number = kind.isOfDrink ? column.meaning.drinkNumber ?? ofHeader ?? 1 : nil
      let slot = Slot(kind: kind, number: number, drink: column.drink)
      guard let first = seen[slot] else {
        seen[slot] = column
        continue
      }
      guard !isReplicate(column, of: first) else {
        replicates.append(column)
        note("measured \(replicates.count + 1) times a row", ofColumn: first.index)
        continue
      }
      let isSame = first.title.lowercased() == column.title.lowercased()
      let both = [first, column]
      let areAlike = kind == .reading && first.meaning == column.meaning
      questions.add(
        .columnAmbiguous, at: place(column.index),
        message: isSame
          ? "the column \(column.title.quoted) repeats column \(first.index + 1)"
          : "the columns \(first.title.quoted) and \(column.title.quoted) both mean "
            + "\(first.meaning.name)"
            + (first.meaning.name == column.meaning.name ? "" : " or \(column.meaning.name)"),
        remedy: isSame
          ? "remove or rename one of them"
          : areAlike ? "leave one out, or say that both are, to use both" : "leave one out",
        statements: isSame
          ? []
          : both.reversed().map { $0.stated(as: "ignore") }
            + (areAlike
              ? [both.map { $0.stated(as: first.meaning.name) }.joined(separator: ",")] : []))
    }
    if let reading = column(.reading), let first = wide.columns.first?.column {
      questions.add(
        .columnAmbiguous, at: place(reading.index),
        message:
          "the table has readings in column \(reading.title.quoted) and in columns called by "
          + "a time, as \(header.cells[first.index].quoted)", remedy: "leave one out",
        statements: [reading.stated(as: "ignore")])
    }
  }

  // MARK: What was understood

  var taken: [TakenColumn] {
    let own = columns.map { column in
      TakenColumn(
        file: table.file, column: column.title,
        takenAs: column.meaning.kind == .unused ? TakenColumn.notUsed : column.meaning.name,
        note: column.note)
    }
    guard let first = wide.columns.first, let last = wide.columns.last, let meaning = wide.meaning
    else { return own }
    return own + [
      TakenColumn(
        file: table.file, column: "\(first.column.title) ... \(last.column.title)",
        takenAs: meaning.name,
        note: "\(wide.columns.count) readings a row, "
          + (wide.isClock
            ? "at these clock times" : "at \(first.minutes.shown) to \(last.minutes.shown) min")
      )
    ]
  }
}

import AlcoholKinetics
import StudyData
import StudyFiles

/// A column of a sheet and its meaning.
struct SheetColumn {
  let index: Int
  let title: String
  /// The name of a covariate in the study: the title, unless a column of another table has it too.
  var nameInStudy: String
  var meaning = ColumnMeaning.ignored
  var note = ""
  /// The drink that the header names, as in "Beer (ml)".
  var drink: String?
  /// The unit of a concentration or of a limit, as its header states it.
  var unit: String?
  var matrix: ConcentrationUnit.Matrix?
  /// Whether the meaning was stated by `--map` or by an exact name, not inferred from a header.
  var isStated = false
  /// Whether the size of heights without a unit decides between cm and m.
  var isHeightBySize = false

  init(
    index: Int, title: String, meaning: ColumnMeaning = .ignored, unit: String? = nil,
    matrix: ConcentrationUnit.Matrix? = nil
  ) {
    self.index = index
    self.title = title
    nameInStudy = title
    self.meaning = meaning
    self.unit = unit
    self.matrix = matrix
  }

  /// The words of its header.
  var header: HeaderText { HeaderText(title) }

  /// Returns the statement of `--map` that gives the column a meaning.
  func stated(as name: String) -> String { "\(title.excerpt())=\(name)" }

  func stated(as names: [String]) -> [String] { names.map(stated) }
}

/// Determines the meanings of a table's columns from statements, headers and values, in this order.
struct SheetColumns {
  let table: SheetTable
  /// Rows of statistics and notes, which were left out.
  let summaries: [SheetTable.Row]
  /// The position of the header among the rows.
  let headerIndex: Int
  var columns: [SheetColumn] = []
  var wide = WideColumns()
  /// Columns of replicate readings: same unit and same times as the first column of readings.
  private(set) var replicates: [SheetColumn] = []
  var questions: [Diagnostic] = []
  /// Questions by complaint, with the index in ``questions``, so that similar columns share one.
  private var asked:
    [(complaint: String, choices: [String], question: Int, columns: [SheetColumn])] =
      []

  let map: ColumnMap
  /// The column that states the matrix of each sample.
  var samples: Samples?
  /// The columns that hold units row by row, by the index of the column to which the units apply.
  var unitColumns: [Int: Int] = [:]
  /// Whether a column holds dates; computed once, because a sheet may have many headers.
  private var hasDate = false

  init(_ table: SheetTable, map: ColumnMap) {
    var table = table
    headerIndex = table.headerIndex(map)
    table.dropRepeatedHeaders(of: headerIndex)
    table.joinTimes(below: headerIndex, map)
    table.joinUnits(below: headerIndex, map)
    summaries = table.removeSummaries(below: headerIndex, map)
    self.table = table
    self.map = map
    hasDate = header.cells.contains { cell in
      map.target(of: cell)?.hasPrefix("date") ?? (HeaderText(cell).reading?.word == .date)
    }
    recognise()
    resolveSubjects()
    reportRepeated()
  }

  /// Returns the rank of a header as the column of subjects, the lowest the surest; nil if it does not name people.
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

  /// Returns the rows with their subjects, filled down merged cells; nothing if no column names subjects.
  func rowsOfSubjects() -> some Sequence<(subject: String, row: SheetTable.Row)> {
    let subject = column(.subject)?.index
    let rows = subject == nil ? [] : rows
    return sequence(state: (rows: rows.makeIterator(), name: "")) { state in
      guard let row = state.rows.next() else { return nil }
      state.name = subject.flatMap(row.name) ?? state.name
      return (state.name, row)
    }
  }

  /// Returns the non-empty cells of a column, at most the first 5000, which suffice to infer its unit.
  func values(of index: Int) -> [String] {
    Array(rows.lazy.compactMap { $0.filled(index) }.prefix(5000))
  }

  var unknown: [SheetColumn] { columns.filter { $0.note == "not recognised" } }

  /// Whether a column names subjects; a table without one is not a sheet of people.
  var hasSubject: Bool { column(.subject) != nil }

  func column(_ kind: ColumnMeaning.Kind) -> SheetColumn? {
    columns.first { $0.meaning.kind == kind }
  }

  /// Changes a column by its position.
  mutating func change(_ index: Int, _ body: (inout SheetColumn) -> Void) {
    if let position = columns.firstIndex(where: { $0.index == index }) { body(&columns[position]) }
  }

  mutating func replace(_ index: Int, by name: String, note: String) {
    guard let meaning = ColumnMeaning.named(name) else { return }
    change(index) {
      $0.meaning = meaning
      $0.note = note
    }
  }

  /// Adds a note on a column, by its position.
  mutating func addNote(_ note: String, ofColumn index: Int) {
    change(index) { $0.note += $0.note.isEmpty || note.isEmpty ? note : "; \(note)" }
  }

  /// Adds a note on the column of a kind, if there is one.
  mutating func addNote(_ note: String, of kind: ColumnMeaning.Kind) {
    if let column = column(kind) { addNote(note, ofColumn: column.index) }
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
    resolveWideUnits()
    ignoreUnusedUnitColumns()
    numberDrinks()
    recogniseBeginAndEnd()
    inferSexColumn()
    resolveSubmission()
    reinterpretEthanolAsReadings()
    recogniseCount()
    // Certain columns first: they leave fewer choices for the others.
    for isCertain in [true, false] {
      for column in unknown { inferFromUnitAlone(column, ifCertain: isCertain) }
    }
    askForUnclaimed()
    askForMarks()
    columns.sort { $0.index < $1.index }
  }

  /// Infers the meaning of a column of numbers whose header is only a unit, such as `ml`, from the meanings that no
  /// other column has; asks if several remain.
  private mutating func inferFromUnitAlone(_ column: SheetColumn, ifCertain: Bool) {
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
    // Values up to 3 mg/L fit breath only: nobody exceeds them, and blood is not measured in such small units.
    let isBreath = first.unit == .breathMilligramsPerLitre && high <= 3
    guard free.count == 1 || isBreath else {
      guard !ifCertain else { return }
      columns.removeAll { $0.index == column.index }
      return addQuestion(column, choices: free.map(\.name), "names a unit and nothing else")
    }
    replace(
      column.index, by: first.name,
      note: isBreath ? "the unit alone; up to \(high.shown) fits breath" : "the unit alone")
  }

  /// Adds a column with a meaning; `configure` may set further properties.
  mutating func add(
    _ column: SheetColumn, _ meaning: ColumnMeaning?, note: String = "",
    _ configure: (inout SheetColumn) -> Void = { _ in }
  ) {
    guard let meaning else { return }
    var column = column
    column.meaning = meaning
    column.note = note
    configure(&column)
    columns.append(column)
  }

  /// Adds a column whose header contains a known word: with the unit of the header, of a column of units, or as
  /// inferred from the values; asks if none of them is conclusive.
  mutating func recognise(_ column: SheetColumn, _ word: ColumnWord, _ header: String?) {
    let index = column.index
    let unit = header ?? unitOfRows(of: index)
    if let unit, let (meaning, choices) = concentration(word, in: unit) {
      guard let meaning else {
        return addQuestion(
          column, choices: choices,
          "is in \(unit), and does not say whether that is of blood, serum or breath")
      }
      let why = Self.unitConvention(unit, meaning) ?? Self.unitSource(header)
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
        // A wrong guess would matter for these two: strength by weight is a fifth more by volume, and a limit in
        // another unit is another limit.
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
      return add(column, meaning, note: Self.unitSource(header)) {
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
    // Beside another volume that has a unit, small numbers may be a count.
    if word == .volume,
      values.allSatisfy({ table.number($0).map { $0 <= DrinkHeader.maximumDrinks } ?? false }),
      self.header.cells.prefix(200).contains(where: {
        HeaderText($0).reading.map { $0.word == .volume && $0.unit != nil } ?? false
      }), !values.isEmpty
    {
      return addQuestion(
        column, choices: ["drink_count", "ignore"],
        "may say how many of the drink in the row there were")
    }
    // A column without a value needs no answer.
    guard !values.isEmpty else { return add(column, .ignored, note: "empty") }
    // "promille" is itself the unit.
    if case .alcohol(.blood) = word, let meaning = word.meaning(in: column.header.words) {
      return add(column, meaning, note: "per mille, taken as g/kg")
    }
    addQuestion(column, choices: word.choices, "states no unit")
  }

  private static func unitSource(_ header: String?) -> String {
    header == nil ? "unit in another column" : "unit in the header"
  }

  /// Ignores columns of units or matrices that apply to no other column.
  private mutating func ignoreUnusedUnitColumns() {
    let isUsed = Set(unitColumns.values).union([samples?.index].compactMap(\.self))
    for column in columns where [.matrix, .unit].contains(column.meaning.kind) {
      guard !isUsed.contains(column.index), !column.isStated else { continue }
      replace(column.index, by: "ignore", note: "not recognised")
    }
  }

  /// Returns the meaning of a word that needs no unit; a column of dates with times of day holds both.
  private func plain(_ word: ColumnWord, _ index: Int) -> ColumnMeaning? {
    word == .date && holdsTimes(index) ? .named("datetime") : word.plain
  }

  /// Whether a column of dates also holds the only times of day of the table.
  private func holdsTimes(_ index: Int) -> Bool {
    let hasTime = header.cells.contains { cell in
      if let target = map.target(of: cell).flatMap(ColumnMeaning.named) { return target.isTime }
      switch HeaderText(cell).reading?.word {
      case .time, .dateTime, .elapsed: return true
      default: return false
      }
    }
    guard !hasTime, wide.columns.isEmpty else { return false }
    return values(of: index).contains { ParsedDateTime($0).map { $0.minutes != 0 } ?? false }
  }

  // MARK: Questions

  private static let maximumColumnsPerQuestion = 20

  /// Adds a question about a column, with the choices of `--map` that answer it.
  mutating func addQuestion(
    _ column: SheetColumn, choices: [String], _ complaint: String, remedy: String = "say what it is"
  ) {
    // Columns with the same question share one, up to a readable number of columns.
    let similar = asked.lastIndex {
      $0.complaint == complaint && $0.choices == choices
        && $0.columns.count < Self.maximumColumnsPerQuestion
    }
    let position = similar ?? asked.count
    if similar == nil {
      asked.append((complaint, choices, questions.count, []))
      questions.add(.columnUnit, at: self.place(column.index), message: "", remedy: remedy)
    }
    asked[position].columns.append(column)
    let columns = asked[position].columns
    let titles = columns.map(\.title.quoted).joined(separator: ", ")
    let what = columns.count == 1 ? "the column" : "each of the columns"
    questions[asked[position].question].message =
      "\(what) \(titles) \(complaint)" + examples(of: columns[0].index)
    questions[asked[position].question].statements = choices.map { name in
      columns.map { $0.stated(as: name) }.joined(separator: ",")
    }
  }

  /// Returns the first three distinct values of a column, for the end of a question.
  func examples(of index: Int) -> String {
    let examples = values(of: index).uniqued.prefix(3)
    return examples.isEmpty
      ? "" : ": " + examples.map { $0.excerpt(limit: 20) }.joined(separator: ", ")
  }

  // MARK: Hours and minutes

  /// Returns the first cell with hours and minutes, if most cells are written so; otherwise nil.
  private func hoursAndMinutes(in values: [String]) -> String? {
    let elapsed = values.filter { ElapsedTime.minutes($0) != nil }
    return elapsed.count * 2 > values.count ? elapsed.first : nil
  }

  /// Adds a column of hours and minutes whose header states hours or minutes; asks if they may be times of day.
  private mutating func add(
    _ column: SheetColumn, _ word: ColumnWord, hoursAndMinutes first: String
  ) {
    let prefix = if case .time(let whose) = word { whose.prefix } else { "" }
    let times = values(of: column.index).compactMap(ElapsedTime.minutes)
    let isInHours = column.header.reading?.unit.flatMap { ColumnWord.times[$0] } == "h"
    guard isInHours, ElapsedTime.fits(times) else {
      return addQuestion(
        column, choices: ["time_h_min", "time"].map { prefix + $0 },
        "has \(first.quoted), which may be hours and minutes since the beginning or a time of day")
    }
    add(
      column, ColumnMeaning.named(prefix + "time_h_min"),
      note: "hours and minutes, as \(first.excerpt())")
  }

  // MARK: By what the column holds

  /// Returns the meaning that the values of a column without a unit imply, and a note on why; nil if they imply none.
  private func infer(_ word: ColumnWord, from values: [String]) -> (ColumnMeaning, String)? {
    guard !values.isEmpty else { return nil }
    let result = { (name: String, note: String) in ColumnMeaning.named(name).map { ($0, note) } }
    if let ofCells = inferFromCells(word, values) { return ofCells }
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
        return result("weight_kg", "no unit stated; \(range) fits kg")
      }
    case .elapsed:
      if hoursAndMinutes(in: values) != nil { return result("time_h_min", "hours and minutes") }
    case .time(let whose):
      let prefix = whose.prefix
      let clocks = values.count { ClockTime.minutes($0) != nil }
      if clocks == values.count { return result(prefix + "time", "clock times") }
      // A minority may be neither; those are reported in their rows.
      let dates = values.count { ParsedDateTime($0) != nil }
      if dates * 2 > values.count { return result(prefix + "datetime", "dates with times") }
      if clocks * 2 > values.count { return result(prefix + "time", "clock times") }
      if isNumeric, hasDate, numbers.allSatisfy({ 0..<1 ~= $0 }) {
        return result(prefix + "time", "a spreadsheet's fractions of a day")
      }
    default: break
    }
    return nil
  }

  // MARK: Several of a kind

  /// Keeps one column of subjects, the one whose header is the surest; the others become covariates.
  private mutating func resolveSubjects() {
    let named = columns.filter { $0.meaning.kind == .subject }
    guard named.count > 1 else { return }
    let ranks = named.map { Self.subjectRank(of: $0.title, map) ?? 0 }
    guard let best = ranks.min(), ranks.count(where: { $0 == best }) == 1 else { return }
    // A form may number its answers: such numbers name no people.
    let isForm = header.cells.prefix(200).contains { HeaderText($0).reading?.word == .submission }
    if isForm, let numbers = zip(named, ranks).first(where: { $1 == best })?.0, best > 0,
      let repeating = zip(named, ranks).first(where: { $1 != best && repeats($0.index) })?.0,
      rows.count > 2, !repeats(numbers.index)
    {
      questions.add(
        .columnAmbiguous, at: place(numbers.index),
        message:
          "\(numbers.title.quoted) is another in every row, and \(repeating.title.quoted) is not",
        remedy: "say which of them names people",
        statements: [repeating, numbers].map { $0.stated(as: "subject") })
    }
    for (column, rank) in zip(named, ranks) where rank != best {
      replace(column.index, by: "covariate", note: "another column names the subject")
    }
  }

  /// Whether a value occurs in more than one row of a column.
  private func repeats(_ index: Int) -> Bool {
    let values = values(of: index)
    return Set(values).count < values.count
  }

  /// Whether two columns hold replicate readings: both stated, or numbered as `BAC 1 (g/L)` and `BAC 2 (g/L)`.
  private func isReplicate(_ column: SheetColumn, of first: SheetColumn) -> Bool {
    guard column.meaning.kind == .reading, column.meaning == first.meaning else { return false }
    let areStated = [column, first].allSatisfy { map.target(of: $0.title) != nil }
    guard !areStated else { return column.title.lowercased() != first.title.lowercased() }
    guard let number = NumberedHeader(column.title), let firstNumber = NumberedHeader(first.title)
    else { return false }
    return number.rest == firstNumber.rest && number.number != firstNumber.number
  }

  /// Asks which column to use if two have the same meaning; replicate readings may both be used.
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
        addNote("measured \(replicates.count + 1) times a row", ofColumn: first.index)
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

  // MARK: Result

  /// The meaning of every column, for the report of the import.
  var taken: [TakenColumn] {
    let single = columns.map { column in
      TakenColumn(
        file: table.file, column: column.title,
        takenAs: column.meaning.kind == .unused ? TakenColumn.notUsed : column.meaning.name,
        note: column.note)
    }
    guard let first = wide.columns.first, let last = wide.columns.last, let meaning = wide.meaning
    else { return single }
    return single + [
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

import AlcoholKinetics
import StudyData
import StudyFiles

/// A study in spreadsheet tables of free form: one table or several, with arbitrary headers and units, times of day, or
/// one column per time.
///
/// It is converted to the three tables of a study folder, in memory, which are then read and checked like files.
/// Findings refer to the rows and columns of the sheet.
struct SheetStudy {
  private(set) var taken: [TakenColumn] = []
  /// One line about the times of the drinks, and about unused columns in which rows of a subject differ.
  private(set) var summary = ""
  private(set) var folder: StudyInput

  var columns: [SheetColumns]
  var people = SheetPeople()
  var readingUnit: ConcentrationUnit?
  /// The time zone of the times of day; nil if it was not stated.
  private let clocks: ClockZone?
  private let otherHeaders: [String]
  /// Whether `--map` states that each sheet is an occasion.
  private var isOfSheets = false
  var questions: [Diagnostic] = []
  var warnings: [Diagnostic] = []

  /// Interprets tables with people, drinks and readings, in one table or in several; nil if they are not a study.
  init?(
    _ tables: [SheetTable], path: String, map: ColumnMap = .empty,
    catalogue: DrinkCatalogue = .standard, sources: [InputFile] = []
  ) throws(StudyError) {
    try self.init(
      SheetForms(tables, map: map), path: path, map: map, catalogue: catalogue, sources: sources)
  }

  init?(
    _ forms: SheetForms, path: String, map: ColumnMap, catalogue: DrinkCatalogue,
    descriptor: InputFile? = nil, sources: [InputFile]
  ) throws(StudyError) {
    columns = forms.columns
    questions = forms.questions
    warnings = forms.warnings
    clocks = map.clocks
    otherHeaders = forms.otherHeaders
    folder = StudyInput(path: path, files: [:])
    guard !columns.isEmpty || !questions.isEmpty else { return nil }
    try interpret(map, catalogue)
    try throwQuestions()
    let isForeign = columns.contains(where: \.isForeign)
    // A sheet of people and drinks needs no readings, if no unrecognised column could hold them.
    let isWithoutReadings = isForeign && !columns.contains(where: \.mayHoldReadings)
    guard hasDrinks, columns.contains(where: \.hasReadings) || isWithoutReadings else {
      // A table with only the names of study files is itself one of those files.
      guard !isForeign else { throw missing() }
      return nil
    }
    summary = makeSummary()
    placeEvents()
    folder = makeFolder(path, catalogue, descriptor, sources)
    taken = SheetForms.joined(columns)
  }

  /// Makes the reader read the converted tables instead of the sheet.
  func open(for reader: inout StudyReader) {
    reader.replaceInput(with: folder, taken: taken, summary: summary, starts: starts)
  }

  /// The first drinks of all series whose times are times of day.
  private var starts: [SeriesKey: ClockedStart] {
    people.all.reduce(into: [:]) { starts, person in
      for (occasion, events) in person.occasions {
        let drinks = events.filter(\.isDrink)
        let first = drinks.min { (Double($0.minutes) ?? 0) < (Double($1.minutes) ?? 0) }
        let key = SeriesKey(subject: person.id, occasion: occasion)
        switch first?.moment {
        case .clock(let minutes): starts[key] = ClockedStart(minutes, isDated: false)
        case .absolute(let minutes, isZoned: false):
          starts[key] = ClockedStart(minutes, isDated: true, zone: clocks)
        default: break
        }
      }
    }
  }

  private var hasDrinks: Bool { columns.contains(where: \.hasDose) }

  private func missing() -> StudyError {
    let (what, remedy, name) =
      hasDrinks
      ? (
        "what was measured",
        "name the column of the readings after its unit, as \"BrAC (mg/L)\", or say which it is",
        "brac_mg_per_l"
      )
      : ("what was drunk", "add a column such as \"Ethanol (g)\", or say which it is", "ethanol_g")
    let headers = columns.flatMap(\.headers)
    let doses = hasDrinks ? [] : columns.flatMap(\.doseStatements)
    let unused = columns.flatMap(\.columns).filter { $0.meaning.kind == .unused }.map(\.title)
    return StudyError(
      kind: .badData,
      diagnostics: [
        Diagnostic(
          .columnMissing, in: folder.path,
          message: "no column says \(what); there are \(headers.listing)",
          remedy: remedy,
          statements: doses.isEmpty ? ["\(ColumnChoice.anyColumn)=\(name)"] : doses.uniqued)
      ], headers: unused.isEmpty ? headers : unused)
  }

  /// Throws all open questions, each once; none is thrown if they may be deferred and nothing else depends on them.
  private func throwQuestions(mayDefer: Bool = false) throws(StudyError) {
    if mayDefer, (columns.flatMap(\.questions) + questions).allSatisfy(\.isOfPeopleOrMarks) {
      return
    }
    var asked: Set<[String]> = []
    let all = (columns.flatMap(\.questions) + questions).filter { question in
      question.statements.isEmpty || asked.insert(question.statements).inserted
    }
    guard all.isEmpty else {
      throw StudyError(
        kind: .badData, diagnostics: all.map(placed), headers: columns.flatMap(\.headers))
    }
  }

  // MARK: Interpretation

  private mutating func interpret(
    _ map: ColumnMap, _ catalogue: DrinkCatalogue
  ) throws(StudyError) {
    isOfSheets = map.target(of: SheetForms.sheetName) == "occasion"
    let isOfSheets = self.isOfSheets || columns.contains(where: \.table.isOfOnePerson)
    let sheets = isOfSheets ? [SheetForms.sheetName] : []
    questions += map.findings(
      notAmong: columns.flatMap(\.headers) + sheets + otherHeaders,
      hasWide: columns.contains { !$0.wide.columns.isEmpty } || !questions.isEmpty, in: folder.path)
    reinterpretConcentrationAsDose()
    askForOneTable("drinks", columns.filter(\.hasDose))
    askForOneTable("readings", columns.filter(\.hasReadings))
    askForTimesElsewhere()
    let order = findDateOrder()
    decodeSexes()
    for table in columns { questions += table.thousands.prefix(1) }
    try throwQuestions(mayDefer: true)
    readRows(order, catalogue)
    dropRepeatedSamples()
    askForOccasions()
    try throwQuestions(mayDefer: true)
    readingUnit = columns.lazy.compactMap(\.readingUnit).first
    convertReadingsToOneUnit()
    guard hasDrinks else { return }
    mergeRepeatedDoses()
    askForDosesBeforeZero()
    resolveDoseTimes()
    askForLongDrinks()
    try throwQuestions()
    resolveTimes()
    computeAges(order)
    for index in columns.indices { columns[index].findCovariates() }
    addCovariates()
  }

  /// Asks which table to use if several hold drinks, or readings: one may be a copy of the other.
  private mutating func askForOneTable(_ what: String, _ tables: [SheetColumns]) {
    let tables =
      tables.filter { !$0.table.isOfOnePerson } + tables.filter(\.table.isOfOnePerson).prefix(1)
    guard tables.count > 1, !tables.allSatisfy({ $0.column(.occasion) != nil && isOfSheets }) else {
      return
    }
    let headers = tables.map { $0.header.cells.map { $0.headerText.lowercased() } }
    let areAlike =
      tables.allSatisfy { $0.table.name != nil } && headers.allSatisfy { $0 == headers[0] }
    questions.add(
      .columnAmbiguous,
      at: SourceLocation(file: tables[1].table.file, line: tables[1].header.number),
      message: "there are \(what) in this table and in \(tables[0].table.file)",
      remedy: areAlike
        ? "if each sheet is an occasion of its own, say so; hide or remove sheets that do not belong to the study"
        : "keep all \(what) in one table; hide or remove sheets that do not belong to the study",
      statements: areAlike ? ["\(SheetForms.sheetName)=occasion"] : [])
  }

  private mutating func readRows(_ order: DateOrder, _ catalogue: DrinkCatalogue) {
    var texts: [DrinkTexts] = []
    for index in columns.indices {
      var reader = SheetRowReader(
        columns[index], order: order, tableIndex: index, catalogue: catalogue)
      reader.read(into: &people)
      texts.append(reader.texts)
      questions += reader.findings + reader.readings.findings
      if let first = reader.readings.withoutResult.first {
        let count = reader.readings.withoutResult.count
        columns[index].addNote(
          "\(count) without a result (\(first.excerpt())), left out", of: .reading)
      }
      if let (text, row, column) = reader.readings.marked.first {
        let count = reader.readings.marked.count
        warnings.add(
          .cellValue, at: columns[index].table.place(row, column.index),
          message:
            "\(count == 1 ? "a reading has" : "\(count) readings have") a mark behind the number, as \(text.quoted); "
            + "the number was read",
          remedy: "if the mark says that a reading is not to be used, say so in a column Exclude")
      }
      if let (row, column) = reader.unknownDurations.first {
        warnings.add(
          .doseAtOnce, at: columns[index].table.place(row, column.index),
          message: "\(column.title.excerpt()) is \(row.text(column.index).quoted), "
            + "and the drink was taken as drunk at once",
          remedy: "write the time that it took, or leave the cell empty if it was drunk at once")
      }
      warnOfSummaries(columns[index])
      let filled = reader.filled
      guard filled.count > 0 else { continue }
      warnings.add(
        .subjectFilled, at: SourceLocation(file: columns[index].table.file, line: filled.first),
        message:
          "\(filled.count) rows name no subject; they were taken as rows of the subject above",
        remedy: "name the subject in every row")
    }
    reportDrinkTexts(texts, order)
    // A row that only describes its subject is no occasion.
    people.forEach { $0.occasions.removeAll { $0.events.isEmpty } }
    // Rows of a wide table are numbered as occasions; the numbers are kept only if somebody has several rows.
    let isNamed = columns.contains { $0.column(.occasion) != nil }
    if !isNamed {
      people.forEach { $0.joinOneOccasion() }
      people.forgetOccasions()
    }
  }

  private mutating func warnOfSummaries(_ table: SheetColumns) {
    guard let first = table.summaries.first else { return }
    let name = first.cells.first { !$0.trimmed.isEmpty } ?? ""
    let count = table.summaries.count
    warnings.add(
      .summaryRows, at: SourceLocation(file: table.table.file, line: first.number),
      message: (count == 1 ? "a row is" : "\(count) rows are")
        + " called \(name.trimmed.quoted)\(count == 1 ? "" : " and the like") and "
        + (count == 1 ? "was" : "were") + " left out as statistics or notes",
      remedy: "if it is the name of somebody, write another in its place")
  }

  // MARK: Times and ages

  /// Converts all times to minutes on the clock of their series, and splits events into occasions.
  private mutating func resolveTimes() {
    let isStated = people.all.contains { $0.occasions.contains { $0.name != nil } }
    var times = SheetOccasions(files: columns.map(\.table.file), clocks: clocks)
    var isOnClock = false
    people.forEach { person in
      isOnClock = isOnClock || person.isOnClock
      times.resolve(&person)
    }
    // Dates name occasions only if somebody has several.
    if !isStated { people.forgetOccasions() }
    if !isStated, people.all.contains(where: { $0.occasions.count > 1 }) {
      for index in columns.indices {
        let kinds: [ColumnMeaning.Kind] = [.date, .time(.row), .time(.reading)]
        guard let first = kinds.first(where: { columns[index].column($0) != nil }) else { continue }
        columns[index].addNote("each evening is an occasion", of: first)
      }
    }
    findings = times.findings
    if isOnClock {
      addNote("0 min is the first drink", of: .time(.row), .time(.drink), .time(.reading))
    }
  }

  /// Adds a note on the columns of some kinds in all tables.
  mutating func addNote(_ note: String, of kinds: ColumnMeaning.Kind...) {
    for index in columns.indices {
      for kind in kinds { columns[index].addNote(note, of: kind) }
    }
  }

  private var findings: [SeriesKey: [Diagnostic]] = [:]

  /// Computes ages in whole years on the first day of the study from dates of birth.
  private mutating func computeAges(_ order: DateOrder) {
    var isUndated = false
    people.forEach { person in
      guard let birth = person.birth, person.facts["age_y"] == nil,
        let born = birth.day(
          columns.lazy.compactMap { $0.column(.birth)?.meaning.order }.first ?? order)
      else { return }
      let days = person.occasions.flatMap(\.events).compactMap { $0.moment.day ?? $0.day }
      guard let day = days.min() else {
        isUndated = true
        return
      }
      person.facts["age_y"] = CivilDate.years(from: born, to: day).description
    }
    addNote(
      isUndated ? "without a date of the study no age is known" : "age in whole years", of: .birth)
  }

  // MARK: Tables

  private func makeFolder(
    _ path: String, _ catalogue: DrinkCatalogue, _ descriptor: InputFile?, _ sources: [InputFile]
  ) -> StudyInput {
    let tables = SheetTables(people.all, columns, unit: readingUnit ?? .bloodGramsPerKilogram)
    var files: [StudyFile: InputFile] = [
      .subjects: tables.subjects, .drinks: tables.drinks, .readings: tables.readings,
    ]
    files[.descriptor] = descriptor
    var folder = StudyInput(path: path, files: files)
    folder.catalogue = catalogue
    folder.sheet = (
      sources,
      SheetFindings(
        series: findings.mapValues { $0.map(placed) },
        all: columns.flatMap(\.table.findings) + (warnings + conflicts).map(placed))
    )
    return folder
  }

  /// Returns a finding with its location in the sheet, if the table was transposed.
  private func placed(_ finding: Diagnostic) -> Diagnostic {
    guard let table = columns.first(where: { $0.table.file == finding.location.file })?.table else {
      return finding
    }
    var finding = finding
    let position = table.place(line: finding.location.line, column: finding.location.column)
    finding.location.line = position.line
    finding.location.column = position.column
    return finding
  }

  /// Returns the location of a drink or a reading in its sheet, or that of another column in its row.
  func place(of event: SheetEvent, in column: SheetColumn? = nil) -> SourceLocation {
    SourceLocation(
      file: columns[event.table].table.file, line: event.row,
      column: column.map { $0.index + 1 } ?? event.column)
  }

  /// Sets the rows and columns of drinks and readings to those in the sheet, if a table was transposed.
  private mutating func placeEvents() {
    guard columns.contains(where: { $0.table.sourceLines != nil }) else { return }
    let tables = columns.map(\.table)
    people.forEachEvent { event in
      let position = tables[event.table].place(line: event.row, column: event.column)
      event.row = position.line ?? event.row
      event.column = position.column ?? event.column
    }
  }

  private var conflicts: [Diagnostic] {
    people.all.flatMap { person in
      person.conflicts.map { column, row in
        Diagnostic(
          .descriptionChanges,
          at: SourceLocation(file: columns.first?.table.file ?? folder.path, line: row),
          message:
            "\(column.excerpt()) of subject \(person.id.quoted) is not as in the rows before",
          remedy: "say the same in all rows of a subject; the first counts")
      }
    }
  }
}

extension Diagnostic {
  /// Whether the question is about columns that describe people or mark readings; no other question depends on these.
  fileprivate var isOfPeopleOrMarks: Bool {
    let kinds = statements.map { statement in
      statement.split(separator: "=").last.flatMap { ColumnMeaning.named(String($0)) }?.kind
    }
    let isOfPeopleOrMarks = { (kind: ColumnMeaning.Kind?) in
      switch kind {
      case .sex, .age, .birth, .height, .weight, .exclusion: true
      default: false
      }
    }
    // A choice to ignore the column does not make the question one about people or marks.
    return kinds.contains(where: isOfPeopleOrMarks)
      && kinds.allSatisfy { isOfPeopleOrMarks($0) || $0 == .covariate || $0 == .unused }
  }
}

extension SheetStudy {
  /// Finds whether the day or the month comes first in dates such as 11/12/2026, from dates with only one reading.
  mutating func findDateOrder() -> DateOrder {
    var day: String?
    var month: String?
    var ambiguous: (text: String, column: SheetColumn, place: SourceLocation)?
    for columns in columns {
      for column in columns.columns where column.meaning.order == nil && column.meaning.holdsDate {
        for row in columns.rows {
          let text = row.text(column.index)
          guard let written = ParsedDate(ofMoment: text),
            case .either(let first, let second, _) = written, first != second
          else { continue }
          if first > 12 {
            day = day ?? text
          } else if second > 12 {
            month = month ?? text
          } else if ambiguous == nil {
            ambiguous = (text, column, columns.table.place(row, column.index))
          }
        }
      }
    }
    if let day, let month {
      questions.add(
        .time, in: folder.path,
        message: "in \(day.quoted) the day stands first and in \(month.quoted) the month",
        remedy: "write all dates in one way, best as 2026-11-21")
    } else if day == nil, month == nil, let (order, text) = orderAcrossMidnight {
      addNote(order, "as the night of \(text.excerpt()) shows")
      return order
    } else if day == nil, month == nil, let (text, column, place) = ambiguous,
      dependsOnDateOrder
    {
      questions.add(
        .time, at: place,
        message: "the date \(text.quoted) can be read in two ways, and no other date tells which",
        remedy: "say whether the day stands first (dmy) or the month (mdy)",
        statements: column.stated(as: ["_dmy", "_mdy"].map { column.meaning.name + $0 }))
    }
    guard let shown = day ?? month else { return .dayFirst }
    let order = day != nil ? DateOrder.dayFirst : .monthFirst
    addNote(order, "as \(shown.excerpt()) shows")
    return order
  }

  private mutating func addNote(_ order: DateOrder, _ why: String) {
    let note = (order == .dayFirst ? "day before month" : "month before day") + ", " + why
    let kinds: [ColumnMeaning.Kind] = [
      .date, .birth, .submission, .time(.row), .time(.drink), .time(.drinkEnd), .time(.reading),
    ]
    for index in columns.indices {
      for kind in kinds where columns[index].column(kind)?.meaning.holdsDate == true {
        columns[index].addNote(note, of: kind)
      }
    }
  }

  private typealias DatedRow = (date: ParsedDate, clock: Double?, text: String)

  /// The dates and times of the rows of each subject, in the order of the rows.
  private var datedRows: [[DatedRow]] {
    var all: [[DatedRow]] = []
    for table in columns {
      let dates = table.columns.filter { $0.meaning.holdsDate && $0.meaning.kind != .birth }
      let clocks = table.columns.filter { $0.meaning.isTime && $0.meaning.form == .clock }
      for dated in dates {
        let rows = table.rowsOfSubjects().compactMap { subject, row -> (String, DatedRow)? in
          let text = row.text(dated.index)
          guard let date = ParsedDate(ofMoment: text) else { return nil }
          let clock =
            ParsedDateTime(text)?.minutes
            ?? clocks.lazy.compactMap { ClockTime.minutes(row.text($0.index)) }.first
          return (subject, (date, clock, text))
        }
        all += rows.grouped(by: \.0).map { $0.values.map(\.1) }
      }
    }
    return all
  }

  /// The only order of day and month in which rows continue past midnight, as from 3/4 11:30 PM to 3/5 12:00 AM.
  private var orderAcrossMidnight: (DateOrder, String)? {
    var candidates: [(order: DateOrder, text: String)] = []
    for rows in datedRows {
      for (row, next) in zip(rows, rows.dropFirst()) where row.date != next.date {
        guard let clock = row.clock, let nextClock = next.clock else { continue }
        let orders = [DateOrder.dayFirst, .monthFirst].filter { order in
          guard let day = row.date.day(order), let after = next.date.day(order) else {
            return false
          }
          let gap = Double(after - day) * 1440 + nextClock - clock
          return 0 <= gap && gap < SheetOccasions.gapBetweenOccasions
        }
        guard orders.count == 1 else { continue }
        candidates.append((orders[0], "\(row.text) to \(next.text)"))
      }
    }
    guard let first = candidates.first, candidates.allSatisfy({ $0.order == first.order }) else {
      return nil
    }
    return first
  }

  /// Whether any result depends on the order of day and month: an age, or a person with several dates.
  private var dependsOnDateOrder: Bool {
    columns.contains { $0.column(.birth) != nil }
      || datedRows.contains { rows in Set(rows.map(\.date)).count > 1 }
  }

  /// Asks for a column of occasions if the times of a subject begin again; without a candidate column it is an error.
  mutating func askForOccasions() {
    guard !columns.contains(where: { $0.column(.occasion) != nil }) else { return }
    for index in columns.indices where columns[index].wide.columns.isEmpty {
      var repeated: [RepeatedTimes] = []
      for person in people.all {
        let rows = person.occasions.flatMap(\.events).compactMap { event -> (Int, Double)? in
          guard !event.isDrink, event.table == index, event.day == nil else { return nil }
          return switch event.moment {
          case .relative(let minutes, _), .clock(let minutes): (event.row, minutes)
          default: nil
          }
        }
        // Plain minutes may also count from midnight.
        if let times = RepeatedTimes(rows, of: person.id, areOfDay: true), times.areDoubted {
          repeated.append(times)
        }
      }
      guard let first = repeated.first else { continue }
      let table = columns[index]
      let cells = Dictionary(table.rows.map { ($0.number, $0) }) { row, _ in row }
      let distinguishing = table.unknown.filter { column in
        repeated.allSatisfy { times in
          times.areDistinguished { row in cells[row]?.filled(column.index) }
        }
      }
      let location = SourceLocation(file: table.table.file, line: first.doubtedRow)
      if !distinguishing.isEmpty {
        let (message, remedy, statements) = RepeatedTimes.question(
          of: first.subject, distinguishedBy: distinguishing.map(\.title))
        questions.add(
          .columnAmbiguous, at: location, message: message, remedy: remedy, statements: statements)
      } else if let restarted = repeated.first(where: \.beginAgain),
        !table.columns.contains(where: { $0.meaning.kind == .unused && $0.note == "as stated" })
      {
        let drunk = table.column(.time(.drink))?.title.quoted
        questions.add(
          .time, at: SourceLocation(file: table.table.file, line: restarted.doubtedRow),
          message: "the times of subject \(restarted.subject.quoted) begin again here, "
            + (drunk.map { "where \($0) may be another: they may count from each drink" }
              ?? "and no column tells the rows apart"),
          remedy: (drunk == nil
            ? "" : "of one evening, write all times since its first drink; of several, ")
            + "name each evening in a column Occasion; rows of one evening have to be in order of time"
        )
      }
    }
  }

  /// Returns one line about the times of the drinks, and about unused columns in which rows of a subject differ.
  func makeSummary() -> String {
    var drinks = DrinkTimes()
    for event in people.events where event.isDrink && !event.isZero {
      if let minutes = Double(event.minutes) { drinks.add(minutes: minutes) }
    }
    let telling = columns.flatMap { table in table.columnsThatTellRowsApart.map(\.title) }.uniqued
    let names = telling.prefix(8).map { $0.excerpt() }.joined(separator: ", ")
    return drinks.text
      + (telling.isEmpty ? "" : "; not used, though rows of a subject differ in it: \(names)")
  }
}

extension SheetColumns {
  /// Unused columns with at most ``fewValues`` values that differ between rows of a subject.
  fileprivate var columnsThatTellRowsApart: [SheetColumn] {
    let unused = columns.filter { $0.meaning.kind == .unused && $0.note != "as stated" }
    guard !unused.isEmpty, unused.count <= 50 else { return [] }
    var first: [String: [Int: String]] = [:]
    var values: [Int: Set<String>] = [:]
    var isDifferent: Set<Int> = []
    for (subject, row) in rowsOfSubjects() {
      for column in unused where values[column.index]?.count ?? 0 <= Self.fewValues {
        guard let text = row.filled(column.index) else { continue }
        values[column.index, default: []].insert(text)
        if let firstText = first[subject]?[column.index] {
          if firstText != text { isDifferent.insert(column.index) }
        } else {
          first[subject, default: [:]][column.index] = text
        }
      }
    }
    return unused.filter {
      isDifferent.contains($0.index) && values[$0.index]?.count ?? 0 <= Self.fewValues
    }
  }

  private static let fewValues = 12
}

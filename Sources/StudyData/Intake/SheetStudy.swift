import AlcoholKinetics
import Foundation

/// A study that is kept as people keep it: in one table, or a few, with headers of their own, times of day,
/// pounds, a column per time.
///
/// It becomes the three tables of a study folder, in memory, which are then read and checked as files are;
/// findings name the rows and columns of the sheet.
package struct SheetStudy {
  /// What every column was taken as.
  package private(set) var taken: [TakenColumn] = []
  /// The tables of the study.
  private(set) var folder: StudyFolder

  var columns: [SheetColumns]
  var people = SheetPeople()
  var questions: [Diagnostic] = []
  var warnings: [Diagnostic] = []

  /// Understands tables.
  ///
  /// - Parameters:
  ///   - tables: The tables: people, drinks and readings in one, or each in its own.
  ///   - path: What the study is called in findings about the whole of it.
  ///   - map: What is said of the columns.
  ///   - sources: The files that the tables come from.
  /// - Throws: ``StudyError``, with all that has to be asked. Nil if the tables are no study.
  package init?(
    _ tables: [SheetTable], path: String, map: ColumnMap = .empty,
    catalogue: DrinkCatalogue = .standard
  ) throws(StudyError) {
    try self.init(tables, path: path, map: map, catalogue: catalogue, descriptor: nil, sources: [])
  }

  init?(
    _ tables: [SheetTable], path: String, map: ColumnMap, catalogue: DrinkCatalogue,
    descriptor: InputFile?, sources: [InputFile]
  ) throws(StudyError) {
    // Beside tables of people, one that has names below each other explains them.
    columns = tables.filter { !$0.liesOnItsSide }.map { SheetColumns($0, map: map) }
      .filter(\.hasSubject)
    if columns.isEmpty, let sideways = tables.first(where: \.liesOnItsSide) {
      throw Self.refusal(of: sideways)
    }
    folder = StudyFolder(path: path, files: [:])
    guard !columns.isEmpty else { return nil }
    try understand(map, catalogue)
    try ask()
    guard hasDrinks, hasReadings || isWithoutReadings else {
      // A table whose names are all a study folder's is one of its files.
      guard !columns.contains(where: \.isForeign) else { throw missing() }
      return nil
    }
    folder = makeFolder(path, catalogue, descriptor, sources)
    taken = columns.flatMap(\.taken)
  }

  private static func refusal(of sideways: SheetTable) -> StudyError {
    let names = sideways.rows.prefix(4).compactMap { $0.cells.first?.trimmed.excerpt() }
    return StudyError(
      kind: .badData,
      diagnostics: [
        Diagnostic(
          .columnMissing, at: SourceLocation(file: sideways.file),
          message:
            "the first column holds what columns are called: \(names.joined(separator: ", "))",
          remedy:
            "write these names in the first row, each in a column of its own, and a row for every subject or "
            + "reading below them (in a spreadsheet: copy, and paste transposed)")
      ])
  }

  private var hasDrinks: Bool { columns.contains(where: \.hasDose) }
  private var hasReadings: Bool { columns.contains(where: \.hasReadings) }

  /// Whether it is somebody's sheet of people and drinks, and no column that could hold readings was passed over.
  private var isWithoutReadings: Bool {
    columns.contains(where: \.isForeign) && !columns.contains(where: \.mayHoldReadings)
  }

  private func missing() -> StudyError {
    let what = hasDrinks ? "readings" : "what was drunk"
    let (remedy, statement) =
      hasDrinks
      ? (
        "name the column of the readings after its unit, as \"BrAC (mg/L)\", or say which it is",
        "COLUMN=brac_mg_per_l"
      )
      : ("add a column such as \"Ethanol (g)\", or say which it is", "COLUMN=ethanol_g")
    let titles = columns.flatMap(\.columns).map { $0.title.excerpt() }.joined(separator: ", ")
    return StudyError(
      kind: .badData,
      diagnostics: [
        Diagnostic(
          .columnMissing, at: SourceLocation(file: folder.path),
          message: "no column says \(what == "readings" ? "what was measured" : what); there are "
            + titles.excerpt(limit: 200),
          remedy: remedy, statements: [statement])
      ])
  }

  /// Ends with all that has to be asked.
  private func ask() throws(StudyError) {
    let all = columns.flatMap(\.questions) + questions
    guard all.isEmpty else { throw StudyError(kind: .badData, diagnostics: all) }
  }

  // MARK: Understanding

  private mutating func understand(
    _ map: ColumnMap, _ catalogue: DrinkCatalogue
  ) throws(StudyError) {
    let headers = columns.flatMap { table in
      table.table.rows.indices.contains(table.headerIndex)
        ? table.table.rows[table.headerIndex].cells : []
    }
    for header in map.headers(notAmong: headers) {
      questions.append(
        Diagnostic(
          .columnMap, at: SourceLocation(file: folder.path),
          message: "no column is called \(header.quoted); there are "
            + headers.map { $0.trimmed.excerpt() }.joined(separator: ", ").excerpt(limit: 200),
          remedy: "correct what is said of the columns, or columns in datapackage.json"))
    }
    askForOneTable("drinks", columns.filter(\.hasDose))
    askForOneTable("readings", columns.filter(\.hasReadings))
    askForTimesElsewhere()
    let order = findDateOrder()
    settleSexes()
    for table in columns { questions += table.thousands.prefix(1) }
    try ask()
    readRows(order, catalogue)
    try ask()
    guard hasDrinks else { return }
    settleDoses()
    settleDoseTimes()
    askForLongDrinks()
    try ask()
    settleTimes()
    settleAges(order)
    findCovariates()
  }

  /// Drinks, and readings, stand in one table each: a second one may be a copy.
  private mutating func askForOneTable(_ what: String, _ tables: [SheetColumns]) {
    guard tables.count > 1 else { return }
    questions.append(
      Diagnostic(
        .columnAmbiguous,
        at: SourceLocation(file: tables[1].table.file, line: tables[1].headerNumber),
        message: "there are \(what) in this table and in \(tables[0].table.file)",
        remedy:
          "keep all \(what) in one table; hide or remove sheets that do not belong to the study"
      ))
  }

  /// Which part of dates such as 11/12/2026 stands first: told by those that can be read in one way only.
  private mutating func findDateOrder() -> DateOrder {
    var (day, month): (String?, String?) = (nil, nil)
    var ambiguous: (text: String, column: SheetColumn, table: Int, row: Int)?
    for (table, columns) in columns.enumerated() {
      for column in columns.columns where column.meaning.order == nil && column.meaning.holdsDate {
        for row in columns.rows where row.cells.indices.contains(column.index) {
          let text = row.cells[column.index].trimmed
          guard let written = WrittenDate(text) ?? WrittenDateTime(text)?.date,
            case .either(let first, let second, _) = written, first != second
          else { continue }
          if first > 12 {
            day = day ?? text
          } else if second > 12 {
            month = month ?? text
          } else if ambiguous == nil {
            ambiguous = (text, column, table, row.number)
          }
        }
      }
    }
    if let day, let month {
      questions.append(
        Diagnostic(
          .dateOrder, at: SourceLocation(file: folder.path),
          message: "in \(day.quoted) the day stands first and in \(month.quoted) the month",
          remedy: "write all dates in one way, best as 2026-11-21"))
    } else if day == nil, month == nil, let (text, column, table, row) = ambiguous {
      let name = column.meaning.name
      let title = column.title.excerpt()
      questions.append(
        Diagnostic(
          .dateOrder,
          at: SourceLocation(
            file: columns[table].table.file, line: row, column: column.index + 1),
          message: "the date \(text.quoted) can be read in two ways, and no other date tells which",
          remedy: "say whether the day stands first (dmy) or the month (mdy)",
          statements: ["\(title)=\(name)_dmy", "\(title)=\(name)_mdy"]))
    }
    guard let shown = day ?? month else { return .dayFirst }
    let note =
      (day != nil ? "day before month" : "month before day") + ", as \(shown.excerpt()) shows"
    for index in columns.indices {
      for kind in [
        ColumnMeaning.Kind.date, .birth, .time(.row), .time(.drink), .time(.drinkEnd),
        .time(.reading),
      ]
      where columns[index].column(kind)?.meaning.holdsDate == true {
        columns[index].note(note, of: kind)
      }
    }
    return day != nil ? .dayFirst : .monthFirst
  }

  /// What the numbers in a column of sexes stand for: 1 and 2 as ISO 5218 has them; others are asked for.
  private mutating func settleSexes() {
    for index in columns.indices {
      guard let column = columns[index].column(.sex) else { continue }
      var found: [String: Int] = [:]
      for row in columns[index].rows where row.cells.indices.contains(column.index) {
        let text = row.cells[column.index].trimmed
        if !SheetCellText.isMissing(text) { found[text, default: 0] += 1 }
      }
      let numbers = Set(found.keys).intersection(["0", "1", "2"])
      var sexes = column.meaning.sexes
      let told = SheetSex.codes(in: column.title)
      let letters = SheetSex.settled(by: Set(found.keys))
      if sexes.isEmpty, numbers.isEmpty, !letters.isEmpty {
        columns[index].setSexes(letters)
        sexes = letters
      }
      if sexes.isEmpty, !numbers.isEmpty, numbers.isSubset(of: told.keys) {
        columns[index].setSexes(told)
        sexes = told
      } else if sexes.isEmpty, !numbers.isEmpty {
        guard numbers.isSubset(of: ["1", "2"]), told.isEmpty else {
          let title = column.title.excerpt()
          questions.append(
            Diagnostic(
              .sexCode, at: columns[index].place(column.index),
              message: "the sexes are written as \(numbers.sorted().joined(separator: " and "))",
              remedy: "say whether 1 is female (sex_0m1f) or male (sex_0f1m)",
              statements: ["\(title)=sex_0m1f", "\(title)=sex_0f1m"]))
          continue
        }
        columns[index].setSexes(["1": "male", "2": "female"])
        sexes = ["1": "male", "2": "female"]
      }
      let shown = found.keys.sorted().prefix(8).compactMap { text in
        (sexes[text] ?? SheetSex.word(text)).map { "\(text.excerpt()) = \($0)" }
      }
      columns[index].note(
        shown.joined(separator: ", ")
          + (numbers.isEmpty || !column.meaning.sexes.isEmpty
            ? "" : told.isEmpty ? " (ISO 5218)" : ", as the header says"),
        of: .sex)
    }
  }

  private mutating func readRows(_ order: DateOrder, _ catalogue: DrinkCatalogue) {
    var texts: [(table: Int, texts: DrinkTexts)] = []
    for index in columns.indices {
      var reader = SheetRowReader(
        columns[index], order: order, tableIndex: index, catalogue: catalogue)
      reader.read(into: &people)
      texts.append((index, reader.texts))
      questions += reader.findings
      warnOfSummaries(columns[index])
      let filled = reader.filled
      guard filled.count > 0 else { continue }
      warnings.append(
        Diagnostic(
          .subjectFilled,
          at: SourceLocation(file: columns[index].table.file, line: filled.first),
          message:
            "\(filled.count) rows name no subject; they were taken as rows of the subject above",
          remedy: "name the subject in every row"))
    }
    settle(texts, order)
    // The rows of a wide table are told apart only if somebody has several.
    let isNamed = columns.contains { $0.column(.occasion) != nil }
    if !isNamed, !people.all.contains(where: { $0.occasions.count > 1 }) {
      people.forEach { person in
        for index in person.occasions.indices { person.occasions[index].name = nil }
      }
    }
    // A row that only describes its subject is no occasion.
    people.forEach { $0.occasions.removeAll { $0.events.isEmpty } }
  }

  private mutating func warnOfSummaries(_ table: SheetColumns) {
    guard let first = table.summaries.first else { return }
    let name = first.cells.first { !$0.trimmed.isEmpty } ?? ""
    let count = table.summaries.count
    warnings.append(
      Diagnostic(
        .summaryRows, at: SourceLocation(file: table.table.file, line: first.number),
        message: (count == 1 ? "a row is" : "\(count) rows are")
          + " called \(name.trimmed.quoted)\(count == 1 ? "" : " and the like") and "
          + (count == 1 ? "was" : "were") + " left out as statistics of the others",
        remedy: "if it is the name of somebody, write another in its place"))
  }

  // MARK: Times and ages

  private mutating func settleTimes() {
    let isStated = people.all.contains { $0.occasions.contains { $0.name != nil } }
    var evenings = SheetEvenings(files: columns.map(\.table.file), hasOccasions: isStated)
    var isOnClock = false
    people.forEach { person in
      isOnClock = isOnClock || person.isOnClock
      evenings.settle(&person)
    }
    // Evenings are told apart by their dates only if somebody has several.
    if !isStated, !people.all.contains(where: { $0.occasions.count > 1 }) {
      people.forEach { person in
        for index in person.occasions.indices { person.occasions[index].name = nil }
      }
    } else if !isStated {
      for index in columns.indices {
        for kind in [ColumnMeaning.Kind.date, .time(.row), .time(.reading)]
        where columns[index].column(kind) != nil {
          columns[index].note("each evening is an occasion", of: kind)
          break
        }
      }
    }
    findings = evenings.findings
    guard isOnClock else { return }
    for index in columns.indices {
      for kind in [ColumnMeaning.Kind.time(.row), .time(.drink), .time(.reading)] {
        columns[index].note("0 min is the first drink", of: kind)
      }
    }
  }

  private var findings: [SeriesKey: [Diagnostic]] = [:]

  /// Ages in whole years on the first day of drinking, of people whose date of birth is given.
  private mutating func settleAges(_ order: DateOrder) {
    var isUndated = false
    people.forEach { person in
      guard let birth = person.birth, person.facts["age_y"] == nil,
        let born = birth.day(
          columns.lazy.compactMap { $0.column(.birth)?.meaning.order }.first ?? order)
      else { return }
      guard let day = person.firstDay else {
        isUndated = true
        return
      }
      person.facts["age_y"] = CivilDate.years(from: born, to: day).description
    }
    for index in columns.indices {
      columns[index].note(
        isUndated ? "without a date of the study no age is known" : "age in whole years", of: .birth
      )
    }
  }

  /// Columns that nothing reads and that say the same in all rows of a subject describe the subjects.
  private mutating func findCovariates() {
    for index in columns.indices { columns[index].findCovariates() }
    people.addCovariates(columns)
  }

  // MARK: Tables

  private func makeFolder(
    _ path: String, _ catalogue: DrinkCatalogue, _ descriptor: InputFile?, _ sources: [InputFile]
  ) -> StudyFolder {
    let tables = SheetTables(people.all, columns)
    var files: [StudyFile: InputFile] = [
      .subjects: tables.subjects, .drinks: tables.drinks, .readings: tables.readings,
    ]
    files[.descriptor] = descriptor
    var folder = StudyFolder(path: path, files: files)
    folder.catalogue = catalogue
    folder.sheet = SheetFindings(
      sources: sources, series: findings,
      all: columns.flatMap(\.table.findings) + warnings + conflicts, isSingle: columns.count == 1)
    return folder
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

/// What was found while a sheet was understood, beside its tables.
struct SheetFindings {
  /// The files that the sheet comes from.
  let sources: [InputFile]
  /// What is wrong with a series.
  let series: [SeriesKey: [Diagnostic]]
  /// What concerns all of it.
  let all: [Diagnostic]
  /// Whether people, drinks and readings stand in one table.
  let isSingle: Bool
}

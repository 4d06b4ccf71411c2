import AlcoholKinetics
import StudyData
import StudyFiles

extension SheetColumns {
  /// Asks about unrecognised columns with times, dates, unusable samples or numbers in a unit of concentration.
  mutating func askForUnclaimed() {
    for column in unknown {
      let values = values(of: column.index)
      guard !values.isEmpty else { continue }
      if let sample = unusableSample(column) {
        questions.add(
          .columnUnit, at: place(column.index),
          message:
            "the column \(column.title.quoted) is of \(sample), which tells no concentration in blood",
          remedy: "leave it out: only blood, serum, plasma and breath are read",
          statements: column.stated(as: ["ignore"]))
        continue
      }
      if let choices = measureChoices(column),
        values.allSatisfy({ table.number($0) != nil || SheetCellText.isBelowLimit($0) })
      {
        addQuestion(column, choices: choices, "is not recognised, and names a measurement")
        columns.removeAll { $0.index == column.index }
        continue
      }
      let what: String
      let choices: [String]
      if let unit = unclaimedConcentration(column) {
        what = "is in \(unit)"
        choices = ColumnWord.concentrations(in: unit).map(\.name)
      } else if let form = Self.timeForm(of: values), !hasOwnTimes {
        what =
          "holds \(form == "time" ? "times of day" : "dates with times"), as \(values[0].quoted)"
        choices = [ColumnMeaning.Kind.Whose.drink, .reading].filter {
          self.column(.time($0)) == nil
        }.map { $0.prefix + form }
      } else {
        continue
      }
      questions.add(
        .columnUnit, at: place(column.index),
        message: "the column \(column.title.quoted) is not recognised, and \(what)",
        remedy: "say what it is", statements: column.stated(as: choices + ["ignore"]))
    }
    askForTimes()
    askForStrength()
  }

  /// Asks for the column of strengths if only the volumes of drinks are known.
  private mutating func askForStrength() {
    let drinks = drinks
    guard let volume = drinks.lazy.flatMap(\.doses).first(where: { $0.meaning.kind == .volume }),
      drinks.allSatisfy({ drink in
        drink.strength == nil && drink.drink == nil
          && drink.doses.allSatisfy { $0.meaning.kind == .volume }
      })
    else { return }
    let possible = unknown.filter { column in
      let numbers = values(of: column.index).map { table.quantity($0)?.number }
      let unit = column.header.unit
      return !numbers.isEmpty && numbers.allSatisfy { $0.map { 0...100 ~= $0 } ?? false }
        && unit.map { ColumnWord.strength.takes($0) || !ColumnWord.isUnit($0) } ?? true
        && rows.allSatisfy { row in
          (row.filled(volume.index) != nil) == (row.filled(column.index) != nil)
        }
    }
    guard !possible.isEmpty else { return }
    questions.add(
      .columnUnit, at: place(volume.index),
      message: "no column says how strong the drinks in \(volume.title.quoted) are",
      remedy: "say which it is, or add a column \"ABV (%)\"",
      statements: possible.map { $0.stated(as: "abv_percent") })
  }

  /// Statements that would make unused columns doses: texts of drinks, or amounts with a unit.
  var doseStatements: [String] {
    unknown.flatMap { column -> [String] in
      let values = values(of: column.index).prefix(20)
      guard !values.isEmpty else { return [] }
      if values.allSatisfy({ (try? ParsedDrink.read($0)) != nil }) {
        return [column.stated(as: "drink")]
      }
      guard let unit = column.header.unit, values.allSatisfy({ table.quantity($0) != nil }) else {
        return []
      }
      let doses = [ColumnWord.ethanol, .volume].compactMap { $0.meaning(in: unit)?.name }
      return column.stated(as: doses)
    }
  }

  /// Asks for the column of times if readings need one and none was recognised.
  private mutating func askForTimes() {
    guard let reading = column(.reading), wide.columns.isEmpty, questions.isEmpty,
      column(.time(.row)) == nil,
      column(.time(.reading)) == nil, column(.submission) == nil
    else { return }
    let numbers = unknown.filter { column in
      let values = values(of: column.index)
      return !values.isEmpty && values.allSatisfy { table.number($0) != nil }
    }
    let units = ["time_min", "time_h"]
    questions.add(
      .time, at: place(reading.index),
      message: "no column says when the readings were taken",
      remedy: "add a column such as \"Time (min)\", or say which it is",
      statements: numbers.isEmpty
        ? units.map { "\(ColumnChoice.anyColumn)=\($0)" } : numbers.flatMap { $0.stated(as: units) }
    )
  }

  /// Returns the word for an unusable matrix, such as urine, in the header of a concentration; nil if it has none.
  private func unusableSample(_ column: SheetColumn) -> String? {
    guard let unit = column.header.unit, ColumnWord.isConcentration(unit) else { return nil }
    return column.header.words.split(separator: " ").map(String.init).first {
      SampleWord($0) == .unusable
    }
  }

  /// Whether drinks and readings already have columns of times.
  private var hasOwnTimes: Bool {
    if column(.time(.drink)) != nil, column(.time(.reading)) != nil || column(.time(.row)) != nil {
      return true
    }
    // A table of only drinks or only readings needs one column of times.
    let needed = (hasDose ? 1 : 0) + (hasReadings ? 1 : 0)
    let hasAny = columns.contains(where: \.meaning.isTime)
    return needed < 2 && (hasAny || needed == 0)
  }

  /// Returns the name in `--map` of times of day or of dates with times, if all cells are such; otherwise nil.
  private static func timeForm(of values: [String]) -> String? {
    if values.allSatisfy({ ClockTime.minutes($0) != nil }) { return "time" }
    // Serial numbers without a colon do not count: any number may be one.
    let areDates = values.allSatisfy { $0.contains(":") && ParsedDateTime($0) != nil }
    return areDates ? "datetime" : nil
  }

  /// Returns the unit of concentration in the header of a column of numbers; nil if it has none, or if the header names
  /// another measurement.
  private func unclaimedConcentration(_ column: SheetColumn) -> String? {
    guard let unit = column.header.unit, ColumnWord.isConcentration(unit),
      !["%", "percent", "mm"].contains(unit),
      !column.header.words.split(separator: " ").contains(where: {
        Vocabulary.has(String($0), "header", "other measure")
      }),
      values(of: column.index).contains(where: { table.quantity($0) != nil })
    else { return nil }
    // Some units of concentration are shared with many other measurements.
    let isShared = Vocabulary.has(unit.filter { !$0.isWhitespace }, "header", "shared unit")
    return readingColumns.isEmpty || !isShared ? unit : nil
  }
}

extension SheetStudy {
  /// Takes alcohol in g/kg as the dose per kilogram of body weight if another column has the readings and none a dose.
  mutating func reinterpretConcentrationAsDose() {
    guard !columns.contains(where: \.hasDose) else { return }
    let open = columns.indices.flatMap { table in
      columns[table].columns.filter { column in
        column.meaning.kind == .reading && column.matrix == nil && !column.isStated
          && column.meaning.name == ConcentrationUnit.bloodGramsPerKilogram.rawValue
          && column.unit.map { ["g/kg", "g per kg"].contains($0) } ?? false
      }.map { (table, $0) }
    }
    let all = columns.map { table in
      table.columns.count { $0.meaning.kind == .reading } + table.wide.columns.count
    }
    let others = all.reduce(0, +) - open.count
    guard open.count == 1, others > 0, let (table, column) = open.first else { return }
    columns[table].replace(
      column.index, by: "ethanol_g_per_kg",
      note: "another column has the readings: taken as the dose")
    columns[table].questions.removeAll { question in
      question.code == .columnAmbiguous
        && question.statements.contains(column.stated(as: "ignore"))
    }
  }
}

extension SheetColumns {
  /// Asks about unrecognised columns that may mark readings as excluded.
  mutating func askForMarks() {
    // All candidates count: which of several columns holds the readings may be undecided yet.
    let readings =
      columns.filter { $0.meaning.kind == .reading }.map(\.index) + readingColumns.map(\.index)
    let unknown = unknown
    guard !readings.isEmpty, !unknown.isEmpty else { return }
    let read = rowsOfSubjects().filter { _, row in readings.contains { row.filled($0) != nil } }
    let occasions = rowsByOccasion(read)
    for column in unknown {
      let mark = ReadingMark(column.header)
      let stated = read.first { _, row in row.filled(column.index).map(mark.excludes) ?? false }
      guard let marked = stated?.row ?? minority(column, mark, occasions) else {
        if mark != .remark { change(column.index) { $0.note = "marks no reading" } }
        continue
      }
      columns.removeAll { $0.index == column.index }
      let text = marked.text(column.index)
      let (message, remedy) = mark.question(of: column.title, text)
      let names: [ReadingMark] =
        stated != nil
        ? [mark] : ReadingMark.answer(text) == nil ? [] : mark == .remark ? [.flag, .use] : [mark]
      questions.add(
        .columnUnit, at: table.place(marked, column.index), message: message,
        remedy: names.isEmpty
          ? "if it is not, say so with yes in a column Exclude; if not, leave the column out"
          : remedy,
        statements: column.stated(as: names.map(\.rawValue) + ["ignore"]))
    }
  }

  /// Groups the rows with a reading by subject and occasion, without rows that only describe a subject.
  private func rowsByOccasion(
    _ read: [(subject: String, row: SheetTable.Row)]
  ) -> [[SheetTable.Row]] {
    guard wide.columns.isEmpty else { return [] }
    let keys = [column(.occasion), column(.date)].compactMap { $0?.index }
    let isDescribed = describesPeopleInFirstRows
    return read.grouped { subject, row in [subject] + keys.map(row.text) }.map { _, all in
      all.map(\.row).dropFirst(isDescribed ? 1 : 0).map(\.self)
    }
  }

  /// Returns a row with the rarest value of a column within an occasion; nil if the column does not vary.
  private func minority(
    _ column: SheetColumn, _ mark: ReadingMark, _ occasions: [[SheetTable.Row]]
  ) -> SheetTable.Row? {
    let isAny = mark != .remark || column.header.isCalled("quality")
    guard isAny || values(of: column.index).allSatisfy({ ReadingMark.answer($0) != nil }) else {
      return nil
    }
    for rows in occasions {
      let groups = rows.grouped { row in
        row.filled(column.index).map { ReadingMark.answer($0).map { "\($0)" } ?? $0 } ?? ""
      }
      guard groups.count > 1 else { continue }
      // The rarest value; of equally rare ones, the last.
      let fewest = groups.map(\.values.count).min()
      let filled = groups.filter { !$0.key.isEmpty }
      return (filled.last { $0.values.count == fewest } ?? filled.last)?.values.first
    }
    return nil
  }

  /// The text of a column for a subject, and the number of its rows with a reading.
  private struct Use {
    let text: String
    let isInFirstRow: Bool
    var read = 0
  }

  /// The maximum number of candidates for covariates.
  private static let maximumCovariates = 200

  /// Takes unused columns that are constant within every subject as covariates, and others as remarks.
  mutating func findCovariates() {
    var candidates = unknown
    guard candidates.count <= Self.maximumCovariates else { return }
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
    // A value beside only some readings of a subject describes those readings, not the subject.
    var isOfRows: Set<Int> = []
    for (subject, columns) in uses {
      for (index, use) in columns where use.read > 0 && use.read < read[subject] ?? 0 {
        if !(isAtFirstRows && use.isInFirstRow && use.read == 1) { isOfRows.insert(index) }
      }
    }
    // An empty column is not a covariate.
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

  /// Whether people are described only in the first of their rows, as with merged cells.
  var describesPeopleInFirstRows: Bool {
    guard let subject = column(.subject)?.index else { return false }
    let facts = columns.filter { [.sex, .age, .birth, .height, .weight].contains($0.meaning.kind) }
    return rows.contains { row in
      !row.isEmpty
        && (row.filled(subject) == nil
          || !facts.isEmpty && facts.allSatisfy { row.filled($0.index) == nil })
    }
  }
}

import AlcoholKinetics
import StudyData
import StudyFiles

extension SheetColumns {
  /// Asks about columns that are not recognised but hold what belongs to a study: times of day or dates where no other
  /// column says when people drank or were measured, and numbers in a unit of readings.
  mutating func askForUnclaimed() {
    for column in columns where column.note == "not recognised" {
      let values = values(of: column.index)
      guard !values.isEmpty else { continue }
      if let unit = unclaimedConcentration(column) {
        ask(column, "is in \(unit)", choices: namesOfConcentrations(in: unit))
      } else if let form = Self.timeForm(of: values), !hasOwnTimes {
        let prefixes = ["drink_", "reading_"].filter { prefix in
          let kind: ColumnMeaning.Kind.Whose = prefix == "drink_" ? .drink : .reading
          return self.column(.time(kind)) == nil
        }
        ask(
          column,
          "holds \(form == "time" ? "times of day" : "dates with times"), as \(values[0].quoted)",
          choices: prefixes.map { $0 + form } + ["ignore"])
      }
    }
    askForTimes()
  }

  /// Asks for the column of times where none is known and readings need one.
  private mutating func askForTimes() {
    guard let reading = column(.reading), questions.isEmpty, column(.time(.row)) == nil,
      column(.time(.reading)) == nil, column(.submission) == nil
    else { return }
    let numbers = unknown.filter { column in
      let values = values(of: column.index)
      return !values.isEmpty
        && values.allSatisfy { SheetCellText.number($0, table.mayHaveDecimalComma) != nil }
    }
    let candidates = numbers.isEmpty ? ["COLUMN"] : numbers.map { $0.title.excerpt() }
    questions.add(
      .timeMissing, at: place(reading.index),
      message: "no column says when the readings were taken",
      remedy: "add a column such as \"Time (min)\", or say which it is",
      statements: candidates.map { "\($0)=time_min" })
  }

  /// Whether the table says of drinks and of readings when they were: by a time of each, or of the row where nothing
  /// was drunk in it.
  private var hasOwnTimes: Bool {
    if column(.time(.drink)) != nil, column(.time(.reading)) != nil || column(.time(.row)) != nil {
      return true
    }
    // A table without one of them needs one time.
    let needed = (hasDose ? 1 : 0) + (hasReadings ? 1 : 0)
    let hasAny = columns.contains(where: \.meaning.isTime)
    return needed < 2 && (hasAny || needed == 0)
  }

  /// Whether cells are times of day or dates with times, as `--map` calls these; nil for other cells.
  private static func timeForm(of values: [String]) -> String? {
    if values.allSatisfy({ ClockTime.minutes($0) != nil }) { return "time" }
    // A serial number of a spreadsheet may be any number.
    let areDates = values.allSatisfy { $0.contains(":") && WrittenDateTime($0) != nil }
    return areDates ? "datetime" : nil
  }

  /// The unit of readings in the header of a column of numbers, of which no other column is; nil if there is none, or
  /// if the header names something else that is measured in it.
  private func unclaimedConcentration(_ column: SheetColumn) -> String? {
    let text = HeaderText(column.title)
    guard let unit = text.unit, ColumnWord.isConcentration(unit),
      !["%", "percent", "mm"].contains(unit),
      !text.words.split(separator: " ").contains(where: { Self.otherMeasures.contains(String($0)) }
      ),
      values(of: column.index).contains(where: {
        WrittenQuantity($0, decimalComma: table.decimalComma) != nil
      })
    else { return nil }
    let isShared = Self.sharedUnits.contains(unit.filter { !$0.isWhitespace })
    return readingColumns.isEmpty || !isShared ? unit : nil
  }

  /// Units in which much else is measured.
  private static let sharedUnits = Set(Vocabulary.words("header", "shared unit"))

  private static let otherMeasures = Set(Vocabulary.words("header", "other measure"))

  private func namesOfConcentrations(in unit: String) -> [String] {
    [ConcentrationUnit.Matrix.blood, .serum, .breath].compactMap {
      ColumnWord.concentration(of: $0, in: unit)?.name
    } + ["ignore"]
  }

  private mutating func ask(_ column: SheetColumn, _ what: String, choices: [String]) {
    questions.add(
      .columnUnit, at: place(column.index),
      message: "the column \(column.title.quoted) is not recognised, and \(what)",
      remedy: "say what it is", statements: column.stated(as: choices))
  }
}

extension SheetStudy {
  /// Takes a column of alcohol in g/kg, of which nothing says that it is of blood, for the dose per kg where another
  /// column has the readings and none has a dose.
  mutating func settleDosePerKilogram() {
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
      question.code == .unitAmbiguous
        && question.statements.contains("\(column.title.excerpt())=ignore")
    }
  }
}

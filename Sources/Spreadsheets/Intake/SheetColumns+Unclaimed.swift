import AlcoholKinetics
import StudyData
import StudyFiles

extension SheetColumns {
  /// Asks about unrecognised columns that hold times, dates, samples or numbers in a unit of readings.
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
        ask(column, choices: choices, "is not recognised, and names a measurement")
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

  /// Asks which column says how strong drinks are whose volume alone is known.
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

  /// Statements that make doses of unused columns: drinks as people write them, or amounts in a unit.
  var doseStatements: [String] {
    unknown.flatMap { column -> [String] in
      let values = values(of: column.index).prefix(20)
      guard !values.isEmpty else { return [] }
      if values.allSatisfy({ (try? WrittenDrink.read($0)) != nil }) {
        return [column.stated(as: "drink")]
      }
      guard let unit = column.header.unit, values.allSatisfy({ table.quantity($0) != nil }) else {
        return []
      }
      let doses = [ColumnWord.ethanol, .volume].compactMap { $0.meaning(in: unit)?.name }
      return column.stated(as: doses)
    }
  }

  /// Asks for the column of times where none is known and readings need one.
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

  /// The word of a header of concentrations for a sample that cannot be used, as urine.
  private func unusableSample(_ column: SheetColumn) -> String? {
    guard let unit = column.header.unit, ColumnWord.isConcentration(unit) else { return nil }
    return column.header.words.split(separator: " ").map(String.init).first {
      SampleWord($0) == .unusable
    }
  }

  /// Whether drinks and readings have times: one of each, or of the row where nothing was drunk in it.
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

  /// The unit of readings in a header of numbers; nil if there is none, or if it names another measurement.
  private func unclaimedConcentration(_ column: SheetColumn) -> String? {
    guard let unit = column.header.unit, ColumnWord.isConcentration(unit),
      !["%", "percent", "mm"].contains(unit),
      !column.header.words.split(separator: " ").contains(where: {
        Vocabulary.has(String($0), "header", "other measure")
      }),
      values(of: column.index).contains(where: { table.quantity($0) != nil })
    else { return nil }
    // In some units much else is measured.
    let isShared = Vocabulary.has(unit.filter { !$0.isWhitespace }, "header", "shared unit")
    return readingColumns.isEmpty || !isShared ? unit : nil
  }
}

extension SheetStudy {
  /// Takes alcohol in g/kg for the dose per kg where another column has the readings and none a dose.
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
      question.code == .columnAmbiguous
        && question.statements.contains(column.stated(as: "ignore"))
    }
  }
}

import AlcoholKinetics
import StudyData
import StudyFiles

extension SheetColumns {
  /// Asks about a column with a unit that does not fit its word: for another meaning, or for a conversion.
  mutating func askForKnownUnit(_ column: SheetColumn, _ word: ColumnWord, _ unit: String) {
    // Brackets may hold two units, as in kg/lb.
    let parts = unit.split { "/|".contains($0) }.map(\.trimmed).compactMap(word.meaning)
    guard parts.count < 2 else {
      return addQuestion(
        column, choices: parts.map(\.name), "states two units, \(unit.quoted)",
        remedy: "say in which of them it is")
    }
    guard ColumnWord.isUnit(unit) else {
      // A unit with other words, as in "ml EtOH".
      let units = unit.split(separator: " ").compactMap { word.meaning(in: String($0))?.name }
      return addQuestion(
        column, choices: units.isEmpty ? word.choices : units.uniqued + ["ignore"],
        "states the unit \(unit.quoted), which is not one of its kind")
    }
    if word == .volume, let dose = ColumnWord.ethanol.meaning(in: unit) {
      return addQuestion(
        column, choices: [dose.name, "ignore"], "is in \(unit), which may be those of the ethanol",
        remedy: "say so, or write the volume of the drink into a column \"Volume (ml)\"")
    }
    // Breathalysers may display the equivalent blood concentration.
    let fitting = word.matrix == nil ? [] : ColumnWord.concentrations(in: unit).map(\.name)
    let kind = word == .alcohol(.breath) ? "breath" : "its kind"
    guard fitting.isEmpty else {
      return addQuestion(
        column, choices: fitting + ["ignore"],
        "states the unit \(unit.quoted), which is not one of \(kind)")
    }
    let units = word.unitsToConvertTo.prefix(6).joined(separator: ", ")
    addQuestion(
      column, choices: ["ignore"],
      "states the unit \(unit.quoted), which is not one of \(kind)",
      remedy: units.isEmpty
        ? "write it in another unit, or leave the column out"
        : "convert it (\(units)) and write that unit into the header, or leave the column out")
  }

  /// Asks about an ambiguous unit, such as ounces, and about volumes of pure alcohol; returns true if it asked.
  mutating func isAskedForUnit(_ column: SheetColumn, _ word: ColumnWord, _ unit: String) -> Bool {
    if let choices = word.choices(in: unit) {
      addQuestion(column, choices: choices, "is in \(unit), which may be one of several")
      return true
    }
    guard word == .ethanol, let volume = ColumnWord.volume.meaning(in: unit),
      let pure = word.meaning(in: unit)
    else { return false }
    let hasStrength = header.cells.prefix(200).contains {
      guard let reading = HeaderText($0).reading else { return false }
      return reading.word == .strength
    }
    guard !column.header.isCalled("pure") || hasStrength else { return false }
    addQuestion(
      column, choices: [pure.name, volume.name],
      "is in \(unit), which may be those of the drink or of its pure alcohol")
    return true
  }

  /// Asks about strengths below 1 %, minutes that may be fractions of a day, and ages that are years of birth; returns
  /// true if it asked.
  mutating func isAskedForFractions(_ column: SheetColumn, _ meaning: ColumnMeaning) -> Bool {
    let names = ["abv_percent", "time_min", "reading_time_min", "drink_time_min", "age_y"]
    guard names.contains(meaning.name) else { return false }
    let values = values(of: column.index)
    let numbers = values.compactMap(table.number)
    guard !numbers.isEmpty, numbers.count == values.count, let low = numbers.min(),
      let high = numbers.max()
    else { return false }
    switch meaning.name {
    case "abv_percent" where high > 0 && high < 1 && low >= 0:
      addQuestion(
        column, choices: ["abv_fraction", "abv_percent"],
        "goes up to \(high.shown), which may be a fraction")
    case "time_min", "reading_time_min", "drink_time_min":
      guard low >= 0, high < 1, Set(numbers).count > 2 else { return false }
      addQuestion(
        column, choices: [meaning.name.replacing("_min", with: "_d"), meaning.name],
        "goes up to \(high.shown), which may be days as a spreadsheet counts them")
    case "age_y" where low >= 1900 && high < 2100:
      addQuestion(
        column, choices: ["birth_date", "covariate", "ignore"], "holds years, and not ages")
    default: return false
    }
    return true
  }

  /// Whether alcohol in percent is the strength of drinks: by volume, or beside volumes and other readings.
  func isStrength(_ column: SheetColumn, _ word: ColumnWord, _ unit: String?) -> Bool {
    guard let unit, ColumnWord.strength.meaning(in: unit) != nil,
      word == .alcohol(nil) || word == .ethanol && word.meaning(in: unit) == nil
    else { return false }
    let isOfVolume = Vocabulary.has(unit, "by volume", "yes")
    guard !isOfVolume else { return true }
    let others = header.cells.prefix(200).enumerated().filter { $0.offset != column.index }
      .compactMap { HeaderText($0.element).reading }
    let hasVolume = others.contains { reading in
      reading.word == .volume || reading.word == .drink && reading.unit != nil
    }
    return hasVolume
      && (wide.columns.count > 0
        || others.contains { reading in
          guard case .alcohol = reading.word else { return false }
          return reading.unit.map(ColumnWord.isConcentration) ?? (reading.word.matrix != nil)
        })
  }

  /// Asks to replace a column of times that count from the end of drinking.
  mutating func askForTimeFromEnd(_ column: SheetColumn) {
    addQuestion(
      column, choices: ["ignore"], "counts from the end of something, and not from the beginning",
      remedy:
        "write the times since the beginning of drinking, as in a column \"Time (min)\", or leave it out"
    )
  }

  /// Returns the possible meanings of a header that names a measurement without matrix and unit; nil for other headers.
  func measureChoices(_ column: SheetColumn) -> [String]? {
    let words = column.header.words.split { !$0.isLetter && $0 != "‰" }.map(String.init)
    let isStrength = words.contains { Vocabulary.has($0, "header", "strength measure") }
    guard isStrength || words.contains(where: { Vocabulary.has($0, "header", "measure") }) else {
      return nil
    }
    if isStrength { return ["abv_percent", "abw_percent", "covariate", "ignore"] }
    let units = column.header.unit.map { ColumnWord.concentrations(in: $0).map(\.name) } ?? []
    let word = words.lazy.compactMap(ColumnWord.called).first ?? .alcohol(nil)
    return (units.isEmpty ? word.choices : units) + ["covariate", "ignore"]
  }

  /// Returns the meaning of a column whose cells contain units, such as `70 kg`, and a note; nil if they contain none, or
  /// if some contain none and the others differ.
  func inferFromCells(_ word: ColumnWord, _ values: [String]) -> (ColumnMeaning, String)? {
    let cells = values.map(table.quantity)
    var meanings: [ColumnMeaning] = []
    var isBare = false
    for cell in cells {
      guard let cell else { continue }
      guard let unit = cell.unit else {
        isBare = true
        continue
      }
      // A cell with an unsuitable unit is reported in its row.
      guard let meaning = concentration(word, in: unit)?.meaning ?? word.meaning(in: unit) else {
        continue
      }
      if !meanings.contains(meaning) { meanings.append(meaning) }
    }
    guard let first = meanings.first else { return nil }
    guard isBare else { return (first, "unit in the cells") }
    // The size of a height distinguishes cm and m.
    if word == .height {
      let areUnitsClear = cells.allSatisfy { cell in
        cell.map { $0.unit != nil || ColumnMeaning.height(of: $0.number) != nil } ?? true
      }
      return areUnitsClear ? (first, "unit in the cells; the others by their size") : nil
    }
    return meanings.count == 1 ? (first, "unit in the cells") : nil
  }

  /// Returns the first unit in the cells of a column; nil if none has one.
  func unitOfCells(of index: Int) -> String? {
    values(of: index).lazy.compactMap { text in
      let plain = text.hasPrefix("<") ? text.dropFirst().trimmed : text
      return table.quantity(plain)?.unit
    }.first
  }

  /// Takes ethanol in g/kg as readings if another column has the dose and none has readings.
  mutating func reinterpretEthanolAsReadings() {
    guard column(.reading) == nil, wide.columns.isEmpty,
      let ethanol = column(.perKilogram), !ethanol.isStated,
      columns.contains(where: { [.ethanol, .volume, .drink].contains($0.meaning.kind) }),
      ethanol.header.isCalled("ethanol"),
      let meaning = ColumnWord.concentration(of: samples?.matrix ?? .blood, in: "g/kg")
    else { return }
    change(ethanol.index) {
      $0.meaning = meaning
      $0.note = "another column has the dose: taken as readings"
      $0.unit = ethanol.header.unit
    }
  }

  /// Returns the question whether heights such as `5.11` are decimal feet or feet and inches; nil if some cannot be the
  /// latter.
  func askForInches(_ column: SheetColumn) -> Diagnostic? {
    let numbers = values(of: column.index).filter { table.number($0) != nil }
    guard let shown = numbers.first(where: { ParsedQuantity.feetAndInches($0)?.inches ?? 0 > 0 }),
      numbers.allSatisfy({ ParsedQuantity.feetAndInches($0) != nil })
    else { return nil }
    return Diagnostic(
      .columnUnit, at: place(column.index),
      message: "\(shown.quoted) in the column \(column.title.quoted) may be feet and inches, "
        + "or decimal feet",
      remedy: "say which", statements: column.stated(as: ["height_ft_in", "height_ft"]))
  }

  /// The columns of readings: one with its replicates, or those of a wide table.
  var readingColumns: [SheetColumn] {
    [column(.reading)].compactMap(\.self) + replicates + wide.columns.map(\.column)
  }

  var readingUnit: ConcentrationUnit? { readingColumns.lazy.compactMap(\.meaning.unit).first }
}

extension ColumnMeaning {
  /// Returns the meaning of a height without a unit, by its size; nil if it fits an adult neither in cm nor in m.
  static func height(of number: Double) -> ColumnMeaning? {
    if 1.2...2.3 ~= number { return .named("height_m") }
    return 120...230 ~= number ? .named("height_cm") : nil
  }
}

extension ParsedQuantity {
  /// Returns the feet and inches of a text such as 5.11; nil if the digits after the point exceed 11.
  static func feetAndInches(_ text: String) -> (feet: Int, inches: Int)? {
    let parts = text.trimmed.split(
      omittingEmptySubsequences: false, whereSeparator: { ".,".contains($0) })
    guard (1...2).contains(parts.count), parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
      let feet = Int(parts[0]), 1..<9 ~= feet
    else { return nil }
    guard parts.count == 2 else { return (feet, 0) }
    guard let inches = Int(parts[1]), inches < 12, parts[1].count <= 2 else { return nil }
    return (feet, inches)
  }
}

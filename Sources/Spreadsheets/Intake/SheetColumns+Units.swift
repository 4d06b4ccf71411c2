import AlcoholKinetics
import StudyData
import StudyFiles

extension SheetColumns {
  /// Asks for a column in a unit that its kind does not have: what it may be in that unit, or to convert it.
  mutating func askForKnownUnit(_ column: SheetColumn, _ word: ColumnWord, _ unit: String) {
    // Words in brackets need not be a unit; and kg/lb are two.
    let parts = unit.split { "/|".contains($0) }.map(\.trimmed).compactMap(word.meaning)
    guard parts.count < 2 else {
      return ask(
        column, choices: parts.map(\.name), "states two units, \(unit.quoted)",
        remedy: "say in which of them it is")
    }
    guard ColumnWord.isUnit(unit) else {
      // As "ml EtOH": nothing that is in another unit.
      let own = unit.split(separator: " ").compactMap { word.meaning(in: String($0))?.name }
      return ask(
        column, choices: own.isEmpty ? word.choices : own.uniqued + ["ignore"],
        "states the unit \(unit.quoted), which is not one of its kind")
    }
    if word == .volume, let dose = ColumnWord.ethanol.meaning(in: unit) {
      return ask(
        column, choices: [dose.name, "ignore"], "is in \(unit), which may be those of the ethanol",
        remedy: "say so, or write the volume of the drink into a column \"Volume (ml)\"")
    }
    // Breathalysers may show what they make of the breath in blood.
    let fitting = word.matrix == nil ? [] : ColumnWord.concentrations(in: unit).map(\.name)
    let kind = word == .alcohol(.breath) ? "breath" : "its kind"
    guard fitting.isEmpty else {
      return ask(
        column, choices: fitting + ["ignore"],
        "states the unit \(unit.quoted), which is not one of \(kind)")
    }
    let units = word.unitsToConvertTo.prefix(6).joined(separator: ", ")
    ask(
      column, choices: ["ignore"],
      "states the unit \(unit.quoted), which is not one of \(kind)",
      remedy: units.isEmpty
        ? "write it in another unit, or leave the column out"
        : "convert it (\(units)) and write that unit into the header, or leave the column out")
  }

  /// Asks for a unit that is one of several, as ounces, and for pure alcohol in units of volume; whether it did.
  mutating func isAskedForUnit(_ column: SheetColumn, _ word: ColumnWord, _ unit: String) -> Bool {
    if let choices = word.choices(in: unit) {
      ask(column, choices: choices, "is in \(unit), which may be one of several")
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
    ask(
      column, choices: [pure.name, volume.name],
      "is in \(unit), which may be those of the drink or of its pure alcohol")
    return true
  }

  /// Asks about strengths below 1 %, minutes that may be fractions of a day, and years of birth as ages.
  mutating func isAskedForFractions(_ column: SheetColumn, _ meaning: ColumnMeaning) -> Bool {
    guard Self.mayBeFractions.contains(meaning.name) else { return false }
    let values = values(of: column.index)
    let numbers = values.compactMap(table.number)
    guard !numbers.isEmpty, numbers.count == values.count, let low = numbers.min(),
      let high = numbers.max()
    else { return false }
    switch meaning.name {
    case "abv_percent" where high > 0 && high < 1 && low >= 0:
      ask(
        column, choices: ["abv_fraction", "abv_percent"],
        "goes up to \(high.shown), which may be a fraction")
    case "time_min", "reading_time_min", "drink_time_min":
      guard low >= 0, high < 1, Set(numbers).count > 2 else { return false }
      ask(
        column, choices: [meaning.name.replacing("_min", with: "_d"), meaning.name],
        "goes up to \(high.shown), which may be days as a spreadsheet counts them")
    case "age_y" where low >= 1900 && high < 2100:
      ask(column, choices: ["birth_date", "covariate", "ignore"], "holds years, and not ages")
    default: return false
    }
    return true
  }

  private static let mayBeFractions: Set = [
    "abv_percent", "time_min", "reading_time_min", "drink_time_min", "age_y",
  ]

  /// Whether alcohol in percent is the strength of drinks: by volume, or beside volumes and other readings.
  func isStrength(_ column: SheetColumn, _ word: ColumnWord, _ unit: String?) -> Bool {
    guard let unit, ColumnWord.strength.meaning(in: unit) != nil,
      word == .alcohol(nil) || word == .ethanol && word.meaning(in: unit) == nil
    else {
      return false
    }
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

  /// A time that counts from the end of drinking is no time since the beginning.
  mutating func askForTimeFromEnd(_ column: SheetColumn) {
    ask(
      column, choices: ["ignore"], "counts from the end of something, and not from the beginning",
      remedy:
        "write the times since the beginning of drinking, as in a column \"Time (min)\", or leave it out"
    )
  }

  /// Asks about numbers whose header names a measurement, and says neither of what nor in which unit.
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
}

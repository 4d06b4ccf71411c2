import AlcoholKinetics
import StudyData
import StudyFiles

/// Interprets the texts of drinks in a sheet: the interpretation of each text, and open questions.
struct DrinkTexts {
  /// The interpretation of a text.
  struct Reading {
    let text: String
    let drink: ParsedDrink
    /// The drink for messages, without amounts from other columns.
    let shown: String
    let column: SheetColumn
    /// The first cell of the column with the text.
    let location: SourceLocation
  }

  let catalogue: DrinkCatalogue
  let table: SheetTable
  /// The interpretations, one for each distinct text of a column.
  private(set) var readings: [Reading] = []
  private(set) var questions: [Diagnostic] = []
  /// Keys of interpretations and questions already recorded.
  private var recorded: Set<[String]> = []
  private var parsed: [String: Result<[ParsedDrink], ParsedDrink.ParsingError>] = [:]

  init(catalogue: DrinkCatalogue, table: SheetTable) {
    self.catalogue = catalogue
    self.table = table
  }

  /// Returns the fields of the drinks that a row names, with the count already multiplied in; unchanged fields and 1 if
  /// the row needs no interpretation.
  mutating func interpret(
    _ fields: [String: String], _ columns: DrinkColumns, _ row: SheetTable.Row,
    isBesideReading: Bool
  ) -> (drinks: [[String: String]], count: Double) {
    let named = columns.doses.first { $0.meaning.kind == .drink }
    guard let column = named ?? (columns.drink == nil ? nil : columns.dose),
      let text = Self.text(fields["drink"], columns.drink)
    else { return ([fields], 1) }
    let amount = Amounts(fields)
    // An amount that is not a number is reported by the reader of drinks.
    guard amount.isReadable else { return ([fields], 1) }
    if columns.drink == nil, !amount.isWhole, SheetCellText.number(text, true) != nil,
      column.note != "as stated"
    {
      addQuestion(
        "the drink is \(text.quoted), which may be its number in the catalogue, or how many there were",
        column,
        row,
        statements: column.stated(as: ["drink", "drink_count", "ignore"]))
      return ([fields], 1)
    }
    let exact = catalogue[text]
    if exact != nil, amount.volume != nil || exact?.volumes.count == 1 || amount.hasEthanol {
      var named = fields
      named["drink"] = text
      return ([named], 1)
    }
    let drinks: [ParsedDrink]
    switch read(text, column.meaning.region ?? .eu) {
    case .success(let read): drinks = read
    case .failure(let problem):
      var label = fields
      label["drink"] = text
      // With a complete amount in other columns, the text is only a label.
      guard !amount.isWhole else { return ([label], 1) }
      switch problem {
      case .unclear(let what): addQuestion("\(text.quoted) does not say \(what)", column, row)
      case .unknown where amount.isNone && exact == nil && isBesideReading:
        reportUnknown(text, column, row)
      case .unknown: break
      }
      return ([label], 1)
    }
    if drinks.count > 1 || drinks[0].name == "standard drink" {
      guard amount.isNone else {
        if amount.hasEthanol { return ([fields], 1) }
        addQuestion("\(text.quoted) stands beside a volume or a strength of its own", column, row)
        return ([fields], 1)
      }
    }
    var all: [[String: String]] = []
    for drink in drinks {
      guard let drink = combine(drink, text, amount, column, row) else { return ([fields], 1) }
      all.append(drink.fields(fields))
      // A count of 0 needs no size.
      guard drink.count > 0 else { continue }
      let strength = drink.abvPercent.map { ", \($0.shown) %" } ?? ""
      let shown = amount.isNone ? drink.text : drink.name + strength
      if recorded.insert(["\(column.index)", text, shown]).inserted {
        readings.append(
          Reading(
            text: text, drink: drink, shown: shown, column: column,
            location: table.place(row, column.index)))
      }
    }
    return (all, drinks.count == 1 ? drinks[0].count : 1)
  }

  private mutating func read(
    _ text: String, _ region: DrinkRegion
  ) -> Result<[ParsedDrink], ParsedDrink.ParsingError> {
    parsed.value(of: "\(region.rawValue) \(text)") { [catalogue] in
      Result { () throws(ParsedDrink.ParsingError) in
        try ParsedDrink.read(text, sizes: region, catalogue: catalogue)
      }
    }
  }

  private static func text(_ cell: String?, _ header: String?) -> String? {
    guard let header else { return cell }
    return cell.map { "\($0) \(header)" } ?? header
  }

  /// Returns a drink with the amounts of other columns; nil, with a question, if they contradict the text.
  private mutating func combine(
    _ written: ParsedDrink, _ text: String, _ amount: Amounts, _ column: SheetColumn,
    _ row: SheetTable.Row
  ) -> ParsedDrink? {
    var drink = written
    if amount.hasEthanol {
      // A stated amount of ethanol is that of all drinks together.
      drink.ethanolInOne = Grams((amount.ethanol ?? 0) / max(drink.count, 1))
      drink.volume = nil
      drink.abvPercent = nil
      drink.assumed = []
      return amount.ethanol == nil ? nil : drink
    }
    if let percent = amount.strength {
      let isWritten = !drink.assumed.contains(.strength) && drink.abvPercent != nil
      if isWritten, text.contains("%"), abs((drink.abvPercent ?? 0) - percent) > 0.05 {
        addQuestion("\(text.quoted) stands beside a strength of \(percent.shown) %", column, row)
        return nil
      }
      drink.abvPercent = percent
      drink.assumed.remove(.strength)
    }
    if let volume = amount.volume {
      guard let size = drink.volume else { return nil }
      let isWritten = !drink.assumed.contains(.size)
      let all = drink.count * size.value
      let most = DrinkVocabulary.largestServing(of: catalogue[drink.name]?.type ?? .beer)
      if drink.count == 1, !isWritten || abs(volume - all) < 0.02 * all {
        drink.volume = Millilitres(volume)
      } else if drink.count > 1,
        isWritten ? abs(volume - all) < 0.02 * all : volume > most && volume / drink.count <= most
      {
        drink.volume = Millilitres(volume / drink.count)
      } else {
        addQuestion(
          "\(text.quoted) stands beside \(volume.shown) ml, which may be one of them or all",
          column, row)
        return nil
      }
      drink.assumed.remove(.size)
    }
    guard let volume = drink.volume, let percent = drink.abvPercent else { return drink }
    drink.ethanolInOne = Grams(volume.value * percent / 100 * EthanolDose.densityGramsPerMillilitre)
    return drink
  }

  /// Reports a text that names no drink.
  private mutating func reportUnknown(_ text: String, _ column: SheetColumn, _ row: SheetTable.Row)
  {
    guard recorded.insert(["\(column.index)", text]).inserted, questions.count < 20 else { return }
    let names = catalogue.suggestions(for: text).map(\.name.quoted).joined(separator: ", ")
    questions.add(
      .drink, at: table.place(row, column.index),
      message: "the drink is \(text.quoted), which is not in the drink catalogue",
      remedy: (names.isEmpty ? "" : "did you mean \(names)? Otherwise ")
        + "write it as 2 x 0.5 l beer 5 %, or leave the cell empty if nothing was drunk")
  }

  private mutating func addQuestion(
    _ message: String, _ column: SheetColumn, _ row: SheetTable.Row, statements: [String] = []
  ) {
    // One question for a column of numbers, and one for each distinct text.
    let isNew = recorded.insert(["\(column.index)", statements.isEmpty ? message : "number"])
      .inserted
    guard isNew, questions.count < 20 else { return }
    questions.add(
      .ambiguous, at: table.place(row, column.index),
      message: message,
      remedy: statements.isEmpty
        ? "write the drinks as 2 x 0.5 l beer 5 %, or what was drunk in all in a column of its own"
        : "say what the column is", statements: statements)
  }

  /// The amounts in other columns of a row.
  private struct Amounts {
    let volume, strength, ethanol: Double?
    /// Whether every amount that is not empty is a number.
    let isReadable: Bool
    let hasEthanol: Bool

    init(_ fields: [String: String]) {
      volume = fields.number("volume_ml")
      strength = fields.number("abv_percent")
      ethanol = fields.number("ethanol_g")
      isReadable = ["volume_ml", "abv_percent", "ethanol_g"].allSatisfy {
        fields[$0] == nil || fields.number($0) != nil
      }
      hasEthanol = fields["ethanol_g"] != nil || fields["ethanol_g_per_kg"] != nil
    }

    var isNone: Bool { volume == nil && strength == nil && !hasEthanol }
    var isWhole: Bool { hasEthanol || volume != nil && strength != nil }
  }
}

extension ParsedDrink {
  /// Returns the fields of a row with the total amounts of the drink.
  fileprivate func fields(_ row: [String: String]) -> [String: String] {
    var fields = row
    if let volume, let abvPercent {
      fields["volume_ml"] = (count * volume.value).description
      fields["abv_percent"] = abvPercent.description
      fields["drink"] = name.isEmpty ? nil : name
    } else if row["ethanol_g"] == nil, row["ethanol_g_per_kg"] == nil {
      fields["ethanol_g"] = ethanol.value.description
      fields["drink"] = nil
    }
    return fields
  }
}

extension [String: String] {
  /// Returns the number in a field; nil if it is missing or not a number.
  func number(_ field: String) -> Double? { self[field].flatMap { SheetCellText.number($0) } }

  /// Whether the fields of a drink state an amount of 0.
  var isNothing: Bool {
    ["ethanol_g", "ethanol_g_per_kg", "volume_ml"].contains { number($0) == 0 }
  }
}

// MARK: Report

extension SheetStudy {
  /// Adds notes on the interpretation of drinks, warnings about assumed values, and one question about missing sizes.
  mutating func reportDrinkTexts(_ texts: [DrinkTexts], _ order: DateOrder) {
    var unsized: [DrinkTexts.Reading] = []
    for (table, texts) in texts.enumerated() {
      questions += texts.questions
      for (index, all) in Dictionary(grouping: texts.readings, by: \.column.index)
        .sorted(by: { $0.key < $1.key })
      {
        let shown = all.prefix(Self.fewTexts).map { "\($0.text.quoted) = \($0.shown)" }
        let more = all.count > Self.fewTexts ? ["and \(all.count - Self.fewTexts) more"] : []
        columns[table].addNote((shown + more).joined(separator: "; "), ofColumn: index)
        let open = all.filter {
          $0.drink.assumed.contains(.size) && $0.column.meaning.region == nil
        }
        unsized += open
        if open.isEmpty { warnOfAssumptions(in: all.filter { !$0.drink.assumed.isEmpty }) }
      }
    }
    askForSizes(unsized, order)
  }

  private static let fewTexts = 6

  private mutating func warnOfAssumptions(in assumed: [DrinkTexts.Reading]) {
    guard let first = assumed.first else { return }
    let shown = assumed.prefix(Self.fewTexts).map { "\($0.text.quoted) = \($0.shown)" }
    let more = assumed.count > Self.fewTexts ? " and \(assumed.count - Self.fewTexts) more" : ""
    let hasSize = assumed.contains { $0.drink.assumed.contains(.size) }
    let what =
      hasSize
      ? "size or strength is not written for all drinks; those of \(first.column.meaning.region?.rawValue ?? "the vessel") and of the catalogue were assumed"
      : "the strength of drinks is not written; that of the catalogue was assumed"
    warnings.add(
      .drinkAssumed, at: first.location,
      message: "\(what): \(shown.joined(separator: "; "))\(more)",
      remedy: "if one of them is wrong, write size and strength behind the drink, as (0.5 l, 4.8 %)"
    )
  }

  private mutating func askForSizes(_ readings: [DrinkTexts.Reading], _ order: DateOrder) {
    guard let first = readings.first else { return }
    let texts = readings.prefix(Self.fewTexts).map(\.text.quoted).joined(separator: ", ")
    let likely = likelyRegion(order)
    let regions = [likely] + DrinkRegion.allCases.filter { $0 != likely }
    let sizes = regions.map { region in
      let sizes = readings.prefix(Self.fewTexts).compactMap { Self.size($0, region) }
      return "\(region.rawValue): " + sizes.uniqued.joined(separator: ", ")
    }
    let asked = readings.map(\.column).unique(by: \.title)
    questions.add(
      .drink, at: first.location,
      message: "the size of drinks is not written, as of \(texts)",
      remedy: "write it behind the drink, as (0.5 l, 5 %), or say whose sizes they are"
        + " (\(sizes.joined(separator: "; ")))",
      statements: regions.map { region in
        asked.map { $0.stated(as: Self.name($0.meaning, of: region)) }.joined(separator: ",")
      })
  }

  private static func size(_ reading: DrinkTexts.Reading, _ region: DrinkRegion) -> String? {
    let drinks = try? ParsedDrink.read(reading.text, sizes: region)
    guard let drink = drinks?.first(where: { $0.name == reading.drink.name }) else { return nil }
    let size = drink.volume.map { "\($0.value.shown) ml" } ?? "\(drink.ethanolInOne.value.shown) g"
    return "\(drink.name) \(size)"
  }

  private static func name(_ meaning: ColumnMeaning, of region: DrinkRegion) -> String {
    let number = meaning.drinkNumber.map { $0 > 1 ? "_\($0)" : "" } ?? ""
    return "drink_\(region.rawValue)\(number)\(meaning.isEach ? "_each" : "")"
  }

  /// Returns the region whose units and dates the sheet uses.
  private func likelyRegion(_ order: DateOrder) -> DrinkRegion {
    let meanings = columns.flatMap { table in
      table.columns.map(\.meaning) + [table.wide.meaning].compactMap(\.self)
    }
    func has(_ names: [String], _ region: DrinkRegion) -> Bool {
      let names = Set(
        names + ConcentrationUnit.Row.all.filter { $0.region == region.rawValue }.map(\.name))
      return meanings.contains { names.contains($0.name) }
    }
    let american = ["weight_lb", "height_in", "height_ft", "volume_us_fl_oz", "abv_us_proof"]
    if order == .monthFirst || has(american, .us) { return .us }
    return has(["weight_st"], .uk) ? .uk : .eu
  }
}

import AlcoholKinetics
import StudyData
import StudyFiles

/// The columns that describe one drink of a row.
struct DrinkColumns {
  /// The columns with the drink's name and amounts, in the order of the sheet.
  var doses: [SheetColumn] = []
  var strength, duration, route, start, end: SheetColumn?
  var drink: String?

  var amounts: [SheetColumn] { doses + [strength, duration, route].compactMap(\.self) }

  /// The column that questions about the dose refer to.
  var dose: SheetColumn? { doses.first { $0.meaning.kind != .drink } ?? doses.first }
}

extension SheetColumns {
  /// The groups of columns that hold the drinks of a row: by number, and by columns named after a drink. A strength
  /// without a number applies to all.
  var drinks: [DrinkColumns] {
    let unnamed = columns.filter { $0.drink == nil && $0.meaning.kind.isOfDrink }
    let numbers = Set(unnamed.filter { $0.meaning.kind.isDose }.map { $0.meaning.drinkNumber ?? 1 })
    var all = numbers.sorted().map { number in
      DrinkColumns(
        unnamed.filter { $0.meaning.kind.isDose && ($0.meaning.drinkNumber ?? 1) == number },
        beside: unnamed, number)
    }
    let named = columns.filter { $0.drink != nil && $0.meaning.kind.isDose }
    let strengths = columns.filter { $0.drink != nil && $0.meaning.kind == .strength }
    for column in named {
      var drink = DrinkColumns([column], drink: column.drink, beside: unnamed, nil)
      // A strength without a name applies only if there is no other drink.
      if numbers.count + named.count > 1 { drink.strength = nil }
      drink.strength = strengths.first { $0.drink == column.drink } ?? drink.strength
      all.append(drink)
    }
    return all
  }

  /// The indices of dose columns with empty cells in rows with a reading.
  var dosesWithBlanks: Set<Int> {
    let readings = readingColumns.map(\.index)
    var doses = Set(columns.filter { $0.meaning.kind.isDose }.map(\.index))
    var blanks: Set<Int> = []
    for row in rows where !doses.isEmpty {
      guard readings.contains(where: { row.filled($0) != nil }) else { continue }
      for index in doses where row.text(index).isEmpty {
        blanks.insert(index)
        doses.remove(index)
      }
    }
    return blanks
  }
}

extension DrinkColumns {
  /// Groups doses with the other columns of their number, or with those without a number.
  fileprivate init(
    _ doses: [SheetColumn], drink: String? = nil, beside columns: [SheetColumn], _ number: Int?
  ) {
    let find = { (kind: ColumnMeaning.Kind) in
      let ofKind = columns.filter { $0.meaning.kind == kind }
      return ofKind.first { $0.meaning.drinkNumber == number && number != nil }
        ?? ofKind.first { $0.meaning.drinkNumber == nil }
    }
    self.init(
      doses: doses, strength: find(.strength), duration: find(.duration), route: find(.route),
      start: find(.time(.drink)), end: find(.time(.drinkEnd)), drink: drink)
  }
}

// MARK: Headers

/// A header with the number of a drink of the row, such as `Volume 2 (ml)`, `Drink 2 time` or `2nd drink`.
struct NumberedHeader {
  let number: Int
  /// The header without the number.
  let rest: String
  /// The header without the number and the word "drink", and whether it had that word.
  let bare: String
  let namesDrink: Bool

  private static let ordinals = Vocabulary.meanings("ordinal").compactMapValues { Int($0) }

  /// Parses a header; nil if it has no number, or several.
  init?(_ title: String) {
    let header = HeaderText(title)
    guard title.utf8.count <= 80 else { return nil }
    var words: [String] = []
    for word in header.words.split(separator: " ") {
      // "drink2" has no separator.
      let digits = word.reversed().prefix(while: \.isASCIIDigit).count
      if digits > 0, digits < word.count, word.dropLast(digits).allSatisfy(\.isLetter) {
        words += [String(word.dropLast(digits)), String(word.suffix(digits))]
      } else {
        words.append(String(word))
      }
    }
    let numbers = words.map { Self.ordinals[$0] ?? ColumnMeaning.drinkNumber($0) }
    guard let position = numbers.firstIndex(where: { $0 != nil }), let number = numbers[position],
      numbers.count(where: { $0 != nil }) == 1, words.count > 1
    else { return nil }
    words.remove(at: position)
    let unit = header.unit.map { " (\($0))" } ?? ""
    self.number = number
    rest = words.joined(separator: " ") + unit
    let bareWords = words.filter { !Vocabulary.has($0, "header", "drink") }
    namesDrink = bareWords.count < words.count
    bare = bareWords.joined(separator: " ") + unit
  }
}

extension SheetColumns {
  /// Adds a column whose header is numbered or names a drink; returns false if it is neither.
  mutating func recogniseDrink(_ column: SheetColumn) -> Bool {
    if ["proof", "us proof"].contains(column.header.words) {
      add(column, ColumnMeaning.named("abv_us_proof"))
      return true
    }
    if let numbered = NumberedHeader(column.title) {
      for text in [numbered.rest, numbered.bare] {
        guard let (headerWord, unit) = HeaderText(text).reading else { continue }
        let isOfDrink = numbered.namesDrink || hasDose(numbered: numbered.number)
        let word = headerWord == .time(.row) && isOfDrink ? .time(.drink) : headerWord
        if case .alcohol = word, let unit, ColumnWord.isConcentration(unit), !numbered.namesDrink {
          recognise(column, word, unit)
          return true
        }
        guard Self.isOfDrink(word, unit) else { continue }
        recognise(column, word, unit)
        return true
      }
      if recogniseName(column, numbered.rest) { return true }
    }
    return recogniseName(column, column.title)
  }

  /// Whether a dose column has a number: then "Time 2" is the time of "Volume 2 (ml)".
  private func hasDose(numbered number: Int) -> Bool {
    header.cells.prefix(200).contains { cell in
      guard let numbered = NumberedHeader(cell), numbered.number == max(2, number) else {
        return false
      }
      return [numbered.rest, numbered.bare].contains { text in
        guard let (word, unit) = HeaderText(text).reading else { return false }
        return [.ethanol, .volume, .drink].contains(word)
          || unit.flatMap(word.meaning)?.kind.isDose ?? false
      }
    }
  }

  private static func isOfDrink(_ word: ColumnWord, _ unit: String?) -> Bool {
    switch word {
    case .ethanol, .volume, .strength, .drink, .duration, .route, .time(.drink), .time(.drinkEnd):
      true
    default: unit.flatMap(word.meaning)?.kind.isDose ?? false
    }
  }

  /// Adds a column named after a drink, such as "Beer (ml)" or "Shots"; returns false if it is not one.
  private mutating func recogniseName(_ column: SheetColumn, _ header: String) -> Bool {
    guard let named = DrinkHeader(header) else { return false }
    let values = values(of: column.index)
    let numbers = values.compactMap(table.number)
    // A word in a cell means an unknown dose, so the column is in use.
    let isUnknown = rows.contains { $0.text(column.index).contains(where: \.isLetter) }
    if values.isEmpty, !isUnknown {
      add(column, .ignored, note: "empty")
    } else if named.isStrength {
      add(column, ColumnMeaning.named("abv_percent"), note: named.drink) { $0.drink = named.drink }
    } else if let dose = named.dose, dose.kind == .ethanol {
      addQuestion(
        column, choices: [dose.name, "ignore"],
        "names a drink in grams, which may be those of the drink or of its ethanol")
    } else if let dose = named.dose {
      add(column, dose, note: named.drink) { $0.drink = named.drink }
    } else if let most = numbers.max(), most > DrinkHeader.maximumDrinks {
      // More than anybody drinks: the numbers are volumes or grams.
      addQuestion(
        column, choices: ["volume_ml", "volume_cl", "ethanol_g", "ignore"],
        "names a drink and states no unit")
    } else {
      add(column, ColumnMeaning.named("drink"), note: numbers.isEmpty ? "" : "how many") {
        $0.drink = named.drink
      }
    }
    return true
  }

  /// Sets the number of drink columns, and the drink of stated dose columns, from their headers.
  mutating func numberDrinks() {
    for index in columns.indices where columns[index].meaning.kind.isOfDrink {
      let column = columns[index]
      guard column.drink == nil else { continue }
      let numbered = NumberedHeader(column.title)
      if let number = numbered?.number, let meaning = column.meaning.ofDrink(number) {
        columns[index].meaning = meaning
      }
      // A column "Beer" that is stated to be ml still names the drink.
      if column.note == "as stated", column.meaning.kind.isDose,
        let named = DrinkHeader(numbered?.rest ?? column.title), !named.isStrength
      {
        columns[index].drink = named.drink
      }
    }
    askForUnusedDoses()
    askForSharedDoses()
  }

  /// Asks about a dose column that may be the sum of others, such as "Ethanol (g)" beside "Beer (ml)".
  private mutating func askForSharedDoses() {
    let doses = columns.filter { $0.meaning.kind.isDose }
    let named = doses.filter { $0.drink != nil && $0.meaning.drinkNumber == nil }
    guard let first = named.first else { return }
    let strength = columns.first {
      $0.meaning.kind == .strength && $0.drink == nil && $0.meaning.drinkNumber == nil
    }
    if let strength, named.count > 1 {
      questions.add(
        .columnAmbiguous, at: place(strength.index),
        message:
          "the column \(strength.title.quoted) does not say of which drink it is the strength",
        remedy: "call it after the drink, as Beer ABV (%), or leave it out",
        statements: [strength.stated(as: "ignore")])
    }
    guard
      let total = doses.first(where: { $0.drink == nil && ($0.meaning.drinkNumber ?? 1) == 1 })
    else { return }
    let ignored = named.map { $0.stated(as: "ignore") }
    let further = named.enumerated().map { offset, column in
      column.stated(as: column.meaning.ofDrink(offset + 2)?.name ?? column.meaning.name)
    }
    questions.add(
      .columnAmbiguous, at: place(first.index),
      message:
        "the columns \(total.title.quoted) and \(first.title.quoted) may say the same of one drink",
      remedy: "leave one out, or say that both were drunk",
      statements: [[total.stated(as: "ignore")], ignored, further].map {
        $0.joined(separator: ",")
      })
  }

  /// Asks whether "Drinking time (min)" is a time or a duration; returns true if it asked.
  mutating func isAskedForDuration(
    _ column: SheetColumn, _ word: ColumnWord, _ unit: String
  ) -> Bool {
    guard word == .time(.drink), let time = ColumnWord.times[unit],
      column.header.isCalled("drinking time")
    else { return false }
    addQuestion(
      column, choices: ["duration_\(time)", "drink_time_\(time)"],
      "may say how long the drinking took or when it was")
    return true
  }

  /// Asks about unrecognised columns that look like doses, so that no ethanol is silently omitted.
  private mutating func askForUnusedDoses() {
    for column in unknown {
      guard let unit = column.header.unit, DrinkHeader.mayBeDose(column.header.words),
        let meaning = ColumnWord.volume.meaning(in: unit) ?? ColumnWord.ethanol.meaning(in: unit),
        values(of: column.index).contains(where: {
          ParsedQuantity($0, decimalComma: .always) != nil
        })
      else { continue }
      let hasOne = self.column(meaning.kind) != nil
      columns.removeAll { $0.index == column.index }
      guard !column.header.words.contains("%") else {
        addQuestion(
          column, choices: ["ignore"], "states a strength beside the unit",
          remedy:
            "write the strength into a column \"ABV (%)\" and call this one \"Volume (\(unit))\"")
        continue
      }
      let namesEthanol = column.header.words.split(separator: " ").contains {
        Vocabulary.has(String($0), "header", "ethanol")
      }
      let pure = namesEthanol ? ColumnWord.ethanol.meaning(in: unit) : nil
      let names = [pure, meaning].compactMap { $0?.name }.uniqued
      addQuestion(
        column, choices: names.map { hasOne ? "\($0)_2" : $0 } + ["covariate", "ignore"],
        "may be a dose")
    }
  }

  /// Takes "Start" and "Finished" as the times of drinks, in a table of drinks without others.
  mutating func recogniseBeginAndEnd() {
    guard hasDose else { return }
    if column(.time(.drinkEnd)) == nil { recogniseUnknown("end", as: .time(.drinkEnd)) }
    if column(.time(.drinkEnd)) != nil, column(.time(.drink)) == nil {
      recogniseUnknown("beginning", as: .time(.drink))
    }
  }

  private mutating func recogniseUnknown(_ list: String, as word: ColumnWord) {
    guard let column = unknown.first(where: { $0.header.isCalled(list) }),
      !values(of: column.index).isEmpty
    else { return }
    columns.removeAll { $0.index == column.index }
    recognise(column, word, column.header.unit)
  }
}

/// A header that names a drink, such as "Beer (ml)", "Shots" or "Wine (0.2 l)".
struct DrinkHeader {
  /// The drink's text, which is read together with each cell of the column.
  let drink: String
  /// The amount that the cells hold; nil if they hold a count.
  private(set) var dose: ColumnMeaning?
  /// Whether the cells hold the strength of the drink.
  private(set) var isStrength = false

  /// Parses a header; nil if it names no drink, or anything besides a drink and its amount.
  init?(_ title: String) {
    let header = HeaderText(title)
    var parts = header.words.split(separator: " ").map(String.init)
    // "Dose" reads as a can of beer in some languages; "Dose A" is none.
    guard title.utf8.count <= 80, ColumnWord.called(header.words) == nil,
      !parts.contains("dose"), !parts.contains("dosen")
    else { return nil }
    if Self.singleDrink(title)?.assumed.contains(.size) == false {
      drink = title
      return
    }
    // "Vodka 40 % (ml)" is an amount in spite of the percent sign.
    isStrength =
      parts.count > 1 && Vocabulary.has(parts[parts.count - 1], "header", "strength")
      && !parts.contains { $0.first?.isASCIIDigit ?? false }
    if isStrength { parts.removeLast() }
    parts.removeAll { Vocabulary.has($0, "header", "filler") }
    let text = parts.joined(separator: " ")
    // "Unit" alone rarely means a unit of alcohol.
    guard !["", "unit", "units"].contains(text), ColumnWord.called(text) == nil,
      Self.singleDrink(text) != nil
    else { return nil }
    guard let unit = header.unit, !isStrength else {
      drink = text
      return
    }
    dose = ColumnWord.volume.meaning(in: unit) ?? ColumnWord.ethanol.meaning(in: unit)
    if dose == nil, unit == "%" { isStrength = true }
    let whole = "\(text) (\(unit))"
    drink = dose == nil && !isStrength && Self.singleDrink(whole) != nil ? whole : text
  }

  /// Returns the drink that a text names; nil if it names none, or several.
  private static func singleDrink(_ text: String) -> ParsedDrink? {
    guard let drinks = try? ParsedDrink.read(text), drinks.count == 1, !drinks[0].name.isEmpty,
      drinks[0].count == 1
    else { return nil }
    return drinks[0]
  }

  /// The maximum number of glasses on one occasion; a greater number is a volume.
  static let maximumDrinks = 30.0

  /// Whether a header has a word for a dose.
  static func mayBeDose(_ words: String) -> Bool {
    words.utf8.count <= 80
      && words.split(separator: " ").contains { Vocabulary.has(String($0), "header", "dose") }
  }
}

extension SheetColumns {
  /// Identifies the column that counts drinks, unless it numbers the rows; asks about possible ones.
  mutating func recogniseCount() {
    recogniseTexts()
    findCount()
    guard let count = column(.count), drinks.count > 1 else { return }
    askForCount(count, "does not say of which drink of the row it is the number")
  }

  /// Whether a header that means a name in one language and a number in another is a count: its cells are numbers, and
  /// another column names people.
  func isCount(_ column: SheetColumn) -> Bool {
    guard column.header.isCalled("name or count") else { return false }
    let values = values(of: column.index)
    return !values.isEmpty && values.allSatisfy { table.number($0) != nil }
      && header.cells.prefix(200).enumerated().contains { index, cell in
        index != column.index && Self.subjectRank(of: cell, map) != nil
      }
  }

  /// Takes a column "Drinks" of texts as the names of drinks.
  private mutating func recogniseTexts() {
    guard column(.drink) == nil,
      let column = unknown.first(where: { $0.header.isCalled("drinks") })
    else { return }
    let values = values(of: column.index)
    guard !values.isEmpty, values.allSatisfy({ table.number($0) == nil }) else { return }
    replace(column.index, by: "drink", note: "")
  }

  private mutating func findCount() {
    guard hasDose, column(.count) == nil else { return }
    let unknown = self.unknown
    let possible = unknown.filter { $0.header.isCalled("possible count") }
    let sure = unknown.filter { $0.header.isCalled("count") }
    guard let first = sure.first else {
      for column in possible + unnamedCounts { classifyPossibleCount(column) }
      return
    }
    for column in possible {
      replace(column.index, by: "ignore", note: "not used: \(first.title.excerpt()) says how many")
    }
    // "Quantity (ml)" is a volume.
    if let unit = first.header.unit,
      let dose = ColumnWord.volume.meaning(in: unit) ?? ColumnWord.ethanol.meaning(in: unit),
      column(dose.kind) == nil
    {
      replace(first.index, by: dose.name, note: "unit in the header")
      return
    }
    guard sure.count == 1 else {
      for column in sure { askForCount(column, "is one of several that say how many") }
      return
    }
    let most = values(of: first.index).compactMap(table.number).max()
    if let most, most > DrinkHeader.maximumDrinks {
      addQuestion(
        first, choices: ["volume_ml", "volume_cl", "drink_count", "ignore"],
        "goes up to \(most.shown), which is no number of drinks")
    } else if let row = runningNumber(first) {
      askForCount(first, "counts up \(row)")
    } else {
      replace(first.index, by: "drink_count", note: "so many of the drink in the row")
    }
  }

  /// Unrecognised columns with whole numbers in rows with drinks only, in a table that has other rows.
  private var unnamedCounts: [SheetColumn] {
    let doses = drinks.flatMap(\.doses).map(\.index)
    let others = rows.filter { row in !row.isEmpty && !doses.contains { row.filled($0) != nil } }
    guard !others.isEmpty, !describesPeopleInFirstRows else { return [] }
    return unknown.filter { column in
      let header = column.header
      guard !header.isCalled("possible count"), header.unit == nil, !header.words.contains("%"),
        ColumnWord.choices(ofUnit: header.words) == nil, measureChoices(column) == nil
      else { return false }
      return values(of: column.index).allSatisfy {
        table.number($0).map { $0 == $0.rounded() } ?? false
      } && others.allSatisfy { $0.filled(column.index) == nil }
    }
  }

  private mutating func classifyPossibleCount(_ column: SheetColumn) {
    let values = values(of: column.index)
    let numbers = values.compactMap(table.number)
    guard !values.isEmpty else { return }
    if numbers.count == values.count, numbers.allSatisfy({ $0 == 1 }) {
      replace(column.index, by: "ignore", note: "1 in all rows")
    } else if let row = runningNumber(column) {
      replace(column.index, by: "ignore", note: "a running number: it counts up \(row)")
    } else if numbers.count == values.count, numbers.allSatisfy({ $0 <= DrinkHeader.maximumDrinks })
    {
      askForCount(column, "may say how many of the drink in the row there were")
    }
  }

  private mutating func askForCount(_ column: SheetColumn, _ complaint: String) {
    addQuestion(column, choices: ["drink_count", "ignore"], complaint)
  }

  /// Returns a phrase on the rows in which the numbers of a column go up by one; nil if they do not.
  private func runningNumber(_ column: SheetColumn) -> String? {
    guard hasSubject else { return nil }
    let doses = drinks.flatMap(\.doses).map(\.index)
    var all: [Double] = []
    var ofDoses: [Double] = []
    var bySubject: [String: [Double]] = [:]
    var byDoses: [String: [Double]] = [:]
    for (subject, row) in rowsOfSubjects() {
      guard let text = row.filled(column.index) else { continue }
      guard let number = table.number(text) else { return nil }
      all.append(number)
      bySubject[subject, default: []].append(number)
      guard doses.contains(where: { row.filled($0) != nil }) else { continue }
      ofDoses.append(number)
      byDoses[subject, default: []].append(number)
    }
    if Self.goesUp([all]) || Self.goesUp([ofDoses]) { return "from row to row" }
    if Self.goesUp(Array(bySubject.values)) || Self.goesUp(Array(byDoses.values)) {
      return "from row to row of a subject"
    }
    return nil
  }

  /// Whether each list goes up by one, from 1, or, for a single list of at least three, from any whole number.
  private static func goesUp(_ lists: [[Double]]) -> Bool {
    lists.contains { $0.count > 1 }
      && lists.allSatisfy { list in
        (list.first == 1
          || lists.count == 1 && list.count > 2 && list.first == list.first?.rounded())
          && zip(list, list.dropFirst()).allSatisfy { $1 - $0 == 1 }
      }
  }
}

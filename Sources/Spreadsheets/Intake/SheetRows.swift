import AlcoholKinetics
import StudyData
import StudyFiles

/// The time of a drink or a reading, in the form in which its row states it.
enum SheetMoment: Hashable {
  /// The cell of the time is empty.
  case missing
  /// No column holds the time.
  case unstated
  /// Minutes on the clock of the series, with the cell's own text if it needs no conversion.
  case relative(Double, text: String)
  /// Minutes since midnight of a day that is not stated.
  case clock(Double)
  /// Minutes since 1 January 1970, and whether the cell states its offset from UTC.
  case absolute(Double, isZoned: Bool = false)
  /// A cell that cannot be read as a time, and the index of its column.
  case unreadable(String, column: Int)

  /// The time for a message.
  var shown: String {
    switch self {
    case .relative(let minutes, _): "\(minutes.shown) min"
    case .clock(let minutes), .absolute(let minutes, _): ClockTime.text(minutes)
    case .unreadable(let text, _): text.excerpt()
    case .missing, .unstated: ""
    }
  }

  /// Returns the moment shifted by minutes if its date is stated; any other moment unchanged.
  func later(by minutes: Double) -> SheetMoment {
    guard case .absolute(let moment, let isZoned) = self else { return self }
    return .absolute(moment + minutes, isZoned: isZoned)
  }

  /// The day of a moment whose date is stated.
  var day: Int? {
    guard case .absolute(let minutes, _) = self else { return nil }
    return Int((minutes / 1440).rounded(.down))
  }
}

/// A drink or a reading, with its place in the sheet.
struct SheetEvent {
  var row: Int
  /// The column of the dose or of the value, counted from 1.
  var column: Int
  var moment: SheetMoment
  /// The date of the row, as a number of days; used where times are minutes on the clock of the series.
  var day: Int?
  var fields: [String: String]
  var isDrink: Bool
  var table: Int
  /// The time at which a drink was finished; nil if no column states it.
  var end: SheetMoment?
  /// The index of the drink among those of its row.
  var drink = 0
  /// The index of the drink among those that one cell names.
  var part = 0
  var isZero = false
  /// Minutes on the clock of the series, empty until ``SheetOccasions`` has resolved them.
  var minutes: String = ""
  var unit: ConcentrationUnit?
  /// The text in the reading's column of a drink's row; nil if the table has no readings.
  var readingText: String?

  /// The index of the table and the number of the row.
  var tableRow: [Int] { [table, row] }
  /// The dose column that the drink was read from.
  var slot: RepeatedDoses.Slot { RepeatedDoses.Slot(table: table, drink: drink) }
}

/// A subject of a sheet, with its description and its events.
struct SheetPerson {
  let id: String
  let row: Int
  var facts: [String: String] = [:]
  var birth: ParsedDate?
  /// Drinks and readings by stated occasion, in order of first mention.
  var occasions: [(name: String?, events: [SheetEvent])] = []
  /// The row and column of each fact, for findings.
  var columns: [String: Int] = [:]
  var conflicts: [(column: String, row: Int)] = []
}

/// Reads the rows of one table into people, drinks and readings.
struct SheetRowReader {
  let columns: SheetColumns
  let order: DateOrder
  let tableIndex: Int
  private let table: SheetTable
  private let occasion, date, rowTime, readingTime, submission: SheetColumn?
  private let facts: [SheetColumn]
  private let drinks: [DrinkColumns]
  private(set) var texts: DrinkTexts
  private(set) var readings: SheetReadings
  private var lastSubject = ""
  /// True if the row names another subject than the row before it.
  private var beginsSubject = true
  private var rowsOf: [String: Int] = [:]
  private var asksForCount = false
  /// Cells that hold a word instead of the duration or the end of a drink.
  private(set) var unknownDurations: [(row: SheetTable.Row, column: SheetColumn)] = []
  private(set) var filled: (count: Int, first: Int) = (0, 0)
  /// Dose columns that leave cells empty where nothing was drunk, so that a word there means an unknown dose.
  private let dosesWithBlanks: Set<Int>
  private let hasReadings: Bool
  private var nightDates = NightDates()
  /// The event that the date of the current row belongs to, if its reading was taken past midnight.
  private var night: NightDates.Owner?
  private(set) var findings: [Diagnostic] = []

  init(_ columns: SheetColumns, order: DateOrder, tableIndex: Int, catalogue: DrinkCatalogue) {
    self.columns = columns
    self.order = order
    self.tableIndex = tableIndex
    table = columns.table
    texts = DrinkTexts(catalogue: catalogue, table: columns.table)
    occasion = columns.column(.occasion)
    date = columns.column(.date)
    submission = columns.column(.submission)
    rowTime = columns.column(.time(.row))
    readingTime = columns.column(.time(.reading)) ?? rowTime
    facts = columns.columns.filter {
      [.sex, .age, .birth, .height, .weight].contains($0.meaning.kind)
    }
    drinks = columns.drinks
    readings = SheetReadings(columns)
    dosesWithBlanks = columns.dosesWithBlanks
    hasReadings = columns.hasReadings
  }

  mutating func read(into people: inout SheetPeople) {
    guard let subject = columns.column(.subject) else { return }
    let width = columns.header.cells.count
    for row in columns.rows where !row.isEmpty {
      if let extra = row.cells.indices.dropFirst(width).first(where: { !row.text($0).isEmpty }) {
        findings.add(
          .csv, at: table.place(row, extra),
          message: "the row has \(row.cells.count) fields and the header \(width)",
          remedy: "give every row one field per column, empty where a value is missing")
        continue
      }
      let stated = row.name(subject.index)
      beginsSubject = stated != nil && stated != lastSubject
      guard let name = stated ?? nameAbove(row, subject) else { continue }
      lastSubject = name
      var occasionName = occasion.flatMap { row.filled($0.index) }
      if occasion == nil, !columns.wide.columns.isEmpty {
        // Every row of a wide table is an occasion.
        rowsOf[name, default: 0] += 1
        occasionName = date.flatMap { day($0, row) }.map(CivilDate.text) ?? "\(rowsOf[name] ?? 1)"
      }
      people.update(name, row: row.number, occasion: occasionName) { person, events in
        describe(&person, by: row)
        addEvents(of: row, to: &events)
      }
    }
  }

  /// Returns the subject of the rows above for a row without a name; nil if the row holds no data, or if no subject
  /// precedes it, which is reported.
  private mutating func nameAbove(_ row: SheetTable.Row, _ subject: SheetColumn) -> String? {
    let used = facts + drinks.flatMap(\.amounts) + columns.readingColumns
    let isUsed =
      used.contains { row.filled($0.index) != nil } || drinks.contains { hasUnknownDose($0, row) }
    guard isUsed else { return nil }
    guard !lastSubject.isEmpty else {
      findings.add(
        .subject, at: table.place(row, subject.index),
        message: "the row names no subject", remedy: "name one, or remove the row")
      return nil
    }
    // Only the first row of a merged cell has its text.
    if filled.count == 0 { filled.first = row.number }
    filled.count += 1
    return lastSubject
  }

  // MARK: People

  private mutating func describe(_ person: inout SheetPerson, by row: SheetTable.Row) {
    for column in facts {
      guard let text = row.filled(column.index) else { continue }
      if column.meaning.kind == .birth {
        if let birth = ParsedDate(ofBirth: text) {
          person.birth = person.birth ?? birth
        } else {
          findings.add(
            .time, at: table.place(row, column.index),
            message: "the date of birth is \(text.quoted), which is not a date",
            remedy: "write 1996-11-21 or 21.11.1996, or call the column Age")
        }
        continue
      }
      let name = column.meaning.studyName
      let value =
        column.meaning.kind == .sex
        ? column.meaning.sexes[text] ?? SheetSex.word(text) ?? text : number(text, column, row)
      guard let first = person.facts[name] else {
        person.facts[name] = value
        person.columns[name] = column.index + 1
        continue
      }
      if first != value { person.conflicts.append((column.title, row.number)) }
    }
  }

  /// Returns a cell's number, converted to the unit of study files; the text unchanged if it is not a number.
  private func number(_ text: String, _ column: SheetColumn, _ row: SheetTable.Row) -> String {
    guard let cell = table.quantity(text) else { return text }
    if column.meaning.form == .feetAndInches, cell.unit == nil {
      guard let (feet, inches) = ParsedQuantity.feetAndInches(text) else { return text }
      return (Double(12 * feet + inches) * ValueRule.inchInCentimetres).description
    }
    let ofRow = columns.unitColumns[column.index].map { row.text($0).lowercased() } ?? ""
    let unit = cell.unit ?? (ofRow.isEmpty ? nil : ofRow)
    let bySize = column.isHeightBySize && unit == nil ? ColumnMeaning.height(of: cell.number) : nil
    guard let scale = bySize?.scale ?? scale(of: column, in: unit) else { return text }
    if column.meaning.form == .byWeight {
      return AlcoholByWeight.volumePercent(of: cell.number).description
    }
    guard scale != 1 || cell.unit != nil || text.contains(",") else { return text }
    return (scale == 1 ? cell.number : cell.number * scale).description
  }

  /// Returns the factor from a column's unit, or from the cell's own unit, to that of study files; nil if the unit
  /// does not measure the quantity of the column.
  private func scale(of column: SheetColumn, in unit: String?) -> Double? {
    guard let unit else { return column.meaning.scale }
    guard let word = column.header.reading?.word ?? ColumnWord.of(column.meaning),
      let stated = word.meaning(in: unit), stated.kind == column.meaning.kind,
      stated.unit == column.meaning.unit, stated.form == column.meaning.form
    else { return nil }
    return stated.scale
  }

  // MARK: Drinks and readings

  private mutating func addEvents(of row: SheetTable.Row, to events: inout [SheetEvent]) {
    let day = date.flatMap { self.day($0, row) }
    resolveNight(of: row, day)
    for number in drinks.indices { addDrinks(number, of: row, day, to: &events) }
    let (reading, values) = readings.read(row)
    func add(_ reading: SheetReadings.Value, at moment: SheetMoment, _ fields: [String: String]) {
      events.append(
        SheetEvent(
          row: row.number, column: reading.column, moment: moment, day: day, fields: fields,
          isDrink: false, table: tableIndex, unit: reading.unit))
    }
    if let reading { add(reading, at: moment(ofReading: row), values) }
    for column in columns.replicates {
      guard let (reading, fields) = readings.wide(column, row, values) else { continue }
      add(reading, at: moment(ofReading: row), fields)
    }
    for (column, minutes, _) in columns.wide.columns {
      guard let (reading, fields) = readings.wide(column, row, values) else { continue }
      add(
        reading,
        at: columns.wide.isClock
          ? .clock(minutes) : .relative(minutes, text: minutes.description), fields)
    }
  }

  /// Adds the drink of one group of columns; its text may name several drinks.
  private mutating func addDrinks(
    _ number: Int, of row: SheetTable.Row, _ day: Int?, to events: inout [SheetEvent]
  ) {
    let columns = drinks[number]
    var fields: [String: String] = [:]
    var doseColumn = 0
    var hasDose = false
    var isUnknown = false
    for column in columns.amounts {
      guard let text = row.filled(column.index) else { continue }
      let isAmount = column.meaning.kind.isDose
      // A word instead of a number means a dose that is not known.
      if isAmount, column.meaning.kind != .drink, columns.drink == nil, table.quantity(text) == nil,
        !text.contains(where: \.isASCIIDigit)
      {
        isUnknown = true
      }
      if isAmount, doseColumn == 0 { doseColumn = column.index + 1 }
      let isText = [.drink, .route].contains(column.meaning.kind)
      let value = isText ? text : self.number(text, column, row)
      fields[column.meaning.studyName] = value
      if isAmount { hasDose = hasDose || SheetCellText.number(value) != 0 }
    }
    if let duration = columns.duration ?? columns.end, doseColumn > 0,
      SheetCellText.isMissing(row.text(duration.index)), !row.text(duration.index).isEmpty
    {
      unknownDurations.append((row, duration))
    }
    if doseColumn == 0 {
      guard let unknown = columns.dose, hasUnknownDose(columns, row) else { return }
      // The drink is kept without a dose, so that the reader of drinks reports it at this cell.
      fields = [:]
      doseColumn = unknown.index + 1
      hasDose = true
      isUnknown = true
    }
    let start = columns.start ?? rowTime
    var event = SheetEvent(
      row: row.number, column: doseColumn,
      moment: start.map { moment(ofDrink: $0, row) } ?? .unstated,
      day: day,
      fields: fields, isDrink: true, table: tableIndex, drink: number, isZero: !hasDose)
    event.readingText = self.columns.readingColumns.first.map { row.text($0.index) }
    // The date of the row is that of the beginning: an end past midnight is taken as a time of day alone.
    event.end = columns.end.map { column in
      let clock = column.meaning.form == .clock ? ClockTime.minutes(row.text(column.index)) : nil
      return clock.map(SheetMoment.clock) ?? moment(column, row)
    }
    guard hasDose else {
      event.fields = ["ethanol_g": "0"]
      events.append(event)
      return
    }
    if isUnknown { fields = [:] }
    let (all, count) =
      isUnknown
      ? ([fields], 1)
      : texts.interpret(
        fields, columns, row,
        isBesideReading: event.readingText.map { !SheetCellText.isMissing($0) } ?? false)
    for (part, fields) in all.enumerated() {
      event.fields = fields
      event.part = part
      multiply(&event.fields, written: count, row)
      event.isZero = event.fields.isNothing
      events.append(event)
    }
  }

  /// Whether a row has a drink of unknown dose.
  ///
  /// In a table of drinks alone, a row with a time and without a dose is one. In a table with readings, a word for a
  /// missing value means an unknown dose only if other rows leave the cell empty, if the row is the first of its
  /// subject, or if its reading is left empty; otherwise it means that nothing was drunk.
  private func hasUnknownDose(_ drink: DrinkColumns, _ row: SheetTable.Row) -> Bool {
    // A fast path: in most rows of readings all dose cells are empty.
    if hasReadings, drink.doses.allSatisfy({ row.text($0.index).isEmpty }) {
      return isStrengthAlone(drink, row)
    }
    let words = drink.doses.filter { !row.text($0.index).isEmpty }
    // If one of several drinks in a row is known, a sign in another means none; a word, a time of its own, or the
    // place of the first drink means an unknown dose.
    if drinks.contains(where: { $0.doses.contains { row.filled($0.index) != nil } }) {
      let isFirst =
        drink.drink == nil && drinks.first?.doses.first?.index == drink.doses.first?.index
      let hasLetter = words.contains { row.text($0.index).contains(where: \.isLetter) }
      let isTimed = drink.start.map {
        $0.meaning.drinkNumber ?? 1 > 1 && row.filled($0.index) != nil
      }
      guard isFirst || isTimed ?? false || hasLetter else { return false }
      return isTimed ?? false || !words.isEmpty
    }
    let time = drink.start ?? rowTime
    let isTimed = time.map { row.filled($0.index) != nil } ?? !words.isEmpty
    guard isTimed, hasReadings else { return isTimed }
    guard !words.isEmpty else { return false }
    if words.contains(where: { dosesWithBlanks.contains($0.index) }) { return true }
    let readings = columns.readingColumns.map { row.text($0.index) }
    guard readings.allSatisfy(SheetCellText.isMissing) else { return false }
    return beginsSubject || readings.contains { $0.isEmpty }
  }

  /// Whether a row holds the strength of a drink, and neither a dose nor a reading.
  private func isStrengthAlone(_ drink: DrinkColumns, _ row: SheetTable.Row) -> Bool {
    guard let strength = drink.strength, row.filled(strength.index) != nil else { return false }
    return columns.readingColumns.allSatisfy { row.text($0.index).isEmpty }
      && !drinks.contains { $0.doses.contains { row.filled($0.index) != nil } }
  }

  /// Returns the time of a reading: on the next day, if it is past midnight and the row has the date of the evening.
  private func moment(ofReading row: SheetTable.Row) -> SheetMoment {
    let moment = moment(readingTime, row)
    return night == .ofEvening ? moment.later(by: 1440) : moment
  }

  /// Returns the time of a drink: on the day before, if the row has the date of a reading past midnight.
  private func moment(ofDrink start: SheetColumn, _ row: SheetTable.Row) -> SheetMoment {
    let moment = moment(start, row)
    guard night == .ofReading, start.meaning.form == .clock, start.index != readingTime?.index
    else { return moment }
    return moment.later(by: -1440)
  }

  /// Determines which event the date of a row belongs to if midnight lies between its drink and its reading.
  private mutating func resolveNight(of row: SheetTable.Row, _ day: Int?) {
    night = nil
    guard let day, let readingTime, readingTime.meaning.form == .clock,
      let measured = clockTime(row.text(readingTime.index))
    else { return }
    let starts = drinks.compactMap(\.start).filter {
      $0.meaning.form == .clock && $0.index != readingTime.index
    }
    let drunk = starts.compactMap { clockTime(row.text($0.index)) }.first
    switch nightDates.classify(lastSubject, day: day, drunk: drunk, measured: measured, row) {
    case .owner(let owner): night = owner
    case .unclear(let first):
      findings.add(
        .time, at: table.place(first, date?.index ?? 0),
        message:
          "the reading at \(first.text(readingTime.index).excerpt()) may be of the night after its date "
          + "or of the night before",
        remedy: "give readings after midnight the date of the next day, and sort the rows by time")
    }
  }

  /// Multiplies the amounts of a drink by the row's count, unless the text of the drink includes it.
  private mutating func multiply(
    _ drink: inout [String: String], written: Double, _ row: SheetTable.Row
  ) {
    guard let column = columns.column(.count), !drink.isEmpty else { return }
    let text = row.text(column.index)
    guard !text.isEmpty else { return }
    guard let count = table.number(text) else {
      findings.add(
        .number, at: table.place(row, column.index),
        message: "\(column.title.excerpt()) is \(text.quoted), which is no number of drinks",
        remedy: "write how many there were, or leave the cell empty if it was one")
      return
    }
    let amounts = ["volume_ml", "ethanol_g", "ethanol_g_per_kg"].filter { drink[$0] != nil }
    guard (0...100).contains(count), count == 1 || !amounts.isEmpty,
      written == 1 || count == 1 || count == written
    else {
      let complaint =
        written == 1
        ? "and the row does not say how much one is"
        : "and the drink is written as \(written.shown)"
      findings.add(
        .number, at: table.place(row, column.index),
        message: "\(column.title.excerpt()) is \(text.quoted), \(complaint)",
        remedy: "give the volume or the ethanol of one, or leave the column out",
        statements: [column.stated(as: "ignore")])
      return
    }
    guard written == 1, count != 1 else { return }
    guard column.note == "as stated" || isOfOne(drink, of: count) else {
      guard !asksForCount else { return }
      asksForCount = true
      findings.add(
        .ambiguous, at: table.place(row, column.index),
        message:
          "\(column.title.excerpt()) is \(text.quoted), and the amount beside it may be that of one drink or of all",
        remedy: "say whether to multiply it",
        statements: column.stated(as: ["drink_count", "ignore"]))
      return
    }
    for name in amounts {
      if let amount = drink.number(name) { drink[name] = (count * amount).description }
    }
  }

  /// Whether a volume can only be that of one of several drinks; an amount of ethanol may always be the total.
  private func isOfOne(_ drink: [String: String], of count: Double) -> Bool {
    guard drink["ethanol_g"] == nil, drink["ethanol_g_per_kg"] == nil else { return false }
    guard count > 1, let volume = drink.number("volume_ml") else { return true }
    let most = DrinkVocabulary.largestServing(
      of: drink["drink"].flatMap { texts.catalogue[$0]?.type } ?? .beer)
    return volume <= most || volume / count > most
  }

  // MARK: Times

  private func day(_ column: SheetColumn, _ row: SheetTable.Row) -> Int? {
    ParsedDate(ofMoment: row.text(column.index))?.day(column.meaning.order ?? order)
  }

  private func moment(_ column: SheetColumn?, _ row: SheetTable.Row) -> SheetMoment {
    guard let column else { return .unstated }
    guard let text = row.filled(column.index) else { return .missing }
    let moment: SheetMoment? =
      switch column.meaning.form {
      case .number:
        relative(text, column)
      case .elapsed:
        ElapsedTime.minutes(text).map { SheetMoment.relative($0, text: $0.description) }
      case .dateTime: absolute(text, column)
      case .clock: clock(text, column, row)
      case .feetAndInches, .byWeight: nil
      }
    return moment ?? .unreadable(text, column: column.index)
  }

  private func relative(_ text: String, _ column: SheetColumn) -> SheetMoment? {
    // Protocols write T+90 for 90 min.
    let text = text.lowercased().hasPrefix("t+") ? text.dropFirst(2).trimmed : text
    guard let cell = table.quantity(text), let scale = scale(of: column, in: cell.unit) else {
      return nil
    }
    let minutes = cell.number * scale
    let isPlain = scale == 1 && !text.contains(",") && cell.unit == nil
    return .relative(minutes, text: isPlain ? text : minutes.description)
  }

  private func absolute(_ text: String, _ column: SheetColumn) -> SheetMoment? {
    guard let written = ParsedDateTime(text),
      let day = written.date.day(column.meaning.order ?? order)
    else { return nil }
    return .absolute(Double(day) * 1440 + written.minutes, isZoned: written.isZoned)
  }

  private func clockTime(_ text: String) -> Double? {
    ClockTime.minutes(text) ?? table.number(text).flatMap(ClockTime.minutes(ofFraction:))
  }

  private func clock(_ text: String, _ column: SheetColumn, _ row: SheetTable.Row) -> SheetMoment? {
    guard let minutes = clockTime(text) else { return absolute(text, column) }
    guard let date, !columns.wide.isClock else { return reported(minutes, row) ?? .clock(minutes) }
    if let day = day(date, row) { return .absolute(Double(day) * 1440 + minutes) }
    return row.filled(date.index).map { .unreadable($0, column: date.index) } ?? .clock(minutes)
  }

  /// Returns a time of day on the day on which the form was sent, or on the day before if it is later than that.
  private func reported(_ clock: Double, _ row: SheetTable.Row) -> SheetMoment? {
    guard let submission, !columns.wide.isClock else { return nil }
    // The form's zone is dropped: the times in it are read off the same clock.
    let text = row.text(submission.index).replacing(
      /\s+(GMT|UTC|[A-Z]{3,4})([+-][0-9:]+)?$/, with: "")
    guard case .absolute(let sent, _)? = absolute(text, submission) else { return nil }
    // One hour is allowed for clocks that differ.
    let latest = sent + 60
    return .absolute(((latest - clock) / 1440).rounded(.down) * 1440 + clock)
  }
}

extension ColumnWord {
  /// Returns the word for a column whose meaning was stated instead of read from its header.
  static func of(_ meaning: ColumnMeaning) -> ColumnWord? {
    switch meaning.kind {
    case .weight: .weight
    case .height: .height
    case .age: .age
    case .ethanol, .perKilogram: .ethanol
    case .volume: .volume
    case .strength: .strength
    case .duration: .duration
    case .time(let whose): .time(whose)
    case .reading: .alcohol(meaning.unit?.matrix)
    default: nil
    }
  }
}

/// The people of all tables of a sheet study, in order of first mention.
struct SheetPeople {
  private(set) var all: [SheetPerson] = []
  private var indices: [String: Int] = [:]
  private var occasions: [[String?: Int]] = []

  /// Changes a person and the events of one of its occasions; creates either if it is new.
  mutating func update(
    _ id: String, row: Int, occasion: String?,
    _ body: (inout SheetPerson, inout [SheetEvent]) -> Void
  ) {
    let index = indices[id] ?? all.count
    if index == all.count {
      indices[id] = index
      all.append(SheetPerson(id: id, row: row))
      occasions.append([:])
    }
    let position = occasions[index][occasion] ?? all[index].occasions.count
    if position == all[index].occasions.count {
      occasions[index][occasion] = position
      all[index].occasions.append((occasion, []))
    }
    var events: [SheetEvent] = []
    swap(&events, &all[index].occasions[position].events)
    body(&all[index], &events)
    swap(&events, &all[index].occasions[position].events)
  }

  mutating func forEach(_ body: (inout SheetPerson) -> Void) {
    for index in all.indices { body(&all[index]) }
  }

  /// Changes the drinks and readings of each person's occasions.
  mutating func forEachOccasion(_ body: (inout [SheetEvent], _ person: String) -> Void) {
    for person in all.indices {
      for index in all[person].occasions.indices {
        body(&all[person].occasions[index].events, all[person].id)
      }
    }
  }

  mutating func forEachEvent(_ body: (inout SheetEvent) -> Void) {
    forEachOccasion { events, _ in
      for index in events.indices { body(&events[index]) }
    }
  }

  /// All drinks and readings, person by person.
  var events: [SheetEvent] { all.flatMap(\.occasions).flatMap(\.events) }

  /// Removes the names of occasions if every person has only one.
  mutating func forgetOccasions() {
    guard !all.contains(where: { $0.occasions.count > 1 }) else { return }
    for person in all.indices {
      for index in all[person].occasions.indices { all[person].occasions[index].name = nil }
    }
  }
}

/// Decides whether the date of a row with a drink before midnight and a reading after it is that of the reading, or of
/// the evening on which the drinking began.
///
/// The rows before it decide: if they have the same date although the clock has passed midnight, the date is that of
/// the evening; if their date is a day earlier, it is that of the reading.
struct NightDates {
  enum Owner { case ofReading, ofEvening }

  enum Answer {
    /// The event that the date belongs to; nil if midnight does not lie between drink and reading.
    case owner(Owner?)
    /// A row that may belong to the night before its date or after it, as other rows of the date do.
    case unclear(SheetTable.Row)
  }

  private var last: (subject: String, day: Int, clock: Double, isPast: Bool)?
  private var open: (subject: String, day: Int, row: SheetTable.Row)?

  /// Classifies the next row by the times of day, in minutes, of its drink (nil if it has none) and its reading.
  mutating func classify(
    _ subject: String, day: Int, drunk: Double?, measured: Double, _ row: SheetTable.Row
  ) -> Answer {
    let before = last.flatMap { $0.subject == subject ? $0 : nil }
    let isPast = drunk.map { $0 - measured > RepeatedTimes.halfDay } ?? false
    last = (subject, day, measured, isPast)
    guard isPast else {
      guard drunk != nil, let open, open.subject == subject, open.day == day else {
        return .owner(nil)
      }
      self.open = nil
      return .unclear(open.row)
    }
    switch before {
    case let before? where before.day == day && before.isPast: return .owner(lastOwner)
    case let before? where before.day == day && before.clock - measured > RepeatedTimes.halfDay:
      lastOwner = .ofEvening
    case let before? where before.day == day - 1: lastOwner = .ofReading
    default:
      lastOwner = .ofReading
      open = (subject, day, row)
    }
    return .owner(lastOwner)
  }

  private var lastOwner = Owner.ofReading
}

/// Converts the strength of a drink by weight to that by volume, both in percent.
///
/// Interpolates the density of mixtures of ethanol and water at 20 °C, in g/ml. Extract is neglected; it makes beer up
/// to 2 % heavier.
///
/// Source: CRC Handbook of Chemistry and Physics.
enum AlcoholByWeight {
  private static let densities: [(percent: Double, density: Double)] = [
    (0, 0.9982), (5, 0.9894), (10, 0.9819), (15, 0.9751), (20, 0.9686), (25, 0.9617), (30, 0.9538),
    (35, 0.9449), (40, 0.9352), (45, 0.9247), (50, 0.9138), (60, 0.8911), (70, 0.8676),
    (80, 0.8434),
    (90, 0.8180), (100, 0.7893),
  ]

  static func volumePercent(of percent: Double) -> Double {
    guard let above = densities.firstIndex(where: { $0.percent >= percent }), above > 0 else {
      return percent <= 0 ? percent : 100
    }
    let low = densities[above - 1]
    let high = densities[above]
    let fraction = (percent - low.percent) / (high.percent - low.percent)
    let density = low.density + fraction * (high.density - low.density)
    return min(100, percent * density / EthanolDose.densityGramsPerMillilitre)
  }
}

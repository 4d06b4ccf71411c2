package import AlcoholKinetics
import Foundation
package import StudyData

/// Writes studies as a table of events in NONMEM's form.
///
/// `StudyReader` reads the same subjects, drinks and readings from the table, to the last bit; findings, title and
/// instrument are not written.
package struct EventWriter {
  private let columns: EventTableColumns

  /// Returns the study as CSV.
  ///
  /// - Throws: ``Problem`` if a subject, an occasion or a covariate has a name that would
  ///   be taken for something else.
  package static func csv(_ study: Study) throws(Problem) -> String {
    try csv(study, EventTableColumns(of: study), withResets: false)
  }

  /// Returns the study as CSV with the given columns.
  ///
  /// - Parameter withResets: Whether each further occasion of a subject, with its own clock, begins with a reset.
  static func csv(
    _ study: Study, _ columns: EventTableColumns, withResets: Bool
  ) throws(Problem) -> String {
    try StudyNames.check(study)
    let writer = EventWriter(columns: columns)
    var text = CSVText(header: columns.all.map(\.name))
    var last: String?
    for series in study.series {
      var events = events(of: series)
      if withResets, series.subject.id == last, let time = events.first?.time {
        events.insert(Event(series: series, .reset(time)), at: 0)
      }
      writer.append(events, to: &text)
      last = series.subject.id
    }
    return text.string
  }

  private func append(_ events: [Event], to text: inout CSVText) {
    for event in events {
      for (index, column) in columns.all.enumerated() {
        column.write(event, &text)
        text.end(isLastOfRow: index == columns.all.count - 1)
      }
    }
  }

  /// Returns drinks and readings in order of time; a reading precedes a drink at the same time.
  private static func events(of series: Series) -> [Event] {
    var events: [Event] = []
    var next = 0
    func appendDrinks(before time: Hours) {
      while next < series.drinks.count, series.drinks[next].time < time {
        events.append(Event(series: series, .drink(series.drinks[next]), series.uuids.drink(next)))
        next += 1
      }
    }
    for (index, reading) in series.readings.enumerated() {
      appendDrinks(before: reading.time)
      events.append(
        Event(
          series: series, .reading(reading), series.uuids.reading(index), series.sources[index]))
    }
    appendDrinks(before: Hours(.infinity))
    return events.isEmpty ? [Event(series: series, .none)] : events
  }
}

struct Event {
  enum Kind {
    case drink(Drink)
    case reading(Reading)
    /// A restart of the clock, at a time.
    case reset(Hours)
    /// A row with only the subject.
    case none
  }

  let series: Series
  let kind: Kind
  let uuid: UUID?
  /// The source of a reading.
  let source: String?

  init(series: Series, _ kind: Kind, _ uuid: UUID? = nil, _ source: String? = nil) {
    self.series = series
    self.kind = kind
    self.uuid = uuid
    self.source = source
  }

  var drink: Drink? {
    guard case .drink(let drink) = kind else { return nil }
    return drink
  }

  var reading: Reading? {
    guard case .reading(let reading) = kind else { return nil }
    return reading
  }

  var subject: Subject { series.subject }

  var time: Hours {
    switch kind {
    case .drink(let drink): drink.time
    case .reading(let reading): reading.time
    case .reset(let time): time
    case .none: 0
    }
  }
}

struct EventTableColumns {
  struct Column: Sendable {
    let name: String
    let write: @Sendable (Event, inout CSVText) -> Void

    /// Makes a column of numbers, with `.` for missing ones.
    init(_ name: String, _ number: @escaping @Sendable (Event) -> Double?) {
      self.name = name
      write = { event, text in
        if let number = number(event) { text.append(number) } else { text.append(".") }
      }
    }

    /// Makes a column of words, with `.` for missing ones.
    init(words name: String, _ words: @escaping @Sendable (Event) -> String?) {
      self.name = name
      write = { event, text in text.append(words(event) ?? ".") }
    }

    /// The column of subjects, whose names are in quotes where NONMEM would leave the row out.
    static let subject = Column(
      "ID",
      writing: { event, text in
        let name = event.subject.id
        text.append(name, inQuotes: name.hasPrefix("#") || name.hasPrefix("@"))
      })

    private init(
      _ name: String, writing write: @escaping @Sendable (Event, inout CSVText) -> Void
    ) {
      self.name = name
      self.write = write
    }
  }

  let all: [Column]

  /// Names that no covariate may have, in lower case.
  private static let taken = EventKindColumns.names.union(EventDrinkColumns.names)
    .union(EventReadingColumns.names)
    .union(SubjectColumnNames.ofEvents.measures.joined())
    .union(["id", "time", "occ", "occasion", UUIDColumn.name, CommentRows.columnName])

  /// - Parameter isNumeric: Whether to write numbers only, as NONMEM requires: 1 or 0 instead of words, and the unit of the
  ///   readings, of which there must be one, in the name of their column.
  init(of study: Study, isNumeric: Bool = false) throws(Problem) {
    let drinks = study.series.lazy.flatMap(\.drinks)
    let readings = study.series.lazy.flatMap(\.readings)
    var columns = [Column.subject]
    if study.series.contains(where: { $0.occasion != nil }) {
      columns.append(Column(words: "OCC") { $0.series.occasion })
    }
    columns += [Column("TIME") { $0.time.value }, Column("AMT") { $0.drink?.ethanol.grams }]
    if drinks.contains(where: { $0.ethanol.grams == nil }) {
      columns.append(Column("ETHANOL_G_PER_KG") { $0.drink?.ethanol.gramsPerKilogram })
    }
    if drinks.contains(where: { $0.duration > 0 }) { columns += Self.durations }
    if drinks.contains(where: { $0.route != .oral }) {
      columns.append(
        isNumeric
          ? Column("IV") { $0.drink.map { $0.route == .intravenous ? 1 : 0 } }
          : Column(words: "ROUTE") { $0.drink?.route.rawValue })
    }
    let unit = readings.first { $0.unit != .bloodGramsPerKilogram }?.unit
    columns.append(
      Column(isNumeric ? unit?.rawValue ?? "DV" : "DV") { event in
        event.reading.flatMap { $0.isCensored ? $0.limitOfDetection : $0.value }
      })
    if unit != nil, !isNumeric {
      columns.append(Column(words: "DV_UNIT") { $0.reading?.unit.rawValue })
    }
    columns += Self.kinds
    if isNumeric { columns.append(Column("CMT") { $0.drink?.route == .oral ? 1 : 2 }) }
    if readings.contains(where: \.isCensored) { columns += Self.censoring }
    if readings.contains(where: { $0.limitOfDetection != nil && !$0.isCensored }) {
      columns.append(
        Column("LOD") { $0.reading.flatMap { $0.isCensored ? nil : $0.limitOfDetection } })
    }
    if !isNumeric, study.series.contains(where: { !$0.sources.isEmpty }) {
      columns.append(Column(words: EventReadingColumns.sourceName.uppercased()) { $0.source })
    }
    if !isNumeric, study.series.contains(where: { !$0.uuids.isEmpty }) {
      columns.append(Column(words: "UUID") { $0.uuid?.text })
    }
    let sex =
      isNumeric
      ? Column("MALE") { $0.subject.sex.map { $0 == .male ? 1 : 0 } }
      : Column(words: "SEX") { $0.subject.sex?.rawValue }
    let fed =
      isNumeric && study.series.contains(where: { $0.subject.food != nil })
      ? [Column("FED") { $0.subject.food.map { $0 == .fed ? 1 : 0 } }] : []
    all = columns + [sex] + Self.measures + fed + (try Self.covariates(of: study, besides: fed))
  }

  // MARK: Groups

  /// NONMEM reads the rate; the duration is added because it has no rounding error.
  private static let durations = [
    Column("RATE") { event in
      guard let drink = event.drink, let grams = drink.ethanol.grams else { return nil }
      return drink.duration > 0 ? grams / drink.duration.value : 0
    },
    Column("DUR") { $0.drink?.duration.value },
  ]

  private static let kinds = [
    Column("EVID") { event in
      switch event.kind {
      case .reading: 0
      case .drink: 1
      case .none: 2
      case .reset: 3
      }
    },
    Column("MDV") { $0.reading?.isExcluded == false ? 0 : 1 },
  ]

  private static let censoring = [
    Column("CENS") { $0.reading?.isCensored == true ? 1 : 0 },
    Column("LIMIT") { $0.reading.flatMap { $0.isCensored ? $0.value : nil } },
  ]

  private static let measures = [
    Column("AGE") { $0.subject.age?.value },
    Column("HT") { $0.subject.height?.centimetres },
    Column("WT") { $0.subject.weight?.value },
  ]

  /// - Parameter others: Numeric columns that replace the covariate of food.
  private static func covariates(
    of study: Study, besides others: [Column]
  ) throws(Problem) -> [Column] {
    let subjects = study.series.lazy.map(\.subject)
    let taken = taken.union(others.map { $0.name.lowercased() })
    return try StudyNames.covariates(of: subjects, besides: taken)
      .filter { others.isEmpty || $0 != Subject.foodName }
      .map { name in Column(words: name) { $0.subject.covariates[name] ?? "" } }
  }
}

extension EthanolDose {
  fileprivate var grams: Double? {
    guard case .mass(let grams) = self else { return nil }
    return grams.value
  }

  fileprivate var gramsPerKilogram: Double? {
    guard case .perBodyWeight(let dose) = self else { return nil }
    return dose.value
  }
}

extension Reading {
  /// Whether the reading is below its limit of detection, and so written with CENS 1.
  fileprivate var isCensored: Bool {
    guard let limitOfDetection else { return false }
    return value >= 0 && value < limitOfDetection
  }
}

/// A table of events with numbers only, as NONMEM and nlmixr2 require.
///
/// Subjects and occasions are numbered if their names are not numbers. Food is FED, 1 or 0; UUIDs and other covariates in
/// words are omitted. `StudyReader` reads the table.
package struct NONMEMTable {
  /// The table, as CSV.
  package let csv: String
  /// The names behind the numbers, such as `ID 1: "ann"`; empty if names are numbers.
  package let names: [String]

  /// Writes the table of a study.
  ///
  /// - Throws: ``Problem`` if readings are in several units, or a name cannot be written.
  package init(_ study: Study) throws(Problem) {
    try StudyNames.check(study)
    _ = try StudyNames.unit(of: study)
    let numbered = NumberedStudy(study)
    let columns = try EventTableColumns(of: numbered.study, isNumeric: true)
    csv = try EventWriter.csv(numbered.study, columns, withResets: true)
    names = numbered.names
  }
}

/// A copy of a study with numbers as subjects and occasions, and without covariates in words.
private struct NumberedStudy {
  private(set) var study: Study
  private(set) var names: [String] = []

  init(_ study: Study) {
    self.study = study
    let subjects = Self.numbers(study.series.map(\.subject.id))
    let occasions = Self.numbers(study.series.compactMap(\.occasion))
    names += Self.legend("ID", subjects) + Self.legend("OCC", occasions)
    let covariates = Set(study.series.flatMap(\.subject.covariates.keys)).filter { name in
      study.series.allSatisfy { Self.isNumeric($0.subject.covariates[name] ?? "") }
    }
    // NONMEM requires contiguous rows of a subject.
    let order = Dictionary(
      study.series.map(\.subject.id).enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    self.study.series = study.series.enumerated()
      .sorted {
        (order[$0.element.subject.id] ?? 0, $0.offset) < (
          order[$1.element.subject.id] ?? 0, $1.offset
        )
      }
      .map { Self.numbered($0.element, subjects, occasions, covariates) }
  }

  private static func numbered(
    _ series: Series, _ subjects: [String: Int], _ occasions: [String: Int],
    _ covariates: Set<String>
  ) -> Series {
    var series = series
    series.uuids = GivenUUIDs()
    series.subject.id = "\(subjects[series.subject.id] ?? 0)"
    series.occasion = series.occasion.map { "\(occasions[$0] ?? 0)" }
    // Food is kept: it is written as a number.
    series.subject.covariates = series.subject.covariates.filter {
      covariates.contains($0.key) || $0.key == Subject.foodName
    }
    for index in series.drinks.indices {
      guard let grams = series.drinks[index].ethanol.mass(forBodyWeight: series.subject.weight)
      else { continue }
      series.drinks[index].ethanol = .mass(grams)
    }
    return series
  }

  /// Returns a number for each name: the name itself if all are small whole numbers, otherwise by first mention.
  private static func numbers(_ names: [String]) -> [String: Int] {
    let parsed = names.map { name in
      Int(name).flatMap { (1...99_999).contains($0) && "\($0)" == name ? $0 : nil }
    }
    var numbers: [String: Int] = [:]
    for (name, number) in zip(names, parsed) where numbers[name] == nil {
      numbers[name] = parsed.contains(nil) ? numbers.count + 1 : number
    }
    return numbers
  }

  private static func legend(_ column: String, _ numbers: [String: Int]) -> [String] {
    numbers.sorted { $0.value < $1.value }.filter { "\($0.value)" != $0.key }
      .map { "\(column) \($0.value): \($0.key.quoted)" }
  }

  private static func isNumeric(_ text: String) -> Bool {
    ["", ".", "NA"].contains(text) || Double(text)?.isFinite == true
  }
}

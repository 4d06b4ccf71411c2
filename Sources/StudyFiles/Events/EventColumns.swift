import AlcoholKinetics
import StudyData

/// The columns of a table of events.
final class EventColumns {
  private let subjects: SubjectColumns
  private let kind: EventKindColumns
  private let time: Column
  private let drink: EventDrinkColumns
  private let reading: EventReadingColumns
  private let source: Column?
  private let uuid: UUIDColumn?
  private let descriptions: EventDescriptions
  let comments: CommentRows
  private(set) var hasReadings = false

  /// Finds the columns; `unit` is that of `DV` unless a column states it. Nil, reported, if one is missing.
  init?(header: Header, unit: ConcentrationUnit) {
    guard header.column("id") != nil else {
      guard header.column("subject") == nil else {
        header.report(
          .notAFolder, at: nil,
          "the file alone is no study: beside subjects, it has no columns from which times, drinks and readings "
            + "are known; it has \(header.listing)",
          remedy:
            "add columns as \"Time (min)\", \"Ethanol (g)\" and \"BAC (g/L)\" or say which they are with --map; of a "
            + "study folder, name the folder")
        return nil
      }
      header.report(
        .notAFolder, at: nil, "no column of the file names subjects; it has \(header.listing)",
        remedy:
          "name a folder with subjects.csv, drinks.csv and readings.csv, or a table of events with ID, TIME, "
          + "AMT and DV; or say which column names subjects",
        statements: ["\(ColumnChoice.anyColumn)=subject"])
      return nil
    }
    header.reportUnmatchedStatements()
    let time = header.required("TIME")
    let drink = EventDrinkColumns(header: header)
    let reading = EventReadingColumns(header: header, unit: unit)
    let names = EventKindColumns.names.union(EventDrinkColumns.names)
      .union(EventReadingColumns.names)
      .union(["time", "occ", "occasion", UUIDColumn.name, CommentRows.columnName])
    let subjects = SubjectColumns(header: header, called: .ofEvents, besides: names)
    guard let subjects, let time, let drink, let reading else { return nil }
    self.subjects = subjects
    self.time = time
    self.drink = drink
    self.reading = reading
    kind = EventKindColumns(header: header)
    source = header.column(EventReadingColumns.sourceName)
    uuid = UUIDColumn(header: header, UUIDRegister())
    let hasOccasions = header.column(anyOf: ["occ", "occasion"]) != nil
    descriptions = EventDescriptions(subjects, header, hasOccasions: hasOccasions)
    comments = CommentRows(header: header)
  }

  /// Reads the description of a subject from its first row.
  func begin(_ subject: SubjectDraft, at row: CSVRow) {
    descriptions.begin(at: row)
    guard subject.place == nil else { return }
    subjects.describe(subject, by: row)
    row.flush(into: &subject.findings)
  }

  @inline(__always)
  func read(_ row: CSVRow, into series: inout SeriesDraft) {
    descriptions.compare(row)
    let place = row.place(of: time.index)
    switch kind.kind(of: row, drink) {
    case .drink:
      series.hasDrinkRows = true
      let uuid = uuid?.uuid(in: row)
      let time = TimeUnit.hours.time(in: time, of: row)
      let repeats = kind.repeats(of: row)
      guard var drink = drink.drink(at: time, in: row), let repeats else { return }
      series.drinks.append(drink, at: place, uuid)
      for _ in 0..<repeats.count {
        drink.time = Hours(drink.time.value + repeats.hours)
        series.drinks.repeated.append((drink, place))
      }
    case .reading(let isExcluded) where !reading.isMissing(in: row):
      let uuid = uuid?.uuid(in: row)
      let time = TimeUnit.hours.time(in: time, of: row)
      // Set before reading, so that an unreadable reading is not also reported as a study without readings.
      hasReadings = true
      descriptions.check(row, at: time, after: series.readings.values, isExcluded)
      guard let reading = reading.reading(at: time, isExcluded: isExcluded, in: row)
      else { return }
      series.readings.append(reading, at: place, uuid, source: row.filled(source))
    case .reading, .other: break
    case nil:
      // The row may be the only drink, whose absence would otherwise be reported, too.
      series.hasDrinkRows = true
    }
  }
}

/// The columns that determine the kind of a row in a table of events.
final class EventKindColumns {
  enum Kind: Equatable {
    case drink
    /// A reading, which the study may exclude.
    case reading(isExcluded: Bool)
    /// Any other event, which has no effect.
    case other
  }

  static let names = Set(
    ["evid", "mdv", "addl", "ii", "ss"] + marks.map(\.rawValue)
      + Compartments.allCases.map(\.rawValue))
  private static let marks: [ReadingMark] = [.flag, .use, .remark]

  private let event: Column?
  private let missing: Column?
  private let additional: Column?
  private let interval: Column?
  private let steadyState: Column?
  /// The columns that mark excluded readings.
  private let exclusions: [(column: Column, mark: ReadingMark)]

  init(header: Header) {
    event = header.column("evid")
    missing = header.column("mdv")
    additional = header.column("addl")
    interval = header.column("ii")
    steadyState = header.column("ss")
    exclusions = Self.marks.compactMap { mark in
      header.column(mark.rawValue).map { ($0, mark) }
    }
  }

  /// Returns the kind of a row; nil, reported, if it is unclear or not supported.
  @inline(__always)
  func kind(of row: CSVRow, _ drink: EventDrinkColumns) -> Kind? {
    guard isZero(steadyState, in: row) else {
      steadyState.map {
        row.report(
          .event, in: $0,
          "but elimination at a constant rate has no steady state that repeated drinks lead to",
          remedy: "give the drinks before, each in a row of its own or by ADDL and II")
      }
      return nil
    }
    guard let isMissing = Self.flag(missing, in: row, remedy: "write 0 or 1") else { return nil }
    let observation = Kind.reading(isExcluded: isMissing || isMarked(row))
    guard let event, !row.isMissing(event.index) else {
      return drink.dose.holdDose(in: row) ? .drink : observation
    }
    switch row.number(in: event).value {
    case 0: return observation
    // 101 is a dose into the first compartment in tables for RxODE.
    case 1, 4, 101: return .drink
    case 2, 3: return .other
    default:
      Self.reportUnsupported(
        event, in: row,
        remedy:
          "write 0 for a reading, 1 for a drink, 2 for neither, 3 for a reset, or 4 for a reset with a drink"
      )
      return nil
    }
  }

  /// Whether a column marks a reading as excluded.
  @inline(__always)
  private func isMarked(_ row: CSVRow) -> Bool { !exclusions.isEmpty && isExcluded(row) }

  private func isExcluded(_ row: CSVRow) -> Bool {
    var isExcluded = false
    for (column, mark) in exclusions {
      guard let text = row.filled(column) else { continue }
      switch mark.exclusion(text) {
      case "1": isExcluded = true
      case "0": break
      default:
        row.report(
          .word, in: column, "which is neither yes nor no",
          remedy: "write 1, true or yes, otherwise 0, false or no")
      }
    }
    return isExcluded
  }

  @inline(__always)
  private func isZero(_ column: Column?, in row: CSVRow) -> Bool {
    guard let column, !row.isMissing(column.index) else { return true }
    return row.number(in: column).value == 0
  }

  /// Returns the number of further doses of a row and the interval in hours; nil, reported, if they are invalid.
  func repeats(of row: CSVRow) -> (count: Int, hours: Double)? {
    guard let additional, !isZero(additional, in: row) else { return (0, 0) }
    guard let count = row.number(in: additional).value, 1...1000 ~= count,
      count == count.rounded()
    else {
      row.report(
        .event, in: additional, "which is no number of further drinks",
        remedy: "write a whole number from 0 to 1000")
      return nil
    }
    guard let interval, let hours = row.number(in: interval).value, hours > 0 else {
      row.report(
        .event, in: additional,
        "but the row does not say how long after each other the drinks were",
        remedy: "give the hours between them in II")
      return nil
    }
    return (Int(count), hours)
  }

  /// Whether a field that is 0 or 1 is 1; nil, reported, if it is something else.
  @inline(__always)
  static func flag(_ column: Column?, in row: CSVRow, remedy: String) -> Bool? {
    guard let column, !row.isMissing(column.index) else { return false }
    switch row.number(in: column).value {
    case 0: return false
    case 1: return true
    default:
      reportUnsupported(column, in: row, remedy: remedy)
      return nil
    }
  }

  /// Reports a field with an unsupported value.
  static func reportUnsupported(_ column: Column, in row: CSVRow, remedy: String) {
    row.report(.event, in: column, "which is not supported", remedy: remedy)
  }
}

/// The meaning of the numbers of compartments, by the name of their column.
enum Compartments: String, CaseIterable {
  /// NONMEM's numbers: the first is the gut, or the default; the blood depends on the model of the table.
  case unnamed = "cmt"
  case gutAndBlood = "cmt_1gut2blood"
  case blood = "cmt_1blood"

  static func column(in header: Header) -> (column: Column, all: Compartments)? {
    allCases.lazy.compactMap { all in header.column(all.rawValue).map { ($0, all) } }.first
  }

  /// Returns the route of a dose into a compartment; nil if it is unknown.
  func route(into text: String) -> Route? {
    // Numbers may be written as 1.0.
    switch Double(text).map({ Int(exactly: $0) ?? -1 }) {
    case 0, 1: self == .blood ? .intravenous : .oral
    case 2: self == .gutAndBlood ? .intravenous : nil
    case .some: nil
    case nil:
      switch text {
      case "depot", "gut", "absorption": .oral
      case "central", "blood": .intravenous
      default: nil
      }
    }
  }

  /// Whether a reading of a compartment may be one of the blood; 0 is the default.
  func isMeasured(_ text: String) -> Bool {
    let number = Double(text)
    return switch self {
    case .unnamed: true
    case .gutAndBlood: number == nil || number == 0 || number == 2
    case .blood: number == nil || number == 0 || number == 1
    }
  }
}

final class EventDrinkColumns {
  static let names: Set = [
    "amt", "ethanol_g_per_kg", "rate", "dur", RouteColumn.name, RouteColumn.numericName,
  ]

  let dose: DoseColumns
  private let rate: Column?
  private let duration: Column?
  private let route: RouteColumn?
  private let compartment: (column: Column, all: Compartments)?

  /// Finds the columns; nil, reported, if there is none for the dose.
  init?(header: Header) {
    guard let dose = DoseColumns(eventsWith: header) else { return nil }
    self.dose = dose
    rate = header.column("rate")
    duration = header.column("dur")
    route = RouteColumn(header: header, orNumeric: true)
    compartment = Compartments.column(in: header)
  }

  /// Reads a drink; nil, reported, if a part of it is missing or impossible.
  func drink(at time: Hours?, in row: CSVRow) -> Drink? {
    let dose = dose.dose(in: row)
    let duration = duration(of: dose, in: row)
    let route = route(in: row)
    guard let time, let dose, let duration, let route else { return nil }
    return Drink(time: time, duration: duration, ethanol: dose, route: route)
  }

  /// Returns the route of a dose, from its own column or else from the compartment; nil, reported, if it is unclear.
  private func route(in row: CSVRow) -> Route? {
    if let route, route.isStated(in: row) || compartment == nil { return route.route(in: row) }
    guard let (column, all) = compartment, let text = row.filled(column) else {
      return compartment?.all == .blood ? .intravenous : .oral
    }
    if let route = all.route(into: text.lowercased()) { return route }
    row.report(
      .event, in: column,
      all == .unnamed
        ? "a compartment other than the first, from which a dose may not be absorbed"
        : "a compartment that is not among those that were named",
      remedy:
        "say in a column ROUTE whether the dose is oral or iv, or name the compartments: the column is "
        + "cmt_1gut2blood or cmt_1blood")
    return nil
  }

  /// Returns the duration from its own column, which is not rounded, or else from the rate; nil, reported, if invalid.
  private func duration(of dose: EthanolDose?, in row: CSVRow) -> Hours? {
    let rate = rate(in: row)
    if let column = self.duration, !row.isMissing(column.index) {
      let hours = TimeUnit.hours.duration(in: column, of: row)
      guard let hours, let dose else { return nil }
      return hours > 0 && lacksAmount(dose, column, in: row) ? nil : hours
    }
    guard let rate else { return nil }
    guard rate > 0 else { return 0 }
    guard let dose, let column = self.rate,
      !lacksAmount(dose, column, in: row)
    else { return nil }
    guard case .mass(let grams) = dose else {
      EventKindColumns.reportUnsupported(
        column, in: row, remedy: "give the hours of a drink per kg in a column DUR")
      return nil
    }
    let hours = grams.value / rate
    if hours <= ValueRule.limitInMinutes / 60 { return Hours(hours) }
    row.report(
      .range, in: column, "so slow that the drink lasts more than a million minutes",
      remedy: "give the rate in g/h")
    return nil
  }

  /// Whether a row with a duration or a rate has no amount, which is reported.
  private func lacksAmount(_ dose: EthanolDose, _ column: Column, in row: CSVRow) -> Bool {
    guard dose.mass(forBodyWeight: 1) == 0 else { return false }
    row.report(
      .doseMissing, in: column, "but the row has no amount",
      remedy:
        "fill in AMT, or write 0 for the \(column.index == rate?.index ? "rate" : "duration")")
    return true
  }

  /// Returns the rate in g/h, 0 for a dose taken at once; nil, reported, if it is invalid.
  private func rate(in row: CSVRow) -> Double? {
    if let rate, let code = Double(row.text(of: rate.index)), code == -1 || code == -2 {
      row.report(
        .event, in: rate,
        code == -1
          ? "so that the rate is a parameter of the model, which has none"
          : "so that the duration is a parameter of the model, which has none",
        remedy: "give the hours that drinking took in a column DUR, or 0 for a dose taken at once")
      return nil
    }
    let cell = row.number(in: rate, .rate)
    return cell == .missing ? 0 : cell.value
  }
}

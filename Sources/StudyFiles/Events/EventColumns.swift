import AlcoholKinetics
import StudyData

/// The columns that say what the row of a table of events is about.
final class EventKindColumns {
  enum Kind: Equatable {
    case drink
    /// A reading, which the study may ask to leave out.
    case reading(isExcluded: Bool)
    /// Something else, which has no effect.
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
  /// The columns that say which readings are not to be used.
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

  /// What a row is about; nil, reported, where that cannot be told or is not known here.
  @inline(__always)
  func kind(of row: CSVRow, _ drink: EventDrinkColumns) -> Kind? {
    guard isZero(steadyState, in: row) else {
      steadyState.map {
        row.note(
          .event, in: $0,
          "but elimination at a constant rate has no steady state that repeated drinks lead to",
          remedy: "give the drinks before, each in a row of its own or by ADDL and II")
      }
      return nil
    }
    guard let isMissing = Self.flag(missing, in: row, remedy: "write 0 or 1") else { return nil }
    let observation = Kind.reading(isExcluded: isMissing || isMarked(row))
    guard let event, !row.isMissing(event.index) else {
      return drink.isFilled(in: row) ? .drink : observation
    }
    switch row.number(in: event).value {
    case 0: return observation
    // 101 is a dose into the first compartment in tables for RxODE.
    case 1, 4, 101: return .drink
    case 2, 3: return .other
    default:
      Self.refuse(
        event, in: row,
        remedy:
          "write 0 for a reading, 1 for a drink, 2 for neither, 3 for a reset, or 4 for a reset with a drink"
      )
      return nil
    }
  }

  /// Whether a column says that a reading is not to be used.
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
        row.note(
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

  /// How often the drink of a row is repeated, and after how many hours each; nil, reported, if that cannot be told.
  func repeats(of row: CSVRow) -> (count: Int, hours: Double)? {
    guard let additional, !isZero(additional, in: row) else { return (0, 0) }
    guard let count = row.number(in: additional).value, 1...1000 ~= count,
      count == count.rounded()
    else {
      row.note(
        .event, in: additional, "which is no number of further drinks",
        remedy: "write a whole number from 0 to 1000")
      return nil
    }
    guard let interval, let hours = row.number(in: interval).value, hours > 0 else {
      row.note(
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
      refuse(column, in: row, remedy: remedy)
      return nil
    }
  }

  /// Reports a field that says of a row what is not known here.
  static func refuse(_ column: Column, in row: CSVRow, remedy: String) {
    row.note(.event, in: column, "which is not supported", remedy: remedy)
  }
}

/// What the numbers of compartments stand for, by the name of their column.
enum Compartments: String, CaseIterable {
  /// NONMEM's numbers: the first is the gut, or the default; the blood depends on the model of the table.
  case unnamed = "cmt"
  case gutAndBlood = "cmt_1gut2blood"
  case blood = "cmt_1blood"

  static func column(in header: Header) -> (column: Column, all: Compartments)? {
    allCases.lazy.compactMap { all in header.column(all.rawValue).map { ($0, all) } }.first
  }

  /// Which way a dose into a compartment takes; nil if that is not known.
  func route(into text: String) -> Route? {
    // As 1.0.
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

  private let dose: DoseColumns
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

  /// Whether a row that does not say what it is about is a drink: if it has a dose other than 0.
  @inline(__always)
  func isFilled(in row: CSVRow) -> Bool { dose.holdDose(in: row) }

  /// Reads a drink; nil, reported, where something about it is missing or impossible.
  func drink(at time: Hours?, in row: CSVRow) -> Drink? {
    let dose = dose.dose(in: row)
    let duration = duration(of: dose, in: row)
    let route = route(in: row)
    guard let time, let dose, let duration, let route else { return nil }
    return Drink(time: time, duration: duration, ethanol: dose, route: route)
  }

  /// The route of a dose: as a column for it says, or else by the compartment that the dose is put into.
  private func route(in row: CSVRow) -> Route? {
    if let route, route.isStated(in: row) || compartment == nil { return route.route(in: row) }
    guard let (column, all) = compartment, let text = row.filled(column) else {
      return compartment?.all == .blood ? .intravenous : .oral
    }
    if let route = all.route(into: text.lowercased()) { return route }
    row.note(
      .event, in: column,
      all == .unnamed
        ? "a compartment other than the first, from which a dose may not be absorbed"
        : "a compartment that is not among those that were named",
      remedy:
        "say in a column ROUTE whether the dose is oral or iv, or name the compartments: the column is "
        + "cmt_1gut2blood or cmt_1blood")
    return nil
  }

  /// The duration, which a column of its own gives without rounding and the rate otherwise.
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
      EventKindColumns.refuse(
        column, in: row, remedy: "give the hours of a drink per kg in a column DUR")
      return nil
    }
    let hours = grams.value / rate
    if hours <= ValueRule.limitInMinutes / 60 { return Hours(hours) }
    row.note(
      .range, in: column, "so slow that the drink lasts more than a million minutes",
      remedy: "give the rate in g/h")
    return nil
  }

  /// Whether a row that says how long a dose took, or at which rate, has none, which is reported.
  private func lacksAmount(_ dose: EthanolDose, _ column: Column, in row: CSVRow) -> Bool {
    guard dose.mass(forBodyWeight: 1) == 0 else { return false }
    row.note(
      .doseMissing, in: column, "but the row has no amount",
      remedy:
        "fill in AMT, or write 0 for the \(column.index == rate?.index ? "rate" : "duration")")
    return true
  }

  /// The rate in g/h, 0 if all was taken at once; nil, reported, if it is none.
  private func rate(in row: CSVRow) -> Double? {
    if let rate, let code = Double(row.text(of: rate.index)), code == -1 || code == -2 {
      row.note(
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

final class EventReadingColumns {
  static let names = Set(
    ["dv", "dv_unit", "cens", "limit", "lod", "lloq", "dvid"] + flagNames
  ).union(ConcentrationUnit.allCases.map(\.rawValue))
  /// The names of the column that flags readings below the limit of quantification.
  private static let flagNames = ["blq", "bql", "bloq"]

  private let value: Column
  private let rule: ReadingRule
  private let unitOfRow: Column?
  private let censoring: Column?
  private let limit: Column?
  /// The lower limit of quantification goes before that of detection: what lies between is not quantified.
  private let detectionLimits: [Column]
  private let flag: Column?
  private let compartment: (column: Column, all: Compartments)?
  /// What tells the things that were measured apart, and what the first reading has there.
  private var sources: [(column: Column, first: String?)]

  /// Finds the columns; nil, reported, if there is none for the concentration, or several.
  init?(header: Header, unit: ConcentrationUnit) {
    if let dv = header.column("dv") {
      let others = header.columns.filter { $0.unit != nil }
      guard others.isEmpty else {
        header.reportSeveral([dv] + others)
        return nil
      }
      value = dv
      rule = ReadingRule(unit)
    } else {
      guard let column = header.concentration(), let named = column.unit else { return nil }
      value = column
      rule = ReadingRule(named)
    }
    unitOfRow = header.column("dv_unit")
    censoring = header.column("cens")
    limit = header.column("limit")
    detectionLimits = ["lloq", "lod"].compactMap(header.column)
    flag = header.column(anyOf: Self.flagNames)
    compartment = Compartments.column(in: header)
    sources = [compartment?.column, header.column("dvid")].compactMap(\.self).map { ($0, nil) }
  }

  /// Whether a row has no concentration, and does not say either that it was too low to be quantified.
  @inline(__always)
  func isMissing(in row: CSVRow) -> Bool { row.isMissing(value.index) && !isFlagged(row) }

  /// Whether a row has something in the column of flags that may say that its reading is below a limit.
  @inline(__always)
  private func isFlagged(_ row: CSVRow) -> Bool {
    guard let flag, !row.isMissing(flag.index) else { return false }
    return row.shortNumber(in: flag.index) != 0
  }

  /// Reads a reading; nil, reported, where something about it is missing or impossible.
  @inline(__always)
  func reading(at time: Hours?, isExcluded: Bool, in row: CSVRow) -> Reading? {
    if !sources.isEmpty, !isExcluded, !isOfOneSource(row) { return nil }
    if isFlagged(row), let isBelow = isFlaggedBelow(row) {
      // CENS and DV say the same, and how much it is.
      guard !isBelow || says(1, in: censoring, of: row) else {
        return flagged(at: time, isExcluded: isExcluded, in: row)
      }
    } else if isFlagged(row) {
      return nil
    }
    if isBelowLimit(row) { return flagged(at: time, isExcluded: isExcluded, in: row) }
    let measured = row.measured(in: value)
    let detectionLimit = detectionLimit(of: row)
    let rule = rule(of: row)
    let isCensored = EventKindColumns.flag(
      censoring, in: row,
      remedy: "write 1 if the reading is below the limit of detection in DV, otherwise 0"
    )
    guard let time, let measured, let rule, let isCensored else { return nil }
    // What the study leaves out anyway may be as odd as it is.
    guard
      isExcluded
        || rule.accepts(measured.number, of: row, in: value)
          && agrees(measured, detectionLimit, isCensored, in: row)
    else { return nil }
    guard isCensored else {
      return Reading(
        time: time, value: measured.value, unit: rule.unit,
        limitOfDetection: measured.limit ?? detectionLimit, isExcluded: isExcluded)
    }
    let lowest = limit(in: limit, of: row) ?? 0
    guard isExcluded || isBelow(lowest, measured.number, in: row) else { return nil }
    return Reading(
      time: time, value: lowest, unit: rule.unit, limitOfDetection: measured.number,
      isExcluded: isExcluded)
  }

  /// Whether the concentration is a word that says that it is below a limit, as `BLQ`.
  private func isBelowLimit(_ row: CSVRow) -> Bool {
    row.shortNumber(in: value.index) == nil && SheetCellText.isBelowLimit(row.text(of: value.index))
  }

  private func says(_ number: Double, in column: Column?, of row: CSVRow) -> Bool {
    column.map { !row.isMissing($0.index) && row.shortNumber(in: $0.index) == number } ?? false
  }

  /// Whether a flag says that a reading is below the limit of quantification; nil, reported, if it cannot be told.
  private func isFlaggedBelow(_ row: CSVRow) -> Bool? {
    guard let flag else { return false }
    guard let number = row.number(in: flag).value else { return nil }
    switch number {
    case 0: return false
    case 1: return true
    default:
      EventKindColumns.refuse(
        flag, in: row,
        remedy: "write 1 if the reading is below the limit of quantification in LLOQ, otherwise 0")
      return nil
    }
  }

  /// A reading flagged as below the limit in LLOQ, LOD or LIMIT; `DV` may hold what was shown, the limit, 0 or nothing.
  private func flagged(at time: Hours?, isExcluded: Bool, in row: CSVRow) -> Reading? {
    let isWord = isBelowLimit(row)
    let flag = isWord ? value : flag ?? value
    let hasNumber = !isWord && !row.isMissing(value.index)
    let measured = hasNumber ? row.measured(in: value) : nil
    let rule = rule(of: row)
    var highest = detectionLimit(of: row) ?? limit(in: limit, of: row)
    highest = highest ?? measured?.limit
    guard let time, let rule, measured != nil || !hasNumber else { return nil }
    guard let highest, highest > 0 else {
      row.note(
        .ambiguous, in: flag, "but the row has no limit of quantification",
        remedy: "give it in a column LLOQ, in the unit of the readings")
      return nil
    }
    let shown = measured?.number ?? 0
    guard shown <= highest, !says(0, in: censoring, of: row) else {
      row.note(
        .ambiguous, in: flag,
        shown > highest
          ? "but the reading is above the limit of quantification" : "but CENS is 0",
        remedy: "correct the flag, the reading or the limit")
      return nil
    }
    guard isExcluded || rule.accepts(shown, of: row, in: value) else { return nil }
    return Reading(
      time: time, value: shown < highest ? shown : 0, unit: rule.unit, limitOfDetection: highest,
      isExcluded: isExcluded)
  }

  /// Whether a reading is of the same compartment and kind as the first; reported if not.
  private func isOfOneSource(_ row: CSVRow) -> Bool {
    if let (column, all) = compartment, let text = row.filled(column), !all.isMeasured(text) {
      row.note(
        .event, in: column, "which is not the blood",
        remedy: "correct the compartment of the reading, or what the columns are said to be"
      )
      return false
    }
    for index in sources.indices {
      let column = sources[index].column
      guard let text = row.filled(column) else { continue }
      guard let first = sources[index].first else {
        sources[index].first = text
        continue
      }
      guard text == first || Double(text).map({ $0 == Double(first) }) ?? false else {
        row.note(
          .event, in: column, "but \(first) for the first reading",
          remedy:
            "keep the readings of ethanol, in blood or breath; make other measurements a study of their own"
        )
        return false
      }
    }
    return true
  }

  /// The column with the limit of detection of a row; nil if the row has none.
  @inline(__always)
  private func detectionLimitColumn(of row: CSVRow) -> Column? {
    detectionLimits.first { !row.isMissing($0.index) }
  }

  @inline(__always)
  private func detectionLimit(of row: CSVRow) -> Double? {
    limit(in: detectionLimitColumn(of: row), of: row)
  }

  /// Whether the columns beside a reading agree with `<` before it; reported if not.
  @inline(__always)
  private func agrees(
    _ measured: MeasuredCell, _ detectionLimit: Double?, _ isCensored: Bool, in row: CSVRow
  ) -> Bool {
    if measured.isBelow, let censoring, !isCensored, !row.isMissing(censoring.index) {
      row.note(
        .ambiguous, in: censoring, "but the reading is written as below a limit",
        remedy: "write 1, or the reading without <")
      return false
    }
    return measured.agrees(with: detectionLimit, in: detectionLimitColumn(of: row), of: row)
  }

  /// Whether a censored reading is below its limit; reported if not.
  private func isBelow(_ lowest: Double, _ highest: Double, in row: CSVRow) -> Bool {
    if lowest < highest { return true }
    let stated = limit.flatMap { row.isMissing($0.index) ? nil : $0 }
    row.note(
      .ambiguous, in: stated ?? value,
      "but a reading with CENS 1 lies between LIMIT, or 0, and DV",
      remedy: "give the limit of detection in DV, and in LIMIT a lower value or nothing")
    return false
  }

  @inline(__always)
  private func rule(of row: CSVRow) -> ReadingRule? {
    guard let unitOfRow, !row.isMissing(unitOfRow.index) else { return rule }
    let named = ConcentrationUnit(rawValue: row.text(of: unitOfRow.index).lowercased())
    if named == nil {
      let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      EventKindColumns.refuse(unitOfRow, in: row, remedy: "write one of \(units)")
    }
    return named.map { ReadingRule($0) }
  }

  @inline(__always)
  private func limit(in column: Column?, of row: CSVRow) -> Double? {
    row.number(in: column, .eventDetectionLimit).value
  }
}

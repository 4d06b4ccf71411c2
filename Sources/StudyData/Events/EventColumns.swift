import AlcoholKinetics

/// The columns that say what the row of a table of events is about.
final class EventKindColumns {
  /// What a row is about.
  enum Kind: Equatable {
    case drink
    /// A reading, which the study may ask to leave out.
    case reading(isExcluded: Bool)
    /// Something else, which has no effect.
    case other
  }

  /// Their names, and those of what would change what a row means.
  static let names: Set = ["evid", "mdv", "addl", "ii", "ss", "cmt"]

  private let event: Column?
  private let missing: Column?
  /// Whether the table has occasions, each of which begins anew anyway.
  private let hasOccasions: Bool
  /// Columns that nothing reads; whatever is in them but 0 would be lost.
  private let unread: [Column]

  init(header: Header) {
    event = header.column("evid")
    missing = header.column("mdv")
    hasOccasions = header.column(anyOf: ["occ", "occasion"]) != nil
    unread = ["addl", "ii", "ss"].compactMap(header.column)
  }

  /// What a row is about; nil, reported, where that cannot be told or is not known here.
  @inline(__always)
  func kind(
    of row: CSVRow, _ drink: EventDrinkColumns, log: inout FindingLog
  ) -> Kind? {
    for column in unread {
      let cell = row.number(in: column, log: &log)
      guard cell == .missing || cell.value == 0 else {
        Self.refuse(column, in: row, remedy: "give every drink a row of its own", log: &log)
        return nil
      }
    }
    guard let isMissing = flag(missing, in: row, log: &log) else { return nil }
    let observation = Kind.reading(isExcluded: isMissing)
    guard let event, !row.isMissing(event.index) else {
      return drink.isFilled(in: row) ? .drink : observation
    }
    switch row.number(in: event, log: &log).value {
    case 0: return observation
    case 1: return .drink
    case 2: return .other
    case 3 where hasOccasions: return .other
    default:
      Self.refuse(
        event, in: row,
        remedy: "write 0 for a reading, 1 for a drink, 2 for neither; for several occasions of a "
          + "subject, use a column OCC", log: &log)
      return nil
    }
  }

  /// Whether a field that is 0 or 1 is 1; nil, reported, if it is something else.
  @inline(__always)
  private func flag(_ column: Column?, in row: CSVRow, log: inout FindingLog) -> Bool? {
    guard let column, !row.isMissing(column.index) else { return false }
    switch row.number(in: column, log: &log).value {
    case 0: return false
    case 1: return true
    default:
      Self.refuse(column, in: row, remedy: "write 0 or 1", log: &log)
      return nil
    }
  }

  /// Reports a field that says of a row what is not known here.
  static func refuse(
    _ column: Column, in row: CSVRow, remedy: String, log: inout FindingLog
  ) {
    row.note(.event, in: column, "which is not supported", remedy: remedy, log: &log)
  }
}

/// The columns of a table of events that say what was drunk.
final class EventDrinkColumns {
  /// Their names.
  static let names: Set = [
    "amt", "ethanol_g_per_kg", "rate", "dur", RouteColumn.name, RouteColumn.numericName,
  ]

  private let dose: DoseColumns
  private let rate: Column?
  private let duration: Column?
  private let route: RouteColumn?

  /// Finds the columns; nil, reported, if there is none for the dose.
  init?(header: Header, log: inout FindingLog) {
    guard let dose = DoseColumns(eventsWith: header, log: &log) else { return nil }
    self.dose = dose
    rate = header.column("rate")
    duration = header.column("dur")
    route = RouteColumn(header: header, orNumeric: true)
  }

  /// Whether a row that does not say what it is about is a drink: if it has a dose other than 0.
  @inline(__always)
  func isFilled(in row: CSVRow) -> Bool {
    dose.holdDose(in: row)
  }

  /// Reads a drink; nil, reported, where something about it is missing or impossible.
  func drink(at time: Hours?, in row: CSVRow, log: inout FindingLog) -> Drink? {
    let dose = dose.dose(in: row, log: &log)
    let duration = duration(of: dose, in: row, log: &log)
    let route = route.map { $0.route(in: row, log: &log) } ?? .oral
    guard let time, let dose, let duration, let route else { return nil }
    return Drink(time: time, duration: duration, ethanol: dose, route: route)
  }

  /// The duration, which a column of its own gives without rounding and the rate otherwise.
  private func duration(
    of dose: EthanolDose?, in row: CSVRow, log: inout FindingLog
  ) -> Hours? {
    let rate = rate(in: row, log: &log)
    if let duration, !row.isMissing(duration.index) {
      return TimeColumns.durationInHours(in: duration, of: row, log: &log)
    }
    guard let rate else { return nil }
    guard rate > 0 else { return 0 }
    return duration(of: dose, at: rate, in: row, log: &log)
  }

  private func duration(
    of dose: EthanolDose?, at rate: Double, in row: CSVRow, log: inout FindingLog
  ) -> Hours? {
    guard let dose, let column = self.rate else { return nil }
    guard case .mass(let grams) = dose else {
      EventKindColumns.refuse(
        column, in: row, remedy: "give the hours of a drink per kg in a column DUR", log: &log)
      return nil
    }
    let hours = grams.value / rate
    if hours <= TimeColumns.limitInMinutes / 60 { return Hours(hours) }
    row.note(
      .timeRange, in: column, "so slow that the drink lasts more than a million minutes",
      remedy: "give the rate in g/h", log: &log)
    return nil
  }

  /// The rate in g/h, 0 if all was taken at once; nil, reported, if it is none.
  private func rate(in row: CSVRow, log: inout FindingLog) -> Double? {
    let cell = row.number(in: rate, .rate, log: &log)
    return cell == .missing ? 0 : cell.value
  }
}

/// The columns of a table of events that say what was measured.
final class EventReadingColumns {
  /// Their names.
  static let names = Set(["dv", "dv_unit", "cens", "limit", "lod"])
    .union(ConcentrationUnit.allCases.map(\.rawValue))

  private let value: Column
  private let rule: ReadingRule
  private let unitOfRow: Column?
  private let censoring: Column?
  private let limit: Column?
  private let detectionLimit: Column?

  /// Finds the columns; nil, reported, if there is none for the concentration, or several.
  init?(header: Header, unit: ConcentrationUnit, log: inout FindingLog) {
    if let dv = header.column("dv") {
      let others = header.columns.filter { $0.unit != nil }
      guard others.isEmpty else {
        header.reportSeveral([dv] + others, log: &log)
        return nil
      }
      value = dv
      rule = ReadingRule(unit)
    } else {
      guard let column = header.concentration(log: &log), let named = column.unit else {
        return nil
      }
      value = column
      rule = ReadingRule(named)
    }
    unitOfRow = header.column("dv_unit")
    censoring = header.column("cens")
    limit = header.column("limit")
    detectionLimit = header.column("lod")
  }

  /// Whether a row has no concentration.
  @inline(__always)
  func isMissing(in row: CSVRow) -> Bool {
    row.isMissing(value.index)
  }

  /// Reads a reading; nil, reported, where something about it is missing or impossible.
  @inline(__always)
  func reading(
    at time: Hours?, isExcluded: Bool, in row: CSVRow, log: inout FindingLog
  ) -> Reading? {
    let measured = row.measured(in: value, log: &log)
    let detectionLimit = limit(in: detectionLimit, of: row, log: &log)
    let rule = rule(of: row, log: &log)
    let isCensored = isCensored(row, log: &log)
    guard let time, let measured, let rule, let isCensored else { return nil }
    // What the study leaves out anyway may be as odd as it is.
    guard
      isExcluded
        || rule.accepts(measured.number, of: row, in: value, log: &log)
          && agrees(measured, detectionLimit, isCensored, in: row, log: &log)
    else { return nil }
    guard isCensored else {
      return Reading(
        time: time, measured, unit: rule.unit, limitOfDetection: detectionLimit,
        isExcluded: isExcluded)
    }
    let lowest = limit(in: limit, of: row, log: &log) ?? 0
    guard isExcluded || isBelow(lowest, measured.number, in: row, log: &log) else { return nil }
    return Reading(
      time: time, value: lowest, unit: rule.unit, limitOfDetection: measured.number,
      isExcluded: isExcluded)
  }

  /// Whether the columns beside a reading say the same as `<` before it, if that is there; reported
  /// if not.
  @inline(__always)
  private func agrees(
    _ measured: MeasuredCell, _ detectionLimit: Double?, _ isCensored: Bool, in row: CSVRow,
    log: inout FindingLog
  ) -> Bool {
    if case .below = measured, let censoring, !isCensored, !row.isMissing(censoring.index) {
      row.note(
        .detectionConflict, in: censoring, "but the reading is written as below a limit",
        remedy: "write 1, or the reading without <", log: &log)
      return false
    }
    return measured.agrees(with: detectionLimit, in: self.detectionLimit, of: row, log: &log)
  }

  /// Whether what a censored reading showed is below its limit, as it must be to be censored;
  /// reported if not.
  private func isBelow(
    _ lowest: Double, _ highest: Double, in row: CSVRow, log: inout FindingLog
  ) -> Bool {
    if lowest < highest { return true }
    let stated = limit.flatMap { row.isMissing($0.index) ? nil : $0 }
    row.note(
      .detectionConflict, in: stated ?? value,
      "but a reading with CENS 1 lies between LIMIT, or 0, and DV",
      remedy: "give the limit of detection in DV, and in LIMIT a lower value or nothing",
      log: &log)
    return false
  }

  @inline(__always)
  private func rule(of row: CSVRow, log: inout FindingLog) -> ReadingRule? {
    guard let unitOfRow, !row.isMissing(unitOfRow.index) else { return rule }
    let named = ConcentrationUnit(rawValue: row.text(of: unitOfRow.index).lowercased())
    if named == nil {
      let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      EventKindColumns.refuse(unitOfRow, in: row, remedy: "write one of \(units)", log: &log)
    }
    return named.map { ReadingRule($0) }
  }

  /// Whether a reading is only known to be below `DV`; nil, reported, if that cannot be told.
  @inline(__always)
  private func isCensored(_ row: CSVRow, log: inout FindingLog) -> Bool? {
    guard let censoring, !row.isMissing(censoring.index) else { return false }
    switch row.number(in: censoring, log: &log).value {
    case 0: return false
    case 1: return true
    default:
      EventKindColumns.refuse(
        censoring, in: row,
        remedy: "write 1 if the reading is below the limit of detection in DV, otherwise 0",
        log: &log)
      return nil
    }
  }

  @inline(__always)
  private func limit(in column: Column?, of row: CSVRow, log: inout FindingLog) -> Double? {
    row.number(in: column, .eventDetectionLimit, log: &log).value
  }
}

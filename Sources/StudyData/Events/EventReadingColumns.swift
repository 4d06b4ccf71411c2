import AlcoholKinetics

/// The columns of a table of events that say what was measured.
struct EventReadingColumns {
  /// Their names.
  static let names = Set(["dv", "dv_unit", "cens", "limit", "lod"])
    .union(ConcentrationUnit.allCases.map(\.rawValue))

  private let value: Column
  private let unit: ConcentrationUnit
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
      self.unit = unit
    } else {
      guard let column = header.concentration(log: &log), let named = column.unit else {
        return nil
      }
      value = column
      self.unit = named
    }
    unitOfRow = header.column("dv_unit")
    censoring = header.column("cens")
    limit = header.column("limit")
    detectionLimit = header.column("lod")
  }

  /// Whether a row has no concentration.
  func isMissing(in row: CSVRow) -> Bool {
    row.isMissing(value.index)
  }

  /// Reads a reading; nil, reported, where something about it is missing or impossible.
  func reading(
    at time: Hours?, isExcluded: Bool, in row: CSVRow, log: inout FindingLog
  ) -> Reading? {
    let measured = row.measured(in: value, log: &log)
    let detectionLimit = limit(in: detectionLimit, of: row, log: &log)
    let unit = unit(of: row, log: &log)
    let isCensored = isCensored(row, log: &log)
    guard let time, let measured, let unit, let isCensored else { return nil }
    // What the study leaves out anyway may be as odd as it is.
    guard
      isExcluded
        || unit.accepts(measured.number, of: row, in: value, log: &log)
          && agrees(measured, detectionLimit, isCensored, in: row, log: &log)
    else { return nil }
    guard isCensored else {
      return Reading(
        time: time, measured, unit: unit, limitOfDetection: detectionLimit,
        isExcluded: isExcluded)
    }
    let lowest = limit(in: limit, of: row, log: &log) ?? 0
    guard isExcluded || isBelow(lowest, measured.number, in: row, log: &log) else { return nil }
    return Reading(
      time: time, value: lowest, unit: unit, limitOfDetection: measured.number,
      isExcluded: isExcluded)
  }

  /// Whether the columns beside a reading say the same as `<` before it, if that is there; reported
  /// if not.
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

  private func unit(of row: CSVRow, log: inout FindingLog) -> ConcentrationUnit? {
    guard let unitOfRow, !row.isMissing(unitOfRow.index) else { return unit }
    let named = ConcentrationUnit(rawValue: row.text(of: unitOfRow.index).lowercased())
    if named == nil {
      let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      EventKindColumns.refuse(unitOfRow, in: row, remedy: "write one of \(units)", log: &log)
    }
    return named
  }

  /// Whether a reading is only known to be below `DV`; nil, reported, if that cannot be told.
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

  private func limit(in column: Column?, of row: CSVRow, log: inout FindingLog) -> Double? {
    row.number(
      in: column, log: &log, code: .detectionLimit, complaint: "which is negative",
      remedy: "give it in the unit of the reading, or leave it empty"
    ) { $0 >= 0 }.value
  }
}

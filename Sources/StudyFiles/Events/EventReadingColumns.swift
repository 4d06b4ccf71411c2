import AlcoholKinetics
import StudyData

/// The columns of a table of events that describe readings.
final class EventReadingColumns {
  static let names = Set(
    ["dv", "dv_unit", "cens", "limit", "lod", "lloq", "dvid", sourceName] + flagNames
  ).union(ConcentrationUnit.allCases.map(\.rawValue))
  /// The source of a reading; `SOURCE` may be a covariate.
  static let sourceName = "reading_source"
  /// The names of the column that flags readings below the limit of quantification.
  private static let flagNames = ["blq", "bql", "bloq"]

  private let value: Column
  private let rule: ReadingRule
  private let unitOfRow: Column?
  private let censoring: Column?
  private let limit: Column?
  /// The columns of limits in order of precedence: quantification before detection, since readings between the two are
  /// not quantified.
  private let detectionLimits: [Column]
  private let flag: Column?
  private let compartment: (column: Column, all: Compartments)?
  /// The columns that distinguish measured quantities, with the value of the first reading.
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

  /// Whether a row has neither a concentration nor a flag for one that was too low to be quantified.
  @inline(__always)
  func isMissing(in row: CSVRow) -> Bool { row.isMissing(value.index) && !isFlagged(row) }

  /// Whether a row has a non-zero flag, which may mean a reading below a limit.
  @inline(__always)
  private func isFlagged(_ row: CSVRow) -> Bool {
    guard let flag, !row.isMissing(flag.index) else { return false }
    return row.shortNumber(in: flag.index) != 0
  }

  /// Reads a reading; nil, reported, if a part of it is missing or impossible.
  @inline(__always)
  func reading(at time: Hours?, isExcluded: Bool, in row: CSVRow) -> Reading? {
    if !sources.isEmpty, !isExcluded, !isOfOneSource(row) { return nil }
    if isFlagged(row), let isBelow = isFlaggedBelow(row) {
      // With CENS 1 the flag adds nothing: CENS and DV already hold the limit.
      guard !isBelow || holds(1, in: censoring, of: row) else {
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
    // Excluded readings need not be plausible.
    guard
      isExcluded
        || rule.accepts(measured.number, of: row, in: value)
          && agrees(measured, detectionLimit, isCensored, in: row)
    else { return nil }
    guard isCensored else {
      return Reading(
        time: time, value: measured.value * rule.factor, unit: rule.unit,
        limitOfDetection: (measured.limit ?? detectionLimit).map { $0 * rule.factor },
        isExcluded: isExcluded)
    }
    let lowest = limit(in: limit, of: row) ?? 0
    guard isExcluded || isBelow(lowest, measured.number, in: row) else { return nil }
    return Reading(
      time: time, value: lowest * rule.factor, unit: rule.unit,
      limitOfDetection: measured.number * rule.factor, isExcluded: isExcluded)
  }

  /// Whether the concentration is a word for one below a limit, such as `BLQ`.
  private func isBelowLimit(_ row: CSVRow) -> Bool {
    row.shortNumber(in: value.index) == nil && SheetCellText.isBelowLimit(row.text(of: value.index))
  }

  private func holds(_ number: Double, in column: Column?, of row: CSVRow) -> Bool {
    column.map { !row.isMissing($0.index) && row.shortNumber(in: $0.index) == number } ?? false
  }

  /// Whether a flag means a reading below the limit of quantification; nil, reported, if it is invalid.
  private func isFlaggedBelow(_ row: CSVRow) -> Bool? {
    guard let flag else { return false }
    guard let number = row.number(in: flag).value else { return nil }
    switch number {
    case 0: return false
    case 1: return true
    default:
      EventKindColumns.reportUnsupported(
        flag, in: row,
        remedy: "write 1 if the reading is below the limit of quantification in LLOQ, otherwise 0")
      return nil
    }
  }

  /// Returns a reading flagged as below the limit in LLOQ, LOD or LIMIT. `DV` may hold the displayed value, the limit, 0 or
  /// nothing. Nil, reported, if the row is contradictory or has no limit.
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
      row.report(
        .ambiguous, in: flag, "but the row has no limit of quantification",
        remedy: "give it in a column LLOQ, in the unit of the readings")
      return nil
    }
    let shown = measured?.number ?? 0
    guard shown <= highest, !holds(0, in: censoring, of: row) else {
      row.report(
        .ambiguous, in: flag,
        shown > highest
          ? "but the reading is above the limit of quantification" : "but CENS is 0",
        remedy: "correct the flag, the reading or the limit")
      return nil
    }
    guard isExcluded || rule.accepts(shown, of: row, in: value) else { return nil }
    return Reading(
      time: time, value: shown < highest ? shown * rule.factor : 0, unit: rule.unit,
      limitOfDetection: highest * rule.factor, isExcluded: isExcluded)
  }

  /// Whether a reading is of the same compartment and kind as the first; reported if not.
  private func isOfOneSource(_ row: CSVRow) -> Bool {
    if let (column, all) = compartment, let text = row.filled(column), !all.isMeasured(text) {
      row.report(
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
        row.report(
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
      row.report(
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
    row.report(
      .ambiguous, in: stated ?? value,
      "but a reading with CENS 1 lies between LIMIT, or 0, and DV",
      remedy: "give the limit of detection in DV, and in LIMIT a lower value or nothing")
    return false
  }

  @inline(__always)
  private func rule(of row: CSVRow) -> ReadingRule? {
    guard let unitOfRow, !row.isMissing(unitOfRow.index) else { return rule }
    let text = row.text(of: unitOfRow.index)
    // A fast path for names: words are looked up part by part.
    if let named = ConcentrationUnit(rawValue: text) { return ReadingRule(named) }
    do throws(ConcentrationUnit.Unreadable) {
      return ReadingRule(try ConcentrationUnit(written: text))
    } catch {
      EventKindColumns.reportUnsupported(unitOfRow, in: row, remedy: error.remedy)
      return nil
    }
  }

  @inline(__always)
  private func limit(in column: Column?, of row: CSVRow) -> Double? {
    row.number(in: column, .eventDetectionLimit).value
  }
}

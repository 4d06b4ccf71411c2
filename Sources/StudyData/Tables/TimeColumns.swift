import AlcoholKinetics

/// Reads the times of a table.
enum TimeColumns {
  /// Two years of minutes: more is a date, or another unit.
  static let limitInMinutes = 1e6

  /// Reads when something happened, in minutes; nil, reported, where that is missing or absurd.
  static func time(in column: Column, of row: CSVRow, log: inout FindingLog) -> Hours? {
    let cell = minutes(in: column, of: row, log: &log)
    noteMissing(cell, in: column, of: row, unit: "minutes", log: &log)
    return cell.value.map(Hours.init(minutes:))
  }

  /// Reads when something happened, in hours; nil, reported, where that is missing or absurd.
  static func hours(in column: Column, of row: CSVRow, log: inout FindingLog) -> Hours? {
    let cell = hours(in: column as Column?, of: row, log: &log)
    noteMissing(cell, in: column, of: row, unit: "hours", log: &log)
    return cell.value.map { Hours($0) }
  }

  /// Reads how long something took, in minutes, 0 if that is not said; nil, reported, where it is
  /// absurd.
  static func duration(in column: Column?, of row: CSVRow, log: inout FindingLog) -> Hours? {
    let cell = minutes(in: column, of: row, log: &log)
    return duration(cell, in: column, of: row, unit: "minutes", log: &log)
      .map { Hours(minutes: $0) }
  }

  /// Reads how long something took, in hours, 0 if that is not said; nil, reported, where it is
  /// absurd.
  static func durationInHours(
    in column: Column?, of row: CSVRow, log: inout FindingLog
  ) -> Hours? {
    let cell = hours(in: column, of: row, log: &log)
    return duration(cell, in: column, of: row, unit: "hours", log: &log).map { Hours($0) }
  }

  private static func noteMissing(
    _ cell: NumberCell, in column: Column, of row: CSVRow, unit: String, log: inout FindingLog
  ) {
    guard cell == .missing else { return }
    log.note(
      .timeMissing, at: row.place(of: column.index), "\(column.name) is missing",
      remedy: "give the time in \(unit), or remove the row")
  }

  private static func duration(
    _ cell: NumberCell, in column: Column?, of row: CSVRow, unit: String, log: inout FindingLog
  ) -> Double? {
    guard let column, let number = cell.value else { return cell == .missing ? 0 : nil }
    let rule = ValueRule.duration(in: unit)
    if rule.allows(number) { return number }
    row.note(rule.code, in: column, rule.complaint, remedy: rule.remedy, log: &log)
    return nil
  }

  private static func minutes(
    in column: Column?, of row: CSVRow, log: inout FindingLog
  ) -> NumberCell {
    row.number(in: column, .minutes, log: &log)
  }

  private static func hours(
    in column: Column?, of row: CSVRow, log: inout FindingLog
  ) -> NumberCell {
    row.number(in: column, .hours, log: &log)
  }
}

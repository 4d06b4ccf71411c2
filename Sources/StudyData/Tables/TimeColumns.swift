import AlcoholKinetics

/// Reads the times of a table.
enum TimeColumns {
  /// Two years of minutes: more is a date, or another unit.
  static let limitInMinutes = 1e6

  /// Reads when something happened; nil, reported, where that is missing or absurd.
  static func time(in column: Column, of row: CSVRow, log: inout FindingLog) -> Hours? {
    let cell = minutes(in: column, of: row, log: &log)
    if cell == .missing {
      log.note(
        .timeMissing, at: row.place(of: column.index), "\(column.name) is missing",
        remedy: "give the time in minutes, or remove the row")
    }
    return cell.value.map(Hours.init(minutes:))
  }

  /// Reads how long something took, 0 if that is not said; nil, reported, where it is absurd.
  static func duration(in column: Column?, of row: CSVRow, log: inout FindingLog) -> Hours? {
    let cell = minutes(in: column, of: row, log: &log)
    guard let column, let minutes = cell.value else { return cell == .missing ? 0 : nil }
    guard minutes >= 0 else {
      row.note(
        .durationNegative, in: column, "which is negative",
        remedy: "give the minutes from the first sip to the last", log: &log)
      return nil
    }
    return Hours(minutes: minutes)
  }

  private static func minutes(
    in column: Column?, of row: CSVRow, log: inout FindingLog
  ) -> NumberCell {
    row.number(
      in: column, log: &log, code: .timeRange,
      complaint: "which is further off than a million minutes",
      remedy: "give minutes on the clock of the series, not a date"
    ) { abs($0) <= limitInMinutes }
  }
}

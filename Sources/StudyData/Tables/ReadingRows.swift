import AlcoholKinetics

/// The rows of `readings.csv`.
struct ReadingRows: HeadedRows, SeriesRows {
  var series: SeriesFinder
  private let columns: ReadingColumns

  /// Whether the table tells occasions apart.
  var hasOccasions: Bool { series.hasOccasions }
  /// Whether it had any row.
  private(set) var isEmpty = true

  init?(header: Header, log: inout FindingLog) {
    let series = SeriesFinder(header: header, log: &log)
    let columns = ReadingColumns(header: header, log: &log)
    guard let series, let columns else { return nil }
    self.series = series
    self.columns = columns
  }

  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    isEmpty = false
    let value = row.content(of: columns.value.index)
    if value.meansMissing, !series.lacksSubject(row) { return }
    guard let index = series.find(for: row, in: &draft, log: &log) else { return }
    columns.read(row, into: &draft.series[index], &draft.uuids, log: &log)
  }
}

/// The columns of `readings.csv` besides those that name a series. A class, so that they are not copied
/// for every row.
private final class ReadingColumns {
  let value: Column
  private let time: Column
  private let rule: ReadingRule
  private let detectionLimit: Column?
  private let exclusion: Column?
  private let uuid: UUIDColumn?

  /// Finds the columns; nil, reported, if one is missing.
  init?(header: Header, log: inout FindingLog) {
    let time = header.required("time_min", log: &log)
    let value = header.concentration(log: &log)
    let units = ConcentrationUnit.allCases.map(\.rawValue)
    let known = SeriesFinder.columnNames.union(["time_min", "lod", "exclude", UUIDColumn.name])
      .union(units)
    header.reportIgnored(besides: known, log: &log)
    guard let time, let value, let unit = value.unit else { return nil }
    self.time = time
    self.value = value
    rule = ReadingRule(unit)
    detectionLimit = header.column("lod")
    exclusion = header.column("exclude")
    uuid = UUIDColumn(header: header)
  }

  @inline(__always)
  func read(
    _ row: CSVRow, into series: inout SeriesDraft, _ register: inout UUIDRegister,
    log: inout FindingLog
  ) {
    let uuid = uuid?.uuid(in: row, &register, log: &log)
    if let reading = reading(in: row, log: &log) {
      series.readings.append(reading, at: row.place(of: time.index))
      if let uuid { series.readings.identifyLast(as: uuid) }
    }
    log.settleRow(into: &series.findings)
  }

  @inline(__always)
  private func reading(in row: CSVRow, log: inout FindingLog) -> Reading? {
    let time = TimeColumns.time(in: time, of: row, log: &log)
    let isExcluded = isExcluded(row, log: &log)
    let measured = row.measured(in: value, log: &log)
    let limit = row.number(in: detectionLimit, .detectionLimit, log: &log).value
    // What the study leaves out anyway may be as odd as it is.
    guard let time, let measured,
      isExcluded
        || rule.accepts(measured.number, of: row, in: value, log: &log)
          && measured.agrees(with: limit, in: detectionLimit, of: row, log: &log)
    else { return nil }
    return Reading(
      time: time, measured, unit: rule.unit, limitOfDetection: limit, isExcluded: isExcluded)
  }

  @inline(__always)
  private func isExcluded(_ row: CSVRow, log: inout FindingLog) -> Bool {
    guard let exclusion else { return false }
    let content = row.content(of: exclusion.index)
    guard !content.meansMissing else { return false }
    if content.count == 1, content[0] == ASCII.zero { return false }
    switch row.text(of: exclusion.index).lowercased() {
    case "1", "true", "yes": return true
    case "0", "false", "no": return false
    default:
      row.note(
        .exclusion, in: exclusion, "which is neither yes nor no",
        remedy: "write 1, true or yes to leave the reading out, otherwise 0, false or no",
        log: &log)
      return false
    }
  }
}

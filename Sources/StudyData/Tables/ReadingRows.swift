import AlcoholKinetics

/// The rows of `readings.csv`.
struct ReadingRows: HeadedRows, SeriesRows {
  var series: SeriesFinder
  private let time: Column
  private let value: Column
  private let unit: ConcentrationUnit
  private let detectionLimit: Column?
  private let exclusion: Column?
  private let uuid: UUIDColumn?
  /// Reads rows that are as most rows are; nil if the table has other columns.
  let plain: PlainReadings?
  /// How many readings the last series had, which is how many the next is expected to have.
  private var expectedCount = 0

  /// Whether the table tells occasions apart.
  var hasOccasions: Bool { series.hasOccasions }
  /// Whether it had any row.
  private(set) var isEmpty = true

  init?(header: Header, log: inout FindingLog) {
    let series = SeriesFinder(header: header, log: &log)
    let time = header.required("time_min", log: &log)
    let value = header.concentration(log: &log)
    let units = ConcentrationUnit.allCases.map(\.rawValue)
    let known = SeriesFinder.columnNames.union(["time_min", "lod", "exclude", UUIDColumn.name])
      .union(units)
    header.reportIgnored(besides: known, log: &log)
    guard let series, let time, let value, let unit = value.unit else { return nil }
    self.series = series
    self.time = time
    self.value = value
    self.unit = unit
    detectionLimit = header.column("lod")
    exclusion = header.column("exclude")
    uuid = UUIDColumn(header: header)
    plain = PlainReadings(header: header, value: value, unit: unit)
  }

  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    isEmpty = false
    if row.isMissing(value.index), !series.lacksSubject(row) { return }
    guard let index = series.find(for: row, in: &draft, log: &log) else { return }
    let uuid = uuid?.uuid(in: row, &draft.uuids, log: &log)
    if let reading = reading(in: row, log: &log) {
      draft.series[index].readings.append(reading, at: row.place(of: time.index))
      if let uuid { draft.series[index].readings.identifyLast(as: uuid) }
    }
    log.settleRow(into: &draft.series[index].findings)
  }

  mutating func readPlainRows(
    _ fields: inout PlainFields, line: Int, into draft: inout StudyDraft
  ) -> PlainSpan {
    guard let plain, let index = series.lastSeries else { return PlainSpan() }
    draft.series[index].readings.reserveCapacity(expectedCount)
    let done = plain.read(
      &fields, line: line, of: series, into: &draft.series[index].readings)
    expectedCount = max(draft.series[index].readings.values.count, expectedCount / 2)
    return done
  }

  private func reading(in row: CSVRow, log: inout FindingLog) -> Reading? {
    let time = TimeColumns.time(in: time, of: row, log: &log)
    let isExcluded = isExcluded(row, log: &log)
    let measured = row.measured(in: value, log: &log)
    let limit = row.number(in: detectionLimit, .detectionLimit, log: &log).value
    // What the study leaves out anyway may be as odd as it is.
    guard let time, let measured,
      isExcluded
        || unit.accepts(measured.number, of: row, in: value, log: &log)
          && measured.agrees(with: limit, in: detectionLimit, of: row, log: &log)
    else { return nil }
    return Reading(
      time: time, measured, unit: unit, limitOfDetection: limit, isExcluded: isExcluded)
  }

  private func isExcluded(_ row: CSVRow, log: inout FindingLog) -> Bool {
    guard let exclusion, !row.isMissing(exclusion.index) else { return false }
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

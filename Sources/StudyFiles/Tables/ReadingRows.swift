import AlcoholKinetics
import StudyData

final class ReadingRows: SeriesRows {
  let finder: SeriesFinder
  private let time: Column
  private let value: Column
  private let rule: ReadingRule
  private let detectionLimit: Column?
  private let exclusion: Column?
  private let uuid: UUIDColumn?

  init?(header: Header, log: inout FindingLog) {
    let finder = SeriesFinder(header: header, log: &log)
    let time = header.required("time_min", log: &log)
    let value = header.concentration(log: &log)
    let units = ConcentrationUnit.allCases.map(\.rawValue)
    let known = SeriesFinder.columnNames.union(["time_min", "lod", "exclude", UUIDColumn.name])
      .union(units)
    header.reportIgnored(besides: known, log: &log)
    guard let finder, let time, let value, let unit = value.unit else { return nil }
    self.finder = finder
    self.time = time
    self.value = value
    rule = ReadingRule(unit)
    detectionLimit = header.column("lod")
    exclusion = header.column("exclude")
    uuid = UUIDColumn(header: header)
  }

  func isEmpty(_ row: CSVRow) -> Bool { row.isMissing(value.index) }

  @inline(__always)
  func read(
    _ row: CSVRow, into series: inout SeriesDraft, _ uuids: inout UUIDRegister,
    log: inout FindingLog
  ) {
    if isEmpty(row) { return }
    let uuid = uuid?.uuid(in: row, &uuids, log: &log)
    guard let reading = reading(in: row, log: &log) else { return }
    series.add(reading, at: row.place(of: time.index), uuid)
  }

  @inline(__always)
  private func reading(in row: CSVRow, log: inout FindingLog) -> Reading? {
    let time = TimeUnit.minutes.time(in: time, of: row, log: &log)
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
    if content.isAny(of: "0", "no", "false") { return false }
    if content.isAny(of: "1", "yes", "true") { return true }
    row.note(
      .word, in: exclusion, "which is neither yes nor no",
      remedy: "write 1, true or yes to leave the reading out, otherwise 0, false or no", log: &log)
    return false
  }
}

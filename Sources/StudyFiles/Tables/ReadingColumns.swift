import AlcoholKinetics
import StudyData

/// The columns of `readings.csv`.
final class ReadingColumns {
  private let time: Column
  private let value: Column
  private let rule: ReadingRule
  private let detectionLimit: Column?
  private let exclusion: Column?
  private let source: Column?
  private let uuid: UUIDColumn?

  init?(header: Header, _ uuids: UUIDRegister) {
    let time = header.required("time_min")
    let value = header.concentration()
    let units = ConcentrationUnit.allCases.map(\.rawValue)
    header.reportIgnored(
      besides: Set(
        ["subject", "occasion", "time_min", "lod", "exclude", "source", UUIDColumn.name] + units))
    guard let time, let value, let unit = value.unit else { return nil }
    self.time = time
    self.value = value
    rule = ReadingRule(unit)
    detectionLimit = header.column("lod")
    exclusion = header.column("exclude")
    source = header.column("source")
    uuid = UUIDColumn(header: header, uuids)
  }

  func isEmpty(_ row: CSVRow) -> Bool { row.isMissing(value.index) }

  @inline(__always)
  func read(_ row: CSVRow, into series: inout SeriesDraft) {
    if isEmpty(row) { return }
    let uuid = uuid?.uuid(in: row)
    let hours = TimeUnit.minutes.time(in: time, of: row)
    let isExcluded = isExcluded(row)
    let measured = row.measured(in: value)
    let limit = row.number(in: detectionLimit, .detectionLimit).value
    // Excluded readings need not be plausible.
    guard let hours, let measured,
      isExcluded
        || rule.accepts(measured.number, of: row, in: value)
          && measured.agrees(with: limit, in: detectionLimit, of: row)
    else { return }
    series.readings.append(
      Reading(
        time: hours, value: measured.value, unit: rule.unit,
        limitOfDetection: measured.limit ?? limit, isExcluded: isExcluded),
      at: row.place(of: time.index), uuid, source: row.filled(source))
  }

  @inline(__always)
  private func isExcluded(_ row: CSVRow) -> Bool {
    guard let exclusion else { return false }
    let content = row.content(of: exclusion.index)
    guard !content.meansMissing else { return false }
    if content.isAny(of: "0", "no", "false") { return false }
    if content.isAny(of: "1", "yes", "true") { return true }
    row.report(
      .word, in: exclusion, "which is neither yes nor no",
      remedy: "write 1, true or yes to leave the reading out, otherwise 0, false or no")
    return false
  }
}

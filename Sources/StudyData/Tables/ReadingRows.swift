import AlcoholKinetics

/// The rows of `readings.csv`.
struct ReadingRows: SeriesRows {
  /// More blood alcohol than anybody survives, in g/kg: the unit is wrong.
  static let implausibleConcentration: GramsPerKilogram = 10

  private(set) var series: SeriesFinder
  private let time: Column
  private let value: Column
  private let unit: ConcentrationUnit
  private let detectionLimit: Column?
  private let exclusion: Column?

  /// Whether the table tells occasions apart.
  var hasOccasions: Bool { series.hasOccasions }
  /// Whether it had any row.
  private(set) var isEmpty = true

  init?(header: Header, log: inout FindingLog) {
    let series = SeriesFinder(header: header, log: &log)
    let time = header.required("time_min", log: &log)
    let value = Self.concentrationColumn(of: header, log: &log)
    let units = ConcentrationUnit.allCases.map(\.rawValue)
    let known = SeriesFinder.columnNames.union(["time_min", "lod", "exclude"]).union(units)
    header.reportIgnored(besides: known, log: &log)
    guard let series, let time, let value, let unit = value.unit else { return nil }
    self.series = series
    self.time = time
    self.value = value
    self.unit = unit
    detectionLimit = header.column("lod")
    exclusion = header.column("exclude")
  }

  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    isEmpty = false
    if row.isMissing(value.index), !series.lacksSubject(row) { return }
    guard let index = series.find(for: row, in: &draft, log: &log) else { return }
    if let reading = reading(in: row, log: &log) {
      draft.series[index].readings.append(reading, at: row.place(of: time.index))
    }
    log.settleRow(into: &draft.series[index].findings)
  }

  private func reading(in row: CSVRow, log: inout FindingLog) -> Reading? {
    let time = TimeColumns.time(in: time, of: row, log: &log)
    let isExcluded = isExcluded(row, log: &log)
    let value = row.number(in: value, log: &log).value
    let limit = row.number(
      in: detectionLimit, log: &log, code: .detectionLimit, complaint: "which is negative",
      remedy: "give the limit of detection in the unit of the reading, or leave it empty"
    ) { $0 >= 0 }.value
    // What the study leaves out anyway may be as odd as it is.
    guard let time, let value, isExcluded || isUsable(value, in: row, log: &log) else { return nil }
    return Reading(
      time: time, value: value, unit: unit, limitOfDetection: limit, isExcluded: isExcluded)
  }

  private func isUsable(_ number: Double, in row: CSVRow, log: inout FindingLog) -> Bool {
    guard number >= 0 else {
      row.note(
        .readingNegative, in: value, "which is negative",
        remedy: "give 0 for a reading below detection, or exclude it", log: &log)
      return false
    }
    let blood = unit.bloodConcentration(of: number, using: ConversionFactors())
    if blood > Self.implausibleConcentration {
      row.note(
        .readingHigh, in: value, "more than \(Self.implausibleConcentration) in blood",
        remedy: "check the unit that the column's name states", log: &log)
    }
    return true
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

  /// The one column whose name is a unit; nil, reported, if there is none or several.
  private static func concentrationColumn(
    of header: Header, log: inout FindingLog
  ) -> Column? {
    let found = header.columns.filter { $0.unit != nil }
    let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
    guard let first = found.first else {
      header.reportMissing(
        "column named by a unit of concentration", code: .unitMissing,
        remedy: "name the column of the readings one of \(units)", log: &log)
      return nil
    }
    guard found.count == 1 else {
      let names = found.map(\.name).joined(separator: ", ")
      log.add(
        log.finding(
          .unitAmbiguous, at: found[1].place, "the table has several concentrations: \(names)",
          remedy: "keep one of them, or make a study of each"))
      return nil
    }
    return first
  }
}

extension Column {
  /// The unit that the column's name states, if it does.
  fileprivate var unit: ConcentrationUnit? { ConcentrationUnit(rawValue: key) }
}

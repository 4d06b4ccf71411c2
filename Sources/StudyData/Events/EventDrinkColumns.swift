import AlcoholKinetics

/// The columns of a table of events that say what was drunk.
struct EventDrinkColumns {
  /// Their names.
  static let names: Set = ["amt", "ethanol_g_per_kg", "rate", "dur", RouteColumn.name]

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
    route = RouteColumn(header: header)
  }

  /// Whether a row that does not say what it is about is a drink: if it has a dose other than 0.
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
      .timeRange, in: column, "which takes more than a million minutes",
      remedy: "give the rate in g/h", log: &log)
    return nil
  }

  /// The rate in g/h, 0 if all was taken at once; nil, reported, if it is none.
  private func rate(in row: CSVRow, log: inout FindingLog) -> Double? {
    let cell = row.number(
      in: rate, log: &log, code: .event, complaint: "which is no rate",
      remedy: "give the rate in g/h, or 0 for what was taken at once"
    ) { $0 >= 0 }
    return cell == .missing ? 0 : cell.value
  }
}

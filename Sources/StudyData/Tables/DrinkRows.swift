import AlcoholKinetics

/// The rows of `drinks.csv`.
struct DrinkRows: SeriesRows {
  var series: SeriesFinder
  private let time: Column
  private let duration: Column?
  private let dose: DoseColumns
  private let route: RouteColumn?
  private let catalogue: DrinkCatalogue
  private let uuid: UUIDColumn?
  /// Reads rows that are as most rows are; nil if the table has other columns.
  let plain: PlainDrinks?

  /// Whether the table tells occasions apart.
  var hasOccasions: Bool { series.hasOccasions }

  /// Finds the columns; nil, reported, if one is missing.
  ///
  /// - Parameter catalogue: What is known of drinks that are named.
  init?(header: Header, catalogue: DrinkCatalogue, log: inout FindingLog) {
    let series = SeriesFinder(header: header, log: &log)
    let time = header.required("time_min", log: &log)
    let dose = DoseColumns(header: header, log: &log)
    let known = SeriesFinder.columnNames.union(DoseColumns.names)
    header.reportIgnored(
      besides: known.union(["time_min", "duration_min", RouteColumn.name, UUIDColumn.name]),
      log: &log)
    guard let series, let time, let dose else { return nil }
    self.series = series
    self.time = time
    duration = header.column("duration_min")
    self.dose = dose
    route = RouteColumn(header: header)
    self.catalogue = catalogue
    uuid = UUIDColumn(header: header)
    plain = PlainDrinks(header: header)
  }

  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    guard let index = series.find(for: row, in: &draft, log: &log) else { return }
    draft.series[index].hasDrinkRows = true
    let uuid = uuid?.uuid(in: row, &draft.uuids, log: &log)
    if let drink = drink(in: row, log: &log) {
      draft.series[index].drinks.append(drink, at: row.place(of: time.index))
      if let uuid { draft.series[index].drinks.identifyLast(as: uuid) }
    }
    log.settleRow(into: &draft.series[index].findings)
  }

  private func drink(in row: CSVRow, log: inout FindingLog) -> Drink? {
    let time = TimeColumns.time(in: time, of: row, log: &log)
    let duration = TimeColumns.duration(in: duration, of: row, log: &log)
    let dose = dose.dose(in: row, catalogue, log: &log)
    let route = route.map { $0.route(in: row, log: &log) } ?? .oral
    guard let time, let duration, let dose, let route else { return nil }
    return Drink(time: time, duration: duration, ethanol: dose, route: route)
  }
}

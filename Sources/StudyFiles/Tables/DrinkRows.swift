import AlcoholKinetics
import StudyData

final class DrinkRows: SeriesRows {
  let finder: SeriesFinder
  private let time: Column
  private let duration: Column?
  private let dose: DoseColumns
  private let route: RouteColumn?
  private let catalogue: DrinkCatalogue
  private let uuid: UUIDColumn?

  /// Finds the columns; nil, reported, if one is missing.
  init?(header: Header, catalogue: DrinkCatalogue, log: inout FindingLog) {
    let finder = SeriesFinder(header: header, log: &log)
    let time = header.required("time_min", log: &log)
    let dose = DoseColumns(header: header, log: &log)
    let known = SeriesFinder.columnNames.union(DoseColumns.names)
    header.reportIgnored(
      besides: known.union(["time_min", "duration_min", RouteColumn.name, UUIDColumn.name]),
      log: &log)
    guard let finder, let time, let dose else { return nil }
    self.finder = finder
    self.time = time
    self.dose = dose
    duration = header.column("duration_min")
    route = RouteColumn(header: header)
    self.catalogue = catalogue
    uuid = UUIDColumn(header: header)
  }

  func read(
    _ row: CSVRow, into series: inout SeriesDraft, _ uuids: inout UUIDRegister,
    log: inout FindingLog
  ) {
    series.hasDrinkRows = true
    let uuid = uuid?.uuid(in: row, &uuids, log: &log)
    guard let drink = drink(in: row, log: &log) else { return }
    series.add(drink, at: row.place(of: time.index), uuid)
  }

  private func drink(in row: CSVRow, log: inout FindingLog) -> Drink? {
    let time = TimeUnit.minutes.time(in: time, of: row, log: &log)
    let duration = TimeUnit.minutes.duration(in: duration, of: row, log: &log)
    let dose = dose.dose(in: row, catalogue, log: &log)
    let route = route.map { $0.route(in: row, log: &log) } ?? .oral
    guard let time, let duration, let dose, let route else { return nil }
    if duration == 0, route == .oral { self.dose.warnOfMuchAtOnce(row, log: &log) }
    return Drink(time: time, duration: duration, ethanol: dose, route: route)
  }
}

/// The columns of `drinks.csv` that say how much ethanol a drink holds, one way or another.
package struct DoseColumns {
  package static let names: Set = [
    "ethanol_g", "volume_ml", "abv_percent", "ethanol_g_per_kg", "drink",
  ]
  /// Less millilitres than anybody drinks: the unit is wrong.
  static let smallestVolume = 5.0

  private let mass: Column?
  private let volume: Column?
  private let strength: Column?
  private let perKilogram: Column?
  private let remedy: String
  private let name: Column?

  /// Finds the columns; nil, reported, if none of the ways is complete or one is half there.
  init?(header: Header, log: inout FindingLog) {
    mass = header.column("ethanol_g")
    volume = header.column("volume_ml")
    strength = header.column("abv_percent")
    perKilogram = header.column("ethanol_g_per_kg")
    remedy = "fill in ethanol_g, or volume_ml and abv_percent, or ethanol_g_per_kg"
    name = header.column("drink")
    guard name != nil || (volume == nil) == (strength == nil) else {
      _ = header.required(volume == nil ? "volume_ml" : "abv_percent", log: &log)
      return nil
    }
    guard mass != nil || volume != nil || perKilogram != nil || name != nil else {
      header.reportMissing(
        "column for the dose",
        remedy: "add ethanol_g, or volume_ml and abv_percent, or ethanol_g_per_kg", log: &log)
      return nil
    }
  }

  /// Takes the columns of a table of events; nil, reported, if there is none.
  init?(eventsWith header: Header, log: inout FindingLog) {
    mass = header.column("amt")
    (volume, strength, name) = (nil, nil, nil)
    perKilogram = header.column("ethanol_g_per_kg")
    remedy = "fill in AMT"
    if mass == nil, perKilogram == nil {
      _ = header.required("AMT", log: &log)
      return nil
    }
  }

  /// Whether any of them holds something other than 0.
  @inline(__always)
  func holdDose(in row: CSVRow) -> Bool {
    holdsDose(mass, in: row) || holdsDose(volume, in: row) || holdsDose(strength, in: row)
      || holdsDose(perKilogram, in: row)
  }

  @inline(__always)
  private func holdsDose(_ column: Column?, in row: CSVRow) -> Bool {
    guard let index = column?.index, !row.isMissing(index) else { return false }
    return (try? row.parse(row.content(of: index))) != 0
  }

  /// Reads a drink's dose; nil, reported, where it is missing, ambiguous or impossible.
  func dose(
    in row: CSVRow, _ catalogue: DrinkCatalogue = .standard, log: inout FindingLog
  ) -> EthanolDose? {
    let hasVolume = row.isFilled(volume) || row.isFilled(strength)
    switch (row.isFilled(mass), hasVolume, row.isFilled(perKilogram)) {
    case (true, false, false):
      return Self.grams(in: mass, of: row, log: &log).map(EthanolDose.mass)
    case (false, true, false) where !isNamed(row):
      return volumeDose(in: row, volume: nil, percent: nil, log: &log)
    case (false, _, false) where isNamed(row):
      return namedDose(in: row, catalogue, log: &log)
    case (false, false, true): return weightDose(in: row, log: &log)
    case (false, false, false): noteMissing("the drink has no dose", in: row, log: &log)
    default: noteAmbiguous(in: row, log: &log)
    }
    return nil
  }

  // MARK: The three ways

  /// Reads a mass of ethanol; nil where it is missing or, reported, impossible.
  static func grams(in column: Column?, of row: CSVRow, log: inout FindingLog) -> Grams? {
    guard let grams = amount(in: column, of: row, log: &log) else { return nil }
    return plausible(grams, limit: ValueRule.limitInGrams, in: column, of: row, log: &log)
      .map { Grams($0) }
  }

  private func weightDose(in row: CSVRow, log: inout FindingLog) -> EthanolDose? {
    guard let dose = Self.amount(in: perKilogram, of: row, log: &log) else { return nil }
    return Self.plausible(
      dose, limit: ValueRule.limitInGramsPerKilogram, in: perKilogram, of: row, log: &log
    ).map { .perBodyWeight(GramsPerKilogram($0)) }
  }

  private func isNamed(_ row: CSVRow) -> Bool {
    row.isFilled(name) && !(row.isFilled(volume) && row.isFilled(strength))
  }

  /// The dose in a drink of which the row says the name, and not both of volume and strength.
  private func namedDose(
    in row: CSVRow, _ catalogue: DrinkCatalogue, log: inout FindingLog
  ) -> EthanolDose? {
    guard let name else { return nil }
    guard let drink = catalogue[row.text(of: name.index)] else {
      let names = catalogue.suggestions(for: row.text(of: name.index)).map(\.name.quoted)
      let meant = names.isEmpty ? "" : "did you mean \(names.joined(separator: ", "))? Otherwise "
      row.note(
        .drink, in: name, "which is not in the drink catalogue",
        remedy: meant
          + "correct the name (promille drinks lists them), fill in volume_ml and abv_percent, or add it to a catalogue",
        log: &log)
      return nil
    }
    let only = drink.volumes.count == 1 ? drink.volumes.first?.value : nil
    guard row.isFilled(volume) || only != nil else {
      let volumes = drink.volumes.map { "\($0.value)" }.joined(separator: ", ")
      let known = volumes.isEmpty ? "the catalogue gives none" : "the catalogue gives \(volumes)"
      noteMissing("the drink has no volume_ml; \(known)", in: row, log: &log)
      return nil
    }
    return volumeDose(in: row, volume: only, percent: drink.abvPercent, log: &log)
  }

  /// What the row does not say is taken from elsewhere.
  private func volumeDose(
    in row: CSVRow, volume known: Double?, percent usual: Double?, log: inout FindingLog
  ) -> EthanolDose? {
    guard row.isFilled(volume) || known != nil, row.isFilled(strength) || usual != nil else {
      let missing = row.isFilled(volume) ? "abv_percent" : "volume_ml"
      noteMissing("the drink has no \(missing)", in: row, log: &log)
      return nil
    }
    let millilitres =
      row.isFilled(volume) ? Self.amount(in: volume, of: row, log: &log) : known
    let percent =
      row.isFilled(strength) ? row.number(in: strength, .strength, log: &log).value : usual
    guard let millilitres, let percent else { return nil }
    let dose = EthanolDose.volume(Millilitres(millilitres), abvPercent: percent)
    guard let grams = dose.mass(forBodyWeight: nil)?.value else { return nil }
    warnOfUnits(millilitres, percent, grams, in: row, log: &log)
    return Self.plausible(
      grams, limit: ValueRule.limitInGrams, in: volume ?? name, of: row, log: &log
    ).map { _ in dose }
  }

  private func warnOfUnits(
    _ millilitres: Double, _ percent: Double, _ grams: Double, in row: CSVRow,
    log: inout FindingLog
  ) {
    if let volume, row.isFilled(volume), millilitres > 0, millilitres < Self.smallestVolume {
      row.note(
        .volumeLitres, in: volume, "which looks like litres",
        remedy: "give the volume in ml; 1 litre is 1000", log: &log)
    }
    if let strength, row.isFilled(strength), percent > 0, percent < 1, grams < 1 {
      row.note(
        .abvFraction, in: strength, "which looks like a fraction",
        remedy: "give the percentage by volume; write 5 for 0.05", log: &log)
    }
  }

  /// A stomach holds a litre to a litre and a half, and what is drunk of beer in one go is half a litre: more took its
  /// time.
  static let mostAtOnce = 1000.0

  func warnOfMuchAtOnce(_ row: CSVRow, log: inout FindingLog) {
    guard let volume, row.isFilled(volume),
      let millilitres = try? row.parse(row.content(of: volume.index)), millilitres > Self.mostAtOnce
    else { return }
    row.note(
      .doseAtOnce, in: volume, "more than a litre at one moment",
      remedy: "give the time that the drinking took in duration_min, or in a sheet its end",
      log: &log)
  }

  // MARK: Checks

  private static func amount(
    in column: Column?, of row: CSVRow, log: inout FindingLog
  ) -> Double? {
    row.number(in: column, .amount, log: &log).value
  }

  private static func plausible(
    _ amount: Double, limit: Double, in column: Column?, of row: CSVRow, log: inout FindingLog
  ) -> Double? {
    if amount <= limit { return amount }
    if let column { row.note(.amount(upTo: limit), in: column, log: &log) }
    return nil
  }

  private func noteMissing(_ message: String, in row: CSVRow, log: inout FindingLog) {
    guard let first = (mass ?? volume ?? perKilogram ?? name) else { return }
    log.note(.doseMissing, at: row.place(of: first.index), message, remedy: remedy)
  }

  private func noteAmbiguous(in row: CSVRow, log: inout FindingLog) {
    let filled = [mass, volume, strength, perKilogram].compactMap(\.self).filter(row.isFilled)
    guard let last = filled.last else { return }
    let names = filled.map(\.name).joined(separator: ", ")
    log.note(
      .ambiguous, at: row.place(of: last.index),
      "the dose of the drink is given twice, in \(names)",
      remedy: "\(remedy), and leave the others empty")
  }
}

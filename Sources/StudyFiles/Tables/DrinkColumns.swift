import AlcoholKinetics
import StudyData

/// The columns of `drinks.csv`.
final class DrinkColumns {
  private let time: Column
  private let duration: Column?
  private let dose: DoseColumns
  private let route: RouteColumn?
  private let uuid: UUIDColumn?

  /// Finds the columns; nil, reported, if one is missing.
  init?(header: Header, _ catalogue: DrinkCatalogue, _ uuids: UUIDRegister) {
    let time = header.required("time_min")
    let dose = DoseColumns(header: header, catalogue)
    header.reportIgnored(
      besides: DoseColumns.names.union(
        ["subject", "occasion", "time_min", "duration_min", RouteColumn.name, UUIDColumn.name]))
    guard let time, let dose else { return nil }
    self.time = time
    self.dose = dose
    duration = header.column("duration_min")
    route = RouteColumn(header: header)
    uuid = UUIDColumn(header: header, uuids)
  }

  func read(_ row: CSVRow, into series: inout SeriesDraft) {
    series.hasDrinkRows = true
    let uuid = uuid?.uuid(in: row)
    guard let drink = drink(in: row) else { return }
    series.drinks.append(drink, at: row.place(of: time.index), uuid)
  }

  private func drink(in row: CSVRow) -> Drink? {
    let time = TimeUnit.minutes.time(in: time, of: row)
    let duration = TimeUnit.minutes.duration(in: duration, of: row)
    let dose = dose.dose(in: row)
    let route = route.map { $0.route(in: row) } ?? .oral
    guard let time, let duration, let dose, let route else { return nil }
    if duration == 0, route == .oral { self.dose.warnOfMuchAtOnce(row) }
    return Drink(time: time, duration: duration, ethanol: dose, route: route)
  }
}

/// The columns with the amount of ethanol, in one of several forms.
package struct DoseColumns {
  package static let names: Set = [
    "ethanol_g", "volume_ml", "abv_percent", "ethanol_g_per_kg", "drink",
  ]
  /// The smallest plausible volume in ml; a smaller one is probably in litres.
  static let smallestVolume = 5.0

  private let mass: Column?
  private let volume: Column?
  private let strength: Column?
  private let perKilogram: Column?
  private let remedy: String
  private let name: Column?
  private let catalogue: DrinkCatalogue

  /// Finds the columns; nil, reported, if no form is complete, or if one is incomplete.
  init?(header: Header, _ catalogue: DrinkCatalogue) {
    self.catalogue = catalogue
    mass = header.column("ethanol_g")
    volume = header.column("volume_ml")
    strength = header.column("abv_percent")
    perKilogram = header.column("ethanol_g_per_kg")
    remedy = "fill in ethanol_g, or volume_ml and abv_percent, or ethanol_g_per_kg"
    name = header.column("drink")
    guard name != nil || (volume == nil) == (strength == nil) else {
      _ = header.required(volume == nil ? "volume_ml" : "abv_percent")
      return nil
    }
    guard mass != nil || volume != nil || perKilogram != nil || name != nil else {
      header.reportMissing(
        "column for the dose",
        remedy: "add ethanol_g, or volume_ml and abv_percent, or ethanol_g_per_kg")
      return nil
    }
  }

  /// Finds the columns of a table of events; nil, reported, if there is none.
  init?(eventsWith header: Header) {
    catalogue = .standard
    mass = header.column("amt")
    volume = nil
    strength = nil
    name = nil
    perKilogram = header.column("ethanol_g_per_kg")
    remedy = "fill in AMT"
    if mass == nil, perKilogram == nil {
      _ = header.required("AMT")
      return nil
    }
  }

  /// Whether one of the columns of a table of events holds something other than 0.
  @inline(__always)
  func holdDose(in row: CSVRow) -> Bool {
    holdsDose(mass, in: row) || holdsDose(perKilogram, in: row)
  }

  @inline(__always)
  private func holdsDose(_ column: Column?, in row: CSVRow) -> Bool {
    guard let index = column?.index, !row.isMissing(index) else { return false }
    return (try? row.parse(row.content(of: index))) != 0
  }

  /// Reads a drink's dose; nil, reported, if it is missing, ambiguous or impossible.
  func dose(in row: CSVRow) -> EthanolDose? {
    let hasVolume = row.isFilled(volume) || row.isFilled(strength)
    switch (row.isFilled(mass), hasVolume, row.isFilled(perKilogram)) {
    case (true, false, false):
      return Self.grams(in: mass, of: row).map(EthanolDose.mass)
    case (false, true, false) where !isNamed(row):
      return volumeDose(in: row, volume: nil, percent: nil)
    case (false, _, false) where isNamed(row):
      return namedDose(in: row)
    case (false, false, true): return weightDose(in: row)
    case (false, false, false): noteMissing("the drink has no dose", in: row)
    default: noteAmbiguous(in: row)
    }
    return nil
  }

  // MARK: Forms of doses

  /// Reads a mass of ethanol; nil if it is missing or, reported, impossible.
  static func grams(in column: Column?, of row: CSVRow) -> Grams? {
    guard let grams = row.number(in: column, .amount).value else { return nil }
    return plausible(grams, limit: ValueRule.limitInGrams, in: column, of: row)
      .map { Grams($0) }
  }

  private func weightDose(in row: CSVRow) -> EthanolDose? {
    guard let dose = row.number(in: perKilogram, .amount).value else { return nil }
    let limit = ValueRule.limitInGramsPerKilogram
    return Self.plausible(dose, limit: limit, in: perKilogram, of: row)
      .map { .perBodyWeight(GramsPerKilogram($0)) }
  }

  private func isNamed(_ row: CSVRow) -> Bool {
    row.isFilled(name) && !(row.isFilled(volume) && row.isFilled(strength))
  }

  /// Returns the dose of a named drink, whose missing volume or strength is that of the catalogue.
  private func namedDose(in row: CSVRow) -> EthanolDose? {
    guard let name else { return nil }
    guard let drink = catalogue[row.text(of: name.index)] else {
      let names = catalogue.suggestions(for: row.text(of: name.index)).map(\.name.quoted)
      let meant = names.isEmpty ? "" : "did you mean \(names.joined(separator: ", "))? Otherwise "
      row.report(
        .drink, in: name, "which is not in the drink catalogue",
        remedy: meant
          + "correct the name (promille drinks lists them), fill in volume_ml and abv_percent, or add it to a catalogue"
      )
      return nil
    }
    let onlyVolume = drink.volumes.count == 1 ? drink.volumes.first?.value : nil
    guard row.isFilled(volume) || onlyVolume != nil else {
      let volumes = drink.volumes.map { "\($0.value)" }.joined(separator: ", ")
      let choices = volumes.isEmpty ? "the catalogue gives none" : "the catalogue gives \(volumes)"
      noteMissing("the drink has no volume_ml; \(choices)", in: row)
      return nil
    }
    return volumeDose(in: row, volume: onlyVolume, percent: drink.abvPercent)
  }

  /// Returns the dose by volume and strength, with defaults for values that the row does not state.
  private func volumeDose(
    in row: CSVRow, volume known: Double?, percent usual: Double?
  ) -> EthanolDose? {
    guard row.isFilled(volume) || known != nil, row.isFilled(strength) || usual != nil else {
      let missing = row.isFilled(volume) ? "abv_percent" : "volume_ml"
      noteMissing("the drink has no \(missing)", in: row)
      return nil
    }
    let millilitres = row.isFilled(volume) ? row.number(in: volume, .amount).value : known
    let percent = row.isFilled(strength) ? row.number(in: strength, .strength).value : usual
    guard let millilitres, let percent else { return nil }
    let dose = EthanolDose.volume(Millilitres(millilitres), abvPercent: percent)
    guard let grams = dose.mass(forBodyWeight: nil)?.value else { return nil }
    warnOfUnits(millilitres, percent, grams, in: row)
    return Self.plausible(grams, limit: ValueRule.limitInGrams, in: volume ?? name, of: row)
      .map { _ in dose }
  }

  private func warnOfUnits(
    _ millilitres: Double, _ percent: Double, _ grams: Double, in row: CSVRow
  ) {
    if let volume, row.isFilled(volume), millilitres > 0, millilitres < Self.smallestVolume {
      row.report(
        .volumeLitres, in: volume, "which looks like litres",
        remedy: "give the volume in ml; 1 litre is 1000")
    }
    if let strength, row.isFilled(strength), percent > 0, percent < 1, grams < 1 {
      row.report(
        .abvFraction, in: strength, "which looks like a fraction",
        remedy: "give the percentage by volume; write 5 for 0.05")
    }
  }

  /// The maximum volume drunk at once, in ml: a stomach holds 1 to 1.5 litres.
  static let mostAtOnce = 1000.0

  func warnOfMuchAtOnce(_ row: CSVRow) {
    guard let volume, row.isFilled(volume),
      let millilitres = try? row.parse(row.content(of: volume.index)), millilitres > Self.mostAtOnce
    else { return }
    row.report(
      .doseAtOnce, in: volume, "more than a litre at one moment",
      remedy: "give the time that the drinking took in duration_min, or in a sheet its end")
  }

  private static func plausible(
    _ amount: Double, limit: Double, in column: Column?, of row: CSVRow
  ) -> Double? {
    if amount <= limit { return amount }
    if let column { row.report(.amount(upTo: limit), in: column) }
    return nil
  }

  private func noteMissing(_ message: String, in row: CSVRow) {
    guard let first = (mass ?? volume ?? perKilogram ?? name) else { return }
    row.report(.doseMissing, at: row.place(of: first.index), message, remedy: remedy)
  }

  private func noteAmbiguous(in row: CSVRow) {
    let filled = [mass, volume, strength, perKilogram].compactMap(\.self).filter(row.isFilled)
    guard let last = filled.last else { return }
    let names = filled.map(\.name).joined(separator: ", ")
    row.report(
      .ambiguous, at: row.place(of: last.index),
      "the dose of the drink is given twice, in \(names)",
      remedy: "\(remedy), and leave the others empty")
  }
}

/// The column with the route of a dose: `oral` or `iv`.
struct RouteColumn {
  static let name = "route"
  /// The name in tables of numbers, with 1 for an injection or infusion and 0 for a drink.
  static let numericName = "iv"

  private let column: Column

  init?(header: Header, orNumeric: Bool = false) {
    let names = orNumeric ? [Self.name, Self.numericName] : [Self.name]
    guard let column = header.column(anyOf: names) else { return nil }
    self.column = column
  }

  func isStated(in row: CSVRow) -> Bool { !row.isMissing(column.index) }

  /// Returns the route of a row, oral if it is not stated; nil, reported, if it is invalid.
  func route(in row: CSVRow) -> Route? {
    guard isStated(in: row) else { return .oral }
    let isNumeric = column.key == Self.numericName
    let oral = isNumeric ? "0" : "oral"
    let intravenous = isNumeric ? "1" : "iv"
    return row.meaning(
      in: column, of: [oral: Route.oral, intravenous: .intravenous], .word,
      "which is neither \(oral) nor \(intravenous)",
      remedy: "write \(oral) for a drink, \(intravenous) for an injection or infusion")
  }
}

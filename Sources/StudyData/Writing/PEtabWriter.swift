import AlcoholKinetics

/// Writes studies as measurement and condition tables of PEtab, version 1 (Schmiester et al. 2021).
///
/// A series is a condition; its drinks are numbered columns of it, with one more, 0 or 1, for the route
/// where some doses are intravenous. Times are in h, the observable is
/// the unit of a reading. Readings that the study excludes are left out.
public enum PEtabWriter {
  /// The files `measurements.tsv` and `conditions.tsv`.
  public static func files(of study: Study) -> [(name: String, text: String)] {
    [("measurements.tsv", measurements(of: study)), ("conditions.tsv", conditions(of: study))]
  }

  private static func measurements(of study: Study) -> String {
    var lines = ["observableId\tsimulationConditionId\tmeasurement\ttime"]
    for (index, series) in study.series.enumerated() {
      for reading in series.readings where !reading.isExcluded {
        lines.append(
          "\(reading.unit.rawValue)\tc\(index + 1)\t\(reading.value)\t\(reading.time.value)")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func conditions(of study: Study) -> String {
    let count = study.series.map(\.drinks.count).max() ?? 0
    let hasRoutes = study.series.contains { $0.drinks.contains { $0.route != .oral } }
    let columns = (0..<count).flatMap { drink in
      (["time_h", "duration_h", "ethanol_g"] + (hasRoutes ? ["is_iv"] : []))
        .map { "drink_\(drink + 1)_\($0)" }
    }
    let header =
      ["conditionId", "conditionName", "is_male", "age_y", "height_m", "weight_kg"] + columns
    let rows = study.series.enumerated().map { index, series in
      ["c\(index + 1)", name(of: series)] + measures(of: series.subject)
        + (0..<count).flatMap { drink($0, of: series).prefix(hasRoutes ? 4 : 3) }
    }
    return ([header] + rows).map { $0.joined(separator: "\t") + "\n" }.joined()
  }

  /// A name that breaks no line of the table, and opens no quotes in it.
  private static func name(of series: Series) -> String {
    let name = [series.subject.id, series.occasion].compactMap(\.self).joined(separator: "/")
    return name.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\t", "\r", "\n": text += " "
      case "\"": text += "'"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  private static func measures(of subject: Subject) -> [String] {
    let sex = subject.sex.map { $0 == .male ? 1.0 : 0 }
    return [sex, subject.age?.value, subject.height?.value, subject.weight?.value]
      .map { $0?.description ?? "NaN" }
  }

  /// A drink that a series has not holds nothing.
  private static func drink(_ index: Int, of series: Series) -> [String] {
    guard series.drinks.indices.contains(index) else { return ["0.0", "0.0", "0.0", "0"] }
    let drink = series.drinks[index]
    let grams = drink.ethanol.mass(forBodyWeight: series.subject.weight)?.value
    return [
      drink.time.value.description, drink.duration.value.description, grams?.description ?? "NaN",
      drink.route == .intravenous ? "1" : "0",
    ]
  }
}

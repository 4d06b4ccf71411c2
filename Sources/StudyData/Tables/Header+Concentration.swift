import AlcoholKinetics

extension Header {
  /// The one column whose name is a unit; nil, reported, if there is none or several.
  func concentration(log: inout FindingLog) -> Column? {
    let found = columns.filter { $0.unit != nil }
    guard let first = found.first else {
      let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      reportMissing(
        "column named after a concentration unit", code: .unitMissing,
        remedy: "name the readings column after its unit, one of \(units)", log: &log)
      return nil
    }
    guard found.count == 1 else {
      reportSeveral(found, log: &log)
      return nil
    }
    return first
  }

  /// Reports that there are several columns with concentrations.
  func reportSeveral(_ found: [Column], log: inout FindingLog) {
    let names = found.map(\.name).joined(separator: ", ")
    log.add(
      log.finding(
        .unitAmbiguous, at: found[1].place, "the table has several concentration columns: \(names)",
        remedy: "keep one of them, or make a study of each"))
  }
}

extension Column {
  /// The unit that the column's name states, if it does.
  var unit: ConcentrationUnit? { ConcentrationUnit(rawValue: key) }
}

extension ConcentrationUnit {
  /// More blood alcohol than anybody survives, in g/kg: the unit is wrong.
  static let implausibleConcentration: GramsPerKilogram = 10

  /// Whether a concentration in this unit can be one, reporting it if it cannot or looks wrong.
  func accepts(
    _ number: Double, of row: CSVRow, in column: Column, log: inout FindingLog
  ) -> Bool {
    for rule in [ValueRule.reading, .highReading(in: self)] where !rule.allows(number) {
      row.note(rule.code, in: column, rule.complaint, remedy: rule.remedy, log: &log)
      return rule.code.severity == .warning
    }
    return true
  }
}

import AlcoholKinetics

/// Writes studies as the files of a study folder.
public enum StudyWriter {
  /// The files of a study: `subjects.csv`, `drinks.csv`, `readings.csv` and, if there is anything to
  /// say in it, `datapackage.json`.
  ///
  /// Read again they give an equal study, but for findings, and for times that no number of minutes
  /// gives to the last bit.
  ///
  /// - Throws: ``StudyWritingError`` if the study holds what its files cannot.
  public static func files(
    of study: Study
  ) throws(StudyWritingError) -> [(name: String, text: String)] {
    try StudyNames.check(study)
    try checkUnits(of: study)
    let hasOccasions = study.series.contains { $0.occasion != nil }
    let subjects = try SubjectLines(subjects(of: study))
    let files = [
      ("subjects.csv", subjects.text),
      ("drinks.csv", drinkLines(of: study, hasOccasions)),
      ("readings.csv", readingLines(of: study, hasOccasions)),
    ]
    return files + (DataPackageText(study).text.map { [("datapackage.json", $0)] } ?? [])
  }

  private static func checkUnits(of study: Study) throws(StudyWritingError) {
    let units = Set(study.series.flatMap(\.readings).map(\.unit))
    guard units.count <= 1 else {
      throw StudyWritingError.severalUnits(units.map(\.rawValue).sorted())
    }
  }

  /// Each subject once; measures that changed are those of the last series.
  private static func subjects(of study: Study) -> [Subject] {
    var order: [String] = []
    var subjects: [String: Subject] = [:]
    for series in study.series {
      let id = series.subject.id
      if subjects.updateValue(series.subject, forKey: id) == nil { order.append(id) }
    }
    return order.compactMap { subjects[$0] }
  }

  private static func drinkLines(of study: Study, _ hasOccasions: Bool) -> String {
    let hasUUIDs = study.series.contains { $0.uuids.hasDrinks }
    let hasRoutes = study.series.contains { $0.drinks.contains { $0.route != .oral } }
    var text = CSVText(
      header: ["subject"] + (hasOccasions ? ["occasion"] : [])
        + ["time_min", "duration_min", "ethanol_g", "ethanol_g_per_kg"]
        + (hasRoutes ? [RouteColumn.name] : [])
        + (hasUUIDs ? [UUIDColumn.name] : []))
    for series in study.series {
      for (index, drink) in series.drinks.enumerated() {
        var fields = names(of: series, hasOccasions)
        fields += [drink.time.minutes.description, drink.duration.minutes.description]
        switch drink.ethanol {
        case .mass(let grams): fields += [grams.value.description, ""]
        case .perBodyWeight(let dose): fields += ["", dose.value.description]
        }
        if hasRoutes { fields.append(drink.route.rawValue) }
        if hasUUIDs { fields.append(series.uuids.drink(index)?.text ?? "") }
        text.appendRow(fields)
      }
    }
    return text.string
  }

  private static func readingLines(of study: Study, _ hasOccasions: Bool) -> String {
    let unit = study.series.lazy.flatMap(\.readings).first?.unit ?? .bloodGramsPerKilogram
    let hasUUIDs = study.series.contains { $0.uuids.hasReadings }
    var text = CSVText(
      header: ["subject"] + (hasOccasions ? ["occasion"] : [])
        + ["time_min", unit.rawValue, "lod", "exclude"] + (hasUUIDs ? [UUIDColumn.name] : []))
    for series in study.series {
      for (index, reading) in series.readings.enumerated() {
        text.appendRow(
          names(of: series, hasOccasions) + [
            reading.time.minutes.description, reading.value.description,
            reading.limitOfDetection?.description ?? "", reading.isExcluded ? "1" : "",
          ] + (hasUUIDs ? [series.uuids.reading(index)?.text ?? ""] : []))
      }
    }
    return text.string
  }

  private static func names(of series: Series, _ hasOccasions: Bool) -> [String] {
    [series.subject.id] + (hasOccasions ? [series.occasion ?? ""] : [])
  }
}

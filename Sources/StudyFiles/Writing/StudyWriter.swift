package import AlcoholKinetics
package import StudyData

/// Writes studies as the files of a study folder.
public enum StudyWriter {
  /// Returns the files of a study: `subjects.csv`, `drinks.csv`, `readings.csv` and, unless it would be empty,
  /// `datapackage.json`.
  ///
  /// Read again, they give an equal study, except for findings, and for times that minutes cannot represent to the last
  /// bit.
  ///
  /// - Parameters:
  ///   - study: The study.
  ///   - taken: The interpretation of the columns of the sheet from which the study was converted.
  ///   - stated: The statements of the user about them.
  /// - Throws: ``Problem`` if the study cannot be represented by files.
  package static func files(
    of study: Study, takenAs taken: [TakenColumn] = [], stated: ColumnMap = .empty
  ) throws(Problem) -> [(name: String, text: String)] {
    try StudyNames.check(study)
    let unit = try StudyNames.unit(of: study)
    let hasOccasions = study.series.contains { $0.occasion != nil }
    let files: [(StudyFile, String?)] = [
      (.subjects, try subjectLines(of: study)),
      (.drinks, drinkLines(of: study, hasOccasions)),
      (.readings, readingLines(of: study, unit, hasOccasions)),
      (.descriptor, DataPackageText(study, takenAs: taken, stated: stated).text),
    ]
    return files.compactMap { file, text in text.map { (file.rawValue, $0) } }
  }

  /// Returns one line for each subject; throws if a covariate has the name of another column.
  private static func subjectLines(of study: Study) throws(Problem) -> String {
    let subjects = subjects(of: study)
    let names = SubjectColumnNames.ofStudies
    let columns = [names.subject] + names.measures.joined()
    let covariates = try StudyNames.covariates(of: subjects, besides: Set(columns))
    var lines = CSVText(header: columns + covariates)
    for subject in subjects {
      let measures = [
        subject.sex?.rawValue, subject.age?.value.description,
        subject.height?.centimetres.description, subject.weight?.value.description,
      ]
      lines.appendRow(
        [subject.id] + measures.map { $0 ?? "" } + covariates.map { subject.covariates[$0] ?? "" })
    }
    return lines.string
  }

  /// Returns each subject once, with the measures of its last series.
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

  private static func readingLines(
    of study: Study, _ unit: ConcentrationUnit, _ hasOccasions: Bool
  ) -> String {
    let hasSources = study.series.contains { !$0.sources.isEmpty }
    let hasUUIDs = study.series.contains { $0.uuids.hasReadings }
    var text = CSVText(
      header: ["subject"] + (hasOccasions ? ["occasion"] : [])
        + ["time_min", unit.rawValue, "lod", "exclude"] + (hasSources ? ["source"] : [])
        + (hasUUIDs ? [UUIDColumn.name] : []))
    for series in study.series {
      for (index, reading) in series.readings.enumerated() {
        var fields = names(of: series, hasOccasions)
        fields += [
          reading.time.minutes.description, reading.value.description,
          reading.limitOfDetection?.description ?? "", reading.isExcluded ? "1" : "",
        ]
        if hasSources { fields.append(series.sources[index] ?? "") }
        if hasUUIDs { fields.append(series.uuids.reading(index)?.text ?? "") }
        text.appendRow(fields)
      }
    }
    return text.string
  }

  private static func names(of series: Series, _ hasOccasions: Bool) -> [String] {
    [series.subject.id] + (hasOccasions ? [series.occasion ?? ""] : [])
  }
}

/// Checks that the names in a study keep their meaning in a file.
enum StudyNames {
  /// Throws if a subject or occasion has a name that files take for a missing value.
  static func check(_ study: Study) throws(Problem) {
    for series in study.series {
      for name in [series.subject.id] + [series.occasion].compactMap(\.self) {
        let means = name.withoutBlanksAround
        guard !["", ".", "NA"].contains(means) else { throw .nameMeansMissing(name) }
      }
    }
  }

  /// Returns the unit of all readings; throws if there are several.
  static func unit(of study: Study) throws(Problem) -> ConcentrationUnit {
    let units = Set(study.series.flatMap(\.readings).map(\.unit))
    guard units.count <= 1 else { throw .severalUnits(units.map(\.rawValue).sorted()) }
    return units.first ?? .bloodGramsPerKilogram
  }

  /// Returns the names of a study's covariates in order, for use as columns; throws if one is not possible.
  ///
  /// - Parameter taken: The reserved names of other columns, in lower case.
  static func covariates(
    of subjects: some Sequence<Subject>, besides taken: Set<String>
  ) throws(Problem) -> [String] {
    let names = Set(subjects.flatMap(\.covariates.keys)).sorted()
    var taken = taken
    for name in names {
      let key = name.withoutBlanksAround.lowercased()
      guard !key.isEmpty, taken.insert(key).inserted else { throw .covariateName(name) }
    }
    return names
  }
}

extension String {
  /// The text without surrounding blanks, as a reader trims fields.
  fileprivate var withoutBlanksAround: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let start = drop(while: isBlank)
    return String(start.reversed().drop(while: isBlank).reversed())
  }
}

extension Problem {
  /// Readings are in several units, and a file has one.
  static func severalUnits(_ units: [String]) -> Self {
    Self(
      "E_WRITE_UNITS",
      "the readings are in \(units.joined(separator: ", ")), but this form can have only one unit; "
        + "export to events, json or sqlite")
  }

  /// A subject or occasion has a name that files take for a missing value.
  static func nameMeansMissing(_ name: String) -> Self {
    Self(
      "E_WRITE_NAME",
      "a subject or occasion is named \(name.quoted), which stands for a missing value; rename it")
  }

  /// A covariate has the name of another column, or an invalid one.
  static func covariateName(_ name: String) -> Self {
    Self(
      "E_WRITE_NAME",
      "the covariate \(name.quoted) has the name of another column (ignoring case), or no name; rename it"
    )
  }
}

/// The template of a study folder, with one fictitious subject and a description of every column.
package enum StudyTemplate {
  /// The files, as they are in the folder `Template` of this module.
  package static let files: [(name: String, text: String)] = [
    ("README.md", PackageResources.README_md), ("subjects.csv", PackageResources.subjects_csv),
    ("drinks.csv", PackageResources.drinks_csv), ("readings.csv", PackageResources.readings_csv),
    ("datapackage.json", PackageResources.datapackage_json),
  ].map { ($0, String(decoding: $1, as: UTF8.self)) }
}

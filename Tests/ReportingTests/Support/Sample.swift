import AlcoholKinetics
import StudyData

@testable import Reporting

/// Small finished things to report on, whose every value is known.
enum Sample {
  static let man = Subject(id: "man", sex: .male, age: 30, height: 1.8, weight: 80)

  static let finding = Diagnostic(
    .range, at: SourceLocation(file: "study/readings.csv", line: 7, column: 3),
    message: "the reading is below zero", remedy: "leave it out")

  static let warning = Diagnostic(
    .timeOrder, at: SourceLocation(file: "study/drinks.csv", line: 2),
    message: "the time is early", remedy: "check it")

  static let provenance = Provenance(
    version: "1.2.3", command: "test",
    options: [("study", .string("study")), ("starts", .integer(8))],
    inputs: [InputDigest(file: "study/drinks.csv", sha256: "00ff")], factors: ConversionFactors())

  static func series(
    _ subject: Subject = man, occasion: String? = nil, diagnostics: [Diagnostic] = []
  ) -> Series {
    Series(
      subject: subject, occasion: occasion,
      drinks: [
        Drink(time: 0, ethanol: .mass(20)),
        Drink(time: 1, ethanol: .volume(500, abvPercent: 5)),
      ],
      readings: readings, diagnostics: diagnostics)
  }

  static func series(of id: String, occasion: String? = nil) -> Series {
    series(Subject(id: id), occasion: occasion)
  }

  /// A dash of breath and three readings of blood, one of them left out.
  private static let readings = [
    Reading(time: Hours(minutes: 30), value: 0.8, unit: .bloodGramsPerKilogram),
    Reading(time: 1, value: 0.9, unit: .bloodGramsPerKilogram, isExcluded: true),
    Reading(time: Hours(minutes: 90), value: 0.25, unit: .breathMilligramsPerLitre),
    Reading(time: 4, value: 0, unit: .bloodGramsPerKilogram),
  ]

  static func study(_ series: [Series] = [series()], title: String? = nil) -> Study {
    Study(name: "study", title: title, series: series)
  }
}

import AlcoholKinetics
import GSL
import StudyData
import Validation

@testable import Reporting

/// Small finished things to report on, whose every value is known.
enum Sample {
  static let man = Subject(id: "man", sex: .male, age: 30, height: 1.8, weight: 80)

  static let finding = Diagnostic(
    .readingNegative, at: SourceLocation(file: "study/readings.csv", line: 7, column: 3),
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

/// Every way in which a series can fail, and what the reason must say.
struct FailureCase: Sendable {
  var failure: SeriesFailure
  var code: String
  /// A part of the explanation.
  var says: String

  init(_ failure: SeriesFailure, _ code: String, says: String) {
    self.failure = failure
    self.code = code
    self.says = says
  }

  static let all = [
    FailureCase(
      .badData(Sample.finding), "E_READING_NEGATIVE",
      says: "the reading is below zero (study/readings.csv:7:3)"),
    FailureCase(
      .rFactor(.missing(method: "watson", measure: "height_cm")), "E_MEASURE_MISSING",
      says: "needs height_cm"),
    FailureCase(
      .rFactor(.notPositive(method: "seidl", value: -1)), "E_R_NOT_POSITIVE", says: "r = -1.0"),
    FailureCase(
      .kinetics(.outOfRange(name: "lag in h", value: -2, allowed: "0 or more")),
      "E_PARAMETER_RANGE", says: "lag in h is -2.0; it must be 0 or more"),
    FailureCase(.kinetics(.weightMissing), "E_WEIGHT_MISSING", says: "add weight_kg"),
    FailureCase(
      .tooFewReadings(found: 1, needed: 3), "E_TOO_FEW_READINGS",
      says: "usable readings: 1, parameters: 3"),
    FailureCase(.noOtherFit, "E_NO_OTHER_FIT", says: "other"),
    FailureCase(
      .estimateMissing(columns: ["c0"]), "E_ESTIMATE_MISSING", says: "the observed r needs c0"),
    FailureCase(
      .limbTooShort(found: 1, needed: 3), "E_LIMB_TOO_SHORT", says: "a line needs 3"),
    FailureCase(.limbNotFalling, "E_LIMB_NOT_FALLING", says: "do not fall"),
    FailureCase(.nothingMeasured, "E_NOTHING_MEASURED", says: "every reading is zero"),
    FailureCase(.notConverged(.evaluationFailed), "E_NOT_CONVERGED", says: "evaluation_failed"),
    FailureCase(.curveMissing, "E_CURVE_MISSING", says: "no values for this series"),
    FailureCase(.curveEndsAbove, "E_CURVE_ENDS_ABOVE", says: "ends above the threshold"),
    FailureCase(.solver(GSLError(code: 8, reason: "no memory")), "E_SOLVER", says: "no memory"),
    FailureCase(.badOptions("there is no start"), "E_FIT_OPTIONS", says: "there is no start"),
  ]
}

import AlcoholKinetics
import Estimation
import Testing

/// Every way in which a series can fail, and what the reason must say.
struct FailureCase: CustomTestStringConvertible, Sendable {
  var failure: SeriesFailure
  var code: String
  /// A part of the explanation.
  var says: String

  var testDescription: String { "\(code): \(says)" }

  init(_ failure: SeriesFailure, _ code: String, says: String) {
    self.failure = failure
    self.code = code
    self.says = says
  }

  static let all = [
    FailureCase(
      .badData(Sample.finding), "E_RANGE",
      says: "the reading is below zero (study/readings.csv:7:3)"),
    FailureCase(
      .problem(.missingMeasure("height_cm", method: "watson")), "E_MEASURE_MISSING",
      says: "needs height_cm"),
    FailureCase(
      .problem(.outOfRange(name: "lag in h", value: -2, allowed: "0 or more")),
      "E_RANGE", says: "lag in h is -2.0; it must be 0 or more"),
    FailureCase(.problem(.weightMissing), "E_MEASURE_MISSING", says: "add the weight"),
    FailureCase(
      .tooFewReadings(found: 1, needed: 3), "E_TOO_FEW_READINGS",
      says: "usable readings: 1, parameters: 3"),
    FailureCase(.noOtherFit, "E_NO_OTHER_FIT", says: "other"),
    FailureCase(
      .estimateMissing(columns: ["c0"]), "E_MEASURE_MISSING", says: "the observed r needs c0"),
    FailureCase(
      .limbTooShort(found: 1, needed: 3), "E_LIMB_TOO_SHORT", says: "3 needed"),
    FailureCase(.limbNotFalling, "E_LIMB_NOT_FALLING", says: "do not fall"),
    FailureCase(
      .instrumentErrorMissing, "E_INSTRUMENT_ERROR_MISSING", says: "neither resolution nor"),
    FailureCase(.nothingMeasured, "E_NOTHING_MEASURED", says: "every reading is zero"),
    FailureCase(
      .nothingPredicted, "E_NOTHING_PREDICTED", says: "predicts no alcohol at any reading"),
    FailureCase(.notConverged(.evaluationFailed), "E_NOT_CONVERGED", says: "evaluation_failed"),
    FailureCase(.curveMissing, "E_CURVE_MISSING", says: "no values for this series"),
    FailureCase(
      .otherThreshold(threshold: 0.2), "E_CURVE_MISSING", says: "no time to 0.2 g/kg"),
    FailureCase(.neverSober(threshold: 0), "E_NEVER_SOBER", says: "never falls to 0.0 g/kg"),
    FailureCase(.curveTooLong(most: 7), "E_CURVE_TOO_LONG", says: "more than 7 points"),
    FailureCase(.solver("no memory"), "E_SOLVER", says: "no memory"),
    FailureCase(.cancelled, "E_CANCELLED", says: "run it again"),
    FailureCase(.badOptions("there is no start"), "E_OPTION", says: "there is no start"),
  ]
}

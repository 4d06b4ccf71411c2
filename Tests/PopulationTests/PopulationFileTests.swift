import AlcoholKinetics
import Foundation
import Testing

@testable import Population

/// A file of a population is understood, or refused with the place of what is not.
@Suite struct PopulationFileTests {
  /// A row in a line, so that places are those of rows.
  private static let sound = #"""
    {"population": [{"model": "widmark"}],
     "typical": [{"parameter": "ka", "value": 3.6},
      {"parameter": "beta", "value": 0.15},
      {"parameter": "r", "value": 0.7}],
     "between": [{"parameter": "ka", "other": "ka", "covariance": 0.2},
      {"parameter": "beta", "other": "beta", "covariance": 0.02},
      {"parameter": "r", "other": "r", "covariance": 0.01}],
     "within": [], "studies": [], "covariates": [],
     "residual": [{"error": "sd", "value": 0.02}]}
    """#

  private static func failure(_ text: String) -> String? {
    do throws(Problem) {
      _ = try PopulationPrior(try PopulationFile(Data(text.utf8)))
      return nil
    } catch {
      return error.code == "E_FILE_FORMAT" ? error.description : "other: \(error)"
    }
  }

  /// The priors that ship are what the encoder writes.
  @Test func shippedFilesSurviveCoding() throws {
    #expect(Self.failure(Self.sound) == nil)
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    for name in PopulationPrior.shippedNames {
      let text = try #require(PopulationPrior.shippedText(name))
      #expect(Self.failure(text) == nil, "\(name)")
      let written = try encoder.encode(PopulationFile(Data(text.utf8)))
      #expect(
        try JSONSerialization.jsonObject(with: written) as? NSDictionary
          == JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary, "\(name)")
    }
    let whole = Self.sound.replacing("widmark\"", with: #"widmark", "people": 12, "series": 14"#)
    #expect(
      Self.failure(
        String(whole.dropLast())
          + #", "title": "x", "schema_version": 1, "answer": "x", "text": null}"#) == nil)
  }

  /// The refusal of the short form shows the form to write instead.
  @Test func outdatedShortFormIsRefusedWithAdvice() throws {
    let short = #"""
      {"model": "widmark",
       "typical": {"ka": 3.6, "beta": 0.15, "r": 0.7},
       "between": {"ka": 0.2}, "residual": {"sd": 0.02}}
      """#
    let message = try #require(Self.failure(short))
    #expect(message.contains("line 1, column 2: \"model\" is not a list of rows"))
    #expect(message.contains("promille population --format json"))
    #expect(message.contains(#""typical": [{"parameter": "ka", "value": 3}]"#))
  }

  /// Each takes a part of the sound file and puts another in its place.
  static let damages: [(was: String, is: String, place: String)] = [
    (
      #""ka", "value": 3.6"#, #""kaa", "value": 3.6"#,
      "line 2, column 28: there is no parameter \"kaa\""
    ),
    (
      #""beta", "other": "beta""#, #""bta", "other": "beta""#,
      "line 6, column 17: there is no parameter"
    ),
    ("0.02},", "-0.02},", "the variance -0.02 of beta"),
    ("0.02},", "0},", "line 6, column 3: between has the variance 0.0 of beta"),
    ("0.02},", "null},", "has neither covariance nor variance"),
    ("0.02},", "1e400},", "line 6"),
    ("0.02},", #""0.02"},"#, "line 6, column 56: covariance is a text, not a number"),
    ("0.02},", "[1]},", "covariance is a list, not a number"),
    (#""covariance": 0.02"#, #""covariance": 0.02, "covariance": 0.03"#, "is there twice"),
    (
      "0.02},", #"0.02}, {"parameter": "beta", "otter": "beta", "covariance": 0.03},"#,
      "between has beta twice"
    ),
    (
      "0.02},", #"0.02}, {"parameter": "ka", "other": "beta", "covariance": 0.07},"#,
      "line 5, column 13: between is not positive definite"
    ),
    (
      "0.02},", #"0.02}, {"parameter": "ka", "other": "lag", "covariance": 0.01},"#,
      "line 6, column 63: between has lag, which has no typical value"
    ),
    (#""parameter": "beta", "other""#, #""parameter": "ka", "other""#, "no variance of beta"),
    ("0.02},", #"0.02, "se": -1},"#, "the standard error -1.0 of beta"),
    (#""r", "value": 0.7"#, #""km", "value": 0.7"#, "the widmark model has no km"),
    ("0.15", "-0.15", "must be above zero"),
    ("0.15", #"0.15, "se": -1"#, "must be 0 or more"),
    ("0.15", #"0.15, "unit": "1/h""#, "beta in 1/h; its unit is g/kg/h"),
    (#""beta", "value": 0.15"#, #""ka", "value": 3"#, "typical has ka twice"),
    (
      "{\"parameter\": \"beta\", \"value\": 0.15},", "",
      "line 6, column 3: between has beta, which has no typical value"
    ),
    (#""between""#, #""betwen""#, "the file has no between"),
    (#""studies": []"#, #""studies": null"#, "\"studies\" is not a list"),
    (#""studies": []"#, #""studies": [7]"#, "line 8"),
    (#""sd""#, #""sdd""#, "residual has \"sdd\""),
    (#""value": 0.02"#, #""value": -0.02"#, "residual has sd -0.02"),
    (#""value": 0.02"#, #""values": 0.02"#, "a row of residual has no value"),
    (
      #"0.02}]}"#, #"0.02}, {"error": "correlation_min", "value": "x"}]}"#,
      "line 9, column 85: value is a text"
    ),
    (#"0.02}]}"#, #"0.02}, {"error": "sd", "value": 1}]}"#, "residual has sd twice"),
    ("widmark", "widmarc", "line 1, column 27: there is no model \"widmarc\""),
    ("widmark", "michaelis-menten", "the michaelis-menten model has no beta"),
    ("widmark\"", #"widmark", "people": 0"#, "people is 0"),
    ("widmark\"", #"widmark", "people": 2.5"#, "people is 2.5"),
    ("widmark\"", #"widmark", "people": 1e30"#, "people is 1e+30"),
    (#"{"model": "widmark"}"#, "", "population has no row"),
    (#""within""#, #""schema_version": 99, "within""#, "schema_version is 99"),
    (#""within""#, #""provenance": {"options": {"blood_water": 8}}, "within""#, "blood_water is 8"),
    (#""within""#, #""provenance": {"options": {"fix": ["lagg=1"]}}, "within""#, "\"lagg=1\""),
    (
      #""within""#, #""provenance": {"options": {"fix": [1]}}, "within""#, "is a number, not a text"
    ),
    (#""within""#, #""applies_to": {"age": [1, 2]}, "within""#, "has the key \"age\""),
    (#""within""#, #""applies_to": {"age_y": [2, 1]}, "within""#, "line 8, column 26: age_y"),
    (#""within""#, #""applies_to": {"age_y": [2]}, "within""#, "line 8"),
    (#""within""#, #""applies_to": {"food": "hungry"}, "within""#, "there is no food \"hungry\""),
    (#""within""#, #""applies_too": {"age_y": [1, 2]}, "within""#, "\"applies_too\" is not"),
    (
      #""covariates": []"#,
      #""covariates": [{"parameter": "bta", "covariate": "sex", "coefficient": 1}]"#,
      "there is no parameter \"bta\""
    ),
    (
      #""covariates": []"#, #""covariates": [{"parameter": "beta", "coefficient": 1}]"#,
      "has no covariate"
    ),
    (
      #""covariates": []"#,
      #""covariates": [{"parameter": "beta", "covariate": "sex", "coefficient": 1, "form": "exponental"}]"#,
      "there is no form \"exponental\""
    ),
    (
      #""covariates": []"#,
      #""covariates": [{"parameter": "beta", "covariate": "weight_kg", "coefficient": 1, "center": 0}]"#,
      "center is 0"
    ),
    (
      #""covariates": []"#,
      #""covariates": [{"parameter": "beta", "covariate": "weight_kg", "coefficient": 1, "centre": 70}]"#,
      "has no center"
    ),
  ]

  @Test(arguments: damages)
  func invalidMembersAreRefusedWithTheirPlace(
    damage: (was: String, is: String, place: String)
  ) throws {
    let text = Self.sound.replacing(damage.was, with: damage.is)
    #expect(text != Self.sound)
    let message = try #require(Self.failure(text), "\(damage.is) was believed")
    #expect(message.contains(damage.place), "\(message)")
  }

  @Test func aModelWithoutItsParameterIsRefused() {
    let text = Self.sound.replacing("widmark", with: "michaelis-menten").replacing(
      "beta", with: "vmax")
    #expect(Self.failure(text)?.contains("typical has no km") == true)
    let whole = text.replacing("0.7}]", with: #"0.7}, {"parameter": "km", "value": 0.1}]"#)
    #expect(Self.failure(whole) == nil)
  }

  /// Rows, as a result has them.
  private static func result(
    status: String = "ok", unit: String = "1/h", version: Int = 1, more: String = ""
  ) -> String {
    #"""
    {"schema_version": \#(version), "provenance": {"options": {"fix": []}},
     "population": [{"r_factor": "none", "model": "widmark", "people": 9, "series": 9, "status": "\#(status)",
      "minus_two_log_likelihood": 1}],
     "typical": [{"r_factor": "none", "parameter": "ka", "unit": "\#(unit)", "value": 3, "rse_pct": 10},
      {"r_factor": "none", "parameter": "beta", "unit": "g/kg/h", "value": 0.15, "rse_pct": null}\#(more)],
     "between": [{"r_factor": "none", "parameter": "ka", "other": "ka", "covariance": 0.2}],
     "within": [], "studies": [], "covariates": [],
     "residual": [{"r_factor": "none", "error": "sd", "value": 0.02}], "individuals": []}
    """#
  }

  @Test func onlyConvergedResultsInKnownUnitsAreRead() throws {
    #expect(Self.failure(Self.result()) == nil)
    let undetermined = try PopulationPrior(
      PopulationFile(Data(Self.result(status: "undetermined").utf8)))
    #expect(undetermined.isUndetermined)
    for status in ["failed", "not-converged", "nonsense"] {
      #expect(Self.failure(Self.result(status: status))?.contains("status is \(status)") == true)
    }
    #expect(
      Self.failure(Self.result(unit: "1/min"))?.contains("ka in 1/min; its unit is 1/h") == true)
    #expect(Self.failure(Self.result(version: 2))?.contains("schema_version is 2") == true)
    let twice = #", {"r_factor": "none", "parameter": "beta", "unit": "g/kg/h", "value": 0.2}"#
    #expect(Self.failure(Self.result(more: twice))?.contains("typical has beta twice") == true)
  }
}

import Foundation
import Testing

@testable import Population

/// A file of a population is understood, or refused with the place of what is not.
@Suite struct PopulationFileTests {
  private static let sound = #"""
    {"model": "widmark",
     "typical": {"ka": 3.6, "beta": 0.15, "r": 0.7},
     "between": {"ka": 0.2, "beta": 0.02, "r": 0.01},
     "residual": {"sd": 0.02}}
    """#

  private static func failure(_ text: String) -> String? {
    do throws(PopulationFailure) {
      _ = try PopulationPrior(try PopulationFile(Data(text.utf8)))
      return nil
    } catch {
      return error.code == "E_FILE_FORMAT" ? error.description : "other: \(error)"
    }
  }

  @Test func soundFilesAndThoseThatShipAreRead() throws {
    #expect(Self.failure(Self.sound) == nil)
    for name in PopulationPrior.shippedNames {
      #expect(Self.failure(try #require(PopulationPrior.shippedText(name))) == nil, "\(name)")
    }
    let whole =
      #", "title": "x", "people": 12, "series": 14, "schema_version": 1, "r_factor": "none"}"#
    #expect(Self.failure(String(Self.sound.dropLast()) + whole) == nil)
  }

  /// Each takes a part of the sound file and puts another in its place.
  static let damages: [(was: String, is: String, place: String)] = [
    (#""ka": 3.6"#, #""kaa": 3.6"#, "line 2, column 14: there is no parameter \"kaa\""),
    (#""beta": 0.02"#, #""bta": 0.02"#, "line 3, column 25"),
    (#""beta": 0.02"#, #""beta": -0.02"#, "the variance -0.02 of beta"),
    (#""beta": 0.02"#, #""beta": 0"#, "the variance 0.0 of beta"),
    (#""beta": 0.02"#, #""beta": null"#, "something other than a number"),
    (#""beta": 0.02"#, #""beta": 1e400"#, "line 3"),
    (#""beta": 0.02"#, #""beta": "0.02""#, "something other than a number"),
    (#""beta": 0.02"#, #""beta": 0.02, "beta": 0.03"#, "is there twice"),
    (#""beta": 0.02"#, #""beta": 0.02, "beta,beta": 0.03"#, "between has beta twice"),
    (#""beta": 0.02"#, #""beta": 0.02, "ka,beta": 0.07"#, "between is not positive definite"),
    (#""beta": 0.02"#, #""beta": 0.02, "ka,bta": 0.01"#, "there is no parameter \"bta\""),
    (#""beta": 0.02"#, #""beta": 0.02, "ka,lag": 0.01"#, "line 3"),
    (#""beta": 0.02"#, #""ka,beta": 0.02"#, "no variance of beta"),
    (#""beta": 0.02"#, #""beta": 0.02, "lag": 0.1"#, "lag, which has no typical value"),
    (#""r": 0.7"#, #""r": 0.7, "km": 1"#, "the widmark model has no km"),
    (#""beta": 0.15"#, #""beta": -0.15"#, "must be above zero"),
    (#""beta": 0.15, "#, "", "line 3, column 25: between has beta, which has no typical value"),
    (#""between""#, #""betwen""#, "has the key \"betwen\""),
    (#""sd": 0.02"#, #""sdd": 0.02"#, "residual has \"sdd\""),
    (#""sd": 0.02"#, #""sd": -0.02"#, "residual has sd -0.02"),
    (#""sd": 0.02"#, #""sd": 0.02, "correlation_min": [12, "x"]"#, "line 4"),
    (#""widmark""#, #""widmarc""#, "there is no model \"widmarc\""),
    (#""widmark""#, #""michaelis-menten""#, "the michaelis-menten model has no beta"),
    (#""widmark","#, #""widmark", "schema_version": 99,"#, "schema_version is 99"),
    (#""widmark","#, #""widmark", "people": 0,"#, "people is 0"),
    (#""widmark","#, #""widmark", "people": 2.5,"#, "people is 2.5"),
    (#""widmark","#, #""widmark", "status": "failed","#, "has the key \"status\""),
    (#""widmark","#, #""widmark", "blood_water": 8,"#, "blood_water is 8"),
    (#""widmark","#, #""widmark", "fixed": {"lagg": 1},"#, "fixed has \"lagg\""),
    (#""widmark","#, #""widmark", "fixed": {"beta": 0.2},"#, "beta is in typical and in fixed"),
    (#""widmark","#, #""widmark", "typical_se": {"kaa": 0.1},"#, "there is no parameter \"kaa\""),
    (#""widmark","#, #""widmark", "typical_se": {"ka": -1},"#, "must be 0 or more"),
    (#""widmark","#, #""widmark", "applies_to": {"age": [1, 2]},"#, "has the key \"age\""),
    (#""widmark","#, #""widmark", "applies_to": {"age_y": [2, 1]},"#, "not [lowest, highest]"),
    (#""widmark","#, #""widmark", "covariates": {"bta,sex": 1},"#, "there is no parameter \"bta\""),
    (#""widmark","#, #""widmark", "covariates": {"beta": 1},"#, "write parameter,covariate"),
    (
      #""widmark","#,
      #""widmark", "covariates": {"beta,sex": {"coefficient": 1, "form": "exponental"}},"#,
      "line 1, column 76: there is no form \"exponental\""
    ),
    (
      #""widmark","#,
      #""widmark", "covariates": {"beta,weight_kg": {"coefficient": 1, "centre": 70}},"#,
      "has the key \"centre\""
    ),
    (
      #""widmark","#,
      #""widmark", "covariates": {"beta,weight_kg": {"coefficient": 1, "center": 0}},"#,
      "center is 0"
    ),
    (#""widmark","#, #""widmark", "covariates": {"beta,weight_kg": 1},"#, "has no center"),
  ]

  @Test(arguments: damages)
  func whatIsNotUnderstoodIsRefusedWithItsPlace(
    damage: (was: String, is: String, place: String)
  ) throws {
    let text = Self.sound.replacing(damage.was, with: damage.is)
    #expect(text != Self.sound)
    let message = try #require(Self.failure(text), "\(damage.is) was believed")
    #expect(message.contains(damage.place), "\(message)")
  }

  @Test func aModelWithoutItsParameterIsRefused() {
    let text = #"""
      {"model": "michaelis-menten", "typical": {"ka": 3, "vmax": 0.2, "r": 0.7},
       "between": {"ka": 0.2, "vmax": 0.02}, "residual": {"sd": 0.02}}
      """#
    #expect(Self.failure(text)?.contains("typical has no km") == true)
    #expect(
      Self.failure(text.replacing(#""residual""#, with: #""fixed": {"km": 0.1}, "residual""#))
        == nil)
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

  @Test func resultsAreReadIfTheyAreOfAMinimumInKnownUnits() throws {
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

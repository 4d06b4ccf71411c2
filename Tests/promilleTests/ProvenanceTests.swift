import Foundation
import TestSupport
import Testing

/// A result says how to make it again.
@Suite struct ProvenanceTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
  }

  private func provenance(_ arguments: String...) async throws -> [String: Any] {
    let run = try await Command.promille(arguments + ["--format", "json"])
    return try #require(try run.json["provenance"] as? [String: Any])
  }

  @Test func provenanceNamesCommandAndInputs() async throws {
    let provenance = try await provenance("check", study)
    let version = try await Command.promille("--version").output
    #expect(provenance["command"] as? String == "check")
    #expect("\(provenance["version"] as? String ?? "")\n" == version)
    let inputs = try #require(provenance["inputs"] as? [[String: String]])
    #expect(
      inputs.map { $0["file"] }
        == ["subjects.csv", "drinks.csv", "readings.csv"].map { "\(study)/\($0)" })
    #expect(inputs.allSatisfy { $0["sha256"]?.count == 64 })
  }

  @Test func provenanceNamesPredictionFiles() async throws {
    try folder.write(SmallStudy().readings, to: "predictions.csv")
    let provenance = try await provenance(
      "sober", study, "--predictions", folder("predictions.csv"))
    let inputs = try #require(provenance["inputs"] as? [[String: String]])
    #expect(inputs.last?["file"] == folder("predictions.csv"))
    let options = try #require(provenance["options"] as? [String: Any])
    #expect(options["predictions"] as? [String] == [folder("predictions.csv")])
  }

  @Test func provenanceStatesOptionsAndFactors() async throws {
    let provenance = try await provenance(
      "fit", study, "--estimate", "beta", "--fix", "ka=7.5", "--fix", "lag=3", "--bound",
      "beta=0.05:1", "--starts", "3", "--loss", "huber", "--lod", "0.01", "--serum-blood-ratio",
      "1.2")
    let options = try #require(provenance["options"] as? [String: Any])
    #expect(options["study"] as? String == study)
    #expect(options["estimate"] as? String == "beta")
    #expect(options["fix"] as? [String] == ["ka=7.5", "lag=3"])
    #expect(options["bound"] as? [String] == ["beta=0.05:1"])
    #expect(options["starts"] as? Int == 3)
    #expect(options["loss_scale"] as? Double == 1.345)
    #expect(options["censor"] as? String == "one-sided")
    #expect(options["lod"] as? Double == 0.01)
    let factors = try #require(provenance["conversion_factors"] as? [String: Double])
    #expect(factors["serum_blood_ratio"] == 1.2)
    #expect(factors["blood_breath_ratio"] == 2100)
  }

  /// In the order of the help, and each with what it is if it is not given.
  @Test func provenanceStatesDefaultsInOrder() async throws {
    let run = try await Command.promille("fit", study, "--format", "json")
    let line = try #require(
      run.output.split(separator: "\n").first { $0.contains("\"options\"") })
    #expect(
      line.hasSuffix(
        """
        "dv_unit": null, "drinks_catalogue": null, "map": [], "time_zone": null, "method": "nonlinear", "model": "widmark", "estimate": "ka,beta", "fix": [], "bound": [], \
        "r_factor": "watson", "prior": null, "learn": null, "learn_from": null, "food": "fasted", "preset": null, "blood_water": 0.8, "censor": "m3", "lod": null, \
        "exclude_after_drink_min": null, "error": "additive", "correlation": "auto", "error_from": "study", \
        "loss": "linear", "loss_scale": null, "interval": "profile", \
        "standard_errors": "model", "level": 0.95, "replicates": 999, \
        "seed": "1", "derived": null, "threshold_g_per_kg": null, "starts": 8, "engine": "lanes", "start_design": "sobol", "start_seed": "0", \
        "exclude_day_with": [], "limb_after_min": 90.0, "limb_above_g_per_kg": 0.1, \
        "limb_from_min": null, "limb_points": null, \
        "blood_density_kg_per_l": 1.055, "blood_breath_ratio": 2100.0, "serum_blood_ratio": 1.16, \
        "residuals": null, "plot": false, "summary": false},
        """))
  }

  /// A name alone would not say which r it was.
  @Test(arguments: ["fit", "compare", "sober"])
  func provenanceStatesAGivenRFactor(_ command: String) async throws {
    let provenance = try await provenance(command, study, "--r-factor", "0.6875")
    let options = try #require(provenance["options"] as? [String: Any])
    #expect("\(options["r_factor"] ?? "")".contains("0.6875"))
  }
}

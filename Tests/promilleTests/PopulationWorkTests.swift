import Foundation
import TestSupport
import Testing

/// Work with populations: drawing studies, fitting them, testing effects, and exchange with NONMEM.
@Suite struct PopulationWorkTests {
  private let folder: TemporaryFolder
  private let study: String

  init() async throws {
    folder = try TemporaryFolder()
    study = folder("study")
    let made = try await Command.promille(
      "simulate", "--cohort", "16", "--readings", "9", "--every", "40", "--lod", "0.02", "--from",
      "fasted", "--fixed-estimates", "--seed", "3", "-o", study)
    #expect(made.status == 0, "\(made.errors)")
  }

  private func fit(_ name: String, _ options: String...) async throws -> Outcome {
    try await Command.promille(
      ["population", study, "--format", "json", "-o", folder(name), "-q"] + options)
  }

  private func json(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(filePath: folder(name)))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func row(_ document: [String: Any], _ table: String, _ place: Int = 0) throws -> [String:
    Any]
  {
    let rows = try #require(document[table] as? [[String: Any]])
    return try #require(rows.indices.contains(place) ? rows[place] : nil)
  }

  /// Fixed values stay unchanged, and the file marks them as fixed.
  @Test func fixedValuesAreKeptAndTested() async throws {
    let free = try await fit("free.json")
    let held = try await fit(
      "held.json", "--random", "ka,beta,r", "--fix", "ka=4", "--fix-omega", "beta=0.02",
      "--initial", "r=0.6")
    #expect(free.status == 0 && held.status == 0, "\(free.errors) \(held.errors)")
    let typical = try row(json("held.json"), "typical")
    #expect(typical["value"] as? Double == 4 && typical["is_fixed"] as? String == "yes")
    #expect(
      abs((try row(json("held.json"), "between", 1)["covariance"] as? Double ?? 0) - 0.02) < 1e-12)
    let tested = try await fit(
      "tested.json", "--evaluate", folder("held.json"), "--random", "ka,beta,r", "--against",
      folder("free.json"))
    #expect(tested.status == 0, "\(tested.errors)")
    let test = try row(json("tested.json"), "likelihood_ratio")
    #expect(test["df"] as? Int == 2 && test["variances"] as? Int == 1)
    #expect(test["effects"] as? String == "typical ka; variance of beta between people")
    let expected =
      (try row(json("held.json"), "population")["ofv"] as? Double ?? 0)
      - (try row(json("free.json"), "population")["ofv"] as? Double ?? 0)
    #expect(abs((test["fall"] as? Double ?? 0) - expected) < 1e-9)
  }

  @Test func covariateSearchAndLeftOutReadingsAreReported() async throws {
    let searched = try await fit(
      "searched.json", "--covariates-search", "beta=sex", "--starts", "1")
    #expect(searched.status == 0, "\(searched.errors)")
    let document = try json("searched.json")
    #expect(try row(document, "covariate_search")["phase"] as? String == "forward")
    #expect(try row(document, "full_model")["covariate"] as? String == "sex")
    let summary = try row(document, "population")
    let counts = [
      "excluded_by_study", "mouth_alcohol", "before_drinking", "below_detection", "repeated_zeros",
    ]
    let left = counts.reduce(0) { $0 + (summary[$1] as? Int ?? 0) }
    let listed = try #require(document["left_out_readings"] as? [[String: Any]])
    #expect(left > 0 && listed.count == left)
  }

  @Test func simulatedStudiesAreNumbered() async throws {
    let made = try await Command.promille(
      "simulate", study, "--from", "fasted", "--studies", "2", "-o", folder("two"))
    #expect(made.status == 0, "\(made.errors)")
    let subjects = try CSVText.rows(try folder.read("two/subjects.csv"))
    #expect(subjects.count == 32 && Set(subjects.map { $0["study"] }) == ["1", "2"])
    #expect(try CSVText.rows(try folder.read("two/truth.csv")).count == 32)
  }

  /// The table for NONMEM is the same study: with covariates, occasions, correlations and readings below detection its
  /// likelihood is the same to nine digits.
  @Test func exportedNONMEMTableHasTheSameLikelihood() async throws {
    let made = PackageFolder.dataset("made-up-24")
    try folder.write(
      populationText(
        fit: #""people": 24"#, typical: ["ka": 4.0, "beta": 0.16, "r": 0.7],
        errors: ["ka": 0.2, "beta": 0.1, "r": 0.02],
        between: ["ka": 0.2, "beta": 0.04, "r": 0.02, "beta,r": 0.01], within: ["beta": 0.01],
        covariates: [
          #"{"parameter": "beta", "covariate": "sex", "coefficient": 0.1, "form": "power", "center": 0}"#,
          #"{"parameter": "ka", "covariate": "age_y", "coefficient": -0.3, "form": "power", "center": 35}"#,
        ], residual: ["sd": 0.02, "cv": 0.05],
        more: """
          , "estimate_covariance": [{"estimate": "typical.ka", "other": "typical.ka", "covariance": 0.04},
           {"estimate": "typical.beta", "other": "typical.beta", "covariance": 0.01},
           {"estimate": "typical.beta", "other": "typical.ka", "covariance": 0.01}]
          """), to: "values.json")
    let exported = try await Command.promille(
      "export", made, "--to", "nonmem", "-o", folder("run.csv"))
    #expect(exported.status == 0, "\(exported.errors)")
    func likelihood(_ study: String, _ options: String...) async throws -> Double {
      let run = try await Command.promille(
        [
          "population", study, "--evaluate", folder("values.json"), "--covariate", "beta=sex",
          "--covariate", "ka=age_y", "--occasional", "beta", "--covariance", "full", "--error",
          "combined", "--blood-breath-ratio", "2100", "--format", "json", "-q",
        ] + options)
      let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      return try #require(self.row(document ?? [:], "population")["ofv"] as? Double)
    }
    let own = try await likelihood(made)
    let back = try await likelihood(
      folder("run.csv"), "--exclude-after-drink", "15", "--lod", "0.02", "--dv-unit",
      "brac_mg_per_l")
    #expect(abs(own - back) < 1e-9 * abs(own), "\(own) \(back)")
  }

  /// JSON has the covariance of the estimates, by which new studies are drawn; a prior without one is drawn parameter
  /// by parameter, with a warning.
  @Test func newStudiesDrawEstimatesWithTheirCovariance() async throws {
    let fitted = try await fit("free.json", "--starts", "1")
    #expect(fitted.status == 0, "\(fitted.errors)")
    let document = try json("free.json")
    let rows = try #require(document["estimate_covariance"] as? [[String: Any]])
    #expect(rows.count == 28 && rows.first?["estimate"] as? String == "typical.ka")
    for (source, isSaid) in [(folder("free.json"), false), ("fasted", true)] {
      let drawn = try await Command.promille(
        "simulate", study, "--from", source, "-o", folder("new-\(isSaid)"))
      #expect(drawn.status == 0, "\(drawn.errors)")
      #expect(drawn.errors.contains("has no covariance of estimates") == isSaid, "\(drawn.errors)")
    }
  }
}

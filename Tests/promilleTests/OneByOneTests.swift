import Foundation
import TestSupport
import Testing

/// Results that are written a series at a time are those that are written at once.
@Suite struct OneByOneTests {
  @Test(arguments: [
    (["fit", "--interval", "none"], "fits"),
    (["fit", "--interval", "none", "--estimate", "ka,beta,r", "--details"], "fits"),
    (["fit", "--interval", "none", "--model", "michaelis-menten", "--starts", "1"], "fits"),
    (["fit", "--method", "elimination-line"], "lines"),
    (["fit", "--model", "all", "--starts", "1", "--fix", "km=0.05", "--jobs", "2"], "models"),
    (["sober", "--predictions", "predictions.csv"], "times"),
  ])
  func ndjsonLinesMatchJSONRows(command: [String], section: String) async throws {
    let folder = try TemporaryFolder()
    let made = try await Command.promille("simulate", "--cohort", "3", "-o", folder("cohort"))
    #expect(made.status == 0)
    try FileManager.default.copyItem(
      atPath: folder("cohort/readings.csv"), toPath: folder("predictions.csv"))
    let command = command.map { $0.hasSuffix(".csv") ? folder($0) : $0 } + [folder("cohort")]
    async let lines = Command.promille(command + ["--format", "ndjson"])
    async let document = Command.promille(command + ["--format", "json"])
    let rows = try await lines.output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: AnyHashable]
    }
    let expected = try await document.json[section] as? [[String: AnyHashable]]
    #expect(rows == expected)
    #expect(try await lines.status == document.status)
    #expect(try await lines.complaints == document.complaints)
  }

  /// Warnings about all series together come at the end, in the same words.
  @Test func distantAbsorptionIsWarnedOfAtTheEnd() async throws {
    let folder = try TemporaryFolder()
    let made = try await Command.promille(
      "simulate", "--cohort", "210", "--readings", "12", "-o", folder("cohort"))
    #expect(made.status == 0)
    let command = [
      "sober", folder("cohort"), "--ka", "40", "--r-factor", "widmark,forrest", "--format",
    ]
    var told: [[Substring]] = []
    for format in ["csv", "ndjson", "json"] {
      let errors = try await Command.promille(command + [format]).errors
      told.append(errors.split(separator: "\n").filter { $0.contains("W_KA_FAR") })
    }
    #expect(told[0].count == 1 && told[0] == told[2] && told[1] == told[2])
    let near = try await Command.promille("sober", folder("cohort"), "--format", "csv")
    #expect(!near.errors.contains("W_KA_FAR"))
  }

  /// A study in which something is wrong with most curves, and with the order.
  @Test func faultyCurvesGiveTheSameFindings() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "subject,sex,age_y,height_cm,weight_kg\na,male,40,175,70\nb,male,40,175,70\nc,male,40,175,70\n",
      to: "subjects.csv")
    try folder.write("subject,time_min,ethanol_g\na,0,20\nb,0,20\nc,0,20\n", to: "drinks.csv")
    try folder.write(
      "subject,time_min,bac_g_per_kg\na,0,0.4\na,90,0\nb,0,0.4\nb,0,0.3\nb,90,0\nc,9,0.1\n",
      to: "readings.csv")
    for (name, rows) in [
      ("sorted", "a,0,0.4\na,80,-1\nb,0,0.4\nb,0,0.3\nb,90,0\nc,0,0.1\nc,90,0\n"),
      ("mixed", "z,0,0.4\nb,0,0.4\na,0,0.4\na,0,0.3\nb,90,0\n"),
      ("few", "b,0,0.4\nb,100,0\n"),
    ] {
      try folder.write("subject,time_min,bac_g_per_kg\n" + rows, to: name)
      let options = ["sober", folder.path, "--predictions", folder(name), "--format"]
      let streamed = try await Command.promille(options + ["ndjson"])
      let whole = try await Command.promille(options + ["json"])
      #expect(streamed.status == whole.status, "\(name)")
      #expect(streamed.complaints.sorted() == whole.complaints.sorted(), "\(name)")
      let rows = try streamed.output.split(separator: "\n").map { line in
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: AnyHashable]
      }
      #expect(rows == (try whole.json["times"] as? [[String: AnyHashable]]), "\(name)")
    }
  }

  @Test func missingPredictionsAreReportedBeforeOutput() async throws {
    let run = try await Command.promille(
      "sober", "datasets/nacar-2021", "--predictions", "nowhere.csv", "--format", "csv")
    #expect(run.status == 66)
    #expect(run.output.isEmpty)
  }
}

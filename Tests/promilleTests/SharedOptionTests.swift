import TestSupport
import Testing

/// The options that several commands share.
@Suite struct SharedOptionTests {
  /// 0.25 mg/L in breath, or 0.25 g/L in serum, in g per kg of blood.
  @Test(arguments: [
    ("brac_mg_per_l", ["--blood-breath-ratio", "2300"], 0.25 * 2300 / 1000 / 1.055),
    ("brac_mg_per_l", ["--blood-density", "1.06"], 0.25 * 2100 / 1000 / 1.06),
    ("serum_g_per_l", ["--serum-blood-ratio", "1.25"], 0.25 / 1.25 / 1.055),
  ])
  func conversionOptionsConvertReadings(
    unit: String, options: [String], expected: Double
  ) async throws {
    let folder = try TemporaryFolder()
    try folder.write("ID,TIME,AMT,DV\na,0,30,.\na,1,.,0.25\n", to: "events.csv")
    let run = try await Command.promille(
      ["check", folder("events.csv"), "--dv-unit", unit, "--format", "csv", "-q"] + options)
    #expect(run.status == 0)
    let highest = try #require(try run.rows.first?["max_g_per_kg"].flatMap { Double($0) })
    #expect(abs(highest - expected) < 1e-12)
  }

  /// r by Watson is body water over B; Widmark's does not know B.
  @Test(arguments: ["sober", "compare"])
  func bloodWaterOptionChangesMethodsThatUseIt(command: String) async throws {
    let folder = try TemporaryFolder()
    let study = try SmallStudy().write(to: folder)
    let shared = [command, study, "--r-factor", "widmark,watson", "--format", "csv"]
    let usual = try await Command.promille(shared).rows
    let other = try await Command.promille(shared + ["--blood-water", "0.844"]).rows
    #expect(usual.count == 6)
    for (row, otherRow) in zip(usual, other) {
      let r = try #require(row["r"].flatMap { Double($0) })
      let otherR = try #require(otherRow["r"].flatMap { Double($0) })
      #expect(abs(otherR / r - (row["r_factor"] == "watson" ? 0.8 / 0.844 : 1)) < 1e-12)
    }
  }

  @Test func higherLevelWidensComparisonIntervals() async throws {
    var widths: [Double] = []
    for level in ["0.5", "0.95"] {
      let run = try await Command.promille(
        "compare", "datasets/nacar-2021", "--summary", "--replicates", "100", "--level", level, "-q"
      )
      let row = try #require(try run.rows.first)
      let ends = try ["bias_low", "bias_high"].map { try #require(Double(row[$0] ?? "")) }
      widths.append(ends[1] - ends[0])
    }
    #expect(0 < widths[0] && widths[0] < widths[1])
  }
}

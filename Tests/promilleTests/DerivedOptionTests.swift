import TestSupport
import Testing

/// The options `--derived` and `--threshold`.
@Suite struct DerivedOptionTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
  }

  @Test func derivedOptionOnlyAddsColumns() async throws {
    let plain = try await Command.promille(["fit", study, "--format", "csv"]).rows
    let rows = try await Command.promille([
      "fit", study, "--format", "csv", "--derived", "peak,auc", "--threshold", "0.1",
    ]).rows
    for (row, bare) in zip(rows, plain) {
      #expect(bare.allSatisfy { row[$0.key] == $0.value })
      #expect(bare["peak_g_per_kg"] == nil)
      for column in ["ka_rse_pct", "peak_g_per_kg", "peak_se", "peak_low", "peak_high"] {
        #expect(row[column]?.isEmpty == false, "\(column)")
      }
      #expect(row["threshold_g_per_kg"] == "0.1")
      #expect(row["time_to_threshold_min"]?.isEmpty == false)
      #expect(row["time_to_zero_min"] == nil)
    }
  }

  @Test(arguments: [
    ["--derived", "peek"], ["--derived", "peak,peak"], ["--derived", ""],
    ["--derived", "time-to-threshold"], ["--threshold", "-1"], ["--threshold", "nan"],
    ["--derived", "all", "--summary"], ["--derived", "all", "--model", "all"],
    ["--threshold", "0.5", "--method", "elimination-line"],
  ])
  func invalidDerivedOptionsAreRefused(_ options: [String]) async throws {
    let run = try await Command.promille(["fit", study] + options)
    #expect(run.status == 64, "\(options)")
    #expect(run.errors.contains("--derived") || run.errors.contains("--threshold"))
  }
}

import Foundation
import TestSupport
import Testing

/// Predictions with the median of all other subjects' fits.
@Suite struct LeftOutTests {
  /// The medians of what `fit` says of the three others.
  @Test(arguments: ["compare", "sober"])
  func leftOutPredictionsUseTheOthersMedians(_ command: String) async throws {
    let folder = try TemporaryFolder()
    let study = folder("cohort")
    let cohort = try await Command.promille("simulate", "--cohort", "4", "-o", study)
    #expect(cohort.status == 0)
    let shared = [study, "--r-factor", "watson", "--starts", "4", "--format", "csv"]
    // Without intervals, whose search may come upon a lower minimum.
    let fits = try await Command.promille(["fit", "--interval", "none"] + shared).rows
    let run = try await Command.promille([command, "--parameters", "left-out"] + shared)
    #expect(run.status == 0)
    let rows = try run.rows
    #expect(rows.count == 4 && fits.count == 4)
    for row in rows {
      for column in ["ka_per_h", "beta_g_per_kg_h"] {
        let others = fits.filter { $0["subject"] != row["subject"] }
        let logs = try others.map { log(try #require(Double($0[column] ?? ""))) }
        #expect(logs.count == 3)
        let found = try #require(Double(row[column] ?? ""))
        #expect(abs(found / exp(logs.sorted()[1]) - 1) < 1e-6, "\(column)")
      }
    }
  }
}

import Foundation
import TestSupport
import Testing

/// Answers that others printed, each with its source: the command gives them to the printed digits.
@Suite struct WorkedExampleTests {
  @Test func printedAnswersAreReproduced() async throws {
    let file = PackageFolder.root.appending(path: "Tests/Expectations/worked_examples.csv")
    let rows = try CSVText.rows(try String(contentsOf: file, encoding: .utf8))
    #expect(rows.count >= 14)
    for row in rows {
      let arguments = (row["arguments"] ?? "").split(separator: " ").map(String.init)
      let run = try await Command.promille(["case"] + arguments + ["--format", "csv"])
      #expect(run.status == 0, "\(row["id"] ?? ""): \(run.errors)")
      let answer = try #require(try CSVText.rows(run.output).first)
      let value = try #require(Double(answer[row["column"] ?? ""] ?? ""), "\(row)")
      let decimals = try #require(Int(row["decimals"] ?? ""))
      #expect(
        String(format: "%.\(decimals)f", value)
          == String(format: "%.\(decimals)f", Double(row["expected"] ?? "") ?? .nan),
        "\(row["id"] ?? ""): \(value)")
    }
  }

  /// 83.26 is what a followed absorption leaves, 81.28 what a finished one does.
  @Test func laterAnswerDependsOnFinishedAbsorption() async throws {
    let arguments = [
      "case", "later", "--sex", "male", "--weight", "80", "--r-factor", "0.7", "--beta", "0.15",
      "--measured", "1", "--unit", "bac_g_per_kg", "--measured-at", "23:00", "--at", "21:00",
      "--drinking-ended", "18:00", "--later-drink", "22:00=20g", "--format", "csv",
    ]
    var values: [Double] = []
    for extra in [["--ka", "4"], ["--absorption", "finished"]] {
      let run = try await Command.promille(arguments + extra)
      #expect(run.status == 0, "\(run.errors)")
      values.append(Double(try CSVText.rows(run.output).first?["likeliest"] ?? "") ?? .nan)
    }
    #expect(agree(values[0], 1.3 - 20 / 56.0 * (1 - exp(-4)), relative: 1e-9))
    #expect(agree(values[1], 1.3 - 20 / 56.0, relative: 1e-9))
  }
}

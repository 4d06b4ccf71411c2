import Foundation
import TestSupport
import Testing

/// Errors of readings that are estimated from a study or from each subject, and the messages about them.
@Suite struct StudyErrorTests {
  private let folder: TemporaryFolder
  private let study: String

  /// Eight people who drink 60 g and are read twelve times.
  init() throws {
    folder = try TemporaryFolder()
    study = "\(folder.path)/study.csv"
    var text = "ID,TIME,AMT,DV,SEX,AGE,HT,WT\n"
    var draw = 0
    for person in 1...8 {
      text += "p\(person),0,60,.,m,30,180,80\n"
      let ka = 2.5 + 0.3 * Double(person)
      for reading in 1...12 {
        draw += 1
        let hours = 0.4 * Double(reading)
        // Spread evenly and without an order (Weyl).
        let share = (Double(draw) * 0.754_877_666_2).truncatingRemainder(dividingBy: 1)
        let level = max(0, 60 / 80 / 0.7 * (1 - exp(-ka * hours)) - 0.15 * hours)
        let shown = max(0, level + 0.04 * (0.2 + level) * (share - 0.5))
        text += "p\(person),\(hours),.,\((1e4 * shown).rounded() / 1e4),m,30,180,80\n"
      }
    }
    try folder.write(text, to: "study.csv")
  }

  private let options = ["--estimate", "ka,beta,r", "--starts", "2"]

  private func fit(_ more: String...) async throws -> Outcome {
    try await Command.promille(["fit", study] + options + more)
  }

  /// Rows that are written one by one, from all at once and from parts have the same errors.
  @Test func everyRowHasTheStudysErrorModel() async throws {
    let streamed = try await fit("--error", "combined", "--format", "csv")
    #expect(
      streamed.errors.contains("Errors of readings, estimated from 8 series together: SD at zero"))
    let rows = try streamed.rows
    #expect(rows.count == 8 && Set(rows.map { $0["error_sd"] }).count == 1)
    let residuals = "\(folder.path)/residuals.csv"
    let stored = try await fit(
      "--error", "combined", "--format", "csv", "--residuals", residuals)
    #expect(try stored.rows == rows)
    var lines: [String] = []
    for number in 1...2 {
      let path = "\(folder.path)/part-\(number)"
      let part = try await fit(
        "--error", "combined", "--format", "csv", "--subjects-part", "\(number)/2", "-o", path)
      #expect(part.status == 0, "\(part.errors)")
      lines += try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("p") }.map(String.init)
    }
    #expect(lines.count == 8)
    for line in lines { #expect(streamed.output.contains(line)) }
  }

  @Test func optionEstimatesErrorsBySubject() async throws {
    let run = try await fit("--error", "combined", "--error-from", "subject", "--format", "csv")
    #expect(!run.errors.contains("Errors of readings"))
    #expect(Set(try run.rows.map { $0["error_cv"] }).count == 8)
  }

  /// A pipe can be read only once, so that its errors are estimated by subject.
  @Test func pipedStudyEstimatesErrorsBySubject() async throws {
    let own = try await fit("--error", "proportional", "--error-from", "subject", "--format", "csv")
    let piped = try await Command.shell(
      "promille fit - --starts 2 --error proportional --format csv --estimate ka,beta,r <\"$1\"",
      study)
    #expect(piped.errors.contains("so errors are estimated for each subject"))
    #expect(try piped.rows == own.rows)
    let stated = try await Command.shell(
      "promille fit - --estimate ka,beta,r --starts 2 --error proportional:0.05 --format csv <\"$1\"",
      study)
    #expect(!stated.errors.contains("so errors are estimated"))
  }

  /// The SD of additive errors is each person's own, with a correlation of errors too.
  @Test func additiveErrorsAreEstimatedBySubject() async throws {
    let plain = try await fit("--correlation", "none", "--format", "csv")
    #expect(!plain.errors.contains("Errors of readings"))
    let wald = try await fit(
      "--correlation", "exponential", "--interval", "wald", "--format", "csv")
    #expect(wald.errors.contains("together: tau"))
    #expect(Set(try wald.rows.map { $0["correlation_min"] }).count == 1)
    #expect(Set(try wald.rows.map { $0["error_sd"] }).count == 8)
    let refused = try await fit(
      "--correlation", "exponential", "--interval", "wald", "--error-from", "subject")
    #expect(
      refused.status == 64 && refused.errors.contains("wald intervals take the correlation time"))
    let piped = try await Command.shell(
      "promille fit - --correlation exponential --interval wald --format csv <\"$1\"", study)
    #expect(piped.status == 64 && piped.errors.contains("E_OPTION"))
  }

  /// Where errors come in runs, the first remark says that fits allow for it and what switches it off; all doors give the
  /// same rows.
  @Test func runsMakeTheExponentialModelTheDefault() async throws {
    var text = "ID,TIME,AMT,DV,SEX,AGE,HT,WT\n"
    var state: UInt64 = 1
    /// Numbers between 0 and 1 by Knuth's linear congruences.
    func drawn() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / 0x1p53
    }
    var error = 0.0
    for person in 1...30 {
      text += "p\(person),0,60,.,m,30,180,80\n"
      let ka = 2.5 + 0.08 * Double(person)
      for reading in 1...20 {
        let hours = 0.2 * Double(reading)
        error = 0.8 * error + 0.03 * (drawn() + drawn() - 1)
        let level = 60 / 80 / 0.7 * (1 - exp(-ka * hours)) - 0.15 * hours
        text +=
          "p\(person),\(hours),.,\((1e4 * max(0, level + error)).rounded() / 1e4),m,30,180,80\n"
      }
    }
    try folder.write(text, to: "runs.csv")
    let runs = "\(folder.path)/runs.csv"
    func fit(_ more: String...) async throws -> Outcome {
      try await Command.promille(["fit", runs] + options + more)
    }
    let usual = try await fit("--format", "csv")
    let first = usual.errors.split(separator: "\n").first ?? ""
    #expect(first.contains("W_STUDY_EXPONENTIAL") && first.contains("--correlation none"))
    #expect(usual.errors.contains("white share of the variance"))
    let rows = try usual.rows
    #expect(rows.count == 30 && Set(rows.map { $0["correlation_min"] }).count == 1)
    #expect((rows[0]["correlation_min"] ?? "") != "")
    let independent = try await fit("--format", "csv", "--correlation", "none")
    #expect(independent.errors.contains("W_STUDY_CORRELATED"))
    #expect(!independent.errors.contains("W_STUDY_EXPONENTIAL"))
    func width(_ rows: [[String: String]]) -> Double {
      rows.reduce(0) { sum, row in
        sum + (Double(row["beta_high"] ?? "") ?? 0) - (Double(row["beta_low"] ?? "") ?? 0)
      }
    }
    #expect(width(rows) > 1.2 * width(try independent.rows))
    let table = try await fit("--format", "table")
    #expect(table.output.contains("W_STUDY_EXPONENTIAL"))
    let part = try await fit("--format", "csv", "--subjects-part", "2/2")
    for row in try part.rows { #expect(rows.contains(row)) }
    // A pipe is read once, so that the test comes too late.
    let piped = try await Command.shell(
      "promille fit - --starts 2 --format csv --estimate ka,beta,r <\"$1\"", runs)
    #expect(try piped.rows == independent.rows)
    #expect(piped.errors.contains("W_STUDY_CORRELATED"))
  }

  /// In JSON the parameters are rows of the table about the study; below a table they are a sentence.
  @Test func resultsStateTheErrorModel() async throws {
    let json = try await fit("--error", "combined", "--format", "json")
    for name in ["error_sd_g_per_kg", "error_cv", "error_spread"] {
      #expect(json.output.contains("\"\(name)\""))
    }
    let table = try await fit("--error", "combined", "--format", "table", "--details")
    #expect(table.output.contains("combined error of the study"))
    #expect(table.output.contains("Errors of readings, estimated from 8 series together"))
    #expect(table.output.contains("Test that all people have errors of one size"))
  }

  /// A notebook has the same fits.
  @Test func notebookHasTheStudysErrorModel() async throws {
    let made = try await Command.promille(
      ["export", study, "--notebook", "-o", "\(folder.path)/notebook", "--error", "combined"]
        + options)
    #expect(made.status == 0, "\(made.errors)")
    let fits = try String(
      contentsOfFile: "\(folder.path)/notebook/results/fit.csv", encoding: .utf8)
    let row = try await fit("--error", "combined", "--format", "csv").rows[0]
    #expect(fits.contains(row["error_sd"] ?? "?"))
  }
}

import Foundation
import TestSupport
import Testing

/// Sheets of known truth go through `init --from` to fits that hold it, with one answer at most and no edited cell.
@Suite(
  .enabled(if: PackageFolder.hasShared("../sheets/truth.txt"), "the sheets stay out of the package")
)
struct SampleSheetFitTests {
  private struct Truth {
    var subject: String
    var ka, beta: Double
  }

  private static func truth(of sheet: String) throws -> [Truth] {
    let text = try String(contentsOfFile: PackageFolder.sheet("truth.txt"), encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 3, words[0] == sheet else { return nil }
      let number = { (name: String) in
        words.first { $0.hasPrefix("\(name)=") }.flatMap { Double($0.dropFirst(name.count + 1)) }
      }
      return number("ka").flatMap { ka in
        number("beta").map { Truth(subject: words[1], ka: ka, beta: $0) }
      }
    }
  }

  @Test(
    arguments: [
      ("A", "trinkversuch.xlsx", "*=bac_g_per_kg"), ("B", "Form Responses 1.csv", nil),
      ("C", "LIMS_export.csv", nil), ("D", "Party March.csv", "BAC=bac_g_per_100ml"),
    ] as [(String, String, String?)])
  func intervalsHoldTheTruth(_ sheet: String, _ file: String, _ answer: String?) async throws {
    let folder = try TemporaryFolder()
    let path = PackageFolder.sheet(file)
    if let answer {
      let asked = try await Command.promille("init", folder("asked"), "--from", path)
      #expect(asked.status == 65 && asked.errors.contains(answer), "\(asked.errors)")
      #expect(asked.errors.components(separatedBy: ": error ").count == 2, "\(asked.errors)")
    }
    let made = try await Command.promille(
      ["init", folder("study"), "--from", path] + (answer.map { ["--map", $0] } ?? []))
    #expect(made.status == 0, "\(made.errors)")
    // Absorption of a drink that was not drunk at once takes part of it up already.
    let fit = try await Command.promille(
      "fit", folder("study"), "--estimate", "ka,beta,r", "--interval", "profile", "--format", "csv",
      "-q")
    let rows = try fit.rows
    for one in try Self.truth(of: sheet) {
      let row = try #require(rows.first { $0["subject"] == one.subject }, "\(fit.output)")
      for (name, value) in [("ka", one.ka), ("beta", one.beta)] {
        let low = row["\(name)_low"].flatMap(Double.init) ?? -.infinity
        let high = row["\(name)_high"].flatMap(Double.init) ?? .infinity
        #expect(
          low <= value && value <= high, "\(one.subject) \(name): \(low) to \(high), not \(value)")
      }
    }
  }
}

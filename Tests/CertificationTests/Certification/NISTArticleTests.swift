import Foundation
import TestSupport
import Testing

@testable import Certification

/// The numbers that the article `CertifiedOnNIST.md` prints are those of the engine.
@Suite struct NISTArticleTests {
  private static let certification = Result { try NISTCertification() }

  /// The cells of those rows of the article's tables whose first one is a name given.
  private func rows(of names: [String]) throws -> [[String]] {
    let file = PackageFolder.root
      .appending(path: "Sources/Certification/Documentation.docc/CertifiedOnNIST.md")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }
      .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { names.contains($0[0]) }
  }

  /// Digits beyond the tenth are decided by rounding, which differs from machine to machine.
  @Test func articleListsEverySolve() throws {
    let rows = try rows(of: NISTProblem.all.map(\.name))
    #expect(rows.map { $0[0] } == NISTProblem.all.map(\.name))
    for score in try Self.certification.get().scores {
      let row = try #require(rows.first { $0[0] == score.problem.name })
      #expect(row[1] == score.problem.difficulty.rawValue)
      let cells = row.dropFirst(score.start == 1 ? 2 : 6).prefix(4)
      let printed = cells.prefix(3).map { Double($0) ?? .nan }
      let digits = [score.digits, score.standardDeviationDigits, score.rssDigits]
      #expect(zip(printed, digits).allSatisfy { abs($0 - $1) < 1 }, "\(score.problem.name)")
      #expect(cells.last?.hasSuffix("(*)") == (score.method == "double_dogleg"))
    }
  }

  @Test func articleListsAverages() throws {
    let rows = try rows(of: NISTProblem.Difficulty.allCases.map(\.rawValue) + ["all"])
    for (row, average) in zip(rows, try Self.certification.get().averages) {
      #expect(row[0] == average.difficulty?.rawValue ?? "all")
      #expect(row[1...2] == ["\(average.count)", "\(average.solved)"])
      let printed = row[3...].map { Double($0) ?? .nan }
      let digits = [
        average.digits, average.fewestDigits, average.standardDeviationDigits, average.rssDigits,
      ]
      #expect(zip(printed, digits).allSatisfy { abs($0 - $1) < 0.2 }, "\(row[0])")
    }
    #expect(rows.count == 4)
  }
}

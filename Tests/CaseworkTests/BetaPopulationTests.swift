import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Casework

@Suite struct BetaPopulationTests {
  private func back(
    _ population: BetaPopulation, sex: Sex? = .male, at: Hours = 22
  ) throws -> Case {
    var person = Example.man
    person.sex = sex
    return try Example.one(
      .back, at: at, measured: Example.blood(1, at: 24), ended: 17, person: person
    ) {
      ($0.beta, $0.betaPopulation) = (nil, population)
    }
  }

  private func beta(
    _ population: BetaPopulation, _ mode: CaseOptions.Mode, sex: Sex? = .male
  ) throws -> Uncertainty {
    let answer = try CaseAnswer(
      try back(population, sex: sex), options: CaseOptions(mode: mode, draws: 200))
    return try #require(answer.inputs.first { $0.name == .beta }).value
  }

  /// The published means and SDs over the density of blood, in both modes.
  @Test(arguments: [
    (BetaPopulation.drivers, Sex.male, 0.189, 0.048), (.drivers, .female, 0.214, 0.053),
    (.volunteers, .male, 0.15, 0.04), (.volunteers, .female, 0.15, 0.04),
    (.dependent, .male, 0.30, 0.09),
  ])
  func populationsAreAsPublished(
    population: BetaPopulation, sex: Sex, mean: Double, sd: Double
  ) throws {
    for mode in CaseOptions.Mode.allCases {
      guard case .normal(let found, let spread) = try beta(population, mode, sex: sex) else {
        Issue.record("\(population) is not normal")
        continue
      }
      #expect(abs(found - mean / 1.055) < 1e-12 && abs(spread - sd / 1.055) < 1e-12)
    }
  }

  /// The moments of a mixture of halves: those of its two parts, drawn.
  @Test func unknownPersonMixesDriversAndVolunteers() throws {
    for sex in Sex.allCases {
      let parts = try [BetaPopulation.drivers, .volunteers].map {
        try #require($0.rate(of: sex))
      }
      let unknown = try #require(BetaPopulation.unknown.rate(of: sex))
      let mean = parts.map(\.mean).reduce(0, +) / 2
      let square = parts.map { $0.mean * $0.mean + $0.sd * $0.sd }.reduce(0, +) / 2
      #expect(abs(unknown.mean - mean) < 1e-12)
      #expect(abs(unknown.sd - (square - mean * mean).squareRoot()) < 1e-12)
    }
    // The guideline has a range of its own.
    let range = try beta(.unknown, .guideline)
    #expect(abs(range.ends.lowerBound - 0.09 / 1.055) < 1e-12)
    #expect(abs(range.likeliest - 0.19 / 1.055) < 1e-12)
  }

  @Test func sexIsNeededOnlyWherePopulationsDiffer() throws {
    #expect(abs(try beta(.volunteers, .monteCarlo, sex: nil).likeliest - 0.15 / 1.055) < 1e-12)
    for population in [BetaPopulation.drivers, .unknown] {
      #expect(throws: Problem.self) { try beta(population, .monteCarlo, sex: nil) }
    }
  }

  /// The coverage that an answer states is the one measured by the tool and printed in the article.
  @Test func coverageMatchesTheArticle() throws {
    let file = PackageFolder.root
      .appending(path: "Sources/Casework/Documentation.docc/Casework.md")
    let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.count == 6 && BetaPopulation(rawValue: $0[0]) != nil }
    #expect(rows.count == 6)
    for row in rows {
      let population = try #require(BetaPopulation(rawValue: row[0]))
      let mode = try #require(CaseOptions.Mode(rawValue: row[1]))
      let answer = try CaseAnswer(
        try back(population), options: CaseOptions(mode: mode, draws: 200))
      let measured = try #require(answer.measuredCoverage)
      let numbers = [MeasuredCoverage.pairs, measured.held, measured.below, measured.above]
      #expect(numbers.map(String.init) == Array(row[2...]))
    }
  }

  @Test func unmeasuredCasesClaimNoCoverage() throws {
    var own = try back(.unknown)
    own.assumptions.beta = .exactly(0.15)
    var early = try back(.unknown)
    early.assumptions.absorbedAfter = 1
    for one in [own, early, try back(.dependent), try back(.unknown, at: 19.5)] {
      #expect(try CaseAnswer(one).measuredCoverage == nil)
    }
    let wide = CaseOptions(mode: .monteCarlo, draws: 2000, level: 0.99)
    #expect(try CaseAnswer(try back(.unknown), options: wide).measuredCoverage == nil)
  }

  @Test func betaBesideItsPopulationIsRefused() throws {
    var assumptions = CaseAssumptions()
    assumptions.betaPopulation = .drivers
    let failure = #expect(throws: Problem.self) {
      try assumptions.state(beta: CaseText("0.15", at: "--beta"))
    }
    #expect(failure?.code == "E_CASE_INPUT")
  }
}

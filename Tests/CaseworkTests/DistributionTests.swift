import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Casework

@Suite struct DistributionTests {
  private static let cases: [String: (Case, CaseOptions)] = {
    let options = CaseOptions(mode: .monteCarlo, draws: 40_000, seed: 7, jobs: 2)
    let reading = Example.blood(1, at: 24, sd: 0.02)
    func one(_ make: () throws -> Case) -> (Case, CaseOptions)? {
      (try? make()).map { ($0, options) }
    }
    var spread = CaseAssumptions()
    spread.rFactor = GivenRFactor(0.7)
    spread.rCV = 0.1
    spread.ka = .lognormal(median: 4, cv: 0.5)
    // Whose beta the script draws.
    spread.betaPopulation = .drivers
    let drink = CaseDrink(start: 20, ethanol: 60, volumeCV: 0.05)
    func made(_ question: CaseQuestion, _ change: (inout Case) -> Void) throws -> Case {
      var one = Case(question, clock: try CaseClock(), person: Example.man, assumptions: spread)
      change(&one)
      return one
    }
    var all: [String: (Case, CaseOptions)] = [:]
    all["back"] = one {
      try made(.back) {
        ($0.at, $0.measurement, $0.drinkingEnded) = (21.5, Example.blood(1.2, at: 24, sd: 0.03), 19)
      }
    }
    all["forward"] = one {
      try made(.forward) { ($0.at, $0.drinks, $0.weightSD) = (22, [drink], 2) }
    }
    all["later"] = one {
      try made(.later) {
        $0.at = 22
        $0.drinks = [CaseDrink(start: 23, ethanol: 20, isLater: true)]
        ($0.measurement, $0.drinkingEnded) = (reading, 18)
      }
    }
    all["sober"] = one { try made(.sober) { ($0.measurement, $0.limits) = (reading, [0.5]) } }
    spread.absorption = .finished
    all["drinks"] = one { try made(.drinks) { ($0.measurement, $0.drinkingBegan) = (reading, 20) } }
    spread.breathRatioSD = 150
    all["breath"] = one {
      try made(.back) {
        ($0.at, $0.drinkingEnded) = (22, 18)
        $0.measurement = CaseMeasurement(
          time: 24, value: 0.45, sd: 0.01, unit: .breathMilligramsPerLitre)
      }
    }
    return all
  }()

  /// Quantiles of 40,000 draws against those of 4 million by NumPy: within 4 of the stated standard errors.
  @Test(arguments: ["back", "forward", "drinks", "later", "sober", "breath"])
  func distributionsAgreeWithAnIndependentSimulation(_ name: String) throws {
    let row = try #require(
      try PackageFolder.expectations("case-monte-carlo").first { $0["case"] == name })
    let (one, options) = try #require(Self.cases[name])
    let distribution = try #require(try CaseAnswer(one, options: options).main.distribution)
    for p in [0.025, 0.25, 0.5, 0.75, 0.975] {
      let quantile = try #require(distribution.quantiles.first { $0.p == p })
      let expected = try #require(Double(row["q\(p)"] ?? ""))
      #expect(abs(quantile.value - expected) < 4.5 * quantile.error, "\(name) \(p)")
      // The stated error is of the right size: that of the median of a normal is 1.25 SD / root n.
      #expect(
        quantile.error < 6 * distribution.sd / Double(options.draws).squareRoot(), "\(name) \(p)")
    }
    if let sd = Double(row["sd"] ?? "") {
      #expect(agree(distribution.sd, sd, relative: 0.03))
    }
    if let sd = Double(row["delta_sd"] ?? "") {
      #expect(agree(distribution.sd, sd, relative: 0.03))
    }
  }

  /// The answer is linear, so that the shares of its variance are known.
  @Test func sensitivityIndicesAreSharesOfTheVariance() throws {
    let row = try #require(
      try PackageFolder.expectations("case-monte-carlo").first { $0["case"] == "back" })
    let share = try #require(Double(row["beta_share"] ?? ""))
    let (one, options) = try #require(Self.cases["back"])
    let indices = try CaseAnswer(one, options: options).sensitivities
    #expect(indices.map(\.input) == [.measurement, .beta])
    for (index, expected) in zip(indices, [1 - share, share]) {
      #expect(abs(index.first - expected) < 4 * index.firstError)
      #expect(abs(index.total - expected) < 4 * index.totalError)
      #expect(index.firstError < 0.02 && index.totalError < 0.02)
    }
  }

  /// The product of r and what is in it has an interaction: totals add up to more than one.
  @Test func totalIndicesIncludeInteractions() throws {
    let (one, options) = try #require(Self.cases["drinks"])
    let indices = try CaseAnswer(one, options: options).sensitivities
    #expect(indices.map(\.first).reduce(0, +) <= 1.02)
    #expect(indices.map(\.total).reduce(0, +) > 0.99)
    for index in indices {
      #expect(index.total > index.first - 3 * (index.firstError + index.totalError))
    }
  }

  @Test func threadCountDoesNotChangeBits() throws {
    let (one, _) = try #require(Self.cases["later"])
    let answers = try [1, 2, 5].map {
      try CaseAnswer(one, options: CaseOptions(mode: .monteCarlo, draws: 3001, seed: 3, jobs: $0))
    }
    for answer in answers.dropFirst() {
      #expect(answer.main.distribution?.quantiles == answers[0].main.distribution?.quantiles)
      #expect(answer.sensitivities == answers[0].sensitivities)
      #expect(answer.band == answers[0].band)
    }
    let other = try CaseAnswer(one, options: CaseOptions(mode: .monteCarlo, draws: 3001, seed: 4))
    #expect(other.main.distribution?.median != answers[0].main.distribution?.median)
  }

  @Test func chanceAboveALimitIsAShareOfDraws() throws {
    var (one, options) = try #require(Self.cases["back"])
    one.limits = [0, 1.6, 6]
    let answer = try CaseAnswer(one, options: options)
    let chances = answer.limits.compactMap(\.chance)
    #expect(chances.map(\.value)[0] == 1 && chances.map(\.value)[2] == 0)
    #expect(chances.allSatisfy { $0.error > 0 && $0.error < 0.01 })
    #expect((0.5...0.8).contains(chances[1].value))
  }

  @Test func quantilesInvertDistributions() {
    // SciPy, and of the triangle by its formula.
    #expect(agree(Uncertainty.lognormal(median: 4, cv: 0.5).quantile(0.5), 4))
    #expect(
      agree(
        Uncertainty.lognormal(median: 4, cv: 0.5).quantile(0.975), 10.096043083597339,
        relative: 1e-14))
    #expect(agree(Uncertainty.range(low: 0, likeliest: 1, high: 4).quantile(0.25), 1))
    #expect(agree(Uncertainty.uniform(low: 1, high: 3).quantile(0.25), 1.5))
    #expect(Uncertainty.normal(mean: 1, sd: 10).quantile(1e-9) > 0)
    #expect(Uncertainty.range(low: 2, likeliest: 2, high: 2).quantile(0.4) == 2)
  }

  @Test func readsDistributions() {
    #expect(Uncertainty(parsing: "0.18") == .exactly(0.18))
    #expect(Uncertainty(parsing: "normal:0.18,0.04") == .normal(mean: 0.18, sd: 0.04))
    #expect(Uncertainty(parsing: "lognormal:4,50") == .lognormal(median: 4, cv: 0.5))
    #expect(Uncertainty(parsing: "uniform:0.1,0.2") == .uniform(low: 0.1, high: 0.2))
    #expect(
      Uncertainty(parsing: "range:0.1,0.15,0.2") == .range(low: 0.1, likeliest: 0.15, high: 0.2))
    for text in [
      "", ":", "nan", "inf", "-1", "normal:0.18", "normal:0,1", "normal:1,2,3", "uniform:2,1",
      "range:3,2,1",
      "gamma:1,2", "normal:a,b", "normal:1,", "1,2", "normal:1,2:3", "uniform:0,inf", "0x1p-3",
    ] {
      #expect(Uncertainty(parsing: text) == nil, "\(text)")
    }
  }
}

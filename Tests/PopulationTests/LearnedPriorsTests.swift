import AlcoholKinetics
import Estimation
import Statistics
import StudyData
import TestSupport
import Testing

@testable import Population

/// From whom the prior of a series learns.
@Suite struct LearnedPriorsTests {
  private static func prior() throws -> PopulationPrior {
    try PosteriorTests.population(
      populationText(
        typical: ["ka": 3, "beta": 0.15, "r": 0.68], between: ["ka": 0.1, "beta": 0.01, "r": 0.01],
        studies: ["beta": 0.04, "r": 0.03], residual: ["sd": 0.02]))
  }

  private static func series(_ subject: String, _ occasion: String? = nil) -> Series {
    Series(subject: Subject(id: subject), occasion: occasion, drinks: [], readings: [])
  }

  /// What a series says whose beta and r are that far from the expected ones.
  private static func completed(
    _ series: Series, _ distance: Double, _ prior: PopulationPrior
  ) -> CompletedSeries {
    let size = prior.typical.count
    let precision = Dense(diagonal: [Double](repeating: 80, count: size))
    return CompletedSeries(
      subject: series.subject.id, occasion: series.occasion, precision: precision,
      weighted: [Double](repeating: 80 * distance, count: size), besides: Dense(size, size))
  }

  private static func bits(_ prior: PopulationPrior) -> [Double] {
    prior.typical + prior.covariance.numbers + prior.between.numbers + prior.within.numbers
  }

  private static let people = ["ann", "bob", "cy", "dee"].map { series($0) }

  private static func learned(
    _ series: [Series], _ rule: LearnedPriors.Rule?, other: [CompletedSeries] = []
  ) throws -> LearnedPriors {
    let prior = try prior()
    let completed = series.map { one in
      Self.completed(one, 0.01 * Double(one.subject.id.count + (one.occasion ?? "").count), prior)
    }
    return LearnedPriors(
      prior, series, completed: completed, rule: rule, other: other, called: "other")
  }

  @Test func learningFromNobodyChangesNothing() throws {
    let prior = try Self.prior()
    let alone = Self.series("ann")
    for learned in [
      LearnedPriors(prior), try Self.learned([alone], .others),
      try Self.learned(Self.people, .before),
    ] {
      #expect(Self.bits(learned.population(of: alone)) == Self.bits(prior))
      #expect(learned.peopleCount(for: alone) == 0)
    }
  }

  @Test func orderOfPeopleDoesNotMatter() throws {
    let one = try Self.learned(Self.people, .others)
    let other = try Self.learned(Self.people.reversed(), .others)
    for series in Self.people {
      #expect(one.peopleCount(for: series) == 3)
      #expect(Self.bits(one.population(of: series)) == Self.bits(other.population(of: series)))
      #expect(Self.bits(one.population(of: series)) != Self.bits(one.base))
    }
  }

  /// Neither from another occasion, nor from the same name in another study; what both studies hold counts once.
  @Test func nobodyLearnsFromThemselves() throws {
    let prior = try Self.prior()
    let twice = [Self.series("ann", "a"), Self.series("ann", "b"), Self.series("bob")]
    let own = try Self.learned(twice, .others)
    #expect(own.peopleCount(for: twice[0]) == 1 && own.peopleCount(for: twice[2]) == 1)
    #expect(
      Self.bits(own.population(of: twice[0])) == Self.bits(own.population(of: twice[1])))
    let other = [Self.completed(Self.series("ann"), 0.1, prior)]
    let both = LearnedPriors(prior, other: other, called: "other")
    #expect(both.peopleCount(for: Self.series("ann")) == 0)
    #expect(both.peopleCount(for: Self.series("eve")) == 1)
    let same = Self.people.map { Self.completed($0, 0.03, prior) }
    let again = LearnedPriors(
      prior, Self.people, completed: same, rule: .others, other: same, called: "other")
    let once = LearnedPriors(prior, Self.people, completed: same, rule: .others)
    #expect(again.peopleCount(for: Self.people[0]) == 3)
    #expect(
      Self.bits(again.population(of: Self.people[0]))
        == Self.bits(once.population(of: Self.people[0])))
  }

  /// Rows are in the opposite order of days; people of one day do not learn from each other. Without a day rows count.
  @Test func beforeIsByDateAndElseByRow() throws {
    let dated = [
      Self.series("ann", "2026-05-09"), Self.series("bob", "2026-05-02 2"),
      Self.series("cy", "2026-05-02"), Self.series("dee", "2026-04-30.2"),
    ]
    let learned = try Self.learned(dated, .before)
    #expect(dated.map(learned.peopleCount) == [3, 1, 1, 0])
    let byRow = try Self.learned(Self.people, .before)
    #expect(Self.people.map(byRow.peopleCount) == [0, 1, 2, 3])
    let mixed = [Self.series("ann", "second"), Self.series("bob", "2026-05-02")]
    let mixedLearned = try Self.learned(mixed, .before)
    #expect(mixed.map(mixedLearned.peopleCount) == [0, 1])
  }

  private static let courses: [(readings: [(Double, Double)], isCompleted: Bool)] = [
    // Fallen to 0.2 g/kg and half of the highest, an hour after drinking.
    ([(30, 0.6), (120, 0.4), (240, 0.15)], true),
    // Still too high, just begun, hardly past a low peak, too soon, nothing but zeros, nothing.
    ([(30, 0.6), (120, 0.4), (240, 0.25)], false), ([(5, 0.05)], false),
    ([(10, 0.05), (20, 0.14), (90, 0.13)], false), ([(1, 0.5), (20, 0.1)], false),
    ([(60, 0), (120, 0)], false), ([], false),
  ]

  @Test(arguments: courses)
  func runningSeriesAreNotCompleted(readings: [(Double, Double)], isCompleted: Bool) {
    let series = Series(
      subject: Subject(id: "a"),
      drinks: [Drink(time: 0, duration: 0.25, ethanol: .mass(40))],
      readings: readings.map {
        Reading(time: Hours($0.0 / 60), value: $0.1, unit: .bloodGramsPerKilogram)
      })
    #expect(series.isCompleted(at: 0.2, using: ConversionFactors()) == isCompleted)
    if isCompleted {
      var again = series
      again.drinks.append(Drink(time: 3.5, ethanol: .mass(10)))
      #expect(!again.isCompleted(at: 0.2, using: ConversionFactors()))
    }
  }

  @Test func aSeriesWithoutReadingsSaysNothing() throws {
    let prior = try Self.prior()
    let series = Series(
      subject: Subject(id: "a", weight: 80), drinks: [Drink(time: 0, ethanol: .mass(40))],
      readings: [])
    #expect(throws: SeriesFailure.tooFewReadings(found: 0, needed: 1)) {
      try CompletedSeries(series, prior: prior)
    }
  }

  /// A few draws may say less than the prior by chance; the evidence is never negative.
  @Test func evidenceIsNeverNegative() throws {
    let prior = try Self.prior()
    for level in [0.05, 0.2, 0.6] {
      let series = PosteriorTests.series([(45, level)])
      let completed = try CompletedSeries(series, prior: prior, options: .init(draws: 200))
      #expect(completed.precision.eigenvalues.allSatisfy { $0 > -1e-6 })
      let learned = prior.learned(from: [completed])
      #expect(learned.covariance.cholesky != nil)
    }
  }
}

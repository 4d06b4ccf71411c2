import AlcoholKinetics
import Estimation
import FittingSupport
import Foundation
import Population
import RealModule
import Statistics
import StudyData
import TestSupport
import Testing

@testable import Validation

@Suite struct PeoplePlanTests {
  /// Variances of logarithms between people and between their occasions.
  private struct Spread {
    let people: Double
    let occasions: Double
    var both: Double { people + occasions }
  }

  /// People who differ in what fits estimate alone.
  ///
  /// - Parameter studies: Variances between studies.
  private static func simple(
    studies: KeyValuePairs<String, Double> = [:]
  ) throws -> PopulationPrior {
    let text = populationText(
      typical: ["ka": 3, "beta": 0.15, "r": 0.7],
      between: ["ka": 0.09, "beta": 0.01, "r": 0.0144],
      within: ["ka": 0.09, "beta": 0.0025, "r": 0.0036], studies: studies, residual: ["sd": 0.02])
    return try PopulationPrior(try PopulationFile(Data(text.utf8)))
  }

  private static let simpleSpreads: [FitParameter: Spread] = [
    .ka: Spread(people: 0.09, occasions: 0.09), .r: Spread(people: 0.0144, occasions: 0.0036),
  ]

  /// A man and a woman.
  private static let pair = [(Sex.male, 180.0, 80.0), (.female, 165, 62)].map {
    sex, height, weight in
    Series(
      subject: Subject(
        id: sex.rawValue, sex: sex, age: 30, height: Metres(centimetres: height),
        weight: Kilograms(weight)),
      drinks: [Drink(time: 0, ethanol: .perBodyWeight(0.6))], readings: [])
  }

  /// Readings that tell everything about everybody.
  private static let rich = SamplingOptions(
    estimate: [.ka, .beta, .r], error: ObservationModel(sd: 0.005, cv: 0), simulations: 0)
  private static let minutes: [Double] = [5, 12, 25, 45, 75, 120, 170, 220]

  /// More people show more, and what is the same is never told apart.
  @Test func morePeopleGiveMorePower() throws {
    let prior = try SamplingPlanTests.fasted()
    let people = [(180.0, 95.0), (165, 60), (172, 70), (190, 110)].enumerated().map { index, body in
      Series(
        subject: Subject(
          id: "\(index)", sex: index % 2 == 0 ? .male : .female, age: 30,
          height: Metres(centimetres: body.0), weight: Kilograms(body.1)),
        drinks: [Drink(time: 0, ethanol: .perBodyWeight(0.5))], readings: [])
    }
    let options = SamplingOptions(estimate: [.ka, .beta, .r], simulations: 0)
    let plan = try PeoplePlan(
      .tell(Watson(), from: GivenRFactor(0.9)), for: people, prior: prior,
      at: [30, 60, 90, 120, 180], options: options, jobs: 2)
    let need = try #require(plan.needs.first)
    let count = try #require(need.people)
    #expect(try #require(need.range).contains(count))
    let powers = plan.rows.map(\.value)
    #expect(powers.first.map { $0 < 0.8 } == true && powers.last == 1)
    let none = try PeoplePlan(
      .tell(GivenRFactor(0.7), from: GivenRFactor(0.7001)), for: people, prior: prior,
      at: [60, 120], options: options)
    #expect(none.needs.first?.people == nil)
  }

  /// The relative standard error of typical values is that of the spread over the root of the number of people.
  @Test func typicalValueErrorShrinksWithRootOfPeople() throws {
    let one = Series(
      subject: SimulatedSeries.man, drinks: [Drink(time: 0, ethanol: .mass(50))], readings: [])
    let plan = try PeoplePlan(
      .typical(relativeError: 0.05), for: [one], prior: Self.simple(),
      at: [10, 20, 30, 45, 60, 90, 120, 150, 180],
      options: SamplingOptions(
        estimate: [.ka, .beta, .r], error: ObservationModel(sd: 0.01, cv: 0)),
      jobs: 2)
    let need = try #require(plan.needs.first { $0.parameter == .r })
    let expected = try #require(Self.simpleSpreads[.r]).both / (0.05 * 0.05)
    let ratio = Double(try #require(need.people)) / expected
    // Estimates scatter a little more than people do.
    #expect(0.7...1.6 ~= ratio, "\(ratio)")
  }

  /// People of one study differ as people do; how studies differ is nothing that more people would show.
  @Test func spreadBetweenStudiesIsNotThatOfPeople() throws {
    let spreads: [KeyValuePairs<String, Double>] = [
      [:], ["beta": 0.04, "r": 0.01, "beta,r": 0.005],
    ]
    let drawn = try spreads.map { studies in
      try MadeUpPeople(
        .typical(relativeError: 0.05), Self.pair, Self.simple(studies: studies), Self.minutes, 2,
        Self.rich
      ).cases(7).map(\.parameters.values)
    }
    #expect(drawn[0].count == 2)
    for (alone, among) in zip(drawn[0], drawn[1]) {
      for parameter in [FitParameter.ka, .beta, .r] {
        #expect(among[known: parameter] == alone[known: parameter])
      }
    }
  }

  // MARK: Effects

  private func needed(
    _ covariate: PopulationModel.Covariate, _ percent: Double, occasions: Int
  ) throws -> (people: Double, row: PeoplePlan.Row) {
    let people = try MadeUpPeople(
      .effect(covariate, ratio: 1 + percent / 100), Self.pair, Self.simple(), Self.minutes,
      occasions, Self.rich)
    var trial = try EffectTrial(covariate, people, jobs: 2)
    trial.rounds = [800, 3000]
    let (rows, needs) = try trial.found()
    return (
      Double(try #require(needs.first?.people)),
      try #require(rows.min { abs($0.value - 0.8) < abs($1.value - 0.8) })
    )
  }

  private static let sex = PopulationModel.Covariate(
    parameter: .kinetic(.r), name: "sex", form: .power)
  private static let food = PopulationModel.Covariate(
    parameter: .kinetic(.ka), name: "food", form: .power)

  /// With fully informative readings the power is that of comparing two means of logarithms.
  @Test(arguments: [(sex, 15.0, 1), (food, -20, 2), (food, -20, 4)])
  func covariateEffectNeedsThePeopleOfTwoMeans(
    covariate: PopulationModel.Covariate, percent: Double, occasions: Int
  ) throws {
    let effect = Double.log(1 + percent / 100)
    let spread = try #require(Self.simpleSpreads[covariate.kinetic ?? .ka])
    // Two groups of people, each of half of them; or on half of everybody's occasions each.
    let variance =
      occasions == 1 ? 4 * spread.both : 4 * spread.occasions / Double(occasions)
    let expected = variance * 7.849 / (effect * effect)
    let found = try needed(covariate, percent, occasions: occasions)
    // The Monte Carlo error is a tenth, and likelihood ratios of large effects are smaller than their first order.
    #expect(0.7...1.5 ~= found.people / expected, "\(found) \(expected)")
    let distance = abs(found.row.value - 0.8)
    #expect(distance < 0.15 + 3 * found.row.error, "\(found.row)")
  }

  /// The seed alone determines the plan, for any number of threads.
  @Test func equalSeedsGiveEqualPlans() throws {
    let people = try MadeUpPeople(
      .effect(Self.sex, ratio: 1.3), Self.pair, SamplingPlanTests.fasted(), [20, 60, 120, 180], 1,
      Self.rich)
    let found = try [1, 2].map { jobs in
      var trial = try EffectTrial(Self.sex, people, jobs: jobs)
      trial.rounds = [200]
      return try trial.found().0.map(\.value)
    }
    #expect(found[0] == found[1])
  }

  /// Half of the occasions are after a meal, of each person and of everybody's first.
  @Test func foodGroupsAreBalanced() throws {
    let people = try MadeUpPeople(
      .effect(Self.food, ratio: 0.6), Self.pair, SamplingPlanTests.fasted(), [60], 2, Self.rich)
    let series = try people.measured(0..<40)
    #expect(series.count == 80)
    for own in series.grouped(by: \.subject.id) {
      #expect(Set(own.values.map(\.subject.food)) == [.fasted, .fed])
    }
    let first = series.filter { $0.occasion == "1" }
    #expect(first.count { $0.subject.food == .fed } == 20)
    let women = first.filter { $0.subject.sex == .female }
    #expect(15...25 ~= women.count)
    #expect(
      women.contains { $0.subject.food == .fed } && women.contains { $0.subject.food == .fasted })
  }

  @Test func undetectableEffectsAreRefused() throws {
    let prior = try SamplingPlanTests.fasted()
    func plan(_ covariate: PopulationModel.Covariate, _ ratio: Double, of people: [Series]) throws {
      _ = try PeoplePlan(
        .effect(covariate, ratio: ratio), for: people, prior: prior, at: [60, 120, 180],
        options: Self.rich)
    }
    let height = PopulationModel.Covariate(parameter: .kinetic(.vmax), name: "sex", form: .power)
    let shoe = PopulationModel.Covariate(parameter: .kinetic(.r), name: "shoe", form: .power)
    for (covariate, ratio, people, message) in [
      (Self.sex, 1, Self.pair, "an effect of nothing"), (Self.sex, .nan, Self.pair, "an effect"),
      (Self.sex, 1.2, [Self.pair[0]], "the same for everybody"), (Self.sex, 1.2, [], "nobody"),
      (height, 1.2, Self.pair, "do not differ in vmax"),
      (shoe, 1.2, Self.pair, "the covariate shoe of male is missing"),
    ] as [(PopulationModel.Covariate, Double, [Series], String)] {
      let failure = #expect(throws: SeriesFailure.self) {
        try plan(covariate, ratio, of: people)
      }
      #expect(failure?.description.contains(message) == true, "\(String(describing: failure))")
    }
  }
}

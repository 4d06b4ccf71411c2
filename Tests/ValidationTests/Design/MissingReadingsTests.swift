import AlcoholKinetics
import Estimation
import FittingSupport
import Population
import Spreadsheets
import StudyData
import TestSupport
import Testing

@testable import Validation

@Suite struct MissingReadingsTests {
  private static let drinks = [Drink(time: 0, ethanol: .mass(40))]

  private func fit(_ series: Series) throws -> SeriesFit {
    try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r])).fit(series)
  }

  /// Readings after absorption alone leave k_a open; with those that are named a fit has it as certain as it was said.
  @Test func whatIsNamedWouldHaveHelped() throws {
    var noisy = try SimulatedSeries.series(
      ka: 3.5, drinks: Self.drinks, everyMinutes: 5, count: 44)
    for index in noisy.readings.indices {
      noisy.readings[index].value += 0.01 * [1, -1, -0.5, 0.8, -0.9, 0.4][index % 6]
    }
    var late = noisy
    late.readings = noisy.readings.filter {
      $0.time >= 2 && Int($0.time.minutes.rounded()) % 15 == 0
    }
    let open = try fit(late)
    #expect(open.estimates[.ka]?.isDetermined == false)
    let missing = try #require(MissingReadings(for: .ka, in: open, of: late))
    #expect(missing.within <= MissingReadings.goal && missing.minutes.count <= 3)
    #expect(missing.minutes.allSatisfy { $0 < 60 })
    var more = late
    more.readings += noisy.readings.filter { reading in
      missing.minutes.contains { abs($0 - reading.time.minutes) < 0.1 }
    }
    let closed = try #require(try fit(more.inOrder).estimates[.ka])
    #expect(closed.isDetermined)
    let (low, high) = (try #require(closed.low), try #require(closed.high))
    let half = (high - low) / 2 / closed.value
    #expect(half < 2 * missing.within, "\(half) \(missing)")
    #expect(MissingReadings(for: .beta, in: open, of: late) == nil)
  }

  /// From times alone: somebody typical, first measured after two hours or all along.
  @Test func timesThatCannotTell() throws {
    func series(_ minutes: [Double]) -> Series {
      Series(
        subject: SimulatedSeries.man, drinks: Self.drinks,
        readings: minutes.map {
          Reading(time: Hours(minutes: $0), value: 0.4, unit: .bloodGramsPerKilogram)
        })
    }
    let late = try #require(
      MissingReadings(for: .ka, timesOf: series([120, 140, 160, 180, 200])))
    #expect(late.minutes.contains { $0 < 30 })
    #expect(MissingReadings(for: .ka, timesOf: series([10, 20, 40, 80, 120, 180])) == nil)
  }

  /// More people show more, and what is the same is never told apart.
  @Test func morePeopleShowMore() throws {
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
  @Test func typicalValuesNeedPeople() throws {
    let prior = try SamplingPlanTests.fasted()
    let one = Series(
      subject: SimulatedSeries.man, drinks: [Drink(time: 0, ethanol: .mass(50))], readings: [])
    let plan = try PeoplePlan(
      .typical(relativeError: 0.05), for: [one], prior: prior,
      at: [10, 20, 30, 45, 60, 90, 120, 150, 180],
      options: SamplingOptions(
        estimate: [.ka, .beta, .r], error: ObservationModel(sd: 0.01, cv: 0)),
      jobs: 2)
    let known = try prior.prior(for: one.subject)
    let place = try #require(known.parameters.firstIndex(of: .r))
    let spread = known.covariance[place * (known.parameters.count + 1)].squareRoot()
    let need = try #require(plan.needs.first { $0.parameter == .r })
    let expected = (spread / 0.05) * (spread / 0.05)
    let ratio = Double(try #require(need.people)) / expected
    // Estimates scatter a little more than people do.
    #expect(0.7...1.6 ~= ratio, "\(ratio)")
  }
}

extension Series {
  fileprivate var inOrder: Series {
    var series = self
    series.readings.sort { $0.time < $1.time }
    return series
  }
}

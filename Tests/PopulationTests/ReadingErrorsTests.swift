import AlcoholKinetics
import Estimation
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Population

@Suite struct ReadingErrorsTests {
  private static func errors(
    freedom: Int? = 3, absorption: Double = 0, times: [Double] = [24], cv: Double = 0
  ) -> ReadingErrors {
    ReadingErrors(
      ObservationModel(sd: 0.02, cv: cv), degreesOfFreedom: freedom, absorption: absorption,
      correlationTimes: times.map { Hours($0 / 60) })
  }

  /// The filter's density is that of all readings at once: Student's, with the covariance matrix written out.
  @Test(arguments: [3, nil])
  func filterMatchesJointDensity(freedom: Int?) throws {
    let errors = Self.errors(freedom: freedom)
    let times = [0.2, 0.3, 0.7, 1.5, 1.6]
    let distances = [0.03, 0.05, -0.01, 0.02, 0.04]
    let filter = ErrorFilter(errors, times: times, areCensored: times.map { _ in false })
    func log(_ scale: Double) -> Double {
      filter.result(distances.map { scale * $0 }, times.map { _ in 0.02 }).logDensity
    }
    var matrix = Dense(5, 5)
    for i in 0..<5 {
      for j in 0..<5 {
        matrix[i, j] = 0.9 * Foundation.exp(-abs(times[i] - times[j]) / 0.4) + (i == j ? 0.1 : 0)
      }
    }
    let inverse = try #require(matrix.inverted?.inverse)
    func expected(_ scale: Double) -> Double {
      let z = distances.map { scale * $0 / 0.02 }
      let square = dot(z, inverse * z)
      guard let freedom else { return -0.5 * square }
      let nu = Double(freedom)
      return -0.5 * (nu + 5) * Foundation.log(1 + square / nu)
    }
    for scale in [0.0, 0.5, 3] {
      #expect(abs((log(scale) - log(1)) - (expected(scale) - expected(1))) < 1e-10)
    }
  }

  /// Independent errors: the sum of the logarithms, reading by reading, however many share one.
  @Test(arguments: [1, 8, 9, 20]) func independentErrorsSumLogDensities(count: Int) throws {
    let errors = Self.errors(freedom: nil, times: [])
    let times = (0..<count).map { 0.1 * Double($0) }
    let filter = ErrorFilter(errors, times: times, areCensored: times.map { _ in false })
    let distances = times.map { 0.02 * Foundation.sin(9 * $0) }
    let deviations = times.map { 0.01 + 0.01 * $0 }
    let expected = zip(distances, deviations).reduce(0) { sum, reading in
      let z = reading.0 / reading.1
      return sum - 0.5 * z * z - Foundation.log(reading.1)
    }
    #expect(abs(filter.result(distances, deviations).logDensity - expected) < 1e-11)
  }

  /// The state of the errors after the last reading is the conditional normal distribution.
  @Test func statesAreConditionalDistributions() throws {
    let errors = Self.errors(freedom: nil)
    let filter = ErrorFilter(errors, times: [1, 1.4], areCensored: [false, false])
    let result = filter.result([0.02, 0.04], [0.02, 0.02])
    var stream = RandomStream(1)
    let (size, state) = filter.draw(result, &stream)
    #expect(size == 1)
    // z = (1, 2); cov(x at the end, z) = (0.9 e^-1, 0.9), var z = 1, cov = 0.9 e^-1.
    let c = 0.9 * Foundation.exp(-1)
    let weights = [(c - 0.9 * c) / (1 - c * c), (0.9 - c * c) / (1 - c * c)]
    let mean = weights[0] * 1 + weights[1] * 2
    let variance = 0.9 - weights[0] * c - weights[1] * 0.9
    let now = ErrorAhead(size: 1, state: state, deviate: 0).correlated(after: 0)
    #expect(abs(now - mean) < 1e-12)
    let moved = ErrorAhead(size: 1, state: state, deviate: 1).correlated(after: 0)
    #expect(abs((moved - now) - variance.squareRoot()) < 1e-12)
    // Far ahead nothing is left of them.
    #expect(abs(ErrorAhead(size: 1, state: state, deviate: 0).correlated(after: 100)) < 1e-12)
  }

  /// A censored reading says only that it is below its limit: far below it adds nothing.
  @Test func censoredReadingsAddAProbability() throws {
    let errors = Self.errors()
    let filter = ErrorFilter(errors, times: [1, 1.4, 9], areCensored: [false, false, true])
    let without = ErrorFilter(errors, times: [1, 1.4], areCensored: [false, false])
    let two = without.result([0.02, 0.04], [0.02, 0.02]).logDensity
    let far = filter.result([0.02, 0.04, 10], [0.02, 0.02, 0.02]).logDensity
    let above = filter.result([0.02, 0.04, -0.1], [0.02, 0.02, 0.02]).logDensity
    #expect(abs(far - two) < 1e-9 && above < two - 1)
  }

  @Test(arguments: [0.01, 0.3, 1, 2.5, 9])
  func unabsorbedAmountMatchesGutOfTheModel(time: Double) throws {
    let drinks = [
      Drink(time: 0, ethanol: .mass(20)), Drink(time: 0.5, duration: 0.75, ethanol: .mass(30)),
      Drink(time: 1, ethanol: .mass(10), route: .intravenous),
    ]
    let regimen = try Regimen(drinks, bodyWeight: 70)
    let (ka, lag) = (2.3, 0.2)
    // Minute by minute, half a second at a time.
    var (gut, drunk) = (0.0, 0.0)
    let step = 1.0 / 7200
    var moment = 0.0
    while moment < time - 1e-12 {
      let next = min(time, moment + step)
      func input(until end: Double) -> Double {
        (end > 0 ? 20.0 / 70 : 0) + 30.0 / 70 * min(max((end - 0.5) / 0.75, 0), 1)
      }
      gut =
        gut * Foundation.exp(-ka * (next - moment)) + input(until: next - lag)
        - input(until: moment - lag)
      drunk = input(until: next) - input(until: next - lag)
      moment = next
    }
    let found = regimen.unabsorbed(at: time, ka: ka, lag: lag)
    #expect(abs(found - (gut + drunk)) < 2e-4)
  }

  @Test(arguments: [
    ("sd_df", "0"), ("sd_df", "2.5"), ("absorption_kg_per_g", "-1"), ("correlation_min", "0"),
    ("correlation_min", #""x""#), ("correlation_min", "[24]"),
  ])
  func refusesImpossibleErrorModels(_ error: String, _ value: String) throws {
    let text = populationText(
      typical: ["ka": 3, "beta": 0.15, "r": 0.68],
      between: ["ka": 0.2, "beta": 0.02, "r": 0.01], residual: ["sd": 0.02, error: 77]
    ).replacing("77.0", with: value)
    let failure = try #require(throws: PopulationFailure.self) {
      try PosteriorTests.population(text)
    }
    #expect(failure.code == "E_FILE_FORMAT")
  }
}

/// The priors that ship, on subjects who are like theirs and on others.
@Suite struct ShippedPriorTests {
  private func shipped(_ name: String) throws -> PopulationPrior {
    try PosteriorTests.population(try #require(PopulationPrior.shippedText(name)))
  }

  private func man(_ more: [(Double, Double)] = [], sex: Sex? = .male, grams: Double = 50) -> Series
  {
    Series(
      subject: Subject(id: "a", sex: sex, age: 30, weight: 75),
      drinks: [Drink(time: 0, ethanol: .mass(Grams(grams)))],
      readings: more.map {
        Reading(time: Hours($0.0 / 60), value: $0.1, unit: .bloodGramsPerKilogram)
      })
  }

  /// The prior for unknown sex lies between those of women and men, and is wider than either.
  @Test(arguments: PopulationPrior.shippedNames)
  func subjectsOfUnknownSexHaveAPrior(_ name: String) throws {
    let prior = try shipped(name)
    func line(_ sex: Sex?) throws -> (mean: Double, variance: Double) {
      let own = try prior.prior(
        of: Series(subject: Subject(id: "a", sex: sex), drinks: [], readings: []))
      let place = try #require(own.parameters.firstIndex(of: .beta))
      return (own.mean[place], own.covariance[place * (own.parameters.count + 1)])
    }
    let (men, women, either) = (try line(.male), try line(.female), try line(nil))
    #expect(abs(either.mean - 0.5 * (men.mean + women.mean)) < 1e-12)
    let quarter = 0.25 * (men.mean - women.mean) * (men.mean - women.mean)
    #expect(abs(either.variance - men.variance - quarter) < 1e-12)
    #expect(try Posterior(of: man(sex: nil), prior: prior).diagnostics.isReliable)
    #expect(prior.reasonsOutside(of: man(sex: nil))?.contains("sex unknown") == true)
    #expect(prior.reasonsOutside(of: man()) == nil)
  }

  /// The spread of beta in a study that nobody has seen is at least what published means of studies show (medians
  /// from 0.126 to 0.200 g/kg/h), together with that between subjects.
  @Test(arguments: PopulationPrior.shippedNames)
  func shippedPriorsAreWideEnoughForAnotherStudy(_ name: String) throws {
    let own = try shipped(name).prior(
      of: Series(subject: Subject(id: "a", sex: .male), drinks: [], readings: []))
    let place = try #require(own.parameters.firstIndex(of: .beta))
    let sd = own.covariance[place * (own.parameters.count + 1)].squareRoot()
    #expect((0.2...0.35).contains(sd))
    for beta in [0.10, 0.20] {
      #expect(abs(Foundation.log(beta) - own.mean[place]) < 1.96 * sd, "\(beta)")
    }
  }

  @Test func subjectsBeyondTheDomainAreNamed() throws {
    let prior = try shipped("fasted")
    var old = man(grams: 200)
    old.subject.age = 80
    old.subject.food = .fed
    let reasons = try #require(prior.reasonsOutside(of: old))
    #expect(
      reasons.contains("80.0 years") && reasons.contains("2.67 g/kg") && reasons.contains("fed"))
    var options = FitOptions(interval: nil)
    prior.apply(to: &options)
    old.readings = man([(60, 2.5), (120, 2.4), (240, 2.1), (360, 1.7)]).readings
    let fit = try SeriesFitter(options: options).fit(old)
    #expect(fit.warnings.contains { $0.code == "W_PRIOR_OUTSIDE" })
  }

  /// The size of a subject's errors is the subject's own: readings that scatter ten times as far leave more open.
  @Test func noisyReadingsLeaveMoreOpen() throws {
    let prior = try shipped("fasted")
    let level = [(90.0, 0.80), (120, 0.73), (150, 0.66), (180, 0.59), (210, 0.52), (240, 0.45)]
    func width(_ noise: Double) throws -> Double {
      let readings = level.enumerated().map { index, point in
        (point.0, point.1 + (index.isMultiple(of: 2) ? noise : -noise))
      }
      let minutes = try Forecast(Posterior(of: man(readings), prior: prior)).minutesToThreshold(0.2)
      return minutes.interval(0.9).high - minutes.interval(0.9).low
    }
    #expect(try width(0.06) > 1.5 * width(0.006))
  }

  /// The forecast time is not before a last reading above the limit, and its interval narrows as readings approach the
  /// limit.
  @Test func forecastsEndAtTheLastReading() throws {
    let prior = try shipped("unknown")
    let all = (0..<9).map { index -> (Double, Double) in
      let step = Double(index)
      return (60 + 30 * step, 0.85 - 0.075 * step)
    }
    var before = Double.infinity
    for count in [3, 5, 7] {
      let minutes = try Forecast(Posterior(of: man(Array(all.prefix(count))), prior: prior))
        .minutesToThreshold(0.2)
      #expect(minutes.values[0] >= all[count - 1].0)
      let width = minutes.interval(0.9).high - minutes.interval(0.9).low
      #expect(width < before)
      before = width
    }
  }
}

@Suite struct LastReadingsLineTests {
  private func observations(_ points: [(Double, Double)]) -> [Observations.Observation] {
    let series = PosteriorTests.series(points)
    return Observations(
      series, uses: points.map { _ in .quantified }, ReadingSelection(), nil, ConversionFactors()
    ).all
  }

  private let regimen: Regimen

  init() throws {
    regimen = try Regimen([Drink(time: 0, ethanol: .mass(40))], bodyWeight: 70)
  }

  /// Readings on a line of slope 0.2 g/kg/h: the median goes there, between the prior's 0.15 and the line's.
  @Test func lineFollowsTheLastReadings() throws {
    let points = [(60.0, 0.9), (90, 0.8), (120, 0.7), (150, 0.6), (180, 0.5)]
    let line = try #require(LastReadingsLine(observations(points), of: regimen, draws: 2000, 1))
    #expect(line.draws.count == 2000)
    let slopes = Draws(line.draws.map(\.slope))
    #expect((0.18...0.205).contains(slopes.median))
    #expect(slopes.interval(0.9).low < 0.2 && slopes.interval(0.9).high > 0.2)
    let hours = Draws(line.draws.map { $0.hours(to: 0.2) })
    #expect((1.4...1.7).contains(hours.median))
  }

  @Test func lineNeedsTwoReadingsAfterThePeakAndNoDrinkAhead() throws {
    #expect(LastReadingsLine(observations([]), of: regimen, draws: 10, 1) == nil)
    let one = observations([(30, 0.6), (60, 0.9), (90, 0.8)])
    #expect(LastReadingsLine(one, of: regimen, draws: 10, 1) == nil)
    let two = observations([(30, 0.6), (60, 0.9), (90, 0.8), (120, 0.7)])
    #expect(LastReadingsLine(two, of: regimen, draws: 10, 1) != nil)
    let later = try Regimen(
      [Drink(time: 0, ethanol: .mass(40)), Drink(time: 2.5, ethanol: .mass(10))], bodyWeight: 70)
    #expect(LastReadingsLine(two, of: later, draws: 10, 1) == nil)
  }
}

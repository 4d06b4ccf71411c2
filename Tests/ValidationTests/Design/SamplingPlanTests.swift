import AlcoholKinetics
import Estimation
import FittingSupport
import Foundation
import Population
import RealModule
import Statistics
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Validation

@Suite struct SamplingPlanTests {
  private static let truth: [FitParameter: Double] = [.ka: 4, .beta: 0.15, .r: 0.65]
  private static let three: Set<FitParameter> = [.ka, .beta, .r]

  private func oneCase(
    _ drinks: [Drink] = [Drink(time: 0, ethanol: .mass(40))],
    _ values: [FitParameter: Double] = truth, _ model: EliminationModel = .widmark
  ) throws -> DesignCase {
    try DesignCase(
      Series(subject: SimulatedSeries.man, drinks: drinks, readings: []),
      try ModelParameters(model, values))
  }

  static func fasted() throws -> PopulationPrior {
    let text = try #require(PopulationPrior.shippedText("fasted"))
    return try PopulationPrior(try PopulationFile(Data(text.utf8)))
  }

  // MARK: The search

  /// Every choice of four of the candidates, one after the other.
  private func bruteForce(_ search: DesignSearch, _ count: Int) -> Double {
    func best(_ chosen: [Int], from next: Int) -> Double {
      guard chosen.count < count else { return search.value(of: chosen) }
      var found = -Double.infinity
      for candidate in next..<search.minutes.count {
        let isApart = chosen.last.map {
          search.minutes[candidate] - search.minutes[$0] >= search.apart
        }
        if isApart ?? true { found = max(found, best(chosen + [candidate], from: candidate + 1)) }
      }
      return found
    }
    return best([], from: 0)
  }

  @Test(
    arguments: [
      (DesignAim.everything, nil), (.parameters([.ka]), nil), (.parameters([.beta, .r]), nil),
      (.quantity(.timeToThreshold), nil), (.everything, 0.4), (.quantity(.timeToThreshold), 0.4),
    ] as [(DesignAim, Double?)])
  func exchangeAlgorithmMatchesExhaustiveSearch(aim: DesignAim, correlation: Double?) throws {
    let options = SamplingOptions(
      estimate: Self.three, aim: aim, derived: DerivedOptions(threshold: 0.2),
      error: ObservationModel(sd: 0.02, cv: 0.03), correlationTime: correlation.map { Hours($0) },
      limit: 0.05, apart: 20, step: 12, simulations: 0)
    for cases in [[try oneCase()], [try oneCase(), try oneCase(SimulatedSeries.drinks)]] {
      let search = try Candidates(cases, options, beside: [], readings: 4).search
      let found = try #require(try search.best(4, starts: 8, seed: 1, jobs: 2))
      let best = bruteForce(search, 4)
      #expect(abs(search.value(of: found) - best) < 1e-9, "\(aim) \(found)")
    }
  }

  /// Theophylline in horses: the D-optimal times of a one-compartment curve (Atkinson, Chaloner, Herzberg & Juritz 1993,
  /// Biometrics 49, 325: 0.2288, 1.3886 and 18.417 h). They do not depend on how the curve is written.
  @Test func planMatchesPublishedTimes() throws {
    let one = try oneCase(
      [Drink(time: 0, ethanol: .mass(40))], [.ka: 4.298, .ke: 0.05884, .r: 0.65], .firstOrder)
    let early: [Double] = (1...300).map { 0.3 * Double($0) }
    let late: [Double] = (0..<2000).map { 90.6 + 0.6 * Double($0) }
    let plan = try SamplingPlan(
      of: 3, for: [one],
      options: SamplingOptions(
        estimate: [.ka, .ke, .r], apart: 0, until: 2000, candidates: early + late, starts: 4,
        simulations: 0))
    for (found, published) in zip(plan.best.minutes, [0.2288, 1.3886, 18.417]) {
      let error: Double = abs(found / 60 - published)
      #expect(error < 0.006, "\(plan.best.minutes)")
    }
  }

  /// Readings are where they can be, in each way of forbidding them.
  @Test func forbiddenTimesAreNotChosen() throws {
    let one = try oneCase([
      Drink(time: 0.5, duration: 0.25, ethanol: .mass(30)), Drink(time: 2, ethanol: .mass(20)),
    ])
    let options = SamplingOptions(
      estimate: Self.three, mouthAlcoholWindow: 0.25, forbidden: [200...400], apart: 17,
      kept: [33], simulations: 0)
    let minutes = try SamplingPlan(of: 6, for: [one], options: options).best.minutes
    #expect(minutes.count == 7 && minutes.contains(33))
    // Minutes count from the first drink.
    #expect(minutes.allSatisfy { !(1..<30).contains($0) && !(91..<105).contains($0) })
    #expect(minutes.allSatisfy { !(200...400).contains($0) })
    #expect(zip(minutes, minutes.dropFirst()).allSatisfy { $1 - $0 >= 17 })
    #expect(throws: SeriesFailure.self) {
      try SamplingPlan(of: 30, for: [one], options: options)
    }
  }

  // MARK: What is expected

  /// The information of readings is the one by which fits tell standard errors.
  @Test(arguments: [ObservationModel(sd: 0.02, cv: 0), ObservationModel(sd: 0.01, cv: 0.04)])
  func standardErrorsMatchFits(error: ObservationModel) throws {
    let one = try oneCase(SimulatedSeries.drinks)
    var series = try SimulatedSeries.series(everyMinutes: 25, count: 12)
    series.subject = one.series.subject
    let minutes = series.readings.map(\.time.minutes)
    let options = SamplingOptions(
      estimate: Self.three, derived: DerivedOptions([.timeToThreshold], threshold: 0.2),
      error: error, isErrorKnown: true, simulations: 0)
    let expected = try SamplingPlan(of: 3, for: [one], planned: minutes, options: options).planned
    var fitOptions = one.fitOptions(options)
    fitOptions.derived = options.derived
    fitOptions.interval = nil
    let fit = try SeriesFitter(options: fitOptions).fit(series)
    for one in try #require(expected).expected {
      let own: Double? =
        switch one.subject {
        case .parameter(let parameter): fit.estimates[parameter]?.standardError
        case .quantity: fit.derived.first?.standardError
        }
      let ratio = one.standardError / (try #require(own))
      #expect(abs(ratio - 1) < 1e-4, "\(one.subject) \(ratio)")
    }
  }

  /// The share of a reading that may be below detection: the variance of its score, by adding it up.
  @Test(arguments: [-3.0, -1, 0, 0.7, 2.5])
  func informationOfCensoredReadingMatchesIntegral(z: Double) {
    let step = 1e-4
    func density(_ x: Double) -> Double { .exp(-0.5 * x * x) / (2 * Double.pi).squareRoot() }
    let above = stride(from: z + step / 2, to: 12, by: step).reduce(0) {
      $0 + $1 * $1 * density($1) * step
    }
    let below = stride(from: -12 + step / 2, to: z, by: step).reduce(0) { $0 + density($1) * step }
    let expected = above + density(z) * density(z) / below
    #expect(abs(ExpectedReadings.share(z: z) - expected) < 1e-5)
  }

  /// Warfarin in 32 people: the relative standard errors that PopED prints for clearance, volume and k_a (4.738266,
  /// 2.756206 and 13.925829 %; the example of Nyberg et al. 2015, Br J Clin Pharmacol 79, 6, of which babelmixr2's
  /// inst/poped/ex.2.a.warfarin.evaluate.babelmixr2.R quotes PopED's output). People differ by variances omega^2 of the
  /// logarithms. By Woodbury's identity the standard error of a typical value is then sqrt((omega^2 + s^2) / 32), with s
  /// that of one person.
  @Test func planMatchesPublishedStandardErrors() throws {
    let one = try oneCase(
      [Drink(time: 0, ethanol: .mass(70))], [.ka: 1, .ke: 0.15 / 8, .r: 0.65], .firstOrder)
    let plan = try SamplingPlan(
      of: 3, for: [one], planned: [0.5, 1, 2, 6, 24, 36, 72, 120].map { 60 * $0 },
      options: SamplingOptions(
        estimate: [.ka, .ke, .r], derived: DerivedOptions([.auc]),
        error: ObservationModel(sd: 0, cv: 0.1), isErrorKnown: true, step: 60, starts: 1,
        simulations: 0))
    // The area under the curve is dose over clearance.
    let published: [(ExpectedPrecision.Subject, variance: Double, percent: Double)] = [
      (.quantity(.auc), 0.07, 4.738266), (.parameter(.r), 0.02, 2.756206),
      (.parameter(.ka), 0.6, 13.925829),
    ]
    for (subject, variance, percent) in published {
      let own = try #require(plan.planned?.expected.first { $0.subject == subject })
      let sum = variance + own.coordinateError * own.coordinateError
      let found = 100 * (sum / 32).squareRoot()
      #expect(abs(found - percent) < 1e-5, "\(subject) \(found)")
    }
  }

  @Test func plannedTimesAreWorseOrAsGood() throws {
    let one = try oneCase()
    let options = SamplingOptions(estimate: Self.three, starts: 4, simulations: 0)
    let equal = try SamplingPlan(
      of: 6, for: [one], planned: [60, 120, 180, 240, 300, 360], options: options)
    let efficiency = try #require(equal.efficiency)
    #expect(efficiency > 0 && efficiency < 0.7)
    let same = try SamplingPlan(
      of: 6, for: [one], planned: equal.best.minutes, options: options)
    #expect(abs(try #require(same.efficiency) - 1) < 1e-9)
    for (best, planned) in zip(equal.best.expected, try #require(equal.planned).expected) {
      #expect(best.standardError < planned.standardError)
    }
  }

  /// The informative readings do not depend on their number: Student's quantile of one or two degrees of freedom would
  /// leave out readings of five standard deviations.
  @Test func informativeReadingsAreIndependentOfTheirNumber() throws {
    let one = try oneCase()
    let options = SamplingOptions(estimate: Self.three, starts: 2, simulations: 0)
    let last = try [4, 5, 9].map { count in
      try SamplingPlan(of: count, for: [one], options: options).sensitivities
        .last { $0.slopes.contains { $0 != 0 } }
    }
    let reading = try #require(last[0])
    #expect(last.allSatisfy { $0?.minutes == reading.minutes })
    // z + 1 is 2.96 standard deviations.
    let sd = options.error.sd
    #expect(sd == 0 || 2.96 * sd...3.3 * sd ~= reading.predicted)
  }

  /// Simulated people scatter as expected where readings determine everything, and where they do not it shows.
  @Test func simulationsAgreeWithTheory() throws {
    let one = try oneCase()
    let options = SamplingOptions(estimate: Self.three, simulations: 400)
    let plan = try SamplingPlan(
      of: 9, for: [one], planned: [120, 150, 180, 210, 240, 270], options: options, jobs: 2)
    for expected in plan.best.expected {
      let ratio = try #require(expected.simulatedRatio)
      #expect(0.85...1.15 ~= ratio, "\(expected.subject) \(ratio)")
      #expect(expected.undetermined == 0)
    }
    let late = try #require(plan.planned?.expected.first { $0.subject == .parameter(.ka) })
    #expect(try #require(late.undetermined) > 0.5)
  }

  /// Draws of a prior are like the prior, and the plan is for all of them.
  @Test func aPriorIsAveragedOver() throws {
    let prior = try Self.fasted()
    let series = Series(
      subject: SimulatedSeries.man, drinks: [Drink(time: 0, ethanol: .mass(40))], readings: [])
    let cases = try DesignCase.drawn(64, from: prior, for: series)
    let logs = cases.map { Double.log($0.parameters.values[known: .beta]) }
    let known = try prior.prior(of: series)
    let place = try #require(known.parameters.firstIndex(of: .beta))
    let sample = try #require(Sample(logs))
    #expect(abs(sample.mean - known.mean[place]) < 0.03)
    let spread = known.covariance[place * (known.parameters.count + 1)].squareRoot()
    #expect(abs(try #require(sample.standardDeviation) / spread - 1) < 0.15)
    let options = SamplingOptions(
      estimate: Self.three, step: 10, starts: 2, simulations: 0)
    let plan = try SamplingPlan(of: 5, for: cases, options: options, jobs: 2)
    let local = try SamplingPlan(of: 5, for: [cases[0]], options: options)
    let search = try Candidates(
      cases, options, beside: local.best.minutes, readings: 5)
    let other = search.search.value(of: search.indices(of: local.best.minutes))
    #expect(plan.best.value >= other)
  }
}

/// Six of the readings of each of Wilkinson's dense series, at times that are best for a typical person or equally far
/// apart.
@Suite(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
struct DesignedSubsetTests {
  /// Intervals are narrower, and hold what all readings tell. An evening is missed if an interval of it does not: with
  /// 95 % intervals more than 2 of 14 are in 3 % of such studies.
  @Test func designedSubsetsGiveNarrowerIntervals() throws {
    let study = try StudyReader.read(PackageFolder.shared("wilkinson-1977-oral"))
    let fitter = try SeriesFitter(options: FitOptions(estimate: Self.parameters))
    var ratios: [FitParameter: [Double]] = [:]
    var (evenings, missed) = (0, (designed: 0, equal: 0))
    for series in study.series where series.readings.count >= 12 {
      guard let whole = try? fitter.fit(series), whole.status == .ok else { continue }
      let times = series.readings.map { ($0.time - series.drinks[0].time).minutes }
      // The typical man of this study by a population fit with a lag. What a plan gains depends on such values: for the
      // fasted prior's man, who absorbs faster, or the geometric mean of these men's fits, medians are near 1.
      let typical = try Watson().parameters(
        for: series.subject, .widmark, [.ka: 3.586, .beta: 0.1615, .lag: 0])
      let plan = try SamplingPlan(
        of: 6, for: [try DesignCase(series, typical)],
        options: SamplingOptions(
          estimate: Self.parameters, until: 1000, candidates: times, simulations: 0))
      let last = Double(times.count - 1)
      let equal = (0..<6).map { times[Int((Double($0) * last / 5).rounded())] }
      func some(_ minutes: [Double]) -> Series {
        var some = series
        some.readings = zip(series.readings, times).filter { minutes.contains($0.1) }.map(\.0)
        return some
      }
      let designed = try fitter.fit(some(plan.best.minutes))
      let spaced = try fitter.fit(some(equal))
      evenings += 1
      missed.designed += designed.holds(whole) ? 0 : 1
      missed.equal += spaced.holds(whole) ? 0 : 1
      for parameter in Self.parameters {
        guard let one = designed.estimates[parameter], let other = spaced.estimates[parameter]
        else { continue }
        // Without an end an interval is wider than any that has both.
        ratios[parameter, default: []].append((one.width ?? 1e3) / (other.width ?? 1e3))
      }
    }
    #expect(evenings == 14)
    #expect(missed.designed <= 2 && missed.equal <= 2, "\(missed)")
    for (parameter, ratios) in ratios {
      let median = try #require(Sample(ratios)).median
      #expect(median < 1, "\(parameter) \(ratios.count) \(median)")
    }
  }

  private static let parameters: Set<FitParameter> = [.ka, .beta, .r]
}

extension SeriesFit {
  /// Whether the intervals hold what another fit estimates.
  fileprivate func holds(_ other: SeriesFit) -> Bool {
    estimates.allSatisfy { $1.holds(other.value($0)) }
  }
}

extension ParameterEstimate {
  fileprivate func holds(_ value: Double) -> Bool {
    value >= low ?? -.infinity && value <= high ?? .infinity
  }

  /// The width of the interval of the logarithm; nil if an end is missing.
  fileprivate var width: Double? {
    guard let low, let high, low > 0 else { return nil }
    return .log(high / low)
  }
}

import AlcoholKinetics
import Estimation
import FittingSupport
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

/// Properties of fits to any series.
@Suite struct FitPropertyTests {
  private func fit(
    _ series: Series, _ change: (inout FitOptions) -> Void = { _ in }
  ) throws -> SeriesFit {
    var options = FitOptions(
      fixed: [.r: 0.65], interval: IntervalOptions(kind: .wald))
    change(&options)
    return try SeriesFitter(options: options).fit(series)
  }

  // MARK: - The same bits

  @Test func threadCountDoesNotChangeFits() throws {
    let study = Study(
      name: "noisy", series: try (1...5).map { try NoisySeries.series(seed: $0) })
    let options = FitOptions(estimate: [.ka, .beta, .r], starts: StartDesign(count: 3))
    let alone = try StudyFit.fits(of: study, options: options).map { try $0.result.get() }
    #expect(Set(alone).count == 5)
    for jobs in 2...3 {
      let fits = try StudyFit.fits(of: study, options: options, jobs: jobs)
      #expect(try fits.map { try $0.result.get() } == alone)
    }
  }

  @Test(arguments: [IntervalOptions.Kind.residualBootstrap, .parametricBootstrap])
  func bootstrapsAreReproducibleBySeed(kind: IntervalOptions.Kind) throws {
    let series = try NoisySeries.series(seed: 1)
    func fit(seed: UInt64) throws -> SeriesFit {
      try self.fit(series) {
        $0.interval = IntervalOptions(kind: kind, replicates: 40, seed: seed)
      }
    }
    let first = try fit(seed: 7)
    #expect(try fit(seed: 7) == first)
    #expect(try fit(seed: 8).estimates != first.estimates)
    for estimate in first.estimates.values {
      let low = try #require(estimate.low)
      let high = try #require(estimate.high)
      #expect(low < estimate.value && estimate.value < high)
    }
  }

  /// Readings ten times too high for the drinks: all was absorbed before the first one that counts, so that
  /// k_a stays where it began in many replicates, which sets it no end, and beta runs to its bound.
  @Test(arguments: [IntervalOptions.Kind.residualBootstrap, .parametricBootstrap])
  func replicatesStuckAtTheStartGiveNoIntervalEnd(kind: IntervalOptions.Kind) throws {
    let study = try StudyReader.read(
      PackageFolder.root.appending(path: "datasets/nacar-2021").path(percentEncoded: false))
    let options = FitOptions(
      selection: ReadingSelection(censoring: .oneSided), loss: .huber,
      interval: IntervalOptions(kind: kind, replicates: 100))
    let fit = try SeriesFitter(options: options).fit(study.series[1], instrument: study.instrument)
    #expect(fit.estimates.count == 2)
    let ka = try #require(fit.estimates[.ka])
    #expect(ka.low == nil && ka.high == nil)
    for estimate in fit.estimates.values {
      #expect(estimate.low == nil)
      #expect(estimate.isIdentifiable == false)
    }
  }

  // MARK: - Readings

  /// 50 g at r 0.65 are gone after six and a half hours.
  private func sobered(readings count: Int) throws -> Series {
    try NoisySeries.series(seed: 3, count: count, limit: 0.1)
  }

  /// Two samples at each time: the same minimum, with twice the readings behind it.
  @Test func simultaneousSamplesCountTwice() throws {
    let series = try NoisySeries.series(seed: 5)
    var doubled = series
    doubled.readings = series.readings.flatMap { [$0, $0] }
    let (once, twice) = (try fit(series), try fit(doubled))
    let (few, many) = (Double(series.readings.count), Double(doubled.readings.count))
    let free = Double(once.estimates.count)
    for (parameter, estimate) in once.estimates {
      let other = try #require(twice.estimates[parameter])
      #expect(abs(other.value / estimate.value - 1) < 1e-6)
      let narrower = ((few - free) / (many - free)).squareRoot()
      let (error, otherError) = try (
        #require(estimate.standardError), #require(other.standardError)
      )
      #expect(abs(otherError / error / narrower - 1) < 1e-4)
    }
  }

  @Test(arguments: [Censoring.oneSided, .m3])
  func zerosThatEndASeriesCountOnce(censoring: Censoring) throws {
    let few = try fit(try sobered(readings: 22)) { $0.selection.censoring = censoring }
    let many = try fit(try sobered(readings: 40)) { $0.selection.censoring = censoring }
    #expect(many.count(.repeatedZero) == few.count(.repeatedZero) + 18)
    #expect(many.count(.repeatedZero) > 18)
    #expect(many.estimates == few.estimates)
    #expect(many.criteria == few.criteria)
    #expect(many.usedCount == few.usedCount)
  }

  @Test func withoutCensoringEveryZeroCounts() throws {
    let fit = try fit(try sobered(readings: 40)) { $0.selection.censoring = .none }
    #expect(fit.count(.quantified) == 40)
  }

  @Test func censoringDecidesUseOfReadingsBelowDetection() throws {
    let series = try sobered(readings: 40)
    let below = series.readings.count { $0.value == 0 }
    let uses: [Censoring: ReadingUse] = [
      .drop: .belowDetection, .oneSided: .censored, .m3: .censored,
    ]
    for (censoring, use) in uses {
      let fit = try fit(series) { $0.selection.censoring = censoring }
      #expect(fit.count(use) + fit.count(.repeatedZero) == below, "\(censoring)")
      #expect(fit.count(.quantified) == 40 - below, "\(censoring)")
      // One-sided residuals are no likelihood.
      let hasCriteria = fit.criteria != nil
      #expect(hasCriteria == (censoring != .oneSided), "\(censoring)")
    }
  }

  private func reading(_ minutes: Double, _ value: Double, limit: Double? = nil) -> Reading {
    Reading(
      time: Hours(minutes: minutes), value: value, unit: .bloodGramsPerKilogram,
      limitOfDetection: limit)
  }

  /// The curve is zero before the first drink for all parameters: as data such readings would only add to n.
  @Test(arguments: Censoring.allCases)
  func readingsBeforeTheFirstDrinkAreIgnored(censoring: Censoring) throws {
    let series = try NoisySeries.series(seed: 5, limit: 0.01)
    var watched = series
    watched.readings = [-60, -30, 0].map { reading($0, 0, limit: 0.01) } + series.readings
    for error in [ErrorModel.additive(sd: nil), .proportional(cv: nil)] {
      let (alone, all) = try (
        fit(series) { ($0.selection.censoring, $0.error) = (censoring, error) },
        fit(watched) { ($0.selection.censoring, $0.error) = (censoring, error) }
      )
      #expect(all.count(.beforeDrinking) == 3)
      #expect(all.estimates == alone.estimates)
      #expect(all.criteria == alone.criteria)
      #expect(all.noise == alone.noise)
      #expect(all.warnings == alone.warnings)
    }
  }

  /// Above its limit of detection, or above 0.1 g/kg without one.
  @Test(arguments: [
    (0.011, 0.01, true), (0.01, 0.01, false), (0.101, nil, true), (0.1, nil, false),
  ])
  func warnsOfAlcoholBeforeTheFirstDrink(value: Double, limit: Double?, isClear: Bool) throws {
    var series = try NoisySeries.series(seed: 5)
    series.readings.insert(reading(0, value, limit: limit), at: 0)
    let fit = try fit(series)
    #expect(fit.readings[0].use == .beforeDrinking)
    #expect(fit.warnings.contains(.beforeDrinking([0])) == isClear)
  }

  /// Between two drinks the curve depends on the parameters, and a zero there is a reading.
  @Test func zerosBetweenDrinksAreUsed() throws {
    var series = try NoisySeries.series(seed: 5)
    series.drinks.append(Drink(time: 9, ethanol: .mass(20)))
    series.readings += [reading(520, 0), reading(570, 0.2), reading(600, 0.15)]
    #expect(try fit(series).count(.beforeDrinking) == 0)
  }

  /// With a lag of half an hour nothing can be absorbed before; with one to be estimated it can.
  @Test func readingsDuringAFixedLagAreBeforeDrinking() throws {
    let series = try NoisySeries.series(seed: 5)
    let fixed = try fit(series) { $0.fixed[.lag] = 35.0 / 60 }
    // At 15 and at 35 min; the first is alcohol where there can be none.
    #expect(fixed.readings.map(\.use).prefix(3) == [.beforeDrinking, .beforeDrinking, .quantified])
    #expect(fixed.warnings.contains { $0.code == "W_BEFORE_DRINKING" })
    let estimated = try fit(series) { $0.estimate = [.ka, .beta, .lag] }
    #expect(estimated.count(.beforeDrinking) == 0)
  }

  @Test func mouthAlcoholIsLeftOutUntilItsWindowEnds() throws {
    var series = try NoisySeries.series(seed: 4)
    series.drinks = [Drink(time: 0, duration: Hours(minutes: 15), ethanol: .mass(50))]
    let clean = try fit(series) { $0.selection.mouthAlcoholWindow = Hours(minutes: 20) }
    // At 15 and 35 min; the drink is finished at 15 min, so that the second is just good.
    #expect(clean.readings.map(\.use).prefix(3) == [.mouthAlcohol, .quantified, .quantified])
    series.readings[0].value = 5
    let spoiled = try fit(series) { $0.selection.mouthAlcoholWindow = Hours(minutes: 20) }
    #expect(spoiled.estimates == clean.estimates)
    let longer = try fit(series) { $0.selection.mouthAlcoholWindow = Hours(minutes: 21) }
    #expect(longer.count(.mouthAlcohol) == 2)
    #expect(try fit(series).count(.mouthAlcohol) == 0)
  }

  // MARK: - Bounds

  @Test func estimateStopsAtItsBound() throws {
    let series = try NoisySeries.series(seed: 5)
    let free = try fit(series)
    let bounded = try fit(series) { $0.bounds = [.ka: 8...20] }
    let ka = try #require(bounded.estimates[.ka])
    #expect(abs(ka.value / 8 - 1) < 1e-12)
    #expect(ka.isAtBound)
    #expect(ka.standardError == nil)
    #expect(bounded.warnings.contains(.atBound(.ka)))
    #expect(bounded.objective > free.objective)
    // The other parameter is at its best with k_a at the bound.
    let held = try fit(series) {
      $0.estimate = [.beta]
      $0.fixed[.ka] = 8
    }
    #expect(abs(bounded.value(.beta) / held.value(.beta) - 1) < 1e-6)
  }

  @Test func inactiveBoundsDoNotChangeTheFit() throws {
    let series = try NoisySeries.series(seed: 5)
    let free = try fit(series)
    let bounded = try fit(series) { $0.bounds = [.ka: 0.2...60, .beta: 0.01...1] }
    #expect(bounded.estimates == free.estimates)
    #expect(!bounded.warnings.contains { $0.code == "W_AT_BOUND" })
  }

  // MARK: - What the readings do not determine

  @Test func kaHasNoUpperEndFromReadingsAfterThePeak() throws {
    let series = try NoisySeries.series(seed: 6, sd: 0.01, ka: 15, first: 60, count: 16)
    let fit = try fit(series) { $0.interval = IntervalOptions() }
    let ka = try #require(fit.estimates[.ka])
    let low = try #require(ka.low)
    #expect(low > 1 && low < 15)
    #expect(ka.high == nil)
    #expect(ka.isIdentifiable == false)
    #expect(fit.warnings.contains(.notIdentifiable(.ka, low: low, high: nil)))
    #expect(fit.estimates[.beta]?.isIdentifiable == true)
  }

  /// The readings determine only gain / r and gain x beta.
  @Test func gainRAndBetaAreNotJointlyIdentifiable() throws {
    let fit = try fit(try NoisySeries.series(seed: 7)) {
      $0.estimate = [.r, .gain, .beta]
      $0.fixed = [.ka: 4]
      $0.interval = IntervalOptions()
    }
    for (parameter, estimate) in fit.estimates {
      #expect(estimate.isIdentifiable == false, "\(parameter)")
    }
    #expect(fit.warnings.count { $0.code == "W_NOT_IDENTIFIABLE" } == 3)
  }
}

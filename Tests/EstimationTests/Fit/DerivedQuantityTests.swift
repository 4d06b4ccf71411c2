import AlcoholKinetics
import Estimation
import FittingSupport
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

/// Quantities of fitted curves and their intervals.
@Suite struct DerivedQuantityTests {
  private static let all = Set(DerivedQuantity.allCases)

  private func options(
    _ estimate: Set<FitParameter> = [.ka, .beta, .r],
    interval: IntervalOptions? = IntervalOptions(),
    threshold: GramsPerKilogram = 0.2, model: EliminationModel = .widmark,
    of quantities: Set<DerivedQuantity> = all
  ) -> FitOptions {
    FitOptions(
      model: model, estimate: estimate, interval: interval,
      derived: DerivedOptions(quantities, threshold: threshold))
  }

  private func fit(_ series: Series, _ options: FitOptions) throws -> SeriesFit {
    try SeriesFitter(options: options).fit(series)
  }

  private func estimate(
    _ quantity: DerivedQuantity, _ fit: SeriesFit
  ) throws -> DerivedEstimate {
    try #require(fit.derived.first { $0.quantity == quantity })
  }

  /// One drink of 50 g for 80 kg, by hand.
  @Test func valuesMatchClosedForm() throws {
    let fit = try fit(try NoisySeries.series(seed: 1), options())
    let (ka, beta, r) = (fit.value(.ka), fit.value(.beta), fit.value(.r))
    let dose = 50 / (80 * r)
    let curve = { (t: Double) in dose * (1 - exp(-ka * t)) - beta * t }
    let top = log(ka * dose / beta) / ka
    let value = { (quantity: DerivedQuantity) in try #require(try estimate(quantity, fit).value) }
    #expect(agree(try value(.timeOfPeak), 60 * top, relative: 1e-9))
    #expect(agree(try value(.peak), curve(top), relative: 1e-9))
    #expect(agree(try value(.c0), dose, relative: 1e-12))
    #expect(agree(try value(.beta60), beta, relative: 1e-12))
    #expect(agree(try value(.absorptionHalfLife), 60 * log(2) / ka, relative: 1e-12))
    let zero = try value(.timeToZero) / 60
    #expect(abs(curve(zero)) < 1e-9)
    #expect(abs(curve(try value(.timeToThreshold) / 60) - 0.2) < 1e-9)
    let area = dose * (zero + (exp(-ka * zero) - 1) / ka) - beta * zero * zero / 2
    #expect(agree(try value(.auc), area, relative: 1e-9))
  }

  @Test func monotoneFunctionTransformsTheParametersInterval() throws {
    for kind in IntervalOptions.Kind.allCases {
      let fit = try fit(
        try NoisySeries.series(seed: 2),
        options(interval: IntervalOptions(kind: kind, replicates: 100)))
      let (ka, beta) = (try #require(fit.estimates[.ka]), try #require(fit.estimates[.beta]))
      let (halfLife, beta60) = (
        try estimate(.absorptionHalfLife, fit), try estimate(.beta60, fit)
      )
      #expect(agree(halfLife.low, ka.high.map { 60 * log(2) / $0 }, relative: 1e-9))
      #expect(agree(halfLife.high, ka.low.map { 60 * log(2) / $0 }, relative: 1e-9))
      #expect(agree(beta60.low, beta.low, relative: 1e-9))
      #expect(agree(beta60.high, beta.high, relative: 1e-9))
      #expect(agree(beta60.standardError, beta.standardError, relative: 1e-6))
    }
  }

  /// Readings ten times too high for the drinks, whose fits jump about: the profiles of quantities once went on
  /// for ever. A fit ends where the task of the test is cancelled.
  @Test(.timeLimit(.minutes(10)))
  func derivedIntervalsEndWhereFitsJump() throws {
    let study = try StudyReader.read(PackageFolder.dataset("nacar-2021"))
    for estimate in [[FitParameter.ka, .beta, .r], [.ka, .beta]] {
      let fitter = try SeriesFitter(options: options(Set(estimate), threshold: 0.5))
      for series in study.series {
        let fit = try fitter.fit(series, instrument: study.instrument)
        #expect(fit.derived.count == Self.all.count)
      }
    }
  }

  @Test func timeToZeroEqualsTimeToThresholdZero() throws {
    let fit = try fit(try NoisySeries.series(seed: 3), options(threshold: 0))
    let (zero, threshold) = (try estimate(.timeToZero, fit), try estimate(.timeToThreshold, fit))
    #expect(zero.value == threshold.value)
    #expect(zero.low == threshold.low && zero.high == threshold.high)
    #expect(zero.standardError == threshold.standardError)
  }

  /// With small noise the quantities are linear in the parameters, so that profile and delta method agree.
  @Test func profileAndDeltaMethodAgreeForTinyNoise() throws {
    let series = try NoisySeries.series(seed: 4, sd: 1e-4)
    let profile = try fit(series, options())
    let wald = try fit(series, options(interval: IntervalOptions(kind: .wald)))
    for (one, other) in zip(profile.derived, wald.derived) {
      let width = try #require(other.high) - (try #require(other.low))
      #expect(abs(try #require(one.low) - (try #require(other.low))) < 0.02 * width, "\(one)")
      #expect(abs(try #require(one.high) - (try #require(other.high))) < 0.02 * width, "\(one)")
    }
  }

  /// No parameters within the likelihood region give a quantity outside of its interval.
  @Test func intervalCoversLikelihoodRegion() throws {
    var tried = 0
    for seed in UInt64(10)..<13 {
      let series = try NoisySeries.series(seed: seed, count: 12)
      let fit = try fit(series, options())
      let readings = fit.readings.filter(\.use.isUsed)
      let freedom = Double(readings.count - 3)
      // The ends of the parameters' profiles touch the same region, so that their box holds it.
      let box = try [FitParameter.ka, .beta, .r].map { parameter in
        let estimate = try #require(fit.estimates[parameter])
        return (log(try #require(estimate.low)), log(try #require(estimate.high)))
      }
      let sum = { (values: [Double]) in
        try Self.sumOfSquares(readings, try Self.curve(values, series))
      }
      let best = try sum([fit.value(.ka), fit.value(.beta), fit.value(.r)])
      let beta = try #require(try Self.edge(fit, sum))
      let limit = freedom * log(beta / best)
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<20_000 {
        let values = box.map { low, high in
          exp(low + (high - low) * Double.random(in: 0..<1, using: &generator))
        }
        guard freedom * log(try sum(values) / best) < limit else { continue }
        tried += 1
        let curve = try Self.curve(values, series)
        try check(fit, .timeToZero, curve.timeToThreshold(0)?.minutes)
        try check(fit, .timeToThreshold, curve.timeToThreshold(0.2)?.minutes)
        try check(fit, .peak, curve.peak?.concentration.value)
        try check(fit, .timeOfPeak, curve.peak?.time.minutes)
        try check(fit, .auc, curve.area().value)
      }
    }
    #expect(tried > 1000)
  }

  /// The sum of squares on the edge of the region: the criterion nu ln(1 + t^2 / nu) by its Student quantile,
  /// here for 12 readings and 3 parameters.
  private static func edge(_ fit: SeriesFit, _ sum: ([Double]) throws -> Double) throws -> Double? {
    let quantile = 2.262157162740992
    let best = try sum([fit.value(.ka), fit.value(.beta), fit.value(.r)])
    guard fit.readings.count(where: \.use.isUsed) == 12 else { return nil }
    return best * (1 + quantile * quantile / 9)
  }

  private static func curve(_ values: [Double], _ series: Series) throws -> Trajectory {
    Trajectory(
      try Regimen(series.drinks, bodyWeight: SimulatedSeries.man.weight),
      try KineticParameters(
        ka: PerHour(values[0]), beta: GramsPerKilogramHour(values[1]), r: RFactor(values[2])))
  }

  private static func sumOfSquares(_ readings: [FittedReading], _ curve: Trajectory) throws
    -> Double
  {
    readings.reduce(0) { sum, reading in
      let error = reading.observed.value - curve.concentration(at: reading.time).value
      return sum + error * error
    }
  }

  private func check(
    _ fit: SeriesFit, _ quantity: DerivedQuantity, _ value: Double?
  ) throws {
    let (estimate, value) = (try estimate(quantity, fit), try #require(value))
    // Ends are roots to 1e-6 of a standard error.
    let slack = 1e-4 * (estimate.standardError ?? 0)
    #expect(value >= (estimate.low ?? -.infinity) - slack, "\(quantity)")
    #expect(value <= (estimate.high ?? .infinity) + slack, "\(quantity)")
  }

  /// A constant is as certain as what was fixed, and a curve below the threshold never comes to it.
  @Test func undefinedQuantitiesAreNil() throws {
    let series = try NoisySeries.series(seed: 5)
    var known = options([.beta], threshold: 3)
    known.fixed = [.ka: 18]
    let fixed = try fit(series, known)
    let c0 = try estimate(.c0, fixed)
    #expect(c0.value != nil && c0.low == nil && c0.standardError == nil && !c0.isEstimated)
    #expect(try estimate(.timeToThreshold, fixed).value == nil)
    let other = try fit(series, options([.ka, .r, .ke], model: .firstOrder))
    for quantity in [DerivedQuantity.timeToZero, .c0] {
      #expect(try estimate(quantity, other).value == nil)
    }
    #expect(try estimate(.auc, other).low != nil)
    #expect(try fit(series, options(of: [])).derived.isEmpty)
  }

  @Test func refusesInvalidThreshold() throws {
    for threshold in [-0.1, .nan, .infinity] {
      #expect(throws: SeriesFailure.self) {
        try SeriesFitter(options: options(threshold: GramsPerKilogram(threshold)))
      }
    }
  }

  /// Against constrained optimisation by SciPy's SLSQP, which shares nothing with profiles
  /// (Tests/Tools/derived_scipy.py); it may stall at kinks, hence 0.1 %.
  @Test(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
  func wilkinsonAgreesWithConstrainedOptimisation() throws {
    let study = try StudyReader.read(PackageFolder.shared("wilkinson-1977-oral"))
    let rows = try PackageFolder.expectations("derived-wilkinson-1977-oral")
    #expect(rows.count == 6)
    let fitter = try SeriesFitter(options: options())
    for (series, row) in zip(study.series, rows) {
      let fit = try fitter.fit(series)
      for quantity in [DerivedQuantity.timeToZero, .peak, .timeOfPeak, .auc] {
        let estimate = try estimate(quantity, fit)
        for (end, found) in [("low", estimate.low), ("high", estimate.high)] {
          let expected = try row.known("\(quantity.columnName)_\(end)")
          #expect(agree(found, expected, relative: 1e-3), "\(quantity) \(end) \(row)")
        }
      }
    }
  }
}

/// The table of coverage in the article is the one that `Tests/Tools/derived_coverage.py` made.
@Suite struct DerivedCoverageArticleTests {
  @Test func articleTableMatchesDerivedCoverage() throws {
    let file = PackageFolder.root
      .appending(path: "Sources/Estimation/Documentation.docc/DerivedQuantities.md")
    let article = try String(contentsOf: file, encoding: .utf8)
    let rows = try PackageFolder.expectations("derived-coverage")
    #expect(rows.count == 40)
    for row in rows {
      let quantity = (row["quantity"] ?? "").replacing("_", with: "-")
      let line =
        "| \(row["design"] ?? "") | `\(quantity)` | \(row["n"] ?? "") | \(row["covered_pct"] ?? "") % | "
        + "\(row["open"] ?? "") | \(row["delta_covered_pct"] ?? "") % |"
      #expect(article.contains(line), "\(line)")
      guard row["design"] == "well-sampled" else { continue }
      #expect((93...97).contains(try row.known("covered_pct")), "\(row)")
    }
  }
}

import AlcoholKinetics
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// Fits whose errors go together, against Tests/Tools/correlated_scipy.py, which has the whole
/// correlation matrix where the fit has a recursion.
@Suite struct CorrelatedFitTests {
  private func series(_ row: [String: String]) throws -> Series {
    try ExpectedSeries.series(row, readingsIn: "fit-correlated-series")
  }

  private func options(_ row: [String: String]) throws -> FitOptions {
    let error: ErrorModel =
      switch row["error_model"] {
      case "proportional": .proportional(cv: nil)
      case "additive:0.02": .additive(sd: 0.02)
      default: .additive(sd: nil)
      }
    return FitOptions(
      estimate: [.ka, .beta, .r], error: error,
      correlation: .exponential(time: try row.number("given_min").map { Hours(minutes: $0) }))
  }

  @Test func fitsAgreeWithFullCovarianceMatrix() throws {
    for row in try PackageFolder.expectations("fit-correlated") {
      let name = row["subject"] ?? ""
      let fit = try SeriesFitter(options: options(row)).fit(series(row))
      let noise = try #require(fit.noise)
      let time = try #require(noise.correlationTime)
      // Turns of curve and noise end at 1e-6, profiles at 1e-6 of a standard error: what is left of
      // both is below these tolerances.
      #expect(agree(time.minutes, try row.known("tau_min"), relative: 1e-5), "\(name) \(time)")
      let scale = noise.sd ?? noise.cv
      if row["error_model"] != "additive:0.02" {
        #expect(agree(scale, try row.known("scale"), relative: 1e-5), "\(name)")
      }
      for parameter in [FitParameter.ka, .beta, .r] {
        let estimate = try #require(fit.estimates[parameter])
        let key = parameter.rawValue
        #expect(agree(estimate.value, try row.known(key), relative: 1e-5), "\(name) \(key)")
        #expect(
          agree(estimate.standardError, try row.known("\(key)_se"), relative: 1e-4),
          "\(name) \(key)")
        guard let low = try row.number("\(key)_low"), let high = try row.number("\(key)_high")
        else {
          continue
        }
        #expect(agree(estimate.low, low, relative: 1e-5), "\(name) \(key) \(estimate) \(low)")
        #expect(agree(estimate.high, high, relative: 1e-5), "\(name) \(key) \(estimate) \(high)")
      }
      #expect(
        agree(fit.criteria?.deviance, try row.known("minus_2_log_likelihood"), within: 1e-4),
        "\(name)")
    }
  }

  @Test func tinyTimeConstantGivesIndependentErrors() throws {
    let row = try #require(PackageFolder.expectations("fit-correlated").first)
    let series = try series(row)
    var options = try options(row)
    options.correlation = .exponential(time: Hours(minutes: 0.01))
    let tiny = try SeriesFitter(options: options).fit(series)
    options.correlation = .independent
    let none = try SeriesFitter(options: options).fit(series)
    for parameter in [FitParameter.ka, .beta, .r] {
      let (one, other) = (tiny.estimates[parameter], none.estimates[parameter])
      #expect(agree(one?.value, other?.value, relative: 1e-6))
      #expect(agree(one?.low, other?.low, relative: 1e-5))
      #expect(agree(one?.high, other?.high, relative: 1e-5))
    }
    #expect(none.noise?.correlationTime == nil)
  }

  @Test func censoredReadingsAreUncorrelated() throws {
    let series = try NoisySeries.series(seed: 7, limit: 0.05)
    let fit = try SeriesFitter(
      options: FitOptions(correlation: .exponential(time: nil))
    ).fit(series)
    #expect(fit.count(.censored) == 1)
    #expect(fit.isConverged)
    #expect(fit.noise?.isSettled == true)
    #expect(try #require(fit.estimates[.beta]).isIdentifiable == true)
  }

  @Test func whiteningAndColouringAreInverse() throws {
    let row = try #require(
      PackageFolder.expectations("fit-correlated").first { $0["subject"] == "double-1" })
    let series = try series(row)
    let selection = ReadingSelection()
    let observations = Observations(
      series, uses: selection.uses(of: series, nil), selection, nil, ConversionFactors())
    let chain = try #require(CorrelationChain(observations, .exponential(time: nil)))
    var generator = SeededGenerator(seed: 4)
    let errors = observations.all.map { _ in generator.nearlyNormal() }
    for time in [0, 1e-6, 0.3, 5, 1e9] {
      let back = chain.coloured(chain.whitened(errors, time: time), time: time)
      #expect(zip(back, errors).allSatisfy { agree($0, $1, relative: 1e-9, absolute: 1e-9) })
      #expect(chain.logDeterminant(time: time).isFinite)
    }
    // The two samples of the first minute have nothing before them.
    #expect(chain.predecessors.prefix(2) == [nil, nil])
    #expect(chain.predecessors[4] == 3)
    #expect(chain.predecessors[5] == 3)
  }

  @Test func allReadingsAtOneTimeAreIndependent() throws {
    let series = Series(
      subject: Subject(id: "one"), drinks: [Drink(time: 0, ethanol: .perBodyWeight(0.5))],
      readings: [0.5, 0.52, 0.48, 0.51, 0.49].map {
        Reading(time: 1, value: $0, unit: .bloodGramsPerKilogram)
      })
    let fit = try SeriesFitter(
      options: FitOptions(
        estimate: [.beta], fixed: [.ka: 18, .r: 0.7], correlation: .exponential(time: nil))
    ).fit(series)
    #expect(fit.noise?.correlationTime == 0)
  }

  @Test(arguments: [
    FitOptions(
      selection: ReadingSelection(censoring: .drop), loss: .huber,
      correlation: .exponential(time: nil)),
    FitOptions(
      selection: ReadingSelection(censoring: .oneSided), correlation: .exponential(time: nil)),
    FitOptions(
      interval: IntervalOptions(kind: .residualBootstrap), correlation: .exponential(time: nil)),
    FitOptions(correlation: .exponential(time: 0)),
    FitOptions(correlation: .exponential(time: Hours(.nan))),
  ])
  func incompatibleOptionsAreRefused(options: FitOptions) throws {
    #expect {
      try SeriesFitter(options: options)
    } throws: { error in
      (error as? SeriesFailure)?.code == "E_OPTION"
    }
  }

  @Test func tooFewReadingsAreRefused() throws {
    let series = try NoisySeries.series(seed: 3, count: 3)
    #expect(throws: SeriesFailure.tooFewReadings(found: 3, needed: 4)) {
      try SeriesFitter(options: FitOptions(correlation: .exponential(time: nil))).fit(series)
    }
  }

  @Test func parametricBootstrapDrawsCorrelatedErrors() throws {
    let row = try #require(PackageFolder.expectations("fit-correlated").first)
    var options = try options(row)
    options.interval = IntervalOptions(kind: .parametricBootstrap, replicates: 100)
    let bootstrapped = try SeriesFitter(options: options).fit(series(row))
    options.correlation = .independent
    let independent = try SeriesFitter(options: options).fit(series(row))
    let width = { (fit: SeriesFit) in
      (fit.estimates[.beta]?.high ?? .nan) / (fit.estimates[.beta]?.low ?? .nan)
    }
    #expect(width(bootstrapped) > width(independent))
  }
}

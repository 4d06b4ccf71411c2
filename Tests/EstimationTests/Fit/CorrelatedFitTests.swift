import AlcoholKinetics
import FittingSupport
import Foundation
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
      correlation: .exponential(
        time: try row.number("given_min").map { Hours(minutes: $0) },
        nugget: try row.known("nugget")))
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
    var chain = try #require(CorrelationChain(observations, .exponential(time: nil)))
    var generator = SeededGenerator(seed: 4)
    let errors = observations.all.map { _ in generator.nearlyNormal() }
    for (time, nugget) in [
      (0, 0), (1e-6, 0), (0.3, 0), (5, 0), (1e9, 0), (0, 0.4), (0.3, 0.4), (5, 0.01),
    ] {
      chain.nugget = nugget
      let back = chain.coloured(chain.whitened(errors, time: time), time: time)
      #expect(zip(back, errors).allSatisfy { agree($0, $1, relative: 1e-9, absolute: 1e-9) })
      #expect(chain.logDeterminant(time: time).isFinite)
    }
    // The two samples of the first minute have nothing before them.
    #expect(chain.predecessors.prefix(2) == [nil, nil])
    #expect(chain.predecessors[4] == 3)
    #expect(chain.predecessors[5] == 3)
  }

  /// Whitened errors have the identity as covariance, and the determinant is that of the matrix.
  @Test func nuggetWhitensTheWholeMatrix() throws {
    let row = try #require(
      PackageFolder.expectations("fit-correlated").first { $0["subject"] == "unequal-1" })
    let series = try series(row)
    let selection = ReadingSelection()
    let observations = Observations(
      series, uses: selection.uses(of: series, nil), selection, nil, ConversionFactors())
    let times = observations.all.map(\.elapsed)
    for (time, nugget) in [(0.5, 0.0), (0.5, 0.3), (4, 0.05), (0.1, 0.8)] {
      let chain = try #require(
        CorrelationChain(observations, .exponential(time: Hours(time), nugget: nugget)))
      // With a column for each reading, whitening gives L^-1.
      let count = times.count
      var identity = [Double](repeating: 0, count: count * count)
      for index in 0..<count { identity[index * (count + 1)] = 1 }
      let inverse = chain.whitened(identity, columns: count, time: time)
      for i in 0..<count {
        for j in 0...i {
          var sum = 0.0
          for k in 0..<count {
            for l in 0..<count {
              let alike = (1 - nugget) * exp(-abs(times[k] - times[l]) / time)
              sum +=
                inverse[i * count + k] * (alike + (k == l ? nugget : 0)) * inverse[j * count + l]
            }
          }
          #expect(agree(sum, i == j ? 1 : 0, absolute: 1e-10), "\(time) \(nugget) \(i) \(j)")
        }
      }
      let diagonal = (0..<count).reduce(0) { $0 - 2 * log(inverse[$1 * (count + 1)]) }
      #expect(agree(chain.logDeterminant(time: time), diagonal, relative: 1e-12))
    }
  }

  /// A nugget of nothing gives the bits of the model without one.
  @Test func nuggetOfZeroIsExponential() throws {
    let row = try #require(PackageFolder.expectations("fit-correlated").first)
    let series = try series(row)
    func fit(_ nugget: Double) throws -> SeriesFit {
      var options = try options(row)
      options.correlation = .exponential(time: Hours(minutes: 40), nugget: nugget)
      return try SeriesFitter(options: options).fit(series)
    }
    let (none, tiny) = (try fit(0), try fit(1e-13))
    for parameter in [FitParameter.ka, .beta, .r] {
      let (one, other) = (none.estimates[parameter], tiny.estimates[parameter])
      #expect(agree(one?.value, other?.value, relative: 1e-9))
      #expect(agree(one?.low, other?.low, relative: 1e-7))
      #expect(agree(one?.high, other?.high, relative: 1e-7))
    }
    let text = ErrorCorrelation.exponential(time: Hours(minutes: 40), nugget: 0).text
    #expect(text == "exponential:40")
    #expect(try ErrorCorrelation(parsing: text) == .exponential(time: Hours(minutes: 40)))
    #expect(
      try ErrorCorrelation(parsing: "exponential:40:0.2")
        == .exponential(time: Hours(minutes: 40), nugget: 0.2))
    for wrong in ["exponential:40:1", "exponential:40:-0.1", "exponential:40:x", "auto:3"] {
      #expect(throws: SeriesFailure.self) { try ErrorCorrelation(parsing: wrong) }
    }
  }

  /// Eight curves whitened at once, one curve and central differences have the same gradient, with a censored reading too.
  @Test(arguments: [nil, 0.05]) func whitenedGradientMatchesDifferences(limit: Double?) throws {
    let series = try NoisySeries.series(seed: 7, limit: limit)
    let problem = try FitProblem(
      series,
      options: FitOptions(
        estimate: [.ka, .beta, .r],
        correlation: .exponential(time: Hours(minutes: 30), nugget: 0.2)))
    let solver = FitSolver(problem, LeastSquaresEngine(.lanes))
    let chain = try #require(problem.noiseModel.chain)
    let objective = CurveObjective(
      solver.memory, standardDeviations: problem.observations.all.map { 0.01 + 0.05 * $0.level },
      hasLikelihood: problem.noiseModel.hasLikelihood, whitening: chain.whitening(time: 0.5))
    let point = zip([FitParameter.ka, .beta, .r], [2.5, 0.14, 0.72]).map { $0.coordinate(of: $1) }
    let gradient = try #require(objective.gradient(at: point))
    let value = objective.value(at: point)
    let lanes = LeastSquaresEngine(.lanes).values(of: objective, at: [Coordinates(point)])
    #expect(agree(lanes[0], value, relative: 1e-9))
    for index in point.indices {
      let step = 1e-5
      var (low, high) = (point, point)
      low[index] -= step
      high[index] += step
      // The gradient is half that of the sum of squares.
      let slope = (objective.value(at: high) - objective.value(at: low)) / (4 * step)
      #expect(agree(gradient[index], slope, relative: 1e-6, absolute: 1e-6 * value), "\(index)")
    }
    let fits = try [FitEngine.lanes, .gsl].map { engine in
      try SeriesFitter(
        options: FitOptions(
          estimate: [.ka, .beta, .r], engine: engine,
          correlation: .exponential(time: Hours(minutes: 30), nugget: 0.2))
      ).fit(series)
    }
    for parameter in [FitParameter.ka, .beta, .r] {
      let (one, other) = (fits[0].estimates[parameter], fits[1].estimates[parameter])
      #expect(agree(one?.value, other?.value, relative: 1e-5))
      #expect(agree(one?.low, other?.low, relative: 1e-4))
      #expect(agree(one?.high, other?.high, relative: 1e-4))
    }
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

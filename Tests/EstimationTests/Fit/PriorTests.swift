import AlcoholKinetics
import FittingSupport
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// Fits with a prior, against Tests/Tools/prior_scipy.py, which minimises the posterior as it stands.
@Suite struct PriorTests {
  private static let parameters: [FitParameter] = [.ka, .beta, .r]

  private func prior() throws -> Prior {
    let rows = try PackageFolder.expectations("fit-prior-distribution")
    return try Prior(
      of: Self.parameters,
      mean: try stride(from: 0, to: 9, by: 3).map { try rows[$0].known("mean") },
      covariance: try rows.map { try $0.known("covariance") })
  }

  private func series(_ row: [String: String]) throws -> Series {
    try ExpectedSeries.series(row, readingsIn: "fit-prior-series")
  }

  private func options(_ prior: Prior?, sd: Double?) -> FitOptions {
    FitOptions(
      estimate: Set(Self.parameters), error: .additive(sd: sd), interval: nil, prior: prior)
  }

  /// Estimates to 1e-6: the command settles an estimated standard deviation to 1e-7.
  @Test func fitsMatchPosteriorModes() throws {
    for row in try PackageFolder.expectations("fit-prior") {
      let name = row["subject"] ?? ""
      let fit = try SeriesFitter(
        options: options(try prior(), sd: try row.number("known_sd"))
      ).fit(try series(row))
      #expect(fit.isConverged, "\(name)")
      #expect(agree(fit.objective, try row.number("objective"), relative: 1e-6), "\(name)")
      #expect(agree(fit.noise?.sd, try row.number("sd"), relative: 1e-6), "\(name)")
      let covariance = try #require(fit.covariance)
      #expect(covariance.parameters == Self.parameters)
      for (index, parameter) in Self.parameters.enumerated() {
        #expect(
          agree(fit.values[parameter], try row.number(parameter.rawValue), relative: 1e-6),
          "\(name) \(parameter)")
        #expect(
          agree(
            covariance.values[index * 4].squareRoot(),
            try row.number("log_\(parameter.rawValue)_se"), relative: 1e-5), "\(name) \(parameter)")
      }
      #expect(
        agree(covariance.values[2], try row.number("covariance_ka_r"), relative: 1e-5), "\(name)")
      #expect(fit.criteria == nil)
    }
  }

  /// Readings that say nothing leave the prior as it was; a prior that says nothing leaves the fit.
  @Test func weakAndStrongPriorsGiveFitAndPrior() throws {
    let prior = try prior()
    let row = try #require(try PackageFolder.expectations("fit-prior").first)
    let series = try series(row)
    let deaf = try SeriesFitter(options: options(prior, sd: 1e6)).fit(series)
    for (index, parameter) in Self.parameters.enumerated() {
      #expect(agree(deaf.values[parameter], exp(prior.mean[index]), relative: 1e-9))
    }
    let covariance = try #require(deaf.covariance).values
    #expect(zip(covariance, prior.covariance).allSatisfy { agree($0, $1, absolute: 1e-9) })
    let vague = try Prior(
      of: Self.parameters, mean: prior.mean, covariance: prior.covariance.map { $0 * 1e10 })
    let free = try SeriesFitter(options: options(vague, sd: 0.02)).fit(series)
    let plain = try SeriesFitter(options: options(nil, sd: 0.02)).fit(series)
    for parameter in Self.parameters {
      #expect(agree(free.values[parameter], plain.values[parameter], relative: 1e-8))
    }
  }

  /// Along a profile the posterior of a coordinate that readings say nothing of is the prior's normal.
  @Test func profilesIncludeThePrior() throws {
    let prior = try prior()
    let row = try #require(try PackageFolder.expectations("fit-prior").first)
    var options = options(prior, sd: 1e6)
    options.interval = IntervalOptions(kind: .profile)
    let fit = try SeriesFitter(options: options).fit(try series(row))
    for (index, parameter) in Self.parameters.enumerated() {
      let sd = prior.covariance[index * 4].squareRoot()
      let estimate = try #require(fit.estimates[parameter])
      let (low, high) = (prior.mean[index] - 1.959964 * sd, prior.mean[index] + 1.959964 * sd)
      #expect(agree(estimate.low, exp(low), relative: 1e-5), "\(parameter)")
      #expect(agree(estimate.high, exp(high), relative: 1e-5), "\(parameter)")
    }
  }

  @Test func aPriorNeedsADistribution() throws {
    func refused(_ parameters: [FitParameter], _ mean: [Double], _ covariance: [Double]) -> Bool {
      (try? Prior(of: parameters, mean: mean, covariance: covariance)) == nil
    }
    #expect(!refused([.ka], [1], [0.1]))
    #expect(refused([], [], []))
    #expect(refused([.ka, .ka], [1, 1], [1, 0, 0, 1]))
    #expect(refused([.ka], [1, 2], [0.1]))
    #expect(refused([.ka], [.nan], [0.1]))
    #expect(refused([.ka], [1], [0]))
    #expect(refused([.ka], [1], [-1]))
    #expect(refused([.ka, .beta], [1, 1], [1, 0.5, 0.4, 1]))
    #expect(refused([.ka, .beta], [1, 1], [1, 1, 1, 1]))
    #expect(refused([.ka, .beta], [1, 1], [1, 2, 2, 1]))
  }

  @Test func optionsThatExcludeAPriorAreRefused() throws {
    let prior = try Prior(of: [.ka], mean: [1], covariance: [0.1])
    var lossy = FitOptions(loss: .huber, prior: prior)
    lossy.interval = nil
    var robust = FitOptions(standardErrors: .robust, prior: prior)
    robust.interval = nil
    let other = FitOptions(estimate: [.beta], prior: prior)
    let start = FitOptions(start: [.beta: -1])
    for options in [lossy, robust, other, start, FitOptions(start: [.vmax: 1])] {
      let failure = #expect(throws: SeriesFailure.self) { try SeriesFitter(options: options) }
      #expect(failure?.code == "E_OPTION")
    }
  }

  /// A prior of the absorption alone, beside a scale that is estimated.
  @Test func aPriorMayBeAboutOneParameter() throws {
    let series = try NoisySeries.series(seed: 3, count: 30)
    let prior = try Prior(of: [.ka], mean: [log(2.0)], covariance: [1e-8])
    let fit = try SeriesFitter(options: FitOptions(fixed: [.r: 0.65], prior: prior)).fit(series)
    #expect(agree(fit.values[.ka], 2, relative: 1e-3))
    let held = try SeriesFitter(options: FitOptions(estimate: [.beta], fixed: [.r: 0.65, .ka: 2]))
      .fit(series)
    #expect(agree(fit.values[.beta], held.values[.beta], relative: 1e-3))
  }
}

import AlcoholKinetics
import Estimation
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Population

/// Fits, populations and posteriors share one model of how readings err.
@Suite struct ObservationModelTests {
  private static let instrument = Instrument(resolution: 0.03, relativeAccuracy: 0.1)
  private static let models: [ErrorModel] = [
    .additive(sd: 0.03), .proportional(cv: 0.1),
    .combined(ObservationModel(sd: 0.02, cv: 0.08)), .instrument,
  ]

  /// The curve of the likeliest parameters has -2 ln L by the fit, by a population in which nobody differs, and by
  /// the posterior of a subject without random effects, with plain errors and by the filter of others.
  @Test(arguments: models, [0, 0.15])
  func fitPopulationAndPosteriorLikelihoodsAgree(_ error: ErrorModel, _ limit: Double) throws {
    let readings = [
      (5.0, 0.12), (20, 0.42), (30, 0.55), (60, 0.66), (120, 0.55), (180, 0.40), (240, 0.27),
      (285, 0.13),
      (300, 0.11),
    ]
    let series = PosteriorTests.series(readings)
    let selection = ReadingSelection(limitOfDetection: limit)
    let parameters: [FitParameter] = [.ka, .beta, .r]
    let fit = try SeriesFitter(
      options: FitOptions(
        estimate: Set(parameters), selection: selection, error: error, interval: nil)
    ).fit(series, instrument: Self.instrument)
    let deviance = try #require(fit.criteria?.deviance)
    // Of those at the end that are below detection, the first counts.
    #expect(fit.readings.count { $0.limit != nil } == (limit > 0 ? 2 : 0))

    let model = PopulationModel(
      parameters: parameters.map { .kinetic($0) }, random: [.kinetic(.beta)], error: error,
      selection: selection)
    let typical = try parameters.map { try #require(fit.estimates[$0]).value }
    let values = PopulationValues(
      typical: typical.map { Foundation.log($0) }, between: [1e-12],
      sd: error.observation(ObservationModel(sd: 0.03 / 12.0.squareRoot(), cv: 0)).sd,
      cv: error.observation(ObservationModel(sd: 0, cv: 0.1 / 3.0.squareRoot())).cv)
    let population = try PopulationFit(
      evaluating: values, of: [series], instrument: Self.instrument, model: model)
    #expect(agree(population.minusTwoLogLikelihood, deviance, relative: 1e-7))

    for absorption in [0, 1e-12] {
      let text = populationText(
        typical: ["ka": typical[0], "beta": typical[1], "r": typical[2]], between: ["beta": 1e-6],
        residual: ["sd": values.sd, "cv": values.cv, "absorption_kg_per_g": absorption])
      let person = try SeriesDensity(
        series, try PosteriorTests.population(text), knowing: nil, Self.instrument,
        Posterior.Options(selection: selection))
      let density = try #require(person.logDensities([[0]]).first)
      let constant = Double(population.quantifiedCount) * ObservationModel.constant
      #expect(agree(constant - 2 * density, deviance, relative: 1e-7), "\(absorption)")
    }
  }
}

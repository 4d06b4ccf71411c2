import AlcoholKinetics
import Estimation
import FittingSupport
import Foundation
import StudyData
import Testing

/// Fits of people into whose blood ethanol was injected or infused.
@Suite struct IntravenousFitTests {
  /// Readings every 20 minutes, exact to nine digits.
  private static func series(
    _ drinks: [Drink], _ parameters: ModelParameters
  ) throws -> Series {
    let curve = try parameters.curve(of: Regimen(drinks, bodyWeight: SimulatedSeries.man.weight))
    return Series(
      subject: SimulatedSeries.man, drinks: drinks,
      readings: (1...18).map { index in
        let time = Hours(minutes: 20 * Double(index))
        return Reading(
          time: time, value: curve.concentration(at: time).value, unit: .bloodGramsPerKilogram)
      })
  }

  private static let infusion = [
    Drink(time: 0, duration: 0.75, ethanol: .mass(40), route: .intravenous)
  ]

  /// k_a is not estimated where nothing is absorbed: it used to run to 1000 /h.
  @Test(arguments: EliminationModel.allCases)
  func infusionFitLeavesOutAbsorption(model: EliminationModel) throws {
    var values: [FitParameter: Double] = [.r: 0.65, .ka: 5.522]
    for traits in model.kinetics.ownParameters { values[traits.parameter] = traits.typicalValue }
    let truth = try ModelParameters(model, values)
    let series = try Self.series(Self.infusion, truth)
    let estimate = model.defaultEstimate.union([.r, .lag])
    let fit = try SeriesFitter(options: FitOptions(model: model, estimate: estimate)).fit(series)
    #expect(Set(fit.estimates.keys) == estimate.subtracting([.ka, .lag]))
    #expect(fit.values[.ka] == 5.522)
    for (parameter, value) in values {
      #expect(abs(fit.value(parameter) / value - 1) < 1e-3, "\(parameter.rawValue)")
    }
    let codes = fit.warnings.map(\.code)
    #expect(codes.contains("W_NOTHING_ABSORBED"))
    #expect(!codes.contains("W_KA_RANGE") && !codes.contains("W_AT_BOUND"))
    let quiet = try SeriesFitter(
      options: FitOptions(model: model, estimate: estimate.subtracting([.ka, .lag])))
    #expect(!(try quiet.fit(series).warnings.map(\.code).contains("W_NOTHING_ABSORBED")))
  }

  /// The prior of the estimated parameters is the marginal distribution, without absorption.
  @Test func infusionFitUsesThePriorsMarginal() throws {
    let truth = try ModelParameters(.widmark, [.ka: 1, .beta: 0.14, .r: 0.65])
    let series = try Self.series(Self.infusion, truth)
    func fit(_ prior: Prior) throws -> SeriesFit {
      try SeriesFitter(
        options: FitOptions(
          estimate: [.ka, .beta], rFactor: GivenRFactor(RFactor(0.65)), error: .additive(sd: 0.02),
          prior: prior)
      ).fit(series)
    }
    let mean = [log(3.0), log(0.2)]
    let both = try fit(
      try Prior(of: [.ka, .beta], mean: mean, covariance: [0.3, 0.004, 0.004, 0.0009]))
    let alone = try fit(try Prior(of: [.beta], mean: [mean[1]], covariance: [0.0009]))
    #expect(both.values == alone.values && both.estimates == alone.estimates)
    #expect(abs(both.value(.beta) / 0.14 - 1) > 1e-3)
    // One about k_a alone says nothing of what is estimated.
    let other = try fit(try Prior(of: [.ka], mean: [mean[0]], covariance: [0.3]))
    #expect(abs(other.value(.beta) / 0.14 - 1) < 1e-4)
  }

  @Test func infusionFitOfAbsorptionAloneIsRefused() throws {
    let truth = try ModelParameters(.widmark, [.ka: 1, .beta: 0.15, .r: 0.65])
    let series = try Self.series(Self.infusion, truth)
    let fitter = try SeriesFitter(options: FitOptions(estimate: [.ka]))
    #expect {
      try fitter.fit(series)
    } throws: { error in
      "\(error)".contains("all doses are intravenous")
    }
  }

  /// If some doses are drunk, k_a is estimated; their lag can be given, but not estimated.
  @Test func mixedRoutesEstimateAbsorption() throws {
    let truth = try ModelParameters(.widmark, [.ka: 3, .beta: 0.14, .r: 0.65, .lag: 0.25])
    let drinks = Self.infusion + [Drink(time: 1.25, ethanol: .mass(25))]
    let series = try Self.series(drinks, truth)
    let fit = try SeriesFitter(options: FitOptions(fixed: [.lag: 0.25, .r: 0.65])).fit(series)
    #expect(abs(fit.value(.ka) / 3 - 1) < 1e-5 && abs(fit.value(.beta) / 0.14 - 1) < 1e-5)
    let lagged = try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .lag]))
    #expect {
      try lagged.fit(series)
    } throws: { error in
      "\(error)".contains("fix the lag")
    }
  }
}
